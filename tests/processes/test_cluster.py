"""The short part of `python -m tests.system.cluster`: two nodes and a replica, without nginx and Redis."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.customer import prepare
from tests.system.cluster import checks
from tests.system.cluster.nodes import bring_up


@pytest.mark.slow
async def test_writes_are_visible_on_every_node_even_after_a_failover(tmp_path: Path) -> None:
    with ExitStack() as stack:
        cluster = await asyncio.to_thread(bring_up, tmp_path, stack, whole=False)
        await prepare(cluster.settings["DATABASE_URL"], 20_000)
        rows = [await check(cluster) for check in (checks.own_writes, checks.sessions, checks.primary_dies)]
        await asyncio.to_thread(stack.close)
    assert [row for row in rows if not row.ok] == []
