"""The budget of connections, turns between callers, and waiting for both."""

from __future__ import annotations

import asyncio

import pytest

from tableapi.config.command_error import BadSettings
from tableapi.config.settings import Settings
from tableapi.db import budget
from tableapi.db.budget import Budget, share, sizes
from tableapi.db.turns import OVERLOAD_WAITERS, Turns, WaitingQueue
from tableapi.errors import Busy


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


async def test_a_caller_leaves_the_last_connection_to_others() -> None:
    turns = Turns(lambda: 4)
    assert [turns.enter("a") for _ in range(4)] == [True, True, True, False]
    assert turns.enter("b")
    turns.leave("b")
    turns.leave("a")
    assert [turns.enter("a") for _ in range(3)] == [True, True, False]  # alone, and it returns the connection soon


async def test_waiting_callers_are_served_in_order() -> None:
    turns = Turns(lambda: 2)
    assert turns.enter("a")
    order: list[int] = []

    async def read(number: int) -> None:
        if not turns.enter("a"):
            await turns.wait("a")
        order.append(number)
        await asyncio.sleep(0)
        turns.leave("a")

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(read(number))
        await asyncio.sleep(0)
        assert turns.waiting == 20
        assert turns.enter("b")
        turns.leave("a")
    assert order == list(range(20))
    assert turns.waiting == 0
    turns.leave("b")
    assert not turns._running
    assert not turns._queues


async def test_a_cancelled_read_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableapi.db.turns.WAIT_SECONDS", 0.02)
    turns = Turns(lambda: 2)
    assert turns.enter("a")
    waiting = [asyncio.create_task(turns.wait("a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert all(isinstance(result, Busy) for result in results[1:])
    turns.leave("a")
    assert (turns.waiting, turns._running, turns._queues) == (0, {}, {})
    assert turns.enter("a")
    late = asyncio.create_task(turns.wait("a"))
    await asyncio.sleep(0)
    turns.leave("a")  # the turn arrives just as the request is abandoned
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    assert not turns._running


Turn = asyncio.Future[None]


def put(queue: WaitingQueue[Turn], count: int = 1) -> list[Turn]:
    turns: list[Turn] = [asyncio.get_running_loop().create_future() for _ in range(count)]
    for turn in turns:
        queue.put(turn, turn)
    return turns


async def test_the_oldest_request_is_served_first() -> None:
    queue: WaitingQueue[Turn] = WaitingQueue(9, 5)
    first, second = put(queue, 2)
    assert queue.first() is first
    assert (queue.take(), queue.take(), queue.take(), queue.first()) == (first, second, None, None)
    queue.close()


@pytest.mark.parametrize("end", ["cancelled", "removed"])
async def test_a_cancelled_request_is_skipped(end: str) -> None:
    queue: WaitingQueue[Turn] = WaitingQueue(9, 5)
    first, second = put(queue, 2)
    if end == "cancelled":
        first.cancel()
    else:
        queue.remove(first)
        queue.remove(first)  # a repetition changes nothing
    assert queue.take() is second
    assert not queue
    queue.close()


async def test_a_full_queue_rejects() -> None:
    queue: WaitingQueue[Turn] = WaitingQueue(2, 5)
    put(queue, 2)
    with pytest.raises(Busy, match="server is busy"):
        put(queue)
    assert len(queue) == 2
    queue.close()


@pytest.mark.parametrize(("waiters", "refused"), [(0, False), (1, True)])
async def test_an_overloaded_queue_rejects(waiters: int, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableapi.db.turns.OVERLOAD_WAIT_SECONDS", -1.0)  # the first has waited long enough
    queue: WaitingQueue[Turn] = WaitingQueue(1000, 5, full="Too many.")
    put(queue, OVERLOAD_WAITERS + waiters)
    if refused:
        with pytest.raises(Busy, match="Too many"):
            put(queue)
    else:
        put(queue)
    queue.close()


async def test_each_request_past_its_deadline_fails() -> None:
    queue: WaitingQueue[Turn] = WaitingQueue(9, 0.01, late="Too late.")
    turns = put(queue, 2)
    turns += put(queue)
    for turn in turns:
        with pytest.raises(Busy, match="Too late"):
            await asyncio.wait_for(turn, 5)
    assert not queue
    (again,) = put(queue)  # the timer has been set again
    with pytest.raises(Busy, match="Too late"):
        await asyncio.wait_for(again, 5)


async def test_a_closed_queue_rejects_everything() -> None:
    queue: WaitingQueue[Turn] = WaitingQueue(9, 5)
    turns = put(queue, 2)
    turns[0].cancel()
    queue.close()
    with pytest.raises(Busy, match="server is stopping"):
        turns[1].result()
    assert not queue
