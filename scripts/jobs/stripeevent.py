"""Apply one stored payment event by reading the current state of its object from the provider.

Only the id of the object is taken from the event, so repeated, late and reordered events are safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson
import structlog
from pydantic import BaseModel

from product.billing import addons, checkout, customer, reconcile, reversals
from product.context import Context
from product.vendors.money import Missing
from tableapi import script

log = structlog.get_logger(__name__)
_ENDS = ("customer.deleted", "customer.subscription.deleted")
_PLAN_EVENTS = ("customer.deleted", "customer.subscription.", "invoice.", "checkout.session.", "subscription_schedule.")
_HANDLED = "update stripeevent set handledon = now(), note = $2 where id = $1 and handledon is null"


@dataclass(frozen=True, slots=True)
class _StripeeventRow:
    id: str
    type: str
    created: datetime
    payload: str


class Input(BaseModel):
    id: str


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    event = await ctx.db.first(
        _StripeeventRow, "select * from stripeevent where id = $1 and handledon is null", input.id
    )
    if event is None:
        return
    about = orjson.loads(event.payload)["data"]["object"]
    kind, note = event.type, None
    if kind.startswith("payment_intent."):
        note = await _payment(ctx, about["id"])
    elif kind in reversals.TYPES:
        note = await reversals.apply(ctx, about, event.created)
        if note == reversals.UNKNOWN:
            log.error("unknown_payment", alarm=True, stripe_event=event.id, type=kind)
    elif kind.startswith(_PLAN_EVENTS):
        if kind.startswith("checkout.session."):
            await checkout.settle(ctx, about["id"], str(about.get("status")))
        custid = about["id"] if kind == "customer.deleted" else about.get("customer")
        sql = "select clientid from client where stripe_custid = $1"
        clientid = await ctx.db.first_value(int, sql, custid) if isinstance(custid, str) else None
        if clientid is not None:
            await reconcile.reconcile(ctx, clientid, event.id, deleted=kind in _ENDS)
            return
        note = "unknown customer"
        if '"clientid"' in event.payload:  # metadata of this product; the provider's account may have others
            log.error("unknown_customer", alarm=True, stripe_event=event.id, type=kind)
    await ctx.db.execute(_HANDLED, event.id, note)


async def _payment(ctx: Context, intentid: str) -> str | None:
    """Apply a one-off payment and return why it was ignored, or None. Payments of invoices are ignored."""
    if not await ctx.db.first_value(bool, "select true from addonpayment where providerid = $1", intentid):
        return "not an add-on"
    try:
        await addons.settle(ctx, await customer.provider(ctx).intent_state(intentid))
    except Missing:
        return "unknown payment"
    return None
