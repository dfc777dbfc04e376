"""Lanes: a few connections held and handed out last-in first-out to the table API; idle ones are closed after a while.

The table API changes no session state, so a lane needs no reset between requests. Few lanes beat many: waiting here is
cheaper than waiting in PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
from asyncpg.exceptions import InternalClientError, InvalidCachedStatementError, OutdatedSchemaCacheError

from tableapi.db.budget import Budget
from tableapi.errors import RETRY, Busy
from tableapi.log import get_logger
from tableapi.observability import background, tracing

log = get_logger(__name__)

MAX_PREPARED_STATEMENTS = 500
# More come than are served when so many wait and the first of them has waited so long (seconds): who comes next would
# wait as long for nothing.
OVERLOAD_WAITERS, OVERLOAD_WAIT_SECONDS = 64, 0.5


class FastConnection(asyncpg.Connection):
    """A connection whose `fetchrow` runs a statement that it knows by one call of asyncpg's protocol.

    On its way there asyncpg's own `fetchrow` passes a lock, a cache and five coroutines: a sixth of its CPU time.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._known: dict[str, Any] = {}  # statement -> PreparedStatement; it is closed with its last reference

    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        if tracing.tracer is None:
            return await self._fetchrow(query, *args, **options)
        with tracing.statement(query):
            return await self._fetchrow(query, *args, **options)

    async def _fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        known: Any = self._known.get(query)
        if known is None:
            # Behind pgbouncer statements do not stay.
            if options or not self._config.statement_cache_size:  # type: ignore[attr-defined]
                return await super().fetchrow(query, *args, **options)
            known = await self.prepare(query)
            if len(self._known) >= MAX_PREPARED_STATEMENTS:
                del self._known[next(iter(self._known))]
            self._known[query] = known
        try:
            rows = await self._protocol.bind_execute(known._state, args, "", 1, False, None)  # type: ignore[attr-defined]
        except (InvalidCachedStatementError, OutdatedSchemaCacheError):  # DDL was run
            self._known.clear()
            if self.is_in_transaction():
                raise
            return await super().fetchrow(query, *args)
        except InternalClientError:
            self.terminate()
            raise
        return rows[0] if rows else None

    # A connection whose protocol asyncpg cannot follow any more is closed: what it says next could be the answer to
    # another statement. OutdatedSchemaCacheError is of the same class, and harmless.

    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        try:
            return str(await super().execute(query, *args, **options))
        except InternalClientError as error:
            self._lost(error)
            raise

    async def _execute(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._execute(*args, **options)  # type: ignore[misc]
        except InternalClientError as error:
            self._lost(error)
            raise

    async def _prepare(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._prepare(*args, **options)  # type: ignore[misc]
        except InternalClientError as error:
            self._lost(error)
            raise

    def _lost(self, error: InternalClientError) -> None:
        if not isinstance(error, OutdatedSchemaCacheError):
            self.terminate()


class ConnectionPool:
    """The connections: `first` are held all the time, up to `size` while requests wait for one.

    The first `sure` of them need nothing of the budget. One that was not needed for `idle` to `2 * idle` seconds is
    closed. A request waits `wait` seconds at most, and `queue` requests at most wait.
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
        self._waiting: deque[tuple[float, asyncio.Future[asyncpg.Connection]]] = deque()  # the oldest first
        self._alarm: asyncio.TimerHandle | None = None
        self._broken: dict[asyncpg.Connection, asyncio.Event] = {}
        self._holders: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncpg.Connection] = set()
        self._low = 0  # the fewest free connections since the last look at them
        self._looking: asyncio.TimerHandle | None = None

    def open(self) -> None:
        if self._looking is not None:
            return
        for _ in range(self._first):
            self._add()
        self._looking = asyncio.get_running_loop().call_later(self._idle, self._look)

    def _add(self) -> None:
        self._holders.add(background.start(self._hold(), "lane"))

    @property
    def size(self) -> int:
        return self._size

    @property
    def free(self) -> int:
        return len(self._free)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def close(self) -> None:
        for timer in (self._alarm, self._looking):
            if timer is not None:
                timer.cancel()
        for task in self._holders:
            task.cancel()
        await asyncio.gather(*self._holders, return_exceptions=True)

    async def _hold(self) -> None:
        """Keep one connection of the pool for the lanes; when it breaks, get another, with back-off."""
        pause = 0.05
        while True:
            try:
                async with self._pool.connection() as held:
                    raw = held.raw_connection._con  # the proxy costs a microsecond a call
                    pause = 0.05
                    broken = self._broken[raw] = asyncio.Event()
                    raw.add_termination_listener(lambda _, broken=broken: broken.set())
                    self.give_back(raw)
                    try:
                        await broken.wait()
                    finally:
                        self._broken.pop(raw, None)
                    if raw in self._leaving:
                        self._leaving.discard(raw)
                        await raw.close(timeout=5)
                        break
            except Exception as error:  # whatever it is: a lane that is not held would be lost for good
                log.warning("database_unreachable", error=type(error).__name__)
            if len(self._holders) > self._first and not self._waiting:
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, 2.0)
        self._left()

    # -- more and fewer ------------------------------------------------------------------------------------------------

    @property
    def spare(self) -> int:
        """Free connections that the budget may have back."""
        return min(len(self._free), len(self._holders) - len(self._leaving) - max(self._sure, self._first))

    @property
    def wants(self) -> bool:
        """Whether requests wait, and another connection would help."""
        return bool(self._waiting) and len(self._holders) < self._size

    def grow(self) -> None:
        """Open one more connection, if the budget allows it."""
        if len(self._holders) < self._size and (
            len(self._holders) < self._sure or (self._budget is not None and self._budget.take())
        ):
            self._add()

    def shrink(self, most: int) -> None:
        """Close the free connections that were not used for longest."""
        for raw in self._free[:most]:
            self._leaving.add(raw)
            self._drop(raw)
        del self._free[:most]

    def _left(self) -> None:
        """A connection is gone for good: the budget has it back."""
        task = asyncio.current_task()
        if task is not None:
            self._holders.discard(task)
        if self._budget is not None and len(self._holders) >= self._sure:
            self._budget.give()

    def _look(self) -> None:
        """Close the connections that nothing needed since the last look."""
        self.shrink(max(0, min(self._low, len(self._free), len(self._holders) - len(self._leaving) - self._first)))
        self._low = len(self._free)
        self._looking = asyncio.get_running_loop().call_later(self._idle, self._look)

    # -- handing out ---------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether any lane has its connection."""
        return any(not connection.is_closed() for connection in self._broken)

    async def take(self) -> asyncpg.Connection:
        """A connection of one's own until `give_back`. Raises Busy."""
        while self._free:
            connection = self._free.pop()
            if len(self._free) < self._low:
                self._low = len(self._free)
            if not connection.is_closed():
                return connection
            self._drop(connection)
        self._low = 0
        loop = asyncio.get_running_loop()
        waiting = len(self._waiting)
        if waiting >= self._queue or (
            waiting > OVERLOAD_WAITERS and self._waiting[0][0] - self._wait + OVERLOAD_WAIT_SECONDS < loop.time()
        ):
            raise Busy("The server is busy. Try again in a moment.", headers=RETRY)
        # A connection that is being opened is meant for the first that wait.
        if len(self._holders) < self._size and len(self._holders) - len(self._broken) <= waiting:
            self.grow()
        waiter: asyncio.Future[asyncpg.Connection] = loop.create_future()
        place = (loop.time() + self._wait, waiter)
        self._waiting.append(place)
        if self._alarm is None:  # one timer for all who wait: a timeout for each would be the dearest part of waiting
            self._alarm = loop.call_at(place[0], self._late)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
            elif waiter.exception() is None:  # handed over in the moment in which the request was given up
                self.give_back(waiter.result())
            raise

    def _late(self) -> None:
        """Refuse those whose time is over; the alarm rings again for the next."""
        now = asyncio.get_running_loop().time()
        while self._waiting and (self._waiting[0][0] <= now or self._waiting[0][1].done()):
            _, waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(Busy("The database is busy. Try again in a moment.", headers=RETRY))
        self._alarm = None
        if self._waiting:
            self._alarm = asyncio.get_running_loop().call_at(self._waiting[0][0], self._late)

    def give_back(self, connection: asyncpg.Connection) -> None:
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
        if event := self._broken.get(connection):
            event.set()

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[asyncpg.Connection]:
        """A lane for several statements, for example a transaction."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        """One statement, one row: what nearly every request of the table API is."""
        connection = await self.take()
        try:
            return await connection.fetchrow(sql, *args)
        finally:
            self.give_back(connection)
