"""How long a task may wait for something, for many tasks at the price of one timer.

`asyncio.timeout` sets and cancels a timer each time: where the wait is nearly always short, that is the dearest part of
it. Here all who wait stand in one queue, in the order in which their time ends, and the first of them sets the alarm.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Place:
    __slots__ = ("end", "late", "task")

    def __init__(self, end: float, task: asyncio.Task[object] | None) -> None:
        self.end, self.task, self.late = end, task, False


class Patience:
    """`with patience.bounded():` - what is awaited inside may take `seconds`; then `refuse()` is raised."""

    def __init__(self, seconds: float, refuse: Callable[[], Exception]) -> None:
        self._seconds, self._refuse = seconds, refuse
        self._queue: deque[_Place] = deque()
        self._alarm: asyncio.TimerHandle | None = None

    @contextmanager
    def bounded(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        place = _Place(loop.time() + self._seconds, asyncio.current_task())
        while self._queue and self._queue[0].task is None:
            self._queue.popleft()
        self._queue.append(place)
        if self._alarm is None:
            self._alarm = loop.call_at(place.end, self._ring)
        try:
            yield
        except asyncio.CancelledError:
            if place.late and place.task is not None and place.task.uncancel() <= 0:
                raise self._refuse() from None
            raise
        finally:
            place.task = None

    def _ring(self) -> None:
        """End the wait of those whose time is over, and set the alarm for the next."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._queue and (self._queue[0].task is None or self._queue[0].end <= now):
            place = self._queue.popleft()
            if place.task is not None:
                place.late = True
                place.task.cancel()
        self._alarm = loop.call_at(self._queue[0].end, self._ring) if self._queue else None
