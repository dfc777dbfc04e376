"""Every ten minutes, fetch payment events that no webhook delivered, and retry events not applied yet.

Also reconciles subscriptions that are overdue for renewal without any event.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from product.billing import reconcile, webhook_events
from product.context import Context
from product.vendors.money import ProviderRefused
from tableapi import script

log = structlog.get_logger(__name__)
OVERLAP, FIRST = timedelta(hours=1), timedelta(days=7)

_UPTO = "select upto from paymentcatchup"
_CAUGHT_UP = """
    insert into paymentcatchup (upto) values ($1)
    on conflict (id) do update set upto = greatest(paymentcatchup.upto, excluded.upto)
"""
_STUCK = "select id from stripeevent where handledon is null and keptat < now() - interval '15 minutes' limit 500"
_OVERDUE = """
    select distinct clientid from usersubscription
    where isactive = 1 and stripe_subid is not null and status = 'active' and expirydate < now() - interval '1 hour'
    limit 500
"""


@dataclass(frozen=True, slots=True)
class _Overdue:
    clientid: int


@dataclass(frozen=True, slots=True)
class _Stuck:
    id: str


@script(internal=True, every="10m")
async def run(ctx: Context) -> str | None:
    payments = ctx.vendors.payments
    if payments is None:
        return None
    began = datetime.now(UTC)
    # Not the latest stored event: the webhook may have delivered it after others were lost.
    upto = await ctx.db.first_value(datetime, _UPTO)
    since = upto - OVERLAP if upto else began - FIRST
    missed = [event for types in webhook_events.REQUESTED async for event in payments.events(since, types)]
    stored = 0
    for event in sorted(missed, key=lambda event: event.created):
        stored += await webhook_events.store(ctx, event)
    await ctx.db.execute(_CAUGHT_UP, began)
    for stuck in await ctx.db.all(_Stuck, _STUCK):
        await ctx.later("stripeevent", id=stuck.id)
    for row in await ctx.db.all(_Overdue, _OVERDUE):
        try:
            await reconcile.reconcile(ctx, row.clientid)
        except ProviderRefused as error:  # of one account, for example with a customer that the provider does not know
            log.error("overdue_account", alarm=True, clientid=row.clientid, error=str(error))
    if stored:
        log.warning("missed_events", count=stored)
    return f"{stored} events had been missed."
