"""Excess load for a few seconds is rejected at once (longer: `python -m tests.system.overload`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.overload.generator import Generator, mixed
from tests.system.overload.stage import Stage

READS = ("one row", "25 rows")


@pytest.mark.slow
@pytest.mark.timing
async def test_excess_load_is_rejected_and_nothing_breaks(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        generator = Generator("127.0.0.1", stage.server.port, mixed(stage.parts()))
        most = (await generator.closed_loop(32, 3)).rate
        seen = await generator.open_loop(2 * most, 4)
        assert {status for status, count in seen.statuses.items() if count} <= {200, 429, 503}
        assert seen.statuses[503] > 0
        assert seen.rate > most / 5  # throughput stays near the capacity
        right, spent, reveals = await stage.books()
        assert (right, spent) == (True, reveals)


@pytest.mark.slow
@pytest.mark.timing
async def test_many_waiting_callers_are_not_an_overload(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        reads = {kind: part for kind, part in stage.parts().items() if kind in READS}
        generator = Generator("127.0.0.1", stage.server.port, mixed(reads))
        seen = await generator.closed_loop(128, 4)
        assert set(+seen.statuses) == {200}
