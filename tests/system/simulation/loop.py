"""An event loop without sockets and with a clock that jumps to the next timer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from heapq import heappop, heappush
from typing import Any

MAX_STEPS = 200_000
RESOLUTION = 1e-9


class Stuck(Exception):
    """Raised when nothing is left to run, or the loop does not end."""


class _Clock:
    """A selector that never has events."""

    def close(self) -> None:
        """Do nothing."""


class _Call(asyncio.TimerHandle):
    """A call that is due now or at a time."""

    __slots__ = ()

    def __init__(self, when: float, callback: Any, args: Any, context: Context | None) -> None:
        # Without asyncio's own constructor, which takes a fifth of the time of a run.
        self._when, self._callback, self._args = when, callback, args
        self._context = context if context is not None else copy_context()
        self._cancelled = False

    def __repr__(self) -> str:
        return f"<call of {self._callback}>"

    def cancel(self) -> None:
        self._cancelled = True


class VirtualLoop(asyncio.BaseEventLoop):
    """Run callbacks in order and timers by a virtual clock. `dial` opens connections."""

    _ready: deque[Any]
    _stopping: bool

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Clock()
        self._now, self._steps = 0.0, 0
        self._timers: list[tuple[float, int, _Call]] = []
        self._numbers = 0  # timers due at the same time run in the order in which they were set
        self.dial: Callable[[Callable[[], Any]], Any] | None = None
        self.delivered: Callable[[], None] = lambda: None  # called when bytes have arrived
        self.faults: list[str] = []  # everything that would be logged as an unhandled error
        self.set_exception_handler(self._keep)

    def _keep(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(f"{context['message']}: {context.get('exception')!r}")

    def time(self) -> float:
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        call = _Call(self._now, callback, args, context)
        self._ready.append(call)
        return call

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        call = _Call(when, callback, args, context)
        self._numbers = number = self._numbers + 1
        heappush(self._timers, (when, number, call))
        return call

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def _run_once(self) -> None:
        """Run until the loop is stopped: everything that is ready, then from the next timer on."""
        ready, timers = self._ready, self._timers
        while not self._stopping:
            if not ready:
                while timers and timers[0][2]._cancelled:
                    heappop(timers)
                if not timers:
                    raise Stuck("no callback is ready and no timer is set")
                if timers[0][0] > self._now:
                    self._now = timers[0][0]
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise Stuck(f"the loop ran {MAX_STEPS} times")
            if timers:
                due = self._now + RESOLUTION
                while timers and timers[0][0] < due:
                    ready.append(heappop(timers)[2])
            for _ in range(len(ready)):
                call = ready.popleft()
                if call._cancelled:
                    continue
                try:
                    call._context.run(call._callback, *call._args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self.call_exception_handler({"message": f"Exception in callback {call!r}", "exception": error})

    def _write_to_self(self) -> None:
        """Do nothing, because there are no other threads."""

    async def create_unix_connection(self, protocol_factory: Callable[[], Any], *_: Any, **options: Any) -> Any:
        """Connect to the model of PostgreSQL."""
        assert self.dial is not None
        return await self.dial(protocol_factory)
