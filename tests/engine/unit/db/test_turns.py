"""Turns at the connections: a single caller may use all of them, but not the last one if another caller arrives."""

from __future__ import annotations

import asyncio

import pytest

from tableapi.db.turns import Turns
from tableapi.errors import Busy


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
