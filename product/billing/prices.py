"""Map plans to prices at the payment provider.

Prices are created from subscriptionplan and never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from product.billing import customer
from product.billing.customer import CURRENCY
from product.billing.rows import PlanRow
from product.context import Context
from product.vendors.money import PRODUCT, Interval
from tableapi import Conflict, NotFound

_KNOWN = "select priceid from planprice where planid = $1 and amount = $2 and currency = $3 order by createdon desc"
_KEEP = "insert into planprice (priceid, planid, amount, currency) values ($1, $2, $3, $4) on conflict do nothing"


@dataclass(frozen=True, slots=True)
class _Priced(PlanRow):
    priceid: str


def cents(plan: PlanRow) -> int:
    """Return the price of a plan in the smallest unit of the currency."""
    return int(plan.price * 100)


def interval(plan: PlanRow) -> Interval:
    """Return `month` for 30 days of validity, and `year` for any other."""
    return "month" if plan.validity == 30 else "year"


def is_paid(price: Decimal, sku: str | None) -> bool:
    """Return whether a plan is sold by card: neither free nor custom."""
    return price > 0 and sku is not None and not sku.startswith("custom_")


async def on_sale(ctx: Context, planid: int) -> PlanRow:
    """Return a plan that can be bought.

    Raises:
        NotFound: there is no such plan on sale (404).
        Conflict: the plan is free or custom (409).
    """
    sql = "select * from subscriptionplan where planid = $1 and isactive = 1 and isaddon = 0"
    plan = await ctx.db.first(PlanRow, sql, planid)
    if plan is None:
        raise NotFound(f"There is no plan with the id {planid}.", case="no_such_plan")
    if not is_paid(plan.price, plan.sku):
        raise Conflict("This plan is not sold online. Please contact us.", reason="not_payable")
    return plan


async def of_plan(ctx: Context, plan: PlanRow) -> str:
    """Return the id of the plan's present price, creating it at the provider on first use."""
    priceid = await ctx.db.first_value(str, _KNOWN, plan.planid, cents(plan), CURRENCY)
    return priceid or (await ensure(ctx, plan))[0]


async def ensure(ctx: Context, plan: PlanRow) -> tuple[str, list[str]]:
    """Find or create product and price at the provider. Return the price id and a list of what changed."""
    payments, product = customer.provider(ctx), f"{PRODUCT}{plan.planid}"
    created, renamed = await payments.product(product, plan.name, plan.details)
    key = f"{product}_{cents(plan)}_{CURRENCY}_{interval(plan)}"
    priceid, priced = await payments.price(product, key, cents(plan), CURRENCY, interval(plan))
    await ctx.db.execute(_KEEP, priceid, plan.planid, cents(plan), CURRENCY)
    changes = {"product created": created, "product renamed": renamed, "price created": priced}
    return priceid, [text for text, happened in changes.items() if happened]


async def forget(ctx: Context, priceid: str) -> None:
    """Drop a price id unknown to the provider, for example after the provider's account has changed."""
    await ctx.db.execute("delete from planprice where priceid = $1", priceid)


async def plans_by_price(ctx: Context) -> dict[str, PlanRow]:
    """Return the plan of every price that was ever created, by price id."""
    sql = "select q.priceid, p.* from planprice q join subscriptionplan p using (planid)"
    return {row.priceid: row for row in await ctx.db.all(_Priced, sql)}
