"""One process of several delivers: the one that holds an advisory lock on a connection of its own."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Collection

import asyncpg

from tableapi.changes.triggers import CannotRecord
from tableapi.db.database import Db
from tableapi.db.session import SESSION, address, connection_options, init_table_connection
from tableapi.log import get_logger
from tableapi.observability import background
from tableapi.webhooks import queue

log = get_logger(__name__)
RETRY_SECONDS = 1.0  # while the database is unreachable, or another process delivers
UNRECORDED_SECONDS = 5.0  # while a permission is missing
STATEMENT_SECONDS = 120
CLOSE_SECONDS = 5.0  # for attempts in flight when the process stops
# Within 20 s, the server notices that a process's machine is gone, and releases its locks.
_ALIVE = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}


class Leader:
    """Deliver while this process holds the locks of `names`; repeat until stopped.

    The locks belong to one connection. A process that loses it loses them, and another process continues.
    """

    def __init__(self, db: Db, dataset: str, names: Collection[str]) -> None:
        self._db, self._dataset_name, self._names = db, dataset, names
        self._working: asyncio.Task[None] | None = None
        self._stopped, self._stopping = False, asyncio.Event()

    def start(self) -> None:
        """Start looking for something to deliver."""
        if self._working is None and self._names:
            self._working = background.start(self._work(), "webhooks")

    def stop(self) -> None:
        """Stop after the attempts in flight; another process takes over."""
        self._stopped = True
        self._stopping.set()

    async def close(self) -> None:
        """Stop, and wait a limited time for the attempts in flight."""
        self.stop()
        if self._working is not None:
            done, _ = await asyncio.wait((self._working,), timeout=CLOSE_SECONDS)
            if not done:
                self._working.cancel()
                await asyncio.gather(self._working, return_exceptions=True)

    async def _lead(self, stack: contextlib.AsyncExitStack) -> None:
        """Deliver until a connection is lost. `stack` closes the connections of `_connect`."""
        raise NotImplementedError

    async def _work(self) -> None:
        told = ""
        while not self._stopped:
            pause = RETRY_SECONDS
            try:
                if await self._free():
                    async with contextlib.AsyncExitStack() as stack:
                        await self._lead(stack)
                told = ""
            except* CannotRecord as errors:
                if told != (message := str(errors.exceptions[0])):
                    log.error("webhooks_not_recorded", alarm="webhook", dataset=self._dataset_name, error=message)
                told, pause = message, UNRECORDED_SECONDS
            except* Exception as errors:  # any error: silently stopped webhooks would be worse than a retry
                error = errors.exceptions[0]
                text = f"{type(error).__name__}: {error}"
                log.warning("webhooks_interrupted", dataset=self._dataset_name, error=text)
            await self._sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the load

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _free(self) -> bool:
        """Return whether no process delivers for some name."""
        async with self._db.reads.acquire() as connection:
            return bool(await connection.fetch(queue.FREE, list(self._names)))

    async def _connect(self, stack: contextlib.AsyncExitStack) -> asyncpg.Connection:
        dsn, pooled = address(self._db.url)
        if pooled:
            raise CannotRecord(
                "Webhooks need a direct connection, because a pooler in transaction mode (statement_cache_size=0) "
                "does not keep locks. Set DATABASE_DIRECT_URL"
            )
        settings = {
            **SESSION,
            **_ALIVE,
            "application_name": "tableapi-webhooks",
            "statement_timeout": f"{STATEMENT_SECONDS}s",
            "lock_timeout": "10s",
            "plan_cache_mode": "force_custom_plan",  # a plan made for an empty queue is bad for a long one
        }
        connection: asyncpg.Connection = await asyncpg.connect(
            dsn, server_settings=settings, **connection_options(pooled=False)
        )
        stack.callback(connection.terminate)  # releases its locks at once
        await init_table_connection(connection)
        return connection
