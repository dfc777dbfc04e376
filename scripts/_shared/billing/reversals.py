"""Refunds and disputes: an event says which payment to look at, and what the provider tells of it is taken over."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from scripts._shared.billing import addons, reconcile, returns
from scripts._shared.billing.customer import provider
from scripts._shared.context import Context
from scripts._shared.vendors.money import Missing, ProviderRefused, Reversal
from tableapi.errors import Busy

TYPES = (
    "charge.refunded", "charge.refund.updated", "refund.created", "refund.updated", "refund.failed",
    "charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
)  # fmt: skip

# What the provider lists holds. What only an event told holds until a later one; an end is not taken back.
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


async def take_over(ctx: Context, about: dict[str, Any], created: datetime) -> str | None:
    """Apply an event about a refund or a dispute; out: why it concerns no payment of ours."""
    payments = provider(ctx)
    told = payments.reversal(about, created)
    payment = told.payment or await _payment_of(ctx, told.charge)
    if not payment:
        return "unknown payment"
    invoice, customer = about.get("invoice"), about.get("customer")
    clientid: Any = None
    addon: Any = await ctx.db.fetchval(_ADDON, payment)
    if addon is not None:
        clientid, purchase = addon, payment
        with suppress(Missing):  # of another account at the provider; what was booked stays
            await addons.settle(ctx, await payments.intent_state(payment))
    else:
        if not isinstance(invoice, str):
            invoice, customer = await payments.invoice_of_payment(payment)
        purchase = invoice
        clientid = await ctx.db.fetchval(_BOOKED, purchase)
        if clientid is None and customer:
            clientid = await ctx.db.fetchval(_CUSTOMER, customer)
            if clientid:
                await reconcile.reconcile(ctx, clientid)
    if not purchase or clientid is None:
        return "unknown payment"
    await _apply(ctx, clientid, purchase, payment, told)
    return None


async def _payment_of(ctx: Context, charge: str) -> str:
    try:
        return await provider(ctx).payment_of_charge(charge) if charge else ""
    except Missing:
        return ""


async def _apply(ctx: Context, clientid: int, purchase: str, payment: str, told: Reversal) -> None:
    for _ in range(reconcile.TRIES):
        version = await ctx.db.fetchval(reconcile.VERSION, clientid)
        try:
            listed = await provider(ctx).reversals(payment)
        except ProviderRefused:
            listed = []  # of another account at the provider: the signed event is all there is
        async with ctx.db.transaction():
            await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
            if await ctx.db.execute(reconcile.NEXT, clientid, version) != "UPDATE 1":
                continue  # a newer state was taken over meanwhile
            await _keep(ctx, told, payment, purchase, 0)
            for one in listed:
                await _keep(ctx, one, payment, purchase, 1)
            await returns.apply(ctx, clientid, purchase)
        return
    raise Busy("Too many changes at once.")


async def _keep(ctx: Context, one: Reversal, payment: str, purchase: str, listed: int) -> None:
    await ctx.db.execute(
        _KEEP, one.id, one.kind, payment, purchase, one.amount, one.status, one.asof, listed
    )  # fmt: skip
