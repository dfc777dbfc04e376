"""The requests that wait for a connection, the oldest first, each with a deadline."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Generic, TypeVar

from tableapi.errors import RETRY, Busy

T = TypeVar("T")

# A queue is overloaded when more than OVERLOAD_WAITERS requests wait and the first of them has waited for
# OVERLOAD_WAIT_SECONDS. A further request would only wait in vain, so it is refused at once.
OVERLOAD_WAITERS, OVERLOAD_WAIT_SECONDS = 64, 1.0
FULL = "The server is busy. Try again in a moment."
LATE = "The database is busy. Try again in a moment."


class WaitingQueue(Generic[T]):
    """Hold at most `limit` requests, each for at most `seconds`.

    A request is any object with the future that it waits for. At its deadline the future fails with Busy. The queue
    returns no request that was cancelled. The messages of Busy are `full` for a request that the queue does not accept,
    and `late` for one past its deadline.
    """

    def __init__(self, limit: float, seconds: float, *, full: str = FULL, late: str = LATE) -> None:
        self.limit, self.seconds, self._full, self._late = limit, seconds, full, late
        self.entries: deque[tuple[float, asyncio.Future[Any], T]] = deque()  # with their deadlines
        self._timer: asyncio.TimerHandle | None = None  # one for all: a timeout for each would dominate the cost

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
            self._timer = loop.call_at(now + self.seconds, self._refuse_late)

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
        """Remove a request that was cancelled, if it still waits."""
        for entry in self.entries:
            if entry[1] is future:
                self.entries.remove(entry)
                return

    def close(self) -> None:
        """Refuse every request that waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self.entries:
            _refuse(self.entries.popleft()[1], "The server stops. Try again in a moment.")

    def _refuse_late(self) -> None:
        """Refuse the requests past their deadline and set the timer for the next one."""
        loop, entries = asyncio.get_running_loop(), self.entries
        now = loop.time()
        while entries and (entries[0][0] <= now or entries[0][1].done()):
            _refuse(entries.popleft()[1], self._late)
        self._timer = loop.call_at(entries[0][0], self._refuse_late) if entries else None


def _refuse(future: asyncio.Future[Any], message: str) -> None:
    if not future.done():
        future.set_exception(Busy(message, headers=RETRY))
