"""Preview, change, resume and cancel a running subscription at the payment provider."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

from product import audit
from product.billing import change_rules, customer, prices, reconcile
from product.billing.invoices import StoredLine, described, difference, plan_name, rest
from product.billing.rows import OwnSubscription, PlanRow
from product.context import Context
from product.credits.ledger import KINDS
from product.language import DEFAULT, Language, requested
from product.vendors.money import (
    AlreadyChanged,
    CardRefused,
    Line,
    Missing,
    ProviderRefused,
    Subscription,
    changed_meanwhile,
)  # fmt: skip
from tableapi import Conflict

ATTEMPTS = 3  # of a change that is rejected without a visible reason

_RECORD = """
    update usersubscription set downgrade_planid = $3, downgrade_startson = $4
    where clientid = $1 and subscriptionid = $2
"""
_FORGET = """
    update usersubscription set downgrade_planid = null, downgrade_startson = null
    where clientid = $1 and subscriptionid = $2
"""
_LOCAL_CANCEL = """
    update usersubscription set autorenew = 0 where clientid = $1 and subscriptionid = $2 and autorenew = 1
"""


async def _running(ctx: Context, row: OwnSubscription) -> Subscription | None:
    """Return the provider's subscription for a row if it is running, else None."""
    if not row.isactive or not row.stripe_subid:
        return None
    try:
        sub = await customer.provider(ctx).subscription(row.stripe_subid)
    except Missing:
        return None
    return sub if sub.status in reconcile.LIVE + reconcile.PAST_DUE else None


async def _unless_changed(ctx: Context, sub: Subscription, run: Callable[[], Awaitable[Subscription]]) -> Subscription:
    """Run a change of a subscription as it was read, and return the subscription after it.

    A rejection without a visible reason is followed by another attempt: the schedule of a simultaneous request may
    have come and gone.

    Raises:
        AlreadyChanged: the subscription has changed since it was read (409).
    """
    attempts = ATTEMPTS
    while True:
        try:
            return await run()
        except ProviderRefused:
            attempts -= 1
            if await customer.provider(ctx).subscription(sub.id) != sub:
                raise changed_meanwhile() from None
            if not attempts:
                raise


def _present(plans: dict[str, PlanRow], row: OwnSubscription, sub: Subscription) -> int:
    """Return the current planid at the provider. The row may lag behind its events."""
    return plans[sub.priceid].planid if sub.priceid in plans else row.planid


async def preview(ctx: Context, row: OwnSubscription, planid: int) -> dict[str, object] | None:
    """Return the cost and due date of a plan change, or None without a running subscription.

    `subtotal`, `total` and the amounts of `lines` are in the smallest unit of the currency.
    """
    sub = await _running(ctx, row)
    if sub is None:
        return None
    plan = await prices.on_sale(ctx, planid)
    plans = await prices.plans_by_price(ctx)
    present = _present(plans, row, sub)
    if plan.planid < present:  # charged when it starts, at the end of the period
        date, total = int(sub.end.timestamp()), prices.cents(plan)
        facts = {"subtotal": total, "total": total, "currency": customer.CURRENCY, "dueon": sub.end}
        return {"subscription_proration_date": date} | facts | {"lines": [], "credits": plan.credits}
    date = max(await change_rules.quote(ctx, row.subscriptionid, planid), int(sub.start.timestamp()))
    if plan.planid == present:
        return _costs_nothing(date, sub)
    priceid = await prices.of_plan(ctx, plan)
    plans[priceid] = plan  # the price may be new
    invoice = await customer.provider(ctx).preview(sub, priceid, date)
    old = plans.get(sub.priceid)
    prorated = [line for line in invoice.lines if line.proration and line.amount >= 0]
    added = difference(old, plan, rest(prorated[0], sub) * prorated[0].quantity) if old and prorated else plan.credits
    return {
        "subscription_proration_date": date, "subtotal": invoice.subtotal, "total": invoice.total,
        "currency": invoice.currency, "dueon": datetime.fromtimestamp(date, UTC),
        "lines": [_line(line, plans, requested(ctx) or DEFAULT) for line in invoice.lines],
        "credits": added,
    }  # fmt: skip


def _line(line: Line, plans: dict[str, PlanRow], language: Language) -> dict[str, object]:
    facts = StoredLine(
        description=line.description, amount=line.amount, proration=line.proration, planname=plan_name(line, plans)
    )
    text = described(facts, language)
    return {"description": text, "amount": line.amount}


def _costs_nothing(date: int, sub: Subscription) -> dict[str, object]:
    """Return the preview of resuming a cancelled plan, which is charged when its next period starts."""
    return {"subscription_proration_date": date, "subtotal": 0, "total": 0, "currency": customer.CURRENCY,
            "dueon": sub.end, "lines": [], "credits": dict.fromkeys(KINDS, 0)}  # fmt: skip


