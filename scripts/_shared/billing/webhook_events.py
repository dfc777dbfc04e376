"""The provider's events: kept once, whoever brings them first, and queued in the same transaction."""

from __future__ import annotations

from scripts._shared.billing import reversals
from scripts._shared.context import Context
from scripts._shared.vendors.money import Event

# What catching up asks for; the webhook takes whatever comes.
TYPES = (
    "checkout.session.completed", "checkout.session.expired", "customer.subscription.created",
    "customer.subscription.deleted", "customer.subscription.updated", "invoice.finalized", "invoice.paid",
    "invoice.payment_failed", "invoice.payment_succeeded", "invoice.voided", "invoice.marked_uncollectible",
    "payment_intent.payment_failed", "payment_intent.succeeded", "payment_intent.canceled",
)  # fmt: skip
ASKED = (TYPES, reversals.TYPES)  # the provider takes twenty types in one question

_KEEP = """
    insert into stripeevent (id, type, created, payload) values ($1, $2, $3, $4) on conflict (id) do nothing
    returning true
"""


async def keep(ctx: Context, event: Event) -> bool:
    """Keep and queue an event. False when it was kept before."""
    async with ctx.db.transaction():
        new = await ctx.db.fetchval(_KEEP, event.id, event.type, event.created, event.payload)
        if new:
            await ctx.later("stripeevent", id=event.id)
    return bool(new)
