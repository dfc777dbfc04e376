"""Plans as prices at the provider. Our table is the truth; a price there is found or made from it, never changed."""

from __future__ import annotations

from typing import Any

from scripts._shared.billing import customer
from scripts._shared.billing.customer import CURRENCY
from scripts._shared.context import Context
from tableapi.errors import Conflict, NotFound

_KNOWN = "select priceid from planprice where planid = $1 and amount = $2 and currency = $3 order by createdon desc"
_KEEP = "insert into planprice (priceid, planid, amount, currency) values ($1, $2, $3, $4) on conflict do nothing"


def cents(plan: Any) -> int:
    """The price of a plan in the smallest unit."""
    return int(plan["price"] * 100)


def interval(plan: Any) -> str:
    """Anything but a month counts as a year, as on the plan cards."""
    return "month" if plan["validity"] == 30 else "year"


def is_paid(plan: Any) -> bool:
    """A plan that is bought here: neither free nor made to measure."""
    return plan["price"] > 0 and plan["sku"] is not None and not plan["sku"].startswith("custom_")


async def on_sale(ctx: Context, planid: int) -> Any:
    """A plan that can be bought; 404 when there is none, 409 when it is free or custom."""
    sql = "select * from subscriptionplan where planid = $1 and isactive = 1 and isaddon = 0"
    plan: Any = await ctx.db.fetchrow(sql, planid)
    if plan is None:
        raise NotFound("There is no such plan.")
    if not is_paid(plan):
        raise Conflict("This plan cannot be bought here. Please contact us.", reason="not_payable")
    return plan


async def of_plan(ctx: Context, plan: Any) -> str:
    """The id of the price that this plan has today."""
    known = await ctx.db.fetchval(_KNOWN, plan["planid"], cents(plan), CURRENCY)
    return str(known) if known else (await make(ctx, plan))[0]


async def make(ctx: Context, plan: Any) -> tuple[str, list[str]]:
    """Find or make product and price at the provider. Out: the price's id, and what was changed there."""
    payments, product = customer.provider(ctx), f"plan_{plan['planid']}"
    made, renamed = await payments.product(product, plan["name"], plan["details"])
    key = f"{product}_{cents(plan)}_{CURRENCY}_{interval(plan)}"
    priceid, priced = await payments.price(product, key, cents(plan), CURRENCY, interval(plan))
    await ctx.db.execute(_KEEP, priceid, plan["planid"], cents(plan), CURRENCY)
    done = {"product made": made, "product renamed": renamed, "price made": priced}
    return priceid, [text for text, happened in done.items() if happened]


async def forget(ctx: Context, priceid: str) -> None:
    """The provider does not know it: another account of ours was used before."""
    await ctx.db.execute("delete from planprice where priceid = $1", priceid)


async def plans_by_price(ctx: Context) -> dict[str, Any]:
    """Every price that was ever made -> its plan."""
    sql = "select q.priceid, p.* from planprice q join subscriptionplan p using (planid)"
    return {row["priceid"]: row for row in await ctx.db.fetch(sql)}