async def change(ctx: Context, row: OwnSubscription, planid: int, proration_date: int | None) -> dict[str, object]:
    """Upgrade at once, downgrade at the end of the period, or resume a cancelled subscription.

    Raises:
        Conflict: no subscription runs, an invoice is open, or the plan is the present one (409).
        Conflict: seats or API keys in use exceed the plan (409).
        CardRefused: the bank declined the upgrade; nothing is changed (402).
    """
    plan = await prices.on_sale(ctx, planid)
    sub = await _running(ctx, row)
    if sub is None:
        raise Conflict("You have no active subscription to change. Please subscribe first.", reason="no_subscription")
    if sub.status in reconcile.PAST_DUE:
        raise Conflict("Please pay the open invoice first.", reason="past_due")
    present = _present(await prices.plans_by_price(ctx), row, sub)
    if plan.planid != present:
        await change_rules.must_fit(ctx, row.clientid, plan)
    if plan.planid == present:
        run = partial(_resume, ctx, row, sub)
    elif plan.planid > present:
        run = partial(_upgrade, ctx, row, sub, plan, proration_date)
    else:
        run = partial(_downgrade, ctx, row, sub, plan)
    changed = await _unless_changed(ctx, sub, run)
    return {"subscriptionid": row.subscriptionid, "planid": plan.planid, "expirydate": changed.end}


async def _resume(ctx: Context, row: OwnSubscription, sub: Subscription) -> Subscription:
    """Keep the present plan: undo a cancellation or a scheduled downgrade."""
    if sub.cancelby is None and not sub.scheduleid and row.downgrade_planid is None:
        raise AlreadyChanged("You are already on this plan.", case="already_subscribed")
    payments = customer.provider(ctx)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    await payments.keep(sub)
    await ctx.db.execute(_FORGET, row.clientid, row.subscriptionid)
    await _refresh(ctx, row)
    return sub


async def _upgrade(
    ctx: Context, row: OwnSubscription, sub: Subscription, plan: PlanRow, proration_date: int | None
) -> Subscription:
    payments, planid = customer.provider(ctx), plan.planid
    priceid = await prices.of_plan(ctx, plan)
    attempt = await change_rules.begin(ctx, row, planid, proration_date, sub)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    try:
        changed = await payments.upgrade(sub, priceid, attempt.prorationdate, attempt.key)
    except CardRefused:
        await change_rules.failed(ctx, row, planid, sub.start, attempt.number)
        await audit.write(ctx, "plan_change_refused", planid)
        raise
    await ctx.db.execute(_FORGET, row.clientid, row.subscriptionid)
    await audit.write(ctx, "plan_change", planid, before=row.planid)
    return changed


async def _downgrade(ctx: Context, row: OwnSubscription, sub: Subscription, plan: PlanRow) -> Subscription:
    if row.downgrade_planid != plan.planid and row.autorenew:
        raise Conflict("Request the downgrade first.", reason="no_downgrade_record")
    payments, priceid = customer.provider(ctx), await prices.of_plan(ctx, plan)
    sub = await payments.keep(sub)
    await payments.change_at_end(sub, priceid, prices.interval(plan))
    async with ctx.db.transaction():
        await ctx.db.execute(_RECORD, row.clientid, row.subscriptionid, plan.planid, sub.end)
        await audit.write(ctx, "plan_downgrade", plan.planid, before=row.planid, startson=sub.end.isoformat())
    await _refresh(ctx, row)
    return sub


async def cancel(ctx: Context, row: OwnSubscription) -> dict[str, object]:
    """Cancel at the end of the period, and return `autorenew` and `expirydate`.

    Raises:
        Conflict: the account has no paid plan (409).
    """
    if not row.isactive or not prices.is_paid(row.price, row.plansku):
        raise Conflict("You have no paid plan to cancel.", reason="nothing_to_cancel")
    sub = await _running(ctx, row)
    if sub is None:  # not billed by the provider, so only the local row changes
        await ctx.db.execute(_LOCAL_CANCEL, row.clientid, row.subscriptionid)
        return {"autorenew": 0, "expirydate": row.expirydate}
    sub = await _unless_changed(ctx, sub, partial(_cancel, ctx, row, sub))
    await ctx.db.execute(_FORGET, row.clientid, row.subscriptionid)
    await _refresh(ctx, row)
    return {"autorenew": 0, "expirydate": sub.until}


async def _cancel(ctx: Context, row: OwnSubscription, sub: Subscription) -> Subscription:
    payments = customer.provider(ctx)
    if sub.scheduleid:
        await payments.release(sub.scheduleid)
    if sub.renews:
        sub = await payments.cancel(sub.id)
        await audit.write(ctx, "plan_cancel", row.planid)
    return sub


async def _refresh(ctx: Context, row: OwnSubscription) -> None:
    """Apply the provider's new state at once instead of waiting for its event."""
    await reconcile.reconcile(ctx, row.clientid)
