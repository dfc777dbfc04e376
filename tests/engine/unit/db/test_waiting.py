"""The queue of requests that wait for a connection."""

from __future__ import annotations

import asyncio

import pytest

from tableapi.db.turns import OVERLOAD_WAITERS, WaitingQueue
from tableapi.errors import Busy

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
