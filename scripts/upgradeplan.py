"""Switch to the free plan, or to a custom plan assigned to the account. Other plans require a payment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from product import audit
from product.accounts import users
from product.billing import change_rules, plans
from product.billing.rows import PlanRow, SubscriptionRow
from product.context import Context
from product.credits.ledger import KINDS, end_plan_credits, grant
from product.roles import OWNER
from tableapi import ApiError, Conflict, NotFound, script


@dataclass(frozen=True, slots=True)
class _Left:
    subscriptionid: int
    expirydate: datetime


@dataclass(frozen=True, slots=True)
class _Expired:
    kind: str
    amount: int


@dataclass(frozen=True, slots=True)
class _Plan(PlanRow):
    assigned: bool


class Input(BaseModel):
    planid: int = Field(ge=1, lt=2**63)
    clientid: int | None = None
    subscriptionid: int | None = None


_PLAN = """
    select p.*, exists (select 1 from clientplan c where c.clientid = $1 and c.planid = p.planid) as assigned
    from subscriptionplan p where p.planid = $2 and p.isactive = 1 and p.isaddon = 0
"""
_CURRENT = """
    select * from usersubscription where clientid = $1 and (isactive = 1 or status = 'paused')
    order by isactive desc, createdon desc limit 1 for update
"""
_END = "update usersubscription set isactive = 0, status = 'expired' where subscriptionid = $1 and clientid = $2"
_LEFT = """
    select subscriptionid, expirydate from usersubscription
    where clientid = $1 and planid = $2 and isactive = 0 and stripe_subid is null and expirydate > now()
    order by subscriptionid desc limit 1
"""
_EXPIRED = """
    select kind, -delta as amount from creditledger
    where clientid = $1 and source = 'expiry' and source_id = any($2)
"""
_UNTIL = "update usersubscription set expirydate = $2 where subscriptionid = $1 and clientid = $3"
_ROW = """
    select to_jsonb(s) - array['stripe_itemid', 'stripe_scheduleid'] from usersubscription s
    where subscriptionid = $1 and clientid = $2
"""


@script(roles=OWNER, limit="20/hour per account", errors=(402,))
async def run(ctx: Context, input: Input) -> dict[str, object]:
    clientid = ctx.actor.clientid
    await users.own(ctx, clientid=input.clientid)
    async with ctx.db.transaction():
        await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
        plan = await ctx.db.first(_Plan, _PLAN, clientid, input.planid)
        if plan is None:
            raise NotFound(f"There is no plan with the id {input.planid}.", case="no_such_plan")
        if plan.sku != plans.FREE_SKU and not plan.assigned:
            raise ApiError(
                "This plan must be paid for. Start the checkout instead.", status=402, reason="payment_required"
            )
        current = await ctx.db.first(SubscriptionRow, _CURRENT, clientid)
        if current is None or not current.isactive or current.planid != plan.planid:
            if current is not None:
                await change_rules.must_fit(ctx, clientid, plan)
            subscriptionid = await _switch(ctx, current, plan)
        else:
            subscriptionid = current.subscriptionid
        row = await ctx.db.value(dict, _ROW, subscriptionid, clientid)
    return {"success": 1, "resource": [row]}


async def _switch(ctx: Context, current: SubscriptionRow | None, plan: PlanRow) -> int:
    """End the current subscription, live or paused, and its plan credits, and start the new one."""
    clientid = ctx.actor.clientid
    if current is not None:
        if current.isactive and current.stripe_subid and current.autorenew:
            raise Conflict("Cancel your paid plan first.", reason="paid_plan")
        await ctx.db.execute(_END, current.subscriptionid, clientid)
        await end_plan_credits(ctx, clientid, f"switch:{current.subscriptionid}")
        if current.stripe_subid:  # cancelled at the provider, but still running, or paused
            await ctx.later("endsubscription", subscription=current.stripe_subid)
    count = await ctx.db.first_value(int, "select count(*) from usersubscription where clientid = $1", clientid)
    if plan.sku == plans.FREE_SKU and count:
        # The initial free credits are granted once per account; later ones come with each month.
        subscriptionid = await plans.subscribe(ctx, clientid, plan.planid)
    elif (left := await ctx.db.first(_Left, _LEFT, clientid, plan.planid)) is not None:
        subscriptionid = await _resume(ctx, plan, left)
    else:
        subscriptionid = await plans.start(ctx, clientid, plan, f"switch:{count}")
    await audit.write(ctx, "plan_changed", plan.planid)
    return subscriptionid


async def _resume(ctx: Context, plan: PlanRow, left: _Left) -> int:
    """Return to a custom plan within its period, with the same end and the credits that had expired.

    The credits of a period are granted once, however often the account leaves the plan and returns.
    """
    clientid, former = ctx.actor.clientid, f"switch:{left.subscriptionid}"
    subscriptionid = await plans.subscribe(ctx, clientid, plan.planid)
    await ctx.db.execute(_UNTIL, subscriptionid, left.expirydate, clientid)
    expired = await ctx.db.all(_Expired, _EXPIRED, clientid, [f"{former}:{kind}" for kind in KINDS])
    amounts = {row.kind: row.amount for row in expired}
    await grant(ctx, clientid, amounts, reason="restored", source="plan", source_id=f"resume:{subscriptionid}")
    return subscriptionid
