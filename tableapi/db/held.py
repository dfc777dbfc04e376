"""Hold connections of a pool of asyncpg open: reconnect, grow under load, and close what is idle."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Any

import asyncpg

from tableapi.db.budget import Budget
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)

MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.05, 2.0
CLOSE_SECONDS = 5


class HeldConnections(ABC):
    """Hold `first` connections all the time and open up to `size` while requests wait for one.

    `sure` connections are independent of the budget; each further one is taken from it. A connection that was not
    needed for `idle` to `2 * idle` seconds is closed. A subclass hands the connections out.
    """

    def __init__(
        self, pool: Any, size: int, *, first: int = 1, sure: int | None = None, budget: Budget | None = None,
        idle: float = 60.0,
    ) -> None:  # fmt: skip
        self._pool, self._size = pool, size
        self._first, self._sure = min(first, size), size if budget is None or sure is None else sure
        self._budget, self._idle = budget, idle
        if budget is not None:
            budget.join(self)
        self._closed_events: dict[asyncpg.Connection, asyncio.Event] = {}
        self._holders: set[asyncio.Task[None]] = set()  # one task for each connection that is open or being opened
        self._closing: set[asyncpg.Connection] = set()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._closed = False

    # -- of a subclass -------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""

    @property
    @abstractmethod
    def free(self) -> int:
        """The number of connections that no request uses."""

    @abstractmethod
    def _opened(self, connection: asyncpg.Connection) -> None:
        """Begin to hand out a connection."""

    @abstractmethod
    def _ended(self, connection: asyncpg.Connection) -> None:
        """Hand out a connection no more: it was closed, or is about to be."""

    @abstractmethod
    def _remove_free(self, count: int) -> list[asyncpg.Connection]:
        """Stop handing out up to `count` free connections, and return them."""

    @abstractmethod
    def _unneeded(self) -> int:
        """Return how many free connections were not needed since the last call of `_watch_again`."""

    @abstractmethod
    def _watch_again(self) -> None:
        """Begin to watch which connections are needed."""

    # -- opening and closing -------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Start to open the first connections. Returns before they are connected."""
        if self._idle_timer is not None:
            return
        self._closed = False
        for _ in range(self._first):
            self._add()
        self._idle_timer = asyncio.get_running_loop().call_later(self._idle, self._close_idle)

    def _add(self) -> None:
        self._holders.add(background.start(self._hold(), "connection"))

    @property
    def size(self) -> int:
        """The largest number of connections."""
        return self._size

    @property
    def connected(self) -> bool:
        """Whether at least one connection is open."""
        return any(not connection.is_closed() for connection in self._closed_events)

    async def close(self) -> None:
        """Close every connection."""
        self._closed = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        for task in self._holders:
            task.cancel()
        await asyncio.gather(*self._holders, return_exceptions=True)
        if self._budget is not None:
            self._budget.left += max(0, len(self._holders) - self._sure)
        self._holders.clear()

    async def _hold(self) -> None:
        """Keep one connection open, and reconnect with back-off when it breaks."""
        pause = MIN_RECONNECT_SECONDS
        while True:
            try:
                async with self._pool.connection() as held:
                    connection = held.raw_connection._con  # asyncpg's proxy costs a microsecond per call
                    pause = MIN_RECONNECT_SECONDS
                    closed = self._closed_events[connection] = asyncio.Event()
                    connection.add_termination_listener(lambda _, closed=closed: closed.set())
                    try:
                        self._opened(connection)
                        await closed.wait()
                    finally:
                        self._closed_events.pop(connection, None)
                        self._ended(connection)
                    if connection in self._closing:
                        self._closing.discard(connection)
                        await connection.close(timeout=CLOSE_SECONDS)
                        break
            except Exception as error:  # any error: a task that ended here would reduce the pool for good
                log.warning("database_unreachable", error=type(error).__name__)
            if self._closed or (len(self._holders) > self._first and not self.waiting):
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_RECONNECT_SECONDS)
        self._removed()

    def _drop(self, connection: asyncpg.Connection) -> None:
        """Let the task that holds a connection continue."""
        if closed := self._closed_events.get(connection):
            closed.set()

    # -- growing and shrinking -----------------------------------------------------------------------------------------

    @property
    def spare(self) -> int:
        """The number of free connections that can be returned to the budget."""
        return min(self.free, len(self._holders) - len(self._closing) - max(self._sure, self._first))

    @property
    def wants(self) -> bool:
        """Whether requests wait and another connection would help."""
        return bool(self.waiting) and len(self._holders) < self._size

    def grow(self) -> None:
        """Open one more connection if the budget allows it."""
        if (
            not self._closed
            and len(self._holders) < self._size
            and (len(self._holders) < self._sure or (self._budget is not None and self._budget.take()))
        ):
            self._add()

    def shrink(self, count: int) -> None:
        """Close up to `count` free connections, the least recently used first."""
        for connection in self._remove_free(count):
            self._closing.add(connection)
            self._drop(connection)

    def _removed(self) -> None:
        """Return the connection of the current task to the budget."""
        task = asyncio.current_task()
        if task is not None:
            self._holders.discard(task)
        if self._budget is not None and len(self._holders) >= self._sure:
            self._budget.give()

    def _close_idle(self) -> None:
        """Close the connections that were free all the time since the last pass."""
        surplus = len(self._holders) - len(self._closing) - self._first
        self.shrink(max(0, min(self._unneeded(), surplus)))
        self._watch_again()
        self._idle_timer = asyncio.get_running_loop().call_later(self._idle, self._close_idle)
