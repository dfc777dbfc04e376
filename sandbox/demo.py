"""Subscribe the demo account through the payment sandbox, with a start date in the past.

Previews, upgrades, downgrades, cancelling and resuming then work for the demo users.
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
    if await ctx.db.fetchval("select stripe_custid from client where clientid = $1", clientid) is not None:
        return
    async with _sandbox(ctx) as sandbox:
        custid, priceid = await customer.customer(ctx, clientid), await prices.of_plan(ctx, plan)
        number = await asyncio.to_thread(sandbox.subscribed, custid, priceid, datetime.now(UTC) - AGE, PREFIX)
        await reconcile.reconcile(ctx, clientid, receipts=False)
        await _addon(ctx, clientid, custid, f"{PREFIX}-{number:04}")


@asynccontextmanager
async def _sandbox(ctx: Context) -> AsyncIterator[Any]:
    """Run the sandbox inside this process, because the server does not listen yet."""
    async with inside(ctx.settings) as (service, payments):
        ctx.vendors.payments = payments
        yield service
        del ctx.vendors.payments


async def _addon(ctx: Context, clientid: int, custid: str, number: str) -> None:
    plan = await ctx.db.one(PlanRow, "select * from subscriptionplan where planid = $1", ADDON)
    payments, amount = customer.provider(ctx), prices.cents(plan)
    marks = {"clientid": str(clientid), "planid": str(ADDON)}
    intent = await payments.intent(custid, amount, customer.CURRENCY, marks, f"demo:{clientid}")
    await ctx.db.execute(_ADDON, intent.id, clientid, ADDON, amount, customer.CURRENCY)
    paid = await payments.charge(intent, "tok_visa", ctx.settings.public_url, f"demo:{intent.id}")
    await ctx.db.execute(_DATED, await addons.settle(ctx, paid), ADDON_DAYS, number)
