"""Reads from streaming replicas that are as recent as the primary was at the time of the request.

A read first queries the WAL position of the primary; concurrent reads share one such query. A replica that has replayed
that position serves the read, so every read sees all earlier commits, whichever node made them, and recent writers need
not be tracked. If a replica lags, is unreachable or fails, the primary serves the read. See
docs/explanation/decisions/reads-from-replicas.md.

An address may lead to several replicas, for example through a load balancer. A connection stays with one server, so the
position is tracked per connection and not per address.

Positions are comparable only within a timeline, which begins with each promotion. A replica may have received more than
the one that was promoted, and it is then further in the log without what the new primary has written since.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import asyncpg

from tableapi.db.database import Db
from tableapi.db.pool import Lane
from tableapi.db.sqlstates import AWAY
from tableapi.errors import ApiError
from tableapi.log import get_logger
from tableapi.observability import background, metrics

log = get_logger(__name__)

CATCH_UP_SECONDS = 0.02  # time that a read waits for a replica to catch up
LATE_SECONDS = 0.25  # time for which a lagging replica is not used
FAILED_SECONDS = 1.0  # time for which a failed replica is not used; also the timeout of its position query
POLL_SECONDS = 0.001

# The position of the last acknowledged commit. With synchronous_commit off, commits are acknowledged before they are
# flushed.
WRITTEN = """
    select at - '0/0', left(pg_walfile_name(at), 8)
    from (select case when current_setting('synchronous_commit') = 'off'
                      then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as at) present
"""
# No row for a server that does not stream. Without the right pg_read_all_stats the timeline is null.
REPLAYED = """
    select pg_last_wal_replay_lsn() - '0/0', upper(lpad(to_hex(received_tli), 8, '0'))
    from pg_stat_wal_receiver where pg_is_in_recovery()
"""
_FAILURES = (
    OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, ApiError
)  # fmt: skip


class LogPosition(NamedTuple):
    """A position in the log, on a timeline in the spelling of the log's files."""

    place: int
    timeline: str


class SharedQuery:
    """Share one run of a query among the callers that arrive before it starts.

    No caller gets a result older than its call.
    """

    def __init__(self, query: Callable[[], Awaitable[LogPosition]]) -> None:
        self._query = query
        self._lock = asyncio.Lock()
        self._next: asyncio.Task[LogPosition] | None = None

    async def result(self) -> LogPosition:
        """Return the result of a run that starts after this call."""
        if self._next is None:
            self._next = background.start(self._run(), "replica")
        return await asyncio.shield(self._next)

    async def _run(self) -> LogPosition:
        async with self._lock:
            self._next = None
            return await self._query()


class Late(Exception):
    """Raised if the replica has not replayed every commit made before the request."""


class Replica:
    """One address of replicas: the replay positions of its connections, and the end of its suspension."""

    def __init__(self, db: Db, seconds: float) -> None:
        self._db, self._seconds = db, seconds
        self._replayed: WeakKeyDictionary[asyncpg.Connection, LogPosition] = WeakKeyDictionary()
        self._unused_until = 0.0

    async def open(self) -> None:
        await self._db.connect()

    async def close(self) -> None:
        await self._db.close()

    @property
    def usable(self) -> bool:
        """Whether reads may be sent to the replica now."""
        return time.monotonic() >= self._unused_until and self._db.reads.connected

    def suspend(self, seconds: float, reason: str) -> None:
        """Stop sending reads to the replica for some seconds."""
        if self.usable:
            log.info("replica_rests", why=reason)
        self._unused_until = time.monotonic() + seconds

    async def fetchrow(self, position: LogPosition, sql: str, *args: Any) -> Any:
        """Run one statement and return its first row, if the server has replayed `position`.

        Raises:
            Late: it has not, and does not catch up within `CATCH_UP_SECONDS`.
        """
        async with self._db.reads.acquire() as connection:
            try:
                if not await self._reached(connection, position):
                    raise Late
                async with asyncio.timeout(self._seconds):
                    return await connection.fetchrow(sql, *args)
            except TimeoutError:
                connection.terminate()  # the host may have vanished
                raise

    async def _reached(self, connection: asyncpg.Connection, position: LogPosition) -> bool:
        """Whether the server of this connection has replayed `position`, or does so within `CATCH_UP_SECONDS`."""
        until = time.monotonic() + CATCH_UP_SECONDS
        known = self._replayed.get(connection)
        while known is None or known.timeline != position.timeline or known.place < position.place:
            if time.monotonic() >= until:
                return False
            async with asyncio.timeout(FAILED_SECONDS):
                row = await connection.fetchrow(REPLAYED)
            if row is None or row[1] not in (None, position.timeline):
                return False
            known = self._replayed[connection] = LogPosition(int(row[0] or 0), position.timeline)
            if known.place < position.place:
                await asyncio.sleep(POLL_SECONDS)
        return True


class Replicas:
    """Choose a replica of one database for each read, and fall back to the primary."""

    def __init__(self, primary: Lane, replicas: Sequence[Db], seconds: float) -> None:
        self._primary = primary
        self._replicas = [Replica(db, seconds + 1.0) for db in replicas]
        self._written = SharedQuery(self._read_position)
        self._last = 0

    async def open(self) -> None:
        await asyncio.gather(*(replica.open() for replica in self._replicas))

    async def close(self) -> None:
        await asyncio.gather(*(replica.close() for replica in self._replicas), return_exceptions=True)

    async def _read_position(self) -> LogPosition:
        """Return the primary's position. Raises Busy if its address now leads to a replica."""
        try:
            row = await self._primary.fetchrow(WRITTEN)
        except asyncpg.ObjectNotInPrerequisiteStateError:  # "recovery is in progress"
            raise AWAY.error() from None
        return LogPosition(int(row[0]), row[1])

    def _choose(self) -> Replica | None:
        """Return the next usable replica in turn."""
        for _ in self._replicas:
            self._last = (self._last + 1) % len(self._replicas)
            if (replica := self._replicas[self._last]).usable:
                return replica
        return None

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """Return the first row, from a replica that has replayed every earlier commit or from the primary."""
        replica = self._choose()
        if replica is not None:
            position = await self._written.result()
            try:
                row = await replica.fetchrow(position, sql, *args)
            except Late:
                replica.suspend(LATE_SECONDS, "late")
            except asyncpg.QueryCanceledError:
                raise  # it would exceed its time limit on the primary as well
            except _FAILURES as error:
                replica.suspend(FAILED_SECONDS, type(error).__name__)
            else:
                metrics.count("reads", "replica")
                return row
        metrics.count("reads", "primary")
        return await self._primary.fetchrow(sql, *args)
