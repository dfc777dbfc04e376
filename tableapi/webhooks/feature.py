"""The webhooks of one worker process, across all its datasets."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

import asyncpg
import orjson

from tableapi.auth.webhook import Webhook
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import Dataset, ServedDataset
from tableapi.errors import NotFound
from tableapi.log import get_logger
from tableapi.observability import background, metrics
from tableapi.query.spelling import suggestion
from tableapi.webhooks import queue
from tableapi.webhooks.dispatcher import Dispatcher, full_name
from tableapi.webhooks.sender import send_event
from tableapi.webhooks.signature import WebhookEvent
from tableapi.webhooks.statement import dataset_of

log = get_logger(__name__)
_NOT_THERE = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedColumnError,  # of an older version, before a server delivers
    asyncpg.InvalidSchemaNameError,
    asyncpg.InsufficientPrivilegeError,
)


class Webhooks:
    """Deliver the declared webhooks, and describe, replay and test them.

    sealed: the encrypted columns by table, which are not sent.
    """

    def __init__(
        self,
        settings: Settings,
        datasets: Mapping[str, ServedDataset],
        webhooks: Collection[Webhook],
        sealed: Mapping[str, Collection[str]],
    ) -> None:
        self._settings, self._datasets, self._sealed = settings, datasets, sealed
        self._webhooks = tuple(webhooks)
        self._dispatchers = self._made()
        self._changing = asyncio.Lock()
        self._open = False

    def _made(self) -> list[Dispatcher]:
        declared: dict[str, list[Webhook]] = {}
        for webhook in self._webhooks:
            declared.setdefault(dataset_of(webhook, self._datasets), []).append(webhook)
        return [
            Dispatcher(self._datasets[name], webhooks, self._sealed, self._settings)
            for name, webhooks in declared.items()
        ]

    def start(self) -> None:
        self._open = True
        for dispatcher in self._dispatchers:
            dispatcher.start()

    def stop(self) -> None:
        """Stop after the attempts in flight; another process takes over."""
        self._open = False
        for dispatcher in self._dispatchers:
            dispatcher.stop()

    async def close(self) -> None:
        """Stop, and wait a limited time for the attempts in flight."""
        self.stop()
        async with self._changing:
            await asyncio.gather(*(dispatcher.close() for dispatcher in self._dispatchers))

    def replace(self, webhooks: Collection[Webhook]) -> None:
        """Deliver a different set of webhooks. Those that are no longer declared lose their position."""
        if self._webhooks != tuple(webhooks):
            background.start(self._replace(tuple(webhooks)), "webhooks_replace")

    async def _replace(self, webhooks: tuple[Webhook, ...]) -> None:
        async with self._changing:
            old = self._dispatchers
            await asyncio.gather(*(dispatcher.close() for dispatcher in old))
            self._webhooks = webhooks
            self._dispatchers = self._made()
            if self._open:
                for dispatcher in self._dispatchers:
                    dispatcher.start()
            kept = {name for dispatcher in self._dispatchers for name in dispatcher.webhooks}
            for dispatcher in old:
                await dispatcher.forget([name for name in dispatcher.webhooks if name not in kept])
        log.info("webhooks_read", webhooks=len(webhooks))

    # -- questions -----------------------------------------------------------------------------------------------------

    def of(self, dataset: str, name: str) -> Webhook:
        """Return a webhook of a dataset. Raises NotFound."""
        webhooks = {webhook.name: webhook for webhook in self.all_of(dataset)}
        if name not in webhooks:
            hint = suggestion(name, webhooks)
            raise NotFound(f"There is no webhook '{name[:100]}'.{hint}", reason="unknown_webhook")
        return webhooks[name]

    def all_of(self, dataset: str) -> list[Webhook]:
        return [webhook for webhook in self._webhooks if dataset_of(webhook, self._datasets) == dataset]

    async def describe(self, dataset: Dataset, webhook: Webhook) -> dict[str, Any]:
        """Describe a webhook with its state and its last attempts, without its secret."""
        name = full_name(dataset.name, webhook)
        state, attempts = None, []
        try:
            async with dataset.db.reads.acquire() as connection:
                state = await connection.fetchrow(queue.STATE, name)
                attempts = await connection.fetch(queue.ATTEMPTS, name)
                delivering = not await connection.fetch(queue.FREE, [name])
        except _NOT_THERE:
            delivering = False
        described = webhook.model_dump(exclude={"secret", "comment", "dataset"}) | {
            "dataset": dataset.name,
            "state": _state_of(webhook, state) if delivering else "stopped",
        }
        if state is not None:
            members = ("failures", "pending", "failed", "error", "error_at")
            described |= {member: state[member] for member in members}
            described["paused_until"] = state["open_until"] if state["is_open"] else None
        described["attempts"] = [dict(row) | {"key": orjson.loads(row["key"])} for row in attempts]
        return described

    async def replay(
        self, dataset: Dataset, webhook: Webhook, *, event: str = "", since: datetime | None = None
    ) -> int:
        """Queue logged events again, and return their number.

        Raises:
            NotFound: the log does not have the event.
        """
        name = full_name(dataset.name, webhook)
        async with dataset.db.writes.acquire() as connection:
            if since is not None:
                status = await connection.execute(queue.REPLAY_SINCE, name, since.isoformat())
            elif not await connection.fetchval(queue.EXISTS, name, event):
                raise NotFound(f"There is no event '{event[:100]}' in the log.", reason="unknown_event")
            else:
                status = await connection.execute(queue.REPLAY_ONE, name, event)
        return int(status.rpartition(" ")[2])

    async def test(self, dataset: Dataset, webhook: Webhook) -> dict[str, Any]:
        """Send a test event now, and return the result of the attempt."""
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        event = WebhookEvent(f"msg_{uuid.uuid4().hex}", f"{webhook.table}.test", at, "{}", "{}")
        attempt = await send_event(webhook.url, webhook.secret, event, self._settings)
        metrics.count("webhooks", "delivered" if attempt.delivered else "failed")
        result = {"status": attempt.status, "error": attempt.error, "milliseconds": attempt.milliseconds}
        async with dataset.db.writes.acquire() as connection:
            values = (event.id, event.type, event.at, event.key, event.record, *result.values())
            await connection.execute(queue.TESTED, full_name(dataset.name, webhook), *values)
            if attempt.delivered:
                await connection.execute(queue.REOPEN, full_name(dataset.name, webhook))
        return {"id": event.id, "delivered": attempt.delivered, **result}


def _state_of(webhook: Webhook, state: asyncpg.Record | None) -> str:
    """Return the state of a webhook that a server is delivering."""
    if state is not None and state["gone"] == webhook.url:
        return "gone"
    return "paused" if state is not None and state["is_open"] else "active"
