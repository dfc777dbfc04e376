"""Queues with deadlines, and turns that prevent one caller from holding every connection.

Each caller's reads wait in a queue of their own before they request a connection. Other callers therefore compete with
its running reads only, not with its queued ones.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Any, Generic, TypeVar

from tableapi.errors import RETRY, Busy

T = TypeVar("T")

# A queue is overloaded if more than OVERLOAD_WAITERS requests are waiting and the first has waited for
# OVERLOAD_WAIT_SECONDS. Further requests are rejected at once, since they would only wait in vain.
OVERLOAD_WAITERS, OVERLOAD_WAIT_SECONDS = 64, 1.0
WAIT_SECONDS = 2.0
FULL = "The server is busy. Try again in a moment."
LATE = "The database is busy. Try again in a moment."


class WaitingQueue(Generic[T]):
    """Hold up to `limit` requests, each for up to `seconds`.

    A request is any object, added with the future that it awaits. At its deadline the future fails with Busy. Cancelled
    requests are never returned. The Busy messages are `full` for a request that is not accepted, and `late` for one
    past its deadline.
    """

    def __init__(
        self, limit: float = 1000, seconds: float = WAIT_SECONDS, *, full: str = FULL, late: str = LATE
    ) -> None:
        self.limit, self.seconds, self._full, self._late = limit, seconds, full, late
        self.entries: deque[tuple[float, asyncio.Future[Any], T]] = deque()  # with their deadlines
        # one for all, because one timeout per request would dominate the cost
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self.entries)

    def put(self, future: asyncio.Future[Any], request: T) -> None:
        """Add a request. Raises Busy if the queue is full or overloaded."""
        loop = asyncio.get_running_loop()
        now, entries = loop.time(), self.entries
        if len(entries) >= self.limit or (
            len(entries) > OVERLOAD_WAITERS and entries[0][0] - self.seconds + OVERLOAD_WAIT_SECONDS < now
        ):
            raise Busy(self._full, headers=RETRY)
        entries.append((now + self.seconds, future, request))
        if self._timer is None:
            self._timer = loop.call_at(now + self.seconds, self._reject_late)

    def first(self) -> T | None:
        """Return the oldest request without removing it."""
        while self.entries:
            _, future, request = self.entries[0]
            if not future.done():
                return request
            self.entries.popleft()
        return None

    def take(self) -> T | None:
        """Remove and return the oldest request."""
        request = self.first()
        if request is not None:
            self.entries.popleft()
        return request

    def remove(self, future: asyncio.Future[Any]) -> None:
        """Remove a cancelled request if it is still waiting."""
        for entry in self.entries:
            if entry[1] is future:
                self.entries.remove(entry)
                return

    def close(self) -> None:
        """Reject all waiting requests."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self.entries:
            _reject(self.entries.popleft()[1], "The server is stopping. Try again in a moment.")

    def _reject_late(self) -> None:
        """Reject the requests past their deadline and set the timer for the next one."""
        loop, entries = asyncio.get_running_loop(), self.entries
        now = loop.time()
        while entries and (entries[0][0] <= now or entries[0][1].done()):
            _reject(entries.popleft()[1], self._late)
        self._timer = loop.call_at(entries[0][0], self._reject_late) if entries else None


def _reject(future: asyncio.Future[Any], message: str) -> None:
    if not future.done():
        future.set_exception(Busy(message, headers=RETRY))


# a caller that holds all but one connection may take the last one if it released one this recently
RECENT_SECONDS = 0.05
_MESSAGE = "Too many of your requests are in progress. Try again in a moment."
_Queue = WaitingQueue[asyncio.Future[None]]


class Turns:
    """Admit the reads of each caller to one lane. `size` returns how many reads it can run at once."""

    def __init__(self, size: Callable[[], int]) -> None:
        self._size = size
        self._running: dict[str, int] = {}
        self._released: dict[str, float] = {}  # when a caller that still has running reads last finished one
        self._queues: dict[str, _Queue] = {}

    @property
    def waiting(self) -> int:
        """The number of reads waiting for their turn."""
        return sum(map(len, self._queues.values()))

    def enter(self, caller: str) -> bool:
        """Begin a read if the caller may read now. Each True must be followed by `leave`."""
        running = self._running.get(caller, 0)
        if running and (caller in self._queues or not self._may_read(caller, running)):
            return False
        self._running[caller] = running + 1
        return True

    def _may_read(self, caller: str, running: int) -> bool:
        """Reserve the last connection for a caller with short reads while no other caller is reading."""
        size = self._size()
        if running < size - 1:
            return True
        alone = len(self._running) == 1 and len(self._queues) - (caller in self._queues) == 0
        return running < size and alone and time.monotonic() - self._released.get(caller, 0.0) < RECENT_SECONDS

    async def wait(self, caller: str) -> None:
        """Wait until the caller may begin a read. Must be followed by `leave`. Raises Busy."""
        queue = self._queues.get(caller)
        if queue is None:
            queue = self._queues[caller] = WaitingQueue(inf, WAIT_SECONDS, full=_MESSAGE, late=_MESSAGE)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.put(turn, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:
                self.leave(caller)  # the turn came just as the request was cancelled
            queue.remove(turn)
            self._remove_empty(caller)
            raise
        except Busy:
            self._remove_empty(caller)
            raise

    def leave(self, caller: str) -> None:
        """End a read and begin the next queued one of the same caller."""
        running = self._running[caller] - 1
        if running:
            self._running[caller] = running
            self._released[caller] = time.monotonic()
        else:
            del self._running[caller]
            self._released.pop(caller, None)
        if self._queues and (queue := self._queues.get(caller)) is not None:
            self._begin_queued(caller, queue)

    def _begin_queued(self, caller: str, queue: _Queue) -> None:
        while (turn := queue.first()) is not None:
            running = self._running.get(caller, 0)
            if running and not self._may_read(caller, running):
                return
            queue.entries.popleft()
            self._running[caller] = running + 1
            turn.set_result(None)
        self._remove_empty(caller)

    def _remove_empty(self, caller: str) -> None:
        if (queue := self._queues.get(caller)) is not None and not queue:
            del self._queues[caller]
