"""Turns at the connections: a caller alone may have all, and never the last one while another caller comes."""

from __future__ import annotations

import asyncio

import pytest

from tableapi.db import turns
from tableapi.db.turns import Turns
from tableapi.errors import Busy


async def test_a_caller_leaves_the_last_connection_to_others() -> None:
    made = Turns(lambda: 4)
    assert [made.enter("a") for _ in range(4)] == [True, True, True, False]
    assert made.enter("b")
    made.leave("b")
    made.leave("a")
    assert [made.enter("a") for _ in range(3)] == [True, True, False]  # alone, and it gives back soon


async def test_a_caller_that_waits_is_served_in_its_order() -> None:
    made = Turns(lambda: 2)
    assert made.enter("a")
    order: list[int] = []

    async def read(number: int) -> None:
        if not made.enter("a"):
            await made.wait("a")
        order.append(number)
        await asyncio.sleep(0)
        made.leave("a")

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(read(number))
        await asyncio.sleep(0)
        assert made.waiting == 20
        assert made.enter("b")
        made.leave("a")
    assert order == list(range(20))
    assert made.waiting == 0
    made.leave("b")
    assert not made._running
    assert not made._queues


async def test_one_that_gives_up_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "WAIT_SECONDS", 0.02)
    made = Turns(lambda: 2)
    assert made.enter("a")
    waiting = [asyncio.create_task(made.wait("a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert all(isinstance(one, Busy) for one in found[1:])
    made.leave("a")
    assert (made.waiting, made._running, made._queues) == (0, {}, {})
    assert made.enter("a")
    late = asyncio.create_task(made.wait("a"))
    await asyncio.sleep(0)
    made.leave("a")  # the turn came, and in that moment the request is given up
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    assert not made._running
