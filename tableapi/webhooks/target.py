"""Deliver the events of one webhook, in order per record, with back-off and a circuit breaker."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from tableapi.auth.webhook import Webhook
from tableapi.log import get_logger
from tableapi.observability import metrics
from tableapi.webhooks import queue
from tableapi.webhooks.sender import AT_ONCE, WebhookAttempt, WebhookSender, doubled, send_round

if TYPE_CHECKING:
    import asyncpg

    from tableapi.config.settings import Settings
    from tableapi.webhooks.queue import Delivery
    from tableapi.webhooks.statement import EventStatement

log = get_logger(__name__)
TAKEN = 256  # events per round, each of a different record
OPEN_AFTER = 3  # failed rounds after which single events test the receiver
MAX_PAUSE_SECONDS, MAX_OPEN_SECONDS = 900.0, 300.0
LOOK_SECONDS = 1.0  # interval between checks for events queued by other processes, and for retries


class WebhookTarget:
    """One webhook delivered by this process.

    name: including its dataset. position: the outbox position that it has reached. behind: whether later changes remain
    to be read. oid: that of its table.
    """

    def __init__(self, webhook: Webhook, name: str, settings: Settings) -> None:
        self.webhook, self.name = webhook, name
        self.position, self.behind = "", True
        self.oid = 0
        self.statement: EventStatement | None = None
        self.fault = ""  # why changes cannot be read
        self.wake = asyncio.Event()
        self.stopped = False
        self.gone = False  # the receiver has responded with 410
        self._base, self._keep = settings.webhooks_backoff_seconds, settings.webhooks_keep_seconds
        self._failures, self._closed_until = 0, 0.0
        self._sender = WebhookSender(
            webhook.url,
            webhook.secret,
            private=settings.webhooks_private,
            seconds=settings.webhooks_timeout_seconds,
            connections=AT_ONCE,
        )

    def resume(self, failures: int, seconds: float, *, gone: bool) -> None:
        """Restore the state of the circuit breaker from an earlier process."""
        self.gone, self._failures, self._closed_until = gone, failures, time.monotonic() + max(0.0, seconds)

    def stop(self) -> None:
        """Stop after the attempts in flight."""
        self.stopped = True
        self.wake.set()

    async def run(self, connection: asyncpg.Connection, lock: asyncio.Lock) -> None:
        """Deliver until `stop`. lock: for the connection, which several webhooks share."""
        try:
            while not self.stopped:
                self.wake.clear()
                if self.gone:
                    await self._wait(LOOK_SECONDS)
                    async with lock:
                        self.gone = await connection.fetchval(queue.GONE, self.name) == self.webhook.url
                    continue
                if (closed := self._closed_until - time.monotonic()) > 0:
                    await self._wait(closed)
                    continue
                probe = self._failures >= OPEN_AFTER
                async with lock:
                    deliveries = await queue.due(connection, self.name, 1 if probe else TAKEN, probe=probe)
                if not deliveries:
                    await self._wait(LOOK_SECONDS)
                    continue
                deliveries, attempts = await send_round(self._sender, deliveries, lambda: self.stopped)
                pauses = [
                    max(self._pause(delivery.attempts, MAX_PAUSE_SECONDS), attempt.retry_after)
                    for delivery, attempt in zip(deliveries, attempts, strict=True)
                ]
                async with lock:
                    given_up = await queue.finish(connection, self.name, deliveries, attempts, pauses, self._keep)
                    await self._judge(connection, attempts)
                self._tell(deliveries, attempts)
                self.give_up(given_up)
        finally:
            await self._sender.close()

    async def _wait(self, seconds: float) -> None:
        if self.stopped:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wake.wait()

    def _pause(self, failures: int, most: float) -> float:
        """Return the pause after a failure, with random jitter."""
        return doubled(self._base, failures, most) * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load

    async def _judge(self, connection: asyncpg.Connection, attempts: Sequence[WebhookAttempt]) -> None:
        """Open the circuit breaker after failures or as the receiver asks, or close it after a success."""
        before = self._failures
        if any(attempt.gone for attempt in attempts):
            await self._close(connection)
        if any(attempt.delivered for attempt in attempts):
            self._failures, seconds = 0, 0.0
        else:
            self._failures += 1
            opened = self._failures - OPEN_AFTER
            seconds = self._pause(opened, MAX_OPEN_SECONDS) if opened >= 0 else 0.0
        asked = max(attempt.retry_after for attempt in attempts)  # for all events, not only for those just sent
        seconds = max(seconds, asked)
        self._closed_until = time.monotonic() + seconds
        if before or self._failures or asked:
            await connection.execute(queue.BREAKER, self.name, self._failures, seconds)
        if before >= OPEN_AFTER and not self._failures:
            await connection.execute(queue.HURRY, self.name)
            log.info("webhook_recovered", webhook=self.name)

    async def _close(self, connection: asyncpg.Connection) -> None:
        """Send nothing more to this URL. Its events wait for another URL, or a test that succeeds."""
        self.gone = True
        text = "The receiver responded with 410 Gone, so nothing is sent. Change the URL, or test the webhook."
        await connection.execute(queue.CLOSE, self.name, self.webhook.url, text)
        log.error("webhook_gone", alarm="webhook", webhook=self.name, error=text)

    def _tell(self, deliveries: Sequence[Delivery], attempts: Sequence[WebhookAttempt]) -> None:
        failed = [(d, a) for d, a in zip(deliveries, attempts, strict=True) if not a.delivered]
        metrics.count("webhooks", "delivered", by=len(attempts) - len(failed))
        metrics.count("webhooks", "failed", by=len(failed))
        if failed:
            delivery, attempt = failed[0]
            log.warning(
                "webhook_failed", webhook=self.name, event_id=delivery.event.id, error=attempt.error,
                attempt=delivery.attempts + 1, events=len(failed), failures=self._failures,
            )  # fmt: skip

    def give_up(self, events: Collection[str]) -> None:
        """Report events that are no longer retried."""
        metrics.count("webhooks", "given_up", by=len(events))
        for event in list(events)[: 0 if self.gone else 10]:
            log.error("webhook_given_up", alarm="webhook", webhook=self.name, event_id=event, events=len(events))
