"""Subscribe the demo account through the payment sandbox, with a start date in the past.

Previews, upgrades, downgrades, cancelling and resuming then work for the demo users. A demo database of an earlier
version is connected to a new subscription that covers its running period.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from product.billing import addons, customer, prices, reconcile
from product.billing.rows import PlanRow
from product.context import Context
from sandbox.stripe import inside

AGE = timedelta(days=66)
ADDON, ADDON_DAYS = 101, 20
PREFIX = "DEMO"  # prefix of invoice numbers

_LIVE = """
    select s.*, t.providerid from usersubscription s left join transactionhistory t using (transactionid)
    where s.clientid = $1 and s.isactive = 1
"""
_CONNECT = "update usersubscription set stripe_subid = $2, stripe_itemid = $3 where subscriptionid = $1"
_COVER = "update transactionhistory set providerid = $2 where transactionid = $1 and providerid is null"
_ADDON = """
    insert into addonpayment (providerid, clientid, planid, tokenid, amount, currency, status)
    values ($1, $2, $3, null, $4, $5, 'created')
"""
_DATED = """
    update transactionhistory set transactiondate = now() - make_interval(days => $2), invoicenumber = $3
    where transactionid = $1
"""


async def subscribe(ctx: Context, clientid: int, plan: PlanRow) -> None:
    """Subscribe the demo account at the sandbox, unless it has been a customer there before."""
    custid = await ctx.db.fetchval("select stripe_custid from client where clientid = $1", clientid)
    live: Any = await ctx.db.fetchrow(_LIVE, clientid)
    if custid is not None or (live is not None and live["planid"] != plan.planid):
        return
    async with _sandbox(ctx) as sandbox:
        custid, priceid = await customer.customer(ctx, clientid), await prices.of_plan(ctx, plan)
        start = live["startdate"] if live is not None else datetime.now(UTC) - AGE
        # An earlier version has used these numbers for its own invoices.
        prefix = PREFIX if live is None else ""
        number = await asyncio.to_thread(sandbox.subscribed, custid, priceid, start, prefix)
        if live is not None:
            await _connect(ctx, live, custid)
        await reconcile.reconcile(ctx, clientid, receipts=False)
        if live is None:
            await _addon(ctx, clientid, custid, f"{PREFIX}-{number:04}")


@asynccontextmanager
async def _sandbox(ctx: Context) -> AsyncIterator[Any]:
    """Run the sandbox inside this process, because the server does not listen yet."""
    async with inside(ctx.settings) as (service, payments):
        ctx.vendors.payments = payments
        yield service
        del ctx.vendors.payments


async def _connect(ctx: Context, live: Any, custid: str) -> None:
    """Link the running period to the one just paid at the sandbox, so that it grants no credits again."""
    payments = customer.provider(ctx)
    [sub] = await payments.subscriptions(custid)
    bills = sorted(await payments.invoices(custid), key=lambda bill: bill.date)
    await ctx.db.execute(_CONNECT, live["subscriptionid"], sub.id, sub.itemid)
    if live["transactionid"] is not None and live["providerid"] is None:
        await ctx.db.execute(_COVER, live["transactionid"], bills[0].id)


async def _addon(ctx: Context, clientid: int, custid: str, number: str) -> None:
    """Buy one add-on by card."""
    plan = await ctx.db.one(PlanRow, "select * from subscriptionplan where planid = $1", ADDON)
    payments, amount = customer.provider(ctx), prices.cents(plan)
    marks = {"clientid": str(clientid), "planid": str(ADDON)}
    intent = await payments.intent(custid, amount, customer.CURRENCY, marks, f"demo:{clientid}")
    await ctx.db.execute(_ADDON, intent.id, clientid, ADDON, amount, customer.CURRENCY)
    paid = await payments.charge(intent, "tok_visa", ctx.settings.public_url, f"demo:{intent.id}")
    await ctx.db.execute(_DATED, await addons.settle(ctx, paid), ADDON_DAYS, number)
