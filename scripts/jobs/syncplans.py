"""Create missing products and prices at the payment provider, and report the changes."""

from __future__ import annotations

from product.billing import customer, prices
from product.billing.rows import PlanRow
from product.context import Context
from tableapi import script

_PLANS = "select * from subscriptionplan where isactive = 1 and isaddon = 0 order by planid"


@script(internal=True)
async def run(ctx: Context) -> str:
    if ctx.vendors.payments is None:
        raise customer.NotSetUp("Payments are not set up: STRIPE_SECRET_KEY is missing.", case="no_stripe_key")
    lines = []
    for plan in await ctx.db.all(PlanRow, _PLANS):
        if prices.is_paid(plan.price, plan.sku):
            _, changed = await prices.ensure(ctx, plan)
            lines.append(f"{plan.planid:>4}  {plan.name:<24} {', '.join(changed) or 'unchanged'}")
    return "\n".join(lines) or "No plan is on sale."
