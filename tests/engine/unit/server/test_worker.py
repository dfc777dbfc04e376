"""The signals of a worker, which runs its event loop twice: to start the application, and to serve."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import pytest
import uvloop

from tableapi.server.worker import on_signal


@pytest.mark.parametrize("loops", [uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"])
def test_a_signal_between_two_runs_of_the_loop_is_delivered(loops: Callable[[], asyncio.AbstractEventLoop]) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    loop = loops()
    arrived = asyncio.Event()

    async def start() -> None:
        on_signal(signal.SIGUSR1, arrived.set)

    async def serve() -> None:
        async with asyncio.timeout(10):
            await arrived.wait()

    try:
        loop.run_until_complete(start())
        signal.raise_signal(signal.SIGUSR1)
        loop.run_until_complete(serve())
        arrived.clear()
        loop.call_later(0.05, signal.raise_signal, signal.SIGUSR1)
        loop.run_until_complete(serve())
    finally:
        loop.close()
        signal.signal(signal.SIGUSR1, before)
