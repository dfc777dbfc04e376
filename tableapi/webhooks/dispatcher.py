"""The webhooks of one dataset in one process, which delivers those that no other process delivers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Collection, Mapping

import asyncpg

from tableapi.auth.webhook import Webhook
from tableapi.changes import triggers
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import ServedDataset
from tableapi.datasets.declared import BadRights
from tableapi.log import get_logger
from tableapi.observability import metrics
from tableapi.webhooks import queue, recording
from tableapi.webhooks.leader import Leader
from tableapi.webhooks.statement import OPERATIONS, EventStatement, event_statement
from tableapi.webhooks.target import WebhookTarget

log = get_logger(__name__)
POLL_SECONDS = 0.1  # interval between checks for changes
CLAIM_SECONDS = 2.0  # interval between checks for unclaimed webhooks and for triggers
SWEEP_SECONDS = 60.0
_LOST = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Dispatcher(Leader):
    """Read the changes for webhooks and deliver their events, holding an advisory lock for each webhook.

    The positions reached by the webhooks belong to the connection of the locks, so another process continues there.
    """

    def __init__(
        self,
        dataset: ServedDataset,
        webhooks: Collection[Webhook],
        sealed: Mapping[str, Collection[str]],
        settings: Settings,
    ) -> None:
        self.webhooks = {full_name(dataset.name, webhook): webhook for webhook in webhooks}
        super().__init__(dataset.db, dataset.name, self.webhooks)
        self._dataset, self._sealed, self._settings = dataset, sealed, settings
        self._targets: dict[str, WebhookTarget] = {}
        self._looked, self._epoch = "", ""
        self._lock = asyncio.Lock()  # for the connection used for deliveries

    def stop(self) -> None:
        super().stop()
        for target in self._targets.values():
            target.stop()

    async def forget(self, names: Collection[str]) -> None:
        """Remove the positions of webhooks that are no longer declared, so that no changes are kept for them."""
        if names:
            async with self._dataset.db.writes.acquire() as connection:
                await connection.execute(queue.FORGET_NAMED, list(names))

    async def _lead(self, stack: contextlib.AsyncExitStack) -> None:
        """Deliver every webhook not held by another process."""
        reading = await self._connect(stack)
        await self._record(reading)
        writing = await self._connect(stack)
        await writing.execute("set synchronous_commit = off")  # a lost result only causes another attempt
        self._looked = await reading.fetchval("select pg_current_snapshot()::text")
        claimed, swept = 0.0, time.monotonic()
        try:
            async with asyncio.TaskGroup() as group:
                while not self._stopped:
                    now = time.monotonic()
                    if now - claimed > CLAIM_SECONDS:
                        await self._claim(reading, writing, group)
                        claimed = now
                        if not self._targets:  # other processes deliver all of them
                            break
                    if now - swept > SWEEP_SECONDS:
                        await self._sweep(writing)
                        swept = now
                    await self._look(reading)
                    await asyncio.sleep(POLL_SECONDS)
                for target in self._targets.values():
                    target.stop()
        finally:
            self._targets.clear()

    async def _record(self, connection: asyncpg.Connection) -> None:
        schema = self._dataset.schema
        found = (schema.find(webhook.table) for webhook in self.webhooks.values())
        tables = {table.name: table for table in found if table is not None}
        await recording.record(connection, tables, list(self.webhooks), lambda text: log.info("webhooks", told=text))

    async def _claim(self, reading: asyncpg.Connection, writing: asyncpg.Connection, group: asyncio.TaskGroup) -> None:
        """Claim free webhooks, and look up the tables of all claimed ones."""
        for name, webhook in self.webhooks.items():
            if name not in self._targets and await reading.fetchval(queue.LOCK, name):
                target = await self._begin(reading, WebhookTarget(webhook, name, self._settings))
                self._targets[name] = target
                group.create_task(target.run(writing, self._lock))
                log.info("webhook_taken", webhook=name)
        recorded = await triggers.recorded(reading)
        for target in self._targets.values():
            table = self._dataset.schema.find(target.webhook.table)
            if table is None:
                target.oid = 0
                await self._fault(reading, target, f"the table '{target.webhook.table}' does not exist")
            elif recording.is_recorded(recorded, table):
                target.oid = recorded[table.schema, table.bare].oid
            else:
                target.oid = 0
                await self._fault(reading, target, f"the changes of '{table.name}' are not recorded")
                await self._record(reading)

    async def _begin(self, connection: asyncpg.Connection, target: WebhookTarget) -> WebhookTarget:
        """Continue from the position that the webhook has reached."""
        await connection.execute(queue.ADD, [target.name])
        place = await connection.fetchrow(queue.PLACE, target.name)
        assert place is not None
        self._epoch = await connection.fetchval(queue.INTACT) or await connection.fetchval(queue.RENEW)
        target.position = place["now"] if place["ahead"] else place["position"]
        target.resume(place["failures"], place["closed_for"], gone=place["gone"] == target.webhook.url)
        if place["ahead"] or place["epoch"] not in ("", self._epoch):
            await connection.execute(queue.REACHED, [target.name], target.position, self._epoch)
            await self._missed(connection, target, "PostgreSQL crashed, failed over or was restored")
        return target

    async def _missed(self, connection: asyncpg.Connection, target: WebhookTarget, why: str) -> None:
        """Report changes for which no event will be sent."""
        text = f"Events are missing for some changes: {why}. Compare the table with the receiver's data."
        metrics.count("webhooks", "missed")
        log.error("webhook_missed", alarm="webhook", webhook=target.name, error=text)
        await connection.execute(queue.NOTED, target.name, text)

    async def _fault(self, connection: asyncpg.Connection, target: WebhookTarget, why: str) -> None:
        """Report, once, why the changes of a webhook cannot be read. The changes are kept."""
        target.behind = True
        if target.fault != why:
            target.fault = why
            log.error("webhook_stuck", alarm="webhook", webhook=target.name, error=why)
            await connection.execute(queue.NOTED, target.name, f"Changes wait to be read: {why}.")

    # -- from changes to events ----------------------------------------------------------------------------------------

    async def _look(self, connection: asyncpg.Connection) -> None:
        """Create events for the changes since the last check."""
        targets = list(self._targets.values())
        row = await connection.fetchrow(queue.CHANGED, self._looked, [target.oid for target in targets])
        assert row is not None
        changed, snapshot = set(row["relations"]), row["snapshot"]
        for target in targets:
            if target.behind or target.oid in changed:
                await self._read(connection, target, snapshot)
            else:
                target.position = snapshot
        self._looked = snapshot

    async def _read(self, connection: asyncpg.Connection, target: WebhookTarget, snapshot: str) -> None:
        """Queue the events of one webhook, and store its position in the same transaction."""
        try:
            statement, oid = self._statement(target), target.oid
            operations = [OPERATIONS[verb] for verb in target.webhook.on]
            place = (target.position, snapshot)
            async with connection.transaction():
                status = await connection.execute(
                    statement.sql, *statement.values, target.name, statement.table.name, oid, operations, *place
                )
                unnamed = await connection.fetchval(queue.UNNAMED, oid, *place)
                await connection.execute(queue.REACHED, [target.name], snapshot, self._epoch)
        except BadRights as error:
            await self._fault(connection, target, str(error).rstrip("."))
            return
        except _LOST:
            raise
        except asyncpg.InvalidCachedStatementError:  # DDL; the next check rebuilds the statement
            target.behind = True
            return
        except asyncpg.PostgresError as error:
            await self._fault(connection, target, f"{type(error).__name__}: {str(error).splitlines()[0]}")
            return
        if target.fault:
            await connection.execute(queue.NOTED, target.name, None)
        target.position, target.behind, target.fault = snapshot, False, ""
        if unnamed:
            await self._missed(connection, target, "a TRUNCATE, or a statement that changed more than 100,000 rows")
        if not status.endswith(" 0"):
            target.wake.set()

    def _statement(self, target: WebhookTarget) -> EventStatement:
        """Return the statement of a webhook for the current version of its table."""
        schema = self._dataset.schema
        if target.statement is None or schema.find(target.webhook.table) is not target.statement.table:
            target.statement = event_statement(target.webhook, schema, self._dataset.limits, self._sealed)
        if not target.oid:
            raise BadRights(f"the changes of '{target.statement.table.name}' are not recorded")
        return target.statement

    async def _sweep(self, connection: asyncpg.Connection) -> None:
        """Store the positions of idle webhooks, give up old events, and trim the log."""
        keep = self._settings.webhooks_keep_seconds
        async with self._lock:
            for target in self._targets.values():
                if not target.behind:
                    await connection.execute(queue.REACHED, [target.name], target.position, self._epoch)
                rows = await connection.fetch(queue.EXPIRE, target.name, keep)
                target.give_up([row["event"] for row in rows])
            await connection.execute(queue.PRUNE, keep)
            await connection.execute(queue.FORGET, float(queue.KEEP_SECONDS))


def full_name(dataset: str, webhook: Webhook) -> str:
    """Return the name of a webhook in the database."""
    return f"{dataset}/{webhook.name}"
