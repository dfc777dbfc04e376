"""Webhooks of accounts: events of an account, signed and sent to an address of its own.

Triggers in schema.sql write the events to `webhookdelivery`, in the transaction of their cause. The job `sendwebhooks`
sends them. An event is sent at least once: again after a failure, for a day, and perhaps again after a crash.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import urlsplit

import orjson

from product import audit, mail
from product import language as languages
from product.accounts import users
from product.context import Context
from tableapi import FieldError, WebhookAttempt, WebhookEvent, WebhookSender, webhook_url

EventName = Literal["contact.revealed", "bulk.finished", "credits.low", "plan.changed"]
TEST, NOTHING = "test", '{"key": {}, "record": {}}'
PAGE = "/dashboard/settings/webhooks"
MOST = 10  # webhooks of an account
AT_ONCE = 16
ADDRESS = FieldError("webhook_url", "Enter an address that begins with https://, without a user name or #")
# Pauses of 1, 2, 4 ... minutes, at most 4 hours: a day in all.
MAX_ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE = 14, timedelta(minutes=1), timedelta(hours=4)

# An attempt that never ended, because its process was killed, is repeated after two minutes.
_CLAIM = f"""
    update webhookdelivery d set attempts = d.attempts + 1, dueon = now() + interval '2 minutes'
    from webhook w
    where w.clientid = d.clientid and w.webhookid = d.webhookid and (d.clientid, d.deliveryid) in (
        select due.clientid, due.deliveryid from webhookdelivery due join webhook using (clientid, webhookid)
        where due.status = 'waiting' and due.dueon <= now() and webhook.isactive = 1
        order by due.dueon limit {AT_ONCE} for update of due skip locked)
    returning d.clientid, d.webhookid, d.deliveryid, d.event, d.payload, d.attempts, d.createdon, w.url, w.secret
"""  # noqa: S608 - a constant
_FINISH = """
    update webhookdelivery
    set status = $3, lastcode = $4, reason = $5, error = $6, dueon = now() + $7,
        donon = now() + $8
    where clientid = $1 and deliveryid = $2
"""


_HOLD = """
    update webhookdelivery set dueon = greatest(dueon, now() + $3)
    where clientid = $1 and webhookid = $2 and status = 'waiting'
"""
_DISABLE = "update webhook set isactive = 0 where clientid = $1 and webhookid = $2 and isactive = 1 returning webhookid"


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery to attempt, with the address and the sealed secret of its webhook."""

    clientid: int
    webhookid: int
    deliveryid: int
    event: str
    payload: str
    attempts: int
    createdon: datetime
    url: str
    secret: str


def new_secret() -> str:
    """Generate a secret as defined by Standard Webhooks: `whsec_` and 32 random bytes in base64."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def is_address(ctx: Context, url: str) -> bool:
    """Return whether events may be sent to an address. Whether it is public is checked at each attempt."""
    schemes = ("https://", "http://") if ctx.settings.webhooks_private else ("https://",)
    try:
        return webhook_url(url).startswith(schemes)
    except ValueError:
        return False


async def send_due(ctx: Context) -> None:
    """Send every event that is due. Those for one address share its connections and its look-up."""
    while due := await ctx.db.all(Due, _CLAIM):
        of_target: dict[tuple[str, str], list[Due]] = {}
        for delivery in due:
            of_target.setdefault((delivery.url, delivery.secret), []).append(delivery)
        await asyncio.gather(*(_deliver(ctx, deliveries) for deliveries in of_target.values()))


async def _deliver(ctx: Context, deliveries: list[Due]) -> None:
    # The group ends before the connections close, so an error of one attempt does not fail the others.
    async with _sender(ctx, deliveries[0], len(deliveries)) as sender, asyncio.TaskGroup() as attempts:
        for due in deliveries:
            attempts.create_task(_attempt(ctx, sender, due))


async def _attempt(ctx: Context, sender: WebhookSender, due: Due) -> None:
    attempt = await sender.send(_event(due))
    asked = min(timedelta(seconds=attempt.retry_after), LONGEST_PAUSE)
    pause = max(asked, min(FIRST_PAUSE * 2 ** (due.attempts - 1), LONGEST_PAUSE))
    otherwise = "waiting" if due.attempts < MAX_ATTEMPTS and not attempt.gone else "failed"
    status = "delivered" if attempt.delivered else otherwise
    done = None if status == "waiting" else timedelta()
    result = (status, attempt.status, attempt.reason, attempt.message, pause, done)
    await ctx.db.execute(_FINISH, due.clientid, due.deliveryid, *result)
    if asked:
        await ctx.db.execute(_HOLD, due.clientid, due.webhookid, asked)
    await disable_if_gone(ctx, due, attempt)


async def disable_if_gone(ctx: Context, due: Due, attempt: WebhookAttempt) -> None:
    """Disable a webhook after a response with 410, and mail the owner once."""
    if not attempt.gone:
        return
    async with ctx.db.transaction():
        if await ctx.db.first_value(int, _DISABLE, due.clientid, due.webhookid) is None:
            return
        await audit.write(ctx, "webhook_disabled", due.webhookid, clientid=due.clientid)
        owner = await users.owner(ctx, due.clientid)
        if owner is not None:
            values = {"name": owner.name, "host": urlsplit(due.url).netloc}
            language = languages.of(ctx, owner.language)
            await mail.queue(ctx, "webhookgone", owner.email, mail.link(ctx, PAGE), language=language, **values)


async def send(ctx: Context, due: Due) -> WebhookAttempt:
    """Send one event now."""
    async with _sender(ctx, due) as sender:
        return await sender.send(_event(due))


@asynccontextmanager
async def _sender(ctx: Context, due: Due, connections: int = 1) -> AsyncIterator[WebhookSender]:
    settings = ctx.settings
    sender = WebhookSender(
        due.url,
        ctx.vault.open(due.secret),
        private=settings.webhooks_private,
        seconds=settings.webhooks_timeout_seconds,
        connections=connections,
    )
    try:
        yield sender
    finally:
        await sender.close()


def _event(due: Due) -> WebhookEvent:
    payload = orjson.loads(due.payload)
    return WebhookEvent(
        id=f"evt_{due.deliveryid}",
        type=due.event,
        at=due.createdon.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        key=orjson.dumps(payload["key"]).decode(),
        record=orjson.dumps(payload["record"]).decode(),
    )
