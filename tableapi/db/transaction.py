"""Transactions of scripts, on a pool of the `databases` package, which only this module imports.

A transaction belongs to the task that opened it: every statement of that task runs on its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
from databases import Database

from tableapi.db.errors import UNREACHABLE
from tableapi.db.turns import FULL, LATE, WAIT_SECONDS
from tableapi.errors import RETRY, Busy

# `databases` drops the options of a URL (sslmode, target_session_attrs) and supports only one host. It therefore gets
# nothing but the scheme, and asyncpg reads the full address from `dsn`.
_BACKEND = "postgresql://dsn"
_FROM_DSN: dict[str, Any] = dict.fromkeys(("host", "port", "user", "password", "database"))
MAX_WAITING = 64


class Transactions:
    """Provide up to `size` connections, one per task. `options` are passed to asyncpg."""

    def __init__(self, size: int, options: dict[str, Any], *, wait: float = WAIT_SECONDS) -> None:
        self._database = Database(_BACKEND, min_size=min(1, size), max_size=max(1, size), **options, **_FROM_DSN)
        self._places, self._wait = asyncio.Semaphore(size), wait
        # The connection of each task that has a transaction. Child tasks do not inherit it.
        self.held: dict[asyncio.Task[Any] | None, asyncpg.Connection] = {}
        self.waiting = 0

    async def open(self) -> None:
        """Open the pool. Raises the asyncpg error if the database is unreachable."""
        if not self._database.is_connected:
            await self._database.connect()

    async def close(self) -> None:
        """Close every connection."""
        if self._database.is_connected:
            await self._database.disconnect()

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold a connection for the current task, or reuse the one it holds. Raises Busy."""
        task = asyncio.current_task()
        if (held := self.held.get(task)) is not None:
            yield held
            return
        async with self._place(), self._database.connection() as connection:
            self.held[task] = connection.raw_connection
            try:
                yield connection.raw_connection
            finally:
                del self.held[task]

    @contextlib.asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Wait for a free slot, so that the pool of `databases` never has to wait."""
        if self.waiting >= MAX_WAITING:
            raise Busy(FULL, headers=RETRY)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._wait):
                await self._places.acquire()
        except TimeoutError:
            raise Busy(LATE, headers=RETRY) from None
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._places.release()

    @contextlib.asynccontextmanager
    async def begin(self, **options: Any) -> AsyncIterator[None]:
        """Run the `with` block in a transaction of the current task; a nested one is a savepoint. Raises Busy."""
        async with self.connection():
            transaction = self._database.transaction(**options)
            await self._released(transaction.start)
            try:
                yield
            except BaseException:
                with contextlib.suppress(*UNREACHABLE):  # without its connection it is rolled back anyway
                    await self._released(transaction.rollback)
                raise
            await self._released(transaction.commit)

    async def _released(self, step: Callable[[], Awaitable[Any]]) -> None:
        """Run one step of a transaction, and release the connection that `databases` keeps after a failure."""
        try:
            await step()
        except BaseException:
            await self._database.connection().__aexit__()
            raise
