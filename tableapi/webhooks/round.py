"""One round of attempts to deliver events to one receiver, and the pause until the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from tableapi.webhooks.sender import WebhookAttempt, WebhookSender
from tableapi.webhooks.signature import WebhookEvent

AT_ONCE = 16  # events in flight
ROUND_SECONDS = 0.5  # after which a round begins no more attempts, so that the results of a slow receiver are stored


class _Queued(Protocol):
    @property
    def event(self) -> WebhookEvent: ...


QueuedT = TypeVar("QueuedT", bound=_Queued)


async def send_round(
    sender: WebhookSender, taken: Sequence[QueuedT], stopped: Callable[[], bool]
) -> tuple[list[QueuedT], list[WebhookAttempt]]:
    """Send events until one fails or the round has lasted, and return the sent events and their results."""
    sent: list[tuple[QueuedT, WebhookAttempt]] = []
    rest, failed, until = iter(taken), False, time.monotonic() + ROUND_SECONDS

    async def send() -> None:
        nonlocal failed
        for queued in rest:
            attempt = await sender.send(queued.event)
            sent.append((queued, attempt))
            failed = failed or not attempt.delivered
            if failed or stopped() or time.monotonic() > until:
                return

    await asyncio.gather(*(send() for _ in range(min(AT_ONCE, len(taken)))))
    return [queued for queued, _ in sent], [attempt for _, attempt in sent]


def doubled(base: float, failures: int, most: float) -> float:
    """Return the seconds until the next attempt: after each failure twice as many, at most `most`."""
    return min(most, base * 2.0 ** min(failures, 30))
