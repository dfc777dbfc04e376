"""How the connections of a node are divided, and lent to the pools with waiting requests."""

from __future__ import annotations

import asyncio

import pytest

from tableapi.config.command_error import BadSettings
from tableapi.config.settings import Settings
from tableapi.db import budget
from tableapi.db.budget import Budget, share, sizes


@pytest.mark.parametrize(
    ("connections", "workers", "datasets", "project", "expected"),
    [
        (None, 1, 1, True, 80),
        (None, 4, 1, True, 20),
        (None, 64, 1, True, 8),
        (None, 64, 5, False, 15),
        (100, 3, 1, True, 33),
        (5, 1, 1, True, 5),
        (6, 2, 1, False, 3),
    ],
)
def test_workers_share_the_budget(
    connections: int | None, workers: int, datasets: int, project: bool, expected: int
) -> None:
    settings = Settings(database_connections=connections, workers=workers)

    assert share(settings, datasets, project=project) == expected


@pytest.mark.parametrize(
    ("connections", "workers", "datasets", "project", "needed"), [(4, 1, 1, True, 5), (11, 2, 2, False, 12)]
)
def test_too_few_connections_are_rejected(
    connections: int, workers: int, datasets: int, project: bool, needed: int
) -> None:
    settings = Settings(database_connections=connections, workers=workers)

    with pytest.raises(BadSettings, match=f"DATABASE_CONNECTIONS is {connections}.* need at least {needed}"):
        share(settings, datasets, project=project)


@pytest.mark.parametrize(
    ("workers", "limit", "project", "expected"),
    [
        (1, 80, True, (6, 12, 4, 8)),
        (4, 80, True, (4, 4, 4, 2)),
        (1, 80, False, (6, 12, 0, 0)),
        (1, 10, True, (3, 2, 2, 2)),
        (1, 5, True, (1, 1, 1, 1)),
        (1, 3, False, (1, 1, 0, 0)),
    ],
)
def test_lanes_get_sizes_within_the_limit(
    workers: int, limit: int, project: bool, expected: tuple[int, int, int, int]
) -> None:
    result = sizes(Settings(workers=workers), limit, project=project)

    assert (result.reads, result.writes, result.pool, result.statements) == expected
    assert result.all <= limit


@pytest.mark.parametrize(
    ("workers", "limit", "pipeline", "expected"),
    [
        (1, 80, True, (4, 6)),
        (2, 40, True, (4, 3)),
        (3, 26, True, (2, 2)),
        (4, 80, True, (2, 2)),
        (1, 80, False, (0, 0)),
        (1, 10, True, (0, 0)),
        (1, 33, True, (2, 0)),
    ],
)
def test_pipelined_connections_come_last(workers: int, limit: int, pipeline: bool, expected: tuple[int, int]) -> None:
    settings = Settings(workers=workers, database_pipeline=pipeline)
    result = sizes(settings, limit, project=True)
    assert (result.piped_reads, result.piped_writes) == expected
    assert result.all <= limit


class Pool:
    """A member of a budget that counts its calls."""

    def __init__(self, spare: int = 0, wants: bool = False) -> None:
        self.spare, self.wants = spare, wants
        self.grown = self.shrunk = 0

    def grow(self) -> None:
        self.grown += 1

    def shrink(self, count: int) -> None:
        self.shrunk += count
        self.spare -= count


async def test_a_returned_connection_goes_to_a_waiting_pool() -> None:
    lent, idle, waiting = Budget(1), Pool(), Pool(wants=True)
    lent.join(idle)
    lent.join(waiting)

    assert lent.take()
    lent.give()

    assert (lent.left, idle.grown, waiting.grown) == (1, 0, 1)


async def test_a_pool_with_most_free_connections_returns_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "RECLAIM_SECONDS", 0.001)
    empty, some, most = Budget(0), Pool(spare=1), Pool(spare=2)
    waiting = Pool(wants=True)
    for pool in (some, most, waiting):
        empty.join(pool)

    assert not empty.take()
    assert not empty.take()
    assert (some.shrunk, most.shrunk) == (0, 1)  # one at a time

    async with asyncio.timeout(5):
        while some.shrunk + most.shrunk < 3:  # noqa: ASYNC110 - a timer of the budget
            await asyncio.sleep(0.001)
    waiting.wants = False
    await asyncio.sleep(0.01)
    assert (some.spare, most.spare) == (0, 0)
