"""The streams of one database in one worker: follow the outbox, check callers, send heartbeats."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import Any

import asyncpg

from tableapi.auth.policy import Actor
from tableapi.changes import outbox, triggers
from tableapi.changes.fanout import Changes, Check, Fanout
from tableapi.changes.group import GroupIndex, Listener, ListenerGroup, send_reset
from tableapi.changes.outbox import Position, RowChange
from tableapi.changes.stream import StreamCounts
from tableapi.changes.subscription import Subscription, subscribe
from tableapi.changes.triggers import RecordedTable
from tableapi.datasets.dataset import ServedDataset
from tableapi.db.errors import UNREACHABLE
from tableapi.errors import Busy, Unauthorized
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)
READS_AT_ONCE, ROLE_READS_AT_ONCE = 4, 2  # a slow PostgreSQL policy delays only streams under database roles
CLEAN_SECONDS = 60.0
RETRY_SECONDS = 0.5  # while the database is unreachable
READ_SECONDS = 5.0  # limit of one read of the outbox; if it is exceeded, the streams are reset


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """The limits of streams, from the CHANGES_* settings."""

    poll: float = 0.05
    heartbeat: float = 15.0
    keep: float = 600.0
    queue_bytes: int = 262_144


class StreamHub(Fanout[Listener]):
    """Follow the outbox of a dataset while it has streams.

    The outbox is polled. NOTIFY would avoid polling, but PostgreSQL serializes the commits of transactions that notify,
    which costs busy tables most of their throughput.
    """

    def __init__(
        self, dataset: ServedDataset, limits: StreamLimits, counts: StreamCounts, check: Check, changes: Changes
    ) -> None:
        super().__init__(dataset, limits.heartbeat, counts, check, changes)
        self.limits = limits
        self._triggers_due = 0.0
        self._groups: dict[Any, ListenerGroup] = {}
        self._places: dict[int, GroupIndex] = {}
        self._position: Position | None = None
        self._reading, self._role_reading = asyncio.Semaphore(READS_AT_ONCE), asyncio.Semaphore(ROLE_READS_AT_ONCE)
        self._starting = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None
        self._cleaning: asyncio.Task[None] | None = None

    # -- start and stop ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start removing old changes from the outbox, even without streams."""
        if self._cleaning is None:
            self._cleaning = background.start(self._clean(), "changes_clean")

    def stop(self) -> None:
        """End all streams, and stop following the outbox."""
        self.end_all()
        for task in (self._following, self._sweeping, self._cleaning):
            if task is not None:
                task.cancel()

    # -- streams -------------------------------------------------------------------------------------------------------

    async def recorded(self, schema: str, name: str) -> RecordedTable | None:
        """Return how the changes of a table are recorded, or None."""
        async with self.dataset.db.reads.acquire() as connection:
            return (await triggers.recorded(connection)).get((schema, name))

    async def open(self, listener: Listener, subscription: Subscription, token: str) -> None:
        """Add a stream that starts at the resume token, or with a reset.

        Raises:
            Busy: the database cannot be read at the moment, or the server is full.
            TooMany: the caller or its account has too many streams.
        """
        async with self._starting:
            if self._following is None or self._following.done() or self._position is None:
                self._position = await self._begin()
                self._following = background.start(self._follow(), "changes_follow")
        self.add(listener)
        position = self._position
        group = self._groups.get(subscription.group)
        if group is None:
            reading = self._role_reading if subscription.dataset.role_sql else self._reading
            group = self._groups[subscription.group] = ListenerGroup(
                subscription, position, reading, self.check_callers
            )
            self._places.setdefault(subscription.recorded.oid, GroupIndex()).of(group)[group] = None
        elif group.subscription.request.table is not subscription.request.table:  # DDL
            group.subscription = subscription
        listener.group = group
        group.listeners.add(listener)
        try:
            missed = await self._missed(subscription, token, position) if token else None
        except BaseException:
            self.closed(listener)
            raise
        if missed is None:
            send_reset(listener, position)
        else:
            group.add_missed(listener, missed)
            group.advance(self._position or position)

    def _removed(self, listener: Listener) -> None:
        group = listener.group
        group.listeners.discard(listener)
        if not group.listeners and self._groups.get(group.subscription.group) is group:
            del self._groups[group.subscription.group]
            place = self._places[group.subscription.recorded.oid]
            members = place.of(group)
            members.pop(group, None)
            if not members and group.subscription.fixed:
                del place.by[group.subscription.fixed[0]]

    async def _missed(self, subscription: Subscription, token: str, position: Position) -> list[RowChange] | None:
        """Return the changes between a resume token and `position`; None if they are not known.

        They are not read if a row rule has to be evaluated, because the caller must not learn that a row changed.
        """
        since = Position.read(token)
        if since is None or since.epoch != position.epoch or not subscription.shape.owned:
            return None
        try:
            async with self.dataset.db.reads.acquire() as connection:
                rows = await connection.fetch(
                    outbox.MISSED, since.snapshot, position.snapshot, subscription.recorded.oid
                )
                kept = await connection.fetchval(outbox.KEPT, since.snapshot)
        except (*UNREACHABLE, asyncpg.PostgresError, Busy):  # includes tokens that are not snapshots
            return None
        changes = [RowChange.of(row) for row in rows]
        if not kept or len(changes) > 1000 or any(change.key is None for change in changes):
            return None
        return changes

    # -- the outbox ----------------------------------------------------------------------------------------------------

    async def _begin(self) -> Position:
        async with self.dataset.db.reads.acquire() as connection, asyncio.timeout(READ_SECONDS):
            row = await connection.fetchrow(outbox.BEGIN)
        if row is None:
            raise Busy("The recording of changes is being set up. Try again in a moment.", headers={"Retry-After": "5"})
        return Position(row["epoch"], row["snapshot"])

    async def _follow(self) -> None:
        """Poll the outbox until there are no streams."""
        while self.streams or self._starting.locked():
            try:
                await asyncio.sleep(self.limits.poll)
                await self._poll()
            except Busy:
                continue  # the next poll reads the same changes
            except asyncpg.UndefinedTableError:  # removed; a new stream is rejected
                self.end_all()
                break
            except Exception as error:  # any error: silent streams would be worse than a reset
                log.warning("changes_lost_database", dataset=self.dataset.name, error=type(error).__name__)
                await self._found_again()
        self._position = None

    async def _poll(self) -> None:
        position = self._position
        assert position is not None
        async with self.dataset.db.reads.acquire() as connection, asyncio.timeout(READ_SECONDS):
            rows = await connection.fetch(outbox.SINCE, position.snapshot)
        if not rows:
            raise asyncpg.UndefinedTableError
        self._position = Position(rows[0]["epoch"], rows[0]["snapshot"])
        if self._position.epoch != position.epoch or len(rows) > outbox.MAX_CHANGES:
            self._reset_all()
            return
        for row in rows if rows[0]["relation"] is not None else ():
            if (place := self._places.get(row["relation"])) is not None:
                change = RowChange.of(row)
                for group in place.concerned(change):
                    group.add(change)
        for group in list(self._groups.values()):
            group.advance(self._position)

    async def _found_again(self) -> None:
        """Wait for the database, then reset every stream, because changes may have been lost."""
        while True:
            await asyncio.sleep(RETRY_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the load
            try:
                self._position = await self._begin()
            except (*UNREACHABLE, asyncpg.PostgresError, asyncpg.InternalClientError, Busy):
                continue
            self._reset_all()
            return

    def _reset_all(self) -> None:
        assert self._position is not None
        for group in self._groups.values():
            group.reset()
            group.advance(self._position)

    # -- checks --------------------------------------------------------------------------------------------------------

    async def _look(self, now: float) -> None:
        if now >= self._triggers_due:
            self._triggers_due = now + self._period
            await self._check_triggers()

    def _resume(self, listener: Listener) -> bytes:
        group = listener.group
        if not group.idle or group.token == listener.id:
            return b""
        listener.id = group.token
        return f"id: {group.token}\n".encode()

    async def _keeps(self, listener: Listener, actor: Actor) -> bool:
        call, old = listener.call, listener.group.subscription
        if actor == call.actor and call.table is self.dataset.schema.tables.get(call.table.name):
            return True
        if actor != call.actor and call.dataset.role_sql:
            raise Unauthorized("Your rights have changed. Open the stream again.")
        call.actor, call.rights = actor, self.dataset.rights(actor.role)
        call.table = await self.dataset.table(call.table.name)
        new = await subscribe(call, old.recorded)
        if new.group != old.group:
            return False
        if new.request.table is not old.request.table:  # DDL
            listener.group.subscription = new
        return True

    async def _check_triggers(self) -> None:
        """End the streams of tables with removed or replaced triggers."""
        try:
            async with self.dataset.db.reads.acquire() as connection:
                tables = {table.oid: table for table in (await triggers.recorded(connection)).values()}
        except Exception as error:
            log.warning("triggers_not_checked", error=type(error).__name__)
            return
        for group in list(self._groups.values()):
            if tables.get(group.subscription.recorded.oid) != group.subscription.recorded:
                group.end()

    async def _clean(self) -> None:
        while True:
            await asyncio.sleep(CLEAN_SECONDS * random.uniform(0.8, 1.2))  # noqa: S311 - spreads the load
            try:
                async with self.dataset.db.reads.acquire() as connection, asyncio.timeout(CLEAN_SECONDS):
                    await outbox.clean(connection, self.limits.keep)
            except Exception as error:  # the next round continues
                log.warning("changes_not_cleaned", dataset=self.dataset.name, error=type(error).__name__)
