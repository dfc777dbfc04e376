"""A small pool of database connections for the table API, handed out last-in first-out.

Requests of the table API change no session state, so a connection is not reset between them. A few connections are
faster than many: waiting here is cheaper than contention inside PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import asyncpg

from tableapi.db.budget import Budget
from tableapi.db.held import HeldConnections
from tableapi.db.waiting import WaitingQueue


class ConnectionPool(HeldConnections):
    """Hand out each connection to one request at a time.

    At most `queue` requests wait, each for at most `wait` seconds. The other arguments are those of HeldConnections.
    """

    def __init__(
        self, pool: Any, size: int, *, first: int = 1, sure: int | None = None, budget: Budget | None = None,
        idle: float = 60.0, wait: float = 2.0, queue: int = 1000,
    ) -> None:  # fmt: skip
        super().__init__(pool, size, first=first, sure=sure, budget=budget, idle=idle)
        self._free: list[asyncpg.Connection] = []
        self.queue: WaitingQueue[asyncio.Future[asyncpg.Connection]] = WaitingQueue(queue, wait)
        self._min_free = 0  # the fewest free connections since the last call of `_watch_again`

    @property
    def free(self) -> int:
        """The number of connections that no request uses."""
        return len(self._free)

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""
        return len(self.queue)

    async def close(self) -> None:
        """Close every connection."""
        self.queue.close()
        await super().close()

    def _opened(self, connection: asyncpg.Connection) -> None:
        self.give_back(connection)

    def _ended(self, connection: asyncpg.Connection) -> None:
        """Do nothing: a closed connection is found when it is handed out or comes back."""

    def _remove_free(self, count: int) -> list[asyncpg.Connection]:
        removed = self._free[:count]
        del self._free[:count]
        return removed

    def _unneeded(self) -> int:
        return min(self._min_free, len(self._free))

    def _watch_again(self) -> None:
        self._min_free = len(self._free)

    # -- handing out ---------------------------------------------------------------------------------------------------

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
        waiter: asyncio.Future[asyncpg.Connection] = asyncio.get_running_loop().create_future()
        self.queue.put(waiter, waiter)
        # Connections that are being opened serve the requests at the head of the queue.
        if len(self._holders) < self._size and len(self._holders) - len(self._closed_events) < len(self.queue):
            self.grow()
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self.queue.remove(waiter)
            elif waiter.exception() is None:  # the connection arrived in the moment of the cancellation
                self.give_back(waiter.result())
            raise

    def give_back(self, connection: asyncpg.Connection) -> None:
        """Pass the connection to the first waiting request, or keep it free."""
        if connection.is_closed():
            self._drop(connection)
            return
        waiter = self.queue.take()
        if waiter is None:
            self._free.append(connection)
        else:
            waiter.set_result(connection)

    def is_direct(self, sql: str) -> bool:
        """Return whether a statement runs on a connection of its own, which here is always so."""
        return True

    @property
    def slots(self) -> int:
        """The largest number of statements in flight."""
        return self._size

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
