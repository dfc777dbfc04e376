"""An event loop without sockets and with a clock that jumps to the next timer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

MAX_STEPS = 200_000


class Stuck(Exception):
    """Raised when nothing is left to run, or the loop runs without end."""


class _Clock:
    """A selector that never has events. To wait for one moves the time forward."""

    def __init__(self) -> None:
        self.now = 0.0
        self.steps = 0

    def select(self, timeout: float | None) -> list[Any]:
        self.steps += 1
        if timeout is None:
            raise Stuck("no callback is ready and no timer is set")
        if self.steps > MAX_STEPS:
            raise Stuck(f"the loop ran {MAX_STEPS} times")
        self.now += max(0.0, timeout)
        return []

    def close(self) -> None:
        """Do nothing."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Run callbacks in order and timers by a virtual clock. `dial` makes the connections."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Clock()
        self._clock_resolution = 1e-9
        self.dial: Callable[[Callable[[], Any]], Any] | None = None
        self.delivered: Callable[[], None] = lambda: None  # called when bytes have arrived
        self.faults: list[str] = []  # everything that would be logged as an unhandled error
        self.set_exception_handler(self._keep)

    def _keep(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(f"{context['message']}: {context.get('exception')!r}")

    def time(self) -> float:
        return self._selector.now

    def _process_events(self, event_list: list[Any]) -> None:
        """Do nothing, because there are no events."""

    def _write_to_self(self) -> None:
        """Do nothing, because there are no other threads."""

    async def create_unix_connection(self, protocol_factory: Callable[[], Any], *_: Any, **options: Any) -> Any:
        """Connect to the model of PostgreSQL."""
        assert self.dial is not None
        return await self.dial(protocol_factory)
