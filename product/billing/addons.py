"""Sell add-on credits. A payment grants its credits once, whichever report of it arrives first."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from product import audit
from product.billing import plans, returns
from product.billing.live import LIVE
from product.billing.rows import PlanRow
from product.context import Context
from product.credits.ledger import grant
from product.vendors.money import Intent
from tableapi import Conflict, NotFound

_PLAN = "select * from subscriptionplan where planid = $1 and isactive = 1 and isaddon = 1"
_LIVE = f"""
    select p.sku from usersubscription s join subscriptionplan p using (planid) where s.clientid = $1 and {LIVE}
"""  # noqa: S608
_BOOK = """
    insert into transactionhistory (clientid, planid, invoicenumber, planname, isaddon, price, currency, lines,
                                    providerid, expirydate)
    values ($1, $2, $3, $4, 1, $5, $6, $7, $8, null)
    on conflict on constraint transactionhistory_providerid_key do nothing returning transactionid
"""
_ROW = "select * from addonpayment where providerid = $1 and clientid = $2 for update"
_PAID = "update addonpayment set status = 'paid', transactionid = $3 where clientid = $1 and providerid = $2"
_FAILED = "update addonpayment set status = 'failed' where clientid = $1 and providerid = $2 and status <> 'paid'"


@dataclass(frozen=True, slots=True)
class _Payment:
    clientid: int
    planid: int
    amount: int
    currency: str
    status: str
    transactionid: int | None


@dataclass(frozen=True, slots=True)
class _Live:
    sku: str | None


async def on_sale(ctx: Context, planid: int) -> PlanRow:
    """Return the row of an add-on that the caller's account may buy.

    Raises:
        NotFound: there is no such add-on on sale (404).
        Conflict: the account has no live plan, or is on the free plan (409).
    """
    plan = await ctx.db.first(PlanRow, _PLAN, planid)
    if plan is None or plan.price <= 0:
        raise NotFound(f"There is no add-on with the id {planid}.", case="no_such_addon")
    live = await ctx.db.first(_Live, _LIVE, ctx.actor.clientid)
    if live is None:
        raise Conflict("Subscribe to a plan first.", reason="no_plan")
    if live.sku == plans.FREE_SKU:
        raise Conflict("No add-ons can be added to the free plan.", reason="no_addons_on_free")
    return plan


async def settle(ctx: Context, intent: Intent) -> int | None:
    """Apply the state of a payment intent and return its transactionid once it is paid.

    A paid intent adds credits and an invoice; repeating it changes nothing.
    """
    clientid = await ctx.db.first_value(int, "select clientid from addonpayment where providerid = $1", intent.id)
    async with ctx.db.transaction():
        row = await ctx.db.first(_Payment, _ROW, intent.id, clientid)
        if row is None or row.amount != intent.amount or row.currency != intent.currency:
            return None  # not a payment for an add-on of this product
        if row.status == "paid":
            return row.transactionid
        if intent.status == "succeeded":
            return await _grant(ctx, row, intent)
        if intent.status in ("requires_payment_method", "canceled") and row.status != "created":
            await ctx.db.execute(_FAILED, row.clientid, intent.id)
    return None


async def _grant(ctx: Context, row: _Payment, intent: Intent) -> int:
    clientid, planid = row.clientid, row.planid
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    plan = await ctx.db.one(PlanRow, "select * from subscriptionplan where planid = $1", planid)
    lines = [{"description": plan.name, "quantity": 1, "amount": intent.amount, "proration": False}]
    number = f"A-{clientid:05}-{intent.id[-8:].upper()}"
    transactionid = await ctx.db.value(
        int, _BOOK, clientid, planid, number, plan.name, Decimal(intent.amount) / 100, intent.currency, lines, intent.id
    )
    amounts = plan.credits
    await grant(ctx, clientid, amounts, reason="addon", source="payment", source_id=intent.id, bought=True)
    await ctx.db.execute(_PAID, clientid, intent.id, transactionid)
    await audit.write(ctx, "addon_bought", planid, clientid=clientid, transactionid=transactionid)
    await returns.apply(ctx, clientid, intent.id)
    return transactionid
