"""Deliver events that a project stores in its own tables, as for the webhooks of its customers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any, Protocol

from tableapi.config.settings import Settings
from tableapi.db.database import Db
from tableapi.log import get_logger
from tableapi.observability import metrics
from tableapi.webhooks import queue
from tableapi.webhooks.leader import RETRY_SECONDS, Leader
from tableapi.webhooks.sender import AT_ONCE, WebhookAttempt, doubled, send_round, sending
from tableapi.webhooks.signature import WebhookEvent

log = get_logger(__name__)
LOOK_SECONDS = 1.0
TAKEN = 256  # events per check
NAME = "project"


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event to send, with the address and the secret of its webhook.

    secret: returns the secret of its webhook; an error there delays this webhook alone. attempts: the number made so
    far. webhook, row: as the project identifies them.
    """

    event: WebhookEvent
    url: str
    secret: Callable[[], str]
    attempts: int
    webhook: Hashable
    row: Any


class WebhookQueue(Protocol):
    """The events that a project stores, with the pauses between attempts.

    An event is tried `attempts` times, after `first_pause` and then twice the previous pause, at most `longest_pause`.
    """

    first_pause: timedelta
    longest_pause: timedelta
    attempts: int

    async def due(self, ctx: Any, busy: Collection[Any], most: int) -> Sequence[QueuedEvent]:
        """Return at most so many due events, grouped by webhook, without those in `busy`."""

    async def finish(self, ctx: Any, queued: QueuedEvent, attempt: WebhookAttempt, pause: timedelta | None) -> None:
        """Store the result of an attempt. pause: until the next one; None if there is none."""


class ProjectWebhooks(Leader):
    """Deliver the due events of a project's queue. ctx: a context of the project."""

    def __init__(self, events: WebhookQueue, ctx: Any, db: Db, settings: Settings) -> None:
        super().__init__(db, NAME, [NAME])
        self._events, self._ctx, self._settings = events, ctx, settings
        self._busy: dict[Hashable, asyncio.Task[None]] = {}

    async def _lead(self, stack: contextlib.AsyncExitStack) -> None:
        connection = await self._connect(stack)
        if not await connection.fetchval(queue.LOCK, NAME):
            return
        try:
            while not self._stopped:
                await connection.fetchval("select 1")  # fails once the connection, and with it the lock, is lost
                await self.look()
                await self._sleep(LOOK_SECONDS)
        finally:
            await asyncio.gather(*self._busy.values())

    async def look(self) -> Collection[asyncio.Task[None]]:
        """Begin to send the due events, and return the tasks."""
        found = await self._events.due(self._ctx, list(self._busy), TAKEN)
        for webhook, events in groupby(found, lambda queued: queued.webhook):
            self._busy[webhook] = asyncio.create_task(self._deliver(webhook, list(events)))
        return list(self._busy.values())

    async def _deliver(self, webhook: Hashable, events: list[QueuedEvent]) -> None:
        try:
            async with sending(events[0].url, events[0].secret(), self._settings, AT_ONCE) as sender:
                sent, attempts = await send_round(sender, events, lambda: self._stopped)
            for queued, attempt in zip(sent, attempts, strict=True):
                await self._events.finish(self._ctx, queued, attempt, self._pause(queued, attempt))
        except Exception as error:  # of one webhook, which must not keep the others from being delivered
            log.warning("webhooks_interrupted", dataset=NAME, error=f"{type(error).__name__}: {error}")
            await self._sleep(RETRY_SECONDS)
        else:
            delivered = sum(attempt.delivered for attempt in attempts)
            metrics.count("webhooks", "delivered", by=delivered)
            metrics.count("webhooks", "failed", by=len(attempts) - delivered)
        finally:
            del self._busy[webhook]

    def _pause(self, queued: QueuedEvent, attempt: WebhookAttempt) -> timedelta | None:
        if attempt.delivered or attempt.gone or queued.attempts + 1 >= self._events.attempts:
            return None
        first, longest = self._events.first_pause.total_seconds(), self._events.longest_pause.total_seconds()
        return timedelta(seconds=max(attempt.retry_after, doubled(first, queued.attempts, longest)))
