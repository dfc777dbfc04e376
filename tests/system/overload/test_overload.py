"""Excess load for a few seconds is rejected at once (longer: `python -m tests.system.overload`)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.system.overload.generator import Generator, mixed
from tests.system.overload.stage import Stage

READS = ("one row", "25 rows")
pytestmark = [pytest.mark.slow, pytest.mark.timing]


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with Stage(tmp_path_factory.mktemp("overload")) as stage:
        yield stage


async def test_many_waiting_callers_are_not_an_overload(stage: Stage) -> None:
    reads = {kind: part for kind, part in stage.parts().items() if kind in READS}
    generator = Generator("127.0.0.1", stage.server.port, mixed(reads))
    seen = await generator.closed_loop(128, 2)
    assert set(+seen.statuses) == {200}


async def test_excess_load_is_rejected_and_nothing_breaks(stage: Stage) -> None:
    generator = Generator("127.0.0.1", stage.server.port, mixed(stage.parts()))
    most = (await generator.closed_loop(32, 2)).rate
    seen = await generator.open_loop(2 * most, 3)
    assert {status for status, count in seen.statuses.items() if count} <= {200, 429, 503}
    assert seen.statuses[503] > 0
    assert seen.rate > most / 5  # throughput stays near the capacity
    right, spent, reveals = await stage.books()
    assert (right, spent) == (True, reveals)
