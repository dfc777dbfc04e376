"""The webhooks of one dataset in one process, which delivers those that no other process delivers."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Collection, Mapping

import asyncpg

from tableapi.auth.webhook import Webhook
from tableapi.changes import triggers
from tableapi.changes.triggers import CannotRecord
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import ServedDataset
from tableapi.datasets.declared import BadRights
from tableapi.db.session import SESSION, address, connection_options, init_table_connection
from tableapi.log import get_logger
from tableapi.observability import background, metrics
from tableapi.webhooks import queue, recording
from tableapi.webhooks.statement import OPERATIONS, EventStatement, event_statement
from tableapi.webhooks.target import WebhookTarget

log = get_logger(__name__)
POLL_SECONDS = 0.1  # interval between checks for changes
CLAIM_SECONDS = 2.0  # interval between checks for unclaimed webhooks and for triggers
SWEEP_SECONDS = 60.0
RETRY_SECONDS = 1.0  # while the database is unreachable, or another process delivers
UNRECORDED_SECONDS = 5.0  # while a permission is missing
STATEMENT_SECONDS = 120
CLOSE_SECONDS = 5.0  # for attempts in flight when the process stops
# Within 20 s, the server notices that a process's machine is gone, and releases its locks.
_ALIVE = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
_LOST = (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Dispatcher:
    """Read the changes for webhooks and deliver their events, holding an advisory lock for each webhook.

    The locks and the positions reached by the webhooks belong to one connection. A process that loses the connection
    loses both, and another process continues from there.
    """

    def __init__(
        self,
        dataset: ServedDataset,
        webhooks: Collection[Webhook],
        sealed: Mapping[str, Collection[str]],
        settings: Settings,
    ) -> None:
        self._dataset, self._sealed, self._settings = dataset, sealed, settings
        self.webhooks = {full_name(dataset.name, webhook): webhook for webhook in webhooks}
        self._targets: dict[str, WebhookTarget] = {}
        self._working: asyncio.Task[None] | None = None
        self._stopped, self._stopping = False, asyncio.Event()
        self._looked, self._epoch = "", ""
        self._lock = asyncio.Lock()  # for the connection used for deliveries

    def start(self) -> None:
        """Start looking for webhooks to deliver."""
        if self._working is None and self.webhooks:
            self._working = background.start(self._work(), "webhooks")

    def stop(self) -> None:
        """Stop after the attempts in flight; another process takes over."""
        self._stopped = True
        self._stopping.set()
        for target in self._targets.values():
            target.stop()

    async def close(self) -> None:
        """Stop, and wait a limited time for the attempts in flight."""
        self.stop()
        if self._working is not None:
            done, _ = await asyncio.wait((self._working,), timeout=CLOSE_SECONDS)
            if not done:
                self._working.cancel()
                await asyncio.gather(self._working, return_exceptions=True)

    async def forget(self, names: Collection[str]) -> None:
        """Remove the positions of webhooks that are no longer declared, so that no changes are kept for them."""
        if names:
            async with self._dataset.db.writes.acquire() as connection:
                await connection.execute(queue.FORGET_NAMED, list(names))

    # -- one process delivers ------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        told = ""
        while not self._stopped:
            pause = RETRY_SECONDS
            try:
                if await self._free():
                    await self._lead()
                told = ""
            except* CannotRecord as errors:
                if told != (message := str(errors.exceptions[0])):
                    log.error("webhooks_not_recorded", alarm="webhook", dataset=self._dataset.name, error=message)
                told, pause = message, UNRECORDED_SECONDS
            except* Exception as errors:  # any error: silently stopped webhooks would be worse than a retry
                error = errors.exceptions[0]
                log.warning(
                    "webhooks_interrupted", dataset=self._dataset.name, error=f"{type(error).__name__}: {error}"
                )
            await self._sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the load

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _free(self) -> bool:
        """Return whether some webhook is not delivered by any process."""
        async with self._dataset.db.reads.acquire() as connection:
            return bool(await connection.fetch(queue.FREE, list(self.webhooks)))

    async def _lead(self) -> None:
        """Deliver every webhook not held by another process, until a connection is lost."""
        async with contextlib.AsyncExitStack() as stack:
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

    async def _connect(self, stack: contextlib.AsyncExitStack) -> asyncpg.Connection:
        dsn, pooled = address(self._dataset.db.url)
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
