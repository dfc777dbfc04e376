"""Changing, resuming and cancelling a running subscription at the provider."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scripts._shared import audit
from scripts._shared.billing import change_rules, customer, prices, reconcile
from scripts._shared.billing.invoices import difference, rest
from scripts._shared.context import Context
from scripts._shared.credits.ledger import KINDS
from scripts._shared.vendors.money import CardRefused, Missing, Subscription
from tableapi.errors import Conflict

_RECORD = """
    update usersubscription set downgrade_planid = $2, downgrade_startson = $3 where subscriptionid = $1
"""
_FORGET = """
    update usersubscription set downgrade_planid = null, downgrade_startson = null where subscriptionid = $1
"""
_LOCAL_CANCEL = "update usersubscription set autorenew = 0 where subscriptionid = $1 and autorenew = 1"


class AlreadyChanged(Conflict):
    """There is nothing left to change."""

    reason = "already_changed"


async def _running(ctx: Context, row: Any) -> Subscription | None:
    """The provider's subscription of a row, while it runs."""
    if not row["isactive"] or not row["stripe_subid"]:
        return None
    try:
        sub = await customer.provider(ctx).subscription(row["stripe_subid"])
    except Missing:
        return None
    return sub if sub.status in reconcile.LIVE + reconcile.PAST_DUE else None


async def preview(ctx: Context, row: Any, planid: int) -> dict[str, Any] | None:
    """What changing to this plan costs and when it is due; None when the provider has nothing to change."""
    sub = await _running(ctx, row)
    if sub is None:
        return None
    plan = await prices.on_sale(ctx, planid)
    if plan["planid"] < row["planid"]:  # paid when it begins, at the end of the period
        date, total = int(sub.end.timestamp()), prices.cents(plan)
        facts = {"subtotal": total, "total": total, "currency": customer.CURRENCY, "dueon": sub.end.isoformat()}
        return {"subscription_proration_date": date} | facts | {"lines": [], "credits": {k: plan[k] for k in KINDS}}
    date = max(await change_rules.quote(ctx, row["subscriptionid"], planid), int(sub.start.timestamp()))
    if plan["planid"] == row["planid"]:
        return _costs_nothing(date, sub)
    found = await customer.provider(ctx).preview(sub, await prices.of_plan(ctx, plan), date)
    old: Any = (await prices.plans_by_price(ctx)).get(sub.priceid)
    prorated = [line for line in found.lines if line.proration and line.amount >= 0]
    brings = difference(old, plan, rest(prorated[0], sub)) if old and prorated else {k: plan[k] for k in KINDS}
    return {
        "subscription_proration_date": date, "subtotal": found.subtotal, "total": found.total,
        "currency": found.currency, "dueon": datetime.fromtimestamp(date, UTC).isoformat(),
        "lines": [{"description": line.description, "amount": line.amount} for line in found.lines],
        "credits": brings,
    }  # fmt: skip


def _costs_nothing(date: int, sub: Subscription) -> dict[str, Any]:
    """Resuming a cancelled plan: it is paid when its next period begins."""
    return {"subscription_proration_date": date, "subtotal": 0, "total": 0, "currency": customer.CURRENCY,
            "dueon": sub.end.isoformat(), "lines": [], "credits": dict.fromkeys(KINDS, 0)}  # fmt: skip


async def change(ctx: Context, row: Any, planid: int, asked: int | None) -> dict[str, Any]:
    """Up now, down at the end, or on after a cancel."""
    plan = await prices.on_sale(ctx, planid)
    sub = await _running(ctx, row)
    if sub is None:
        raise Conflict("There is no running subscription to change. Please subscribe.", reason="no_subscription")
    if sub.status in reconcile.PAST_DUE:
        raise Conflict("Please pay the open invoice first.", reason="past_due")
    now: Any = (await prices.plans_by_price(ctx)).get(sub.priceid)
    if now is not None and now["planid"] == plan["planid"]:
        await _stay(ctx, row, sub)
    elif plan["planid"] > row["planid"]:
        await change_rules.must_fit(ctx, row["clientid"], plan)
        sub = await _up(ctx, row, sub, plan, asked)
    else:
        await change_rules.must_fit(ctx, row["clientid"], plan)
        await _down(ctx, row, sub, plan)
    return {"subscriptionid": row["subscriptionid"], "planid": plan["planid"], "expirydate": sub.end.isoformat()}


async def _stay(ctx: Context, row: Any, sub: Subscription) -> None:
    """Keep the present plan after all: take back a cancel or a planned downgrade."""
    if sub.renews and not sub.scheduleid and row["downgrade_planid"] is None:
        raise AlreadyChanged("You are on this plan already.")
    payments = customer.provider(ctx)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    if not sub.renews:
        await payments.renewing(sub.id, True)
    await ctx.db.execute(_FORGET, row["subscriptionid"])
    await _look(ctx, row)


async def _up(ctx: Context, row: Any, sub: Subscription, plan: Any, asked: int | None) -> Subscription:
    payments, planid = customer.provider(ctx), plan["planid"]
    priceid = await prices.of_plan(ctx, plan)
    tried = await change_rules.begin(ctx, row, planid, asked, sub.start)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    try:
        changed = await payments.upgrade(sub, priceid, tried.prorationdate, tried.key)
    except CardRefused:
        await change_rules.failed(ctx, row, planid, sub.start, tried.attempt)
        await audit.write(ctx, "plan_change_refused", planid)
        raise
    await ctx.db.execute(_FORGET, row["subscriptionid"])
    await audit.write(ctx, "plan_change", planid, before=row["planid"])
    return changed


async def _down(ctx: Context, row: Any, sub: Subscription, plan: Any) -> None:
    if row["downgrade_planid"] != plan["planid"] and row["autorenew"]:
        raise Conflict("Record the downgrade first.", reason="no_downgrade_record")
    payments, priceid = customer.provider(ctx), await prices.of_plan(ctx, plan)
    if not sub.renews:
        sub = replace(sub, renews=(await payments.renewing(sub.id, True)).renews)
    await payments.change_at_end(sub, priceid, prices.interval(plan))
    async with ctx.db.transaction():
        await ctx.db.execute(_RECORD, row["subscriptionid"], plan["planid"], sub.end)
        await audit.write(ctx, "plan_downgrade", plan["planid"], before=row["planid"], startson=sub.end.isoformat())
    await _look(ctx, row)


async def cancel(ctx: Context, row: Any) -> dict[str, Any]:
    """End with the period; credits stay until then."""
    if not row["isactive"] or not prices.is_paid(_plan(row)):
        raise Conflict("There is no paid plan to cancel.", reason="nothing_to_cancel")
    sub = await _running(ctx, row)
    if sub is None:  # paid for elsewhere, so there is nothing but our own record of it
        await ctx.db.execute(_LOCAL_CANCEL, row["subscriptionid"])
        return {"autorenew": 0, "expirydate": row["expirydate"].isoformat()}
    payments = customer.provider(ctx)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    if sub.renews:
        sub = await payments.renewing(sub.id, False)
        await audit.write(ctx, "plan_cancel", row["planid"])
    await ctx.db.execute(_FORGET, row["subscriptionid"])
    await _look(ctx, row)
    return {"autorenew": 0, "expirydate": sub.end.isoformat()}


def _plan(row: Any) -> dict[str, Any]:
    return {"price": row["price"], "sku": row["plansku"]}


async def _look(ctx: Context, row: Any) -> None:
    """Show at once what the provider has just said; its event will find nothing left to do."""
    await reconcile.reconcile(ctx, row["clientid"])
