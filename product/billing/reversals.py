"""Apply refunds and disputes.

An event names the payment; the provider's present list of reversals is applied.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from product.billing import addons, reconcile, returns
from product.billing.customer import provider
from product.context import Context
from product.vendors.money import Missing, ProviderRefused, Reversal
from tableapi import Busy

TYPES = (
    "charge.refunded", "charge.refund.updated", "refund.created", "refund.updated", "refund.failed",
    "charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
)  # fmt: skip

UNKNOWN = "unknown payment"

# The provider's list wins over events. Between events the later one wins, and a final status stays.
_KEEP = """
    insert into paymentreversal as r (providerid, kind, payment, purchase, amount, status, asof, listed)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (providerid) do update set purchase = excluded.purchase, amount = excluded.amount,
        status = excluded.status, asof = excluded.asof, listed = excluded.listed
    where excluded.listed = 1 and excluded.asof >= r.asof
       or r.listed = 0 and (excluded.asof, excluded.amount) >= (r.asof, r.amount)
          and (r.status not in ('won', 'lost', 'failed', 'canceled')
               or excluded.status in ('won', 'lost', 'failed', 'canceled'))
"""
_ADDON = "select clientid from addonpayment where providerid = $1"
_BOOKED = "select clientid from transactionhistory where providerid = $1"
_CUSTOMER = "select clientid from client where stripe_custid = $1"


async def apply(ctx: Context, about: dict[str, object], created: datetime) -> str | None:
    """Apply an event about a refund or a dispute; return why it was ignored, such as UNKNOWN, or None.

    Args:
        about: the object of the event, as the provider sent it.
        created: when the event was created.
    """
    payments = provider(ctx)
    reversal = payments.reversal(about, created)
    payment = reversal.payment or await _payment_of(ctx, reversal.charge)
    if not payment:
        return UNKNOWN
    invoice, customer = about.get("invoice"), about.get("customer")
    clientid: int | None
    addon = await ctx.db.first_value(int, _ADDON, payment)
    if addon is not None:
        clientid, purchase = addon, payment
        with suppress(Missing):  # made under another account at the provider: keep what is booked
            await addons.settle(ctx, await payments.intent_state(payment))
    else:
        if not isinstance(invoice, str):
            invoice, customer = await payments.invoice_of_payment(payment)
        purchase = invoice
        clientid = await ctx.db.first_value(int, _BOOKED, purchase)
        if clientid is None and customer:
            clientid = await ctx.db.first_value(int, _CUSTOMER, customer)
            if clientid is None and purchase:
                return "payment for another product"  # the provider's account may have others
            if clientid:
                await reconcile.reconcile(ctx, clientid)
    if not purchase or clientid is None:
        return UNKNOWN
    await _apply(ctx, clientid, purchase, payment, reversal)
    return None


async def _payment_of(ctx: Context, charge: str) -> str:
    try:
        return await provider(ctx).payment_of_charge(charge) if charge else ""
    except Missing:
        return ""


async def _apply(ctx: Context, clientid: int, purchase: str, payment: str, reversal: Reversal) -> None:
    for _ in range(reconcile.TRIES):
        version = await ctx.db.value(int, reconcile.VERSION, clientid)
        try:
            listed = await provider(ctx).reversals(payment)
        except ProviderRefused:
            listed = []  # made under another account at the provider: only the signed event is known
        async with ctx.db.transaction():
            await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
            if await ctx.db.execute(reconcile.NEXT, clientid, version) != "UPDATE 1":
                continue  # a newer state was applied meanwhile: read again
            await _store(ctx, reversal, payment, purchase, listed=0)
            for item in listed:
                await _store(ctx, item, payment, purchase, listed=1)
            await returns.apply(ctx, clientid, purchase)
        return
    raise Busy("Too many changes at once. Try again in a moment.", case="too_many_changes")


async def _store(ctx: Context, reversal: Reversal, payment: str, purchase: str, *, listed: int) -> None:
    await ctx.db.execute(
        _KEEP,
        reversal.id, reversal.kind, payment, purchase, reversal.amount, reversal.status, reversal.asof, listed,
    )  # fmt: skip
