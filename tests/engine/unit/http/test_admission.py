"""When a worker counts as overloaded: by the time its backlog would take, not by the number of its callers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tableapi.http.admission import BACKLOG_REQUESTS, OVERLOAD_SECONDS, AdmissionControl
from tableapi.http.request import HttpRequest
from tests.helpers.support import until

CALLERS = BACKLOG_REQUESTS * 2


async def nothing() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


def request() -> HttpRequest:
    return HttpRequest({"type": "http", "method": "GET", "path": "/", "headers": []}, nothing)


@asynccontextmanager
async def callers(control: AdmissionControl, seconds: float, number: int = CALLERS) -> AsyncIterator[None]:
    """Let `number` callers send the next request as soon as the previous one ends, each after `seconds`."""

    async def call() -> None:
        while True:
            task = control.enter(request())
            await asyncio.sleep(seconds)
            control.leave(task)

    async with asyncio.TaskGroup() as group:
        control.start()
        tasks = [group.create_task(call()) for _ in range(number)]
        yield
        for task in tasks:
            task.cancel()
    control.stop()


def overloaded(control: AdmissionControl) -> Callable[[], bool]:
    return lambda: control.overloaded


async def test_a_slow_backlog_is_an_overload() -> None:
    control = AdmissionControl(512, 60, waits=lambda: True)
    async with callers(control, 60):
        await until(overloaded(control))
        assert control.full()
    assert len(control) == CALLERS


async def test_many_quickly_served_callers_are_not_an_overload() -> None:
    control = AdmissionControl(512, 60, waits=lambda: True)
    async with callers(control, 0.02):
        with pytest.raises(TimeoutError):
            await until(overloaded(control), OVERLOAD_SECONDS * 4)
        assert not control.full()


async def test_requests_waiting_for_vendors_are_not_an_overload() -> None:
    control = AdmissionControl(512, 60, waits=lambda: False)
    async with callers(control, 60):
        with pytest.raises(TimeoutError):
            await until(overloaded(control), OVERLOAD_SECONDS * 4)


async def test_a_burst_beyond_the_limit_is_not_an_overload() -> None:
    control = AdmissionControl(1, 60, waits=lambda: True)
    async with callers(control, 60, number=1):
        await asyncio.sleep(0)
        assert control.full()
        with pytest.raises(TimeoutError):
            await until(overloaded(control), OVERLOAD_SECONDS * 2)


async def test_an_overload_ends_despite_a_few_rejections() -> None:
    control = AdmissionControl(1, 60, waits=lambda: True)

    def ended_while_most_are_served() -> bool:
        control.full()
        for _ in range(9):
            control.leave(control.enter(request()))
        return not control.overloaded

    async with callers(control, 60, number=1):
        await until(lambda: control.full() and control.overloaded)
        await until(ended_while_most_are_served)


async def test_rejections_are_an_overload_until_they_stop() -> None:
    control = AdmissionControl(1, 60, waits=lambda: True)
    async with callers(control, 60, number=1):
        await until(lambda: control.full() and control.overloaded)
        assert control.full()  # an overload does not raise the limit
        await until(lambda: not control.overloaded)
