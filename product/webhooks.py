"""Webhooks of accounts: events of an account, signed and sent to an address of its own.

Triggers in schema.sql write the events to `webhookdelivery`, in the transaction of their cause. The engine takes them
from `EVENTS` and sends each at least once: again after a failure, for a day, and perhaps again after a crash.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

import orjson

from product import audit, mail
from product import language as languages
from product.accounts import users
from product.context import Context
from tableapi import FieldError, Invalid, QueuedEvent, WebhookAttempt, WebhookEvent, is_public_address, webhook_url

EventName = Literal["contact.revealed", "bulk.finished", "credits.low", "plan.changed"]
PAGE = "/dashboard/settings/webhooks"
MOST = 10  # webhooks of an account
ADDRESS = FieldError("webhook_url", "Enter an address that begins with https://, without a user name or #")

_ROWS = """
    select d.clientid, d.webhookid, d.deliveryid, d.event, d.payload, d.attempts, d.createdon, w.url, w.secret
    from webhookdelivery d join webhook w using (clientid, webhookid) where
"""
_DUE = f"""
    {_ROWS} d.status = 'waiting' and d.dueon <= now() and w.isactive = 1 and d.webhookid <> all($1)
    order by d.dueon limit $2
"""
_ONE = f"{_ROWS} d.clientid = $1 and d.deliveryid = $2"
_FINISH = """
    update webhookdelivery
    set attempts = attempts + 1, status = $3, lastcode = $4, reason = $5, error = $6, dueon = now() + $7,
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


class AccountEvents:
    """The events of all accounts, as the queue that the engine delivers."""

    # Pauses of 1, 2, 4 ... minutes, at most 4 hours: a day in all.
    attempts, first_pause, longest_pause = 14, timedelta(minutes=1), timedelta(hours=4)

    async def due(self, ctx: Context, busy: Collection[int], most: int) -> list[QueuedEvent]:
        rows = await ctx.db.all(Due, _DUE, list(busy), most)
        return [_queued(ctx, row) for row in sorted(rows, key=lambda row: row.webhookid)]

    async def one(self, ctx: Context, clientid: int, deliveryid: int) -> QueuedEvent:
        return _queued(ctx, await ctx.db.one(Due, _ONE, clientid, deliveryid))

    async def finish(self, ctx: Context, queued: QueuedEvent, attempt: WebhookAttempt, pause: timedelta | None) -> None:
        """Store the result. Other events wait as long as the receiver asks, and 410 disables the webhook."""
        due: Due = queued.row
        status = "delivered" if attempt.delivered else "failed" if pause is None else "waiting"
        done = timedelta() if pause is None else None
        result = (status, attempt.status, attempt.reason, attempt.message, pause or timedelta(), done)
        await ctx.db.execute(_FINISH, due.clientid, due.deliveryid, *result)
        if attempt.retry_after:
            await ctx.db.execute(_HOLD, due.clientid, due.webhookid, timedelta(seconds=attempt.retry_after))
        if attempt.gone:
            await _disable(ctx, due)


EVENTS = AccountEvents()


def new_secret() -> str:
    """Generate a secret as defined by Standard Webhooks: `whsec_` and 32 random bytes in base64."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def check_address(ctx: Context, url: str) -> None:
    """Reject an address to which events may not be sent. A host's name is looked up at each attempt only.

    Raises:
        Invalid: it is not an address of https, or its host is an internal one (422).
    """
    schemes = ("https://", "http://") if ctx.settings.webhooks_private else ("https://",)
    try:
        is_accepted = webhook_url(url).startswith(schemes)
    except ValueError:
        is_accepted = False
    if not is_accepted:
        raise Invalid({"url": ADDRESS})
    host = urlsplit(url).hostname or ""
    if not ctx.settings.webhooks_private and _is_internal(host):
        message = f"Enter a public address: '{host[:100]}' is a private one"
        raise Invalid({"url": FieldError("webhook_private", message)})


def _is_internal(host: str) -> bool:
    """Whether a host is written as an address that is not on the public internet."""
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost"
    return not is_public_address(host)


async def _disable(ctx: Context, due: Due) -> None:
    """Disable a webhook after a response with 410, and mail the owner once."""
    async with ctx.db.transaction():
        if await ctx.db.first_value(int, _DISABLE, due.clientid, due.webhookid) is None:
            return
        await audit.write(ctx, "webhook_disabled", due.webhookid, clientid=due.clientid)
        owner = await users.owner(ctx, due.clientid)
        if owner is not None:
            values = {"name": owner.name, "host": urlsplit(due.url).netloc}
            language = languages.of(ctx, owner.language)
            await mail.queue(ctx, "webhookgone", owner.email, mail.link(ctx, PAGE), language=language, **values)


def _queued(ctx: Context, due: Due) -> QueuedEvent:
    payload = orjson.loads(due.payload)
    event = WebhookEvent(
        id=f"evt_{due.deliveryid}",
        type=due.event,
        at=due.createdon.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        key=orjson.dumps(payload["key"]).decode(),
        record=orjson.dumps(payload["record"]).decode(),
    )
    return QueuedEvent(event, due.url, partial(ctx.vault.open, due.secret), due.attempts, due.webhookid, due)
