"""Reads from streaming replicas that are as new as the primary was when the read was asked for.

The primary is asked how far its log goes, once for all who wait for that answer; a replica may answer who has replayed
that much. So nobody reads less than what was committed before, on any node, and no memory of writers is needed
(docs/decisions/reads-from-replicas.md). A replica that is late, gone or refuses costs nothing but time: the primary
answers instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import asyncpg

from tableapi.db.connections import ConnectionPool
from tableapi.db.database import Db
from tableapi.errors import ApiError
from tableapi.log import get_logger
from tableapi.observability import background, metrics

log = get_logger(__name__)

WAIT = 0.02  # seconds that a read waits for a replica to catch up
LATE = 0.25  # seconds without reads for one that did not
GONE = 1.0  # the same for one that failed; also the longest that it may take to say how far it is
STEP = 0.001

# Commits that were answered are flushed, unless the server is told not to wait for that.
WRITTEN = """
    select case when current_setting('synchronous_commit') = 'off'
                then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0'
"""
REPLAYED = "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end"
_FAILED = (
    OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, ApiError
)  # fmt: skip


class Shared:
    """A question whose answer is shared by all who ask before it is put; none gets an answer to an older one."""

    def __init__(self, ask: Callable[[], Awaitable[int]]) -> None:
        self._ask = ask
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[int] | None = None

    async def answer(self) -> int:
        if self._next is None:
            self._next = background.start(self._put(), "replica")
        return await asyncio.shield(self._next)

    async def _put(self) -> int:
        async with self._turn:
            self._next = None
            return await self._ask()


class Replica:
    """One replica: its connections, how far it was seen to be, and until when it is left alone."""

    def __init__(self, db: Db, seconds: float) -> None:
        self._db, self._seconds = db, seconds
        self.replayed = 0
        self._rest_until = 0.0
        self._look = Shared(self._ask)

    async def open(self) -> None:
        await self._db.connect()

    async def close(self) -> None:
        await self._db.close()

    @property
    def usable(self) -> bool:
        return time.monotonic() >= self._rest_until and self._db.reads.connected

    def rest(self, seconds: float, why: str) -> None:
        if self.usable:
            log.info("replica_rests", why=why)
        self._rest_until = time.monotonic() + seconds

    async def _ask(self) -> int:
        row = await self._run(GONE, REPLAYED)
        self.replayed = row[0] or 0 if row else 0
        return self.replayed

    async def reached(self, position: int) -> bool:
        """Whether it has replayed `position`, now or within a moment."""
        if self.replayed >= position:
            return True
        until = time.monotonic() + WAIT
        try:
            async with asyncio.timeout(WAIT * 2):
                while await self._look.answer() < position:
                    if time.monotonic() >= until:
                        self.rest(LATE, "late")
                        return False
                    await asyncio.sleep(STEP)
        except _FAILED as error:
            self.rest(GONE, type(error).__name__)
            return False
        return True

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        return await self._run(self._seconds, sql, *args)

    async def _run(self, seconds: float, sql: str, *args: Any) -> Any:
        """One row, or TimeoutError: a machine that vanished says nothing, so its connection is given up."""
        async with self._db.reads.one() as connection:
            try:
                async with asyncio.timeout(seconds):
                    return await connection.fetchrow(sql, *args)
            except TimeoutError:
                connection.terminate()
                raise
            except _FAILED:
                self.replayed = 0  # what answers next may be another server
                raise


class Replicas:
    """The replicas of one database, in front of its primary."""

    def __init__(self, primary: ConnectionPool, replicas: Sequence[Db], seconds: float) -> None:
        self._primary = primary
        self._replicas = [Replica(db, seconds + 1.0) for db in replicas]
        self._written = Shared(self._ask)
        self._turn = 0

    async def open(self) -> None:
        await asyncio.gather(*(replica.open() for replica in self._replicas))

    async def close(self) -> None:
        await asyncio.gather(*(replica.close() for replica in self._replicas), return_exceptions=True)

    async def _ask(self) -> int:
        row = await self._primary.fetchrow(WRITTEN)
        return int(row[0]) if row else 0

    def _choose(self) -> Replica | None:
        for _ in self._replicas:
            self._turn = (self._turn + 1) % len(self._replicas)
            if (found := self._replicas[self._turn]).usable:
                return found
        return None

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """As `Lanes.fetchrow`: from a replica that has everything that was committed until now, else the primary."""
        replica = self._choose()
        if replica is not None and await replica.reached(await self._written.answer()):
            try:
                row = await replica.fetchrow(sql, *args)
            except asyncpg.QueryCanceledError:
                raise  # it takes too long there as here
            except _FAILED as error:
                replica.rest(GONE, type(error).__name__)
            else:
                metrics.read("replica")
                return row
        metrics.read("primary")
        return await self._primary.fetchrow(sql, *args)
