"""A small pool of database connections for the table API, handed out last-in first-out.

Requests of the table API change no session state, so a connection is not reset between them. A few connections are
faster than many: waiting here is cheaper than contention inside PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import asyncpg

from tableapi.db.budget import Budget
from tableapi.errors import RETRY, Busy
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)

# The pool is overloaded when more than OVERLOAD_WAITERS requests wait and the first of them has waited for
# OVERLOAD_WAIT_SECONDS. A further request would only wait in vain, so it is refused at once.
OVERLOAD_WAITERS, OVERLOAD_WAIT_SECONDS = 64, 0.5
MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.05, 2.0
CLOSE_SECONDS = 5


class ConnectionPool:
    """Hold `first` connections all the time and open up to `size` while requests wait for one.

    `sure` connections are independent of the budget; each further one is taken from it. A connection that was not
    needed for `idle` to `2 * idle` seconds is closed. At most `queue` requests wait, each for at most `wait` seconds.
    """

    def __init__(
        self, pool: Any, size: int, *, first: int = 1, sure: int | None = None, budget: Budget | None = None,
        idle: float = 60.0, wait: float = 2.0, queue: int = 1000,
    ) -> None:  # fmt: skip
        self._pool, self._size, self._wait, self._queue = pool, size, wait, queue
        self._first, self._sure = min(first, size), size if budget is None or sure is None else sure
        self._budget, self._idle = budget, idle
        if budget is not None:
            budget.join(self)
        self._free: list[asyncpg.Connection] = []
        # (deadline, future) of each waiting request, the oldest first
        self._waiting: deque[tuple[float, asyncio.Future[asyncpg.Connection]]] = deque()
        self._timeout: asyncio.TimerHandle | None = None
        self._closed_events: dict[asyncpg.Connection, asyncio.Event] = {}
        self._holders: set[asyncio.Task[None]] = set()  # one task for each connection that is open or being opened
        self._closing: set[asyncpg.Connection] = set()
        self._min_free = 0  # the fewest free connections since the last pass of `_close_idle`
        self._idle_timer: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Start to open the first connections. Returns before they are connected."""
        if self._idle_timer is not None:
            return
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
    def free(self) -> int:
        """The number of connections that no request uses."""
        return len(self._free)

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""
        return len(self._waiting)

    async def close(self) -> None:
        """Close every connection."""
        for timer in (self._timeout, self._idle_timer):
            if timer is not None:
                timer.cancel()
        for task in self._holders:
            task.cancel()
        await asyncio.gather(*self._holders, return_exceptions=True)

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
                    self.give_back(connection)
                    try:
                        await closed.wait()
                    finally:
                        self._closed_events.pop(connection, None)
                    if connection in self._closing:
                        self._closing.discard(connection)
                        await connection.close(timeout=CLOSE_SECONDS)
                        break
            except Exception as error:  # any error: a task that ended here would reduce the pool for good
                log.warning("database_unreachable", error=type(error).__name__)
            if len(self._holders) > self._first and not self._waiting:
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_RECONNECT_SECONDS)
        self._removed()

    # -- growing and shrinking -----------------------------------------------------------------------------------------

    @property
    def spare(self) -> int:
        """The number of free connections that can be returned to the budget."""
        return min(len(self._free), len(self._holders) - len(self._closing) - max(self._sure, self._first))

    @property
    def wants(self) -> bool:
        """Whether requests wait and another connection would help."""
        return bool(self._waiting) and len(self._holders) < self._size

    def grow(self) -> None:
        """Open one more connection if the budget allows it."""
        if len(self._holders) < self._size and (
            len(self._holders) < self._sure or (self._budget is not None and self._budget.take())
        ):
            self._add()

    def shrink(self, count: int) -> None:
        """Close up to `count` free connections, the least recently used first."""
        for connection in self._free[:count]:
            self._closing.add(connection)
            self._drop(connection)
        del self._free[:count]

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
        self.shrink(max(0, min(self._min_free, len(self._free), surplus)))
        self._min_free = len(self._free)
        self._idle_timer = asyncio.get_running_loop().call_later(self._idle, self._close_idle)

    # -- handing out ---------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether at least one connection is open."""
        return any(not connection.is_closed() for connection in self._closed_events)

    async def take(self) -> asyncpg.Connection:
        """Return a connection for exclusive use until `give_back`. Raises Busy."""
        while self._free:
            connection = self._free.pop()
            if len(self._free) < self._min_free:
                self._min_free = len(self._free)
            if not connection.is_closed():
                return connection
            self._drop(connection)
        self._min_free = 0
        loop = asyncio.get_running_loop()
        waiting = len(self._waiting)
        if waiting >= self._queue or (
            waiting > OVERLOAD_WAITERS and self._waiting[0][0] - self._wait + OVERLOAD_WAIT_SECONDS < loop.time()
        ):
            raise Busy("The server is busy. Try again in a moment.", headers=RETRY)
        # Connections that are being opened serve the requests at the head of the queue.
        if len(self._holders) < self._size and len(self._holders) - len(self._closed_events) <= waiting:
            self.grow()
        waiter: asyncio.Future[asyncpg.Connection] = loop.create_future()
        entry = (loop.time() + self._wait, waiter)
        self._waiting.append(entry)
        if self._timeout is None:  # one timer for all waiters: a timeout for each would dominate the cost of waiting
            self._timeout = loop.call_at(entry[0], self._refuse_late)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(entry)
            elif waiter.exception() is None:  # the connection arrived in the moment of the cancellation
                self.give_back(waiter.result())
            raise

    def _refuse_late(self) -> None:
        """Refuse the requests past their deadline and set the timer for the next one."""
        now = asyncio.get_running_loop().time()
        while self._waiting and (self._waiting[0][0] <= now or self._waiting[0][1].done()):
            _, waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(Busy("The database is busy. Try again in a moment.", headers=RETRY))
        self._timeout = None
        if self._waiting:
            self._timeout = asyncio.get_running_loop().call_at(self._waiting[0][0], self._refuse_late)

    def give_back(self, connection: asyncpg.Connection) -> None:
        """Pass the connection to the first waiting request, or keep it free."""
        if connection.is_closed():
            self._drop(connection)
            return
        while self._waiting:
            _, waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        self._free.append(connection)

    def _drop(self, connection: asyncpg.Connection) -> None:
        if closed := self._closed_events.get(connection):
            closed.set()

    @contextlib.asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold one connection for several statements, for example a transaction. Raises Busy."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        """Run one statement and return its first row, which is what most requests of the table API need.

        Raises:
            Busy: no connection became free in time.
        """
        connection = await self.take()
        try:
            return await connection.fetchrow(sql, *args)
        finally:
            self.give_back(connection)
