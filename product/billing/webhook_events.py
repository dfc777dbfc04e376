"""Store events of the payment provider once, and queue them in the same transaction."""

from __future__ import annotations

from product.billing import reversals
from product.context import Context
from product.vendors.money import Event

# Types that the job catchup requests. The webhook stores every type.
TYPES = (
    "checkout.session.completed", "checkout.session.expired", "customer.subscription.created",
    "customer.deleted", "customer.subscription.deleted", "customer.subscription.paused",
    "customer.subscription.resumed", "customer.subscription.updated", "invoice.finalized", "invoice.paid",
    "invoice.payment_failed", "invoice.payment_succeeded", "invoice.voided", "invoice.marked_uncollectible",
    "payment_intent.payment_failed", "payment_intent.succeeded", "payment_intent.canceled",
)  # fmt: skip
REQUESTED = (TYPES, reversals.TYPES)  # the provider accepts at most 20 types per request

_KEEP = """
    insert into stripeevent (id, type, created, payload) values ($1, $2, $3, $4) on conflict (id) do nothing
    returning true
"""


async def store(ctx: Context, event: Event) -> bool:
    """Store and queue an event. Return False when it was stored before."""
    async with ctx.db.transaction():
        new = await ctx.db.first_value(bool, _KEEP, event.id, event.type, event.created, event.payload)
        if new:
            await ctx.later("stripeevent", id=event.id)
    return bool(new)
