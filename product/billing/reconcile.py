"""Bring subscriptions, credits and invoices in line with the payment provider's present state.

An event only tells which account to read. Events that arrive twice, late, out of order or not at all therefore lead to
the same result. Of two concurrent reads the older one is discarded (`paymentsync.version`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import structlog

from product import audit
from product.billing import customer, invoices, notices, plans, prices, returns
from product.billing.rows import PlanRow, SubscriptionRow
from product.context import Context
from product.credits.ledger import end_plan_credits
from product.vendors.money import Invoice, Missing, Subscription
from tableapi import Busy

log = structlog.get_logger(__name__)
GRACE = timedelta(days=7)
LIVE, PAST_DUE, PAUSED = ("active", "trialing"), ("past_due", "unpaid"), ("paused",)
TRIES = 5

VERSION = """
    insert into paymentsync as s (clientid) values ($1) on conflict (clientid) do update set version = s.version
    returning version
"""
NEXT = "update paymentsync set version = version + 1 where clientid = $1 and version = $2"
_ROWS = "select * from usersubscription where clientid = $1 and (isactive = 1 or stripe_subid is not null)"
_CLOSE = """
    update usersubscription set isactive = 0, status = 'expired', graceuntil = null
    where clientid = $1 and subscriptionid = $2
"""
_OPEN = """
    insert into usersubscription (clientid, planid, sku, startdate, expirydate, stripe_subid, stripe_itemid)
    values ($1, $2, $3, $4, $5, $6, $7) returning *
"""
_KEEP = """
    update usersubscription set planid = $2, sku = $3, startdate = $4, expirydate = $5, graceuntil = $6, status = $7,
        autorenew = $8, transactionid = coalesce($9, transactionid), stripe_itemid = $10, stripe_scheduleid = $11,
        downgrade_planid = case when $12 then null else downgrade_planid end,
        downgrade_startson = case when $12 then null else downgrade_startson end
    where subscriptionid = $1 and clientid = $13
"""
# A paused plan keeps its credits, which cannot be used until it continues.
_PAUSE = """
    update usersubscription set isactive = 0, status = 'paused', graceuntil = null
    where subscriptionid = $1 and clientid = $2
"""
_CONTINUE = "update usersubscription set isactive = 1, status = 'active' where subscriptionid = $1 and clientid = $2"
_END = """
    update usersubscription set isactive = 0, autorenew = 0, status = $2, graceuntil = null, stripe_scheduleid = null,
        expirydate = least(expirydate, now(), $3), startdate = least(startdate, expirydate, now(), $3),
        downgrade_planid = null, downgrade_startson = null
    where subscriptionid = $1 and clientid = $4
"""
_OTHER = "select exists (select 1 from usersubscription where clientid = $1 and isactive = 1 and subscriptionid <> $2)"
_LAST_PAID = """
    select transactionid from transactionhistory
    where clientid = $1 and isaddon = 0 and status = 'paid' and providerid = any($2)
    order by transactiondate desc, transactionid desc limit 1
"""
_HANDLED = "update stripeevent set handledon = now(), note = $2 where id = $1 and handledon is null"


async def reconcile(
    ctx: Context, clientid: int, event: str = "", *, receipts: bool = True, deleted: bool = False
) -> None:  # fmt: skip
    """Read the provider's state of an account and apply it in one transaction.

    Args:
        event: the id of a stored event to mark as handled in the same transaction.
        receipts: whether paid invoices are mailed to the owner.
        deleted: whether the provider has reported the end of the customer or of a subscription. If it does not know
            the customer any more, all subscriptions have ended.

    Raises:
        Busy: other processes applied newer states `TRIES` times in a row (503).
        Missing: the provider does not know the customer (502), unless it is deleted.
    """
    payments = customer.provider(ctx)
    for _ in range(TRIES):
        version = await ctx.db.value(int, VERSION, clientid)
        custid = await ctx.db.first_value(str, "select stripe_custid from client where clientid = $1", clientid)
        if not custid:
            return
        known = True
        try:
            subs, bills = await payments.subscriptions(custid), await payments.invoices(custid)
        except Missing:
            if not deleted:
                raise
            known, subs, bills = False, [], []
        async with ctx.db.transaction():
            await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
            if await ctx.db.execute(NEXT, clientid, version) != "UPDATE 1":
                continue  # a newer state was applied meanwhile: read again
            await _apply(ctx, clientid, subs, bills, receipts)
            if not known:
                await _end_all(ctx, clientid)
            if event:
                await ctx.db.execute(_HANDLED, event, None)
        return
    raise Busy("Too many changes at once. Try again in a moment.", case="too_many_changes")


async def _apply(
    ctx: Context, clientid: int, subs: list[Subscription], bills: list[Invoice], receipts: bool
) -> None:  # fmt: skip
    plans_by_price = await prices.plans_by_price(ctx)
    for sub in subs:
        if sub.priceid not in plans_by_price:
            log.error("unknown_price", alarm=True, clientid=clientid, price=sub.priceid, subscription=sub.id)
    current = {sub.id: sub for sub in subs if sub.priceid in plans_by_price and not sub.status.startswith("incomplete")}
    bills.reverse()  # oldest first, also within one second: the sort is stable
    for bill in sorted(bills, key=lambda bill: bill.date):
        if billed := current.get(bill.subscription):
            transactionid = await invoices.book(ctx, clientid, bill, billed, plans_by_price)
            if transactionid is not None:
                await audit.write(ctx, "invoice_paid", bill.number, clientid=clientid, total=bill.total)
                if receipts:
                    await notices.receipt(ctx, clientid, transactionid)
                await returns.apply(ctx, clientid, bill.id)
    rows = {row.stripe_subid: row for row in await ctx.db.all(SubscriptionRow, _ROWS, clientid)}
    live = [sub for sub in current.values() if sub.status in LIVE + PAST_DUE]
    newest = max(live, key=lambda sub: sub.created, default=None)
    for sub in sorted(current.values(), key=lambda sub: sub.created):
        row = rows.get(sub.id)
        if sub is newest:
            plan = plans_by_price[sub.priceid]
            row = await _open(ctx, clientid, sub, plan) if row is None else row
            row = await _continue(ctx, row) if row.status == "paused" else row
            if row.isactive:
                await _update(ctx, row, sub, plans_by_price, bills)
        elif row is not None and (row.isactive or row.status == "paused"):
            if sub.status not in PAUSED or newest is not None:
                await _end(ctx, row, sub.ended or sub.until, superseded=newest is not None)
            elif row.isactive:
                await _pause(ctx, row)
        if newest not in (None, sub) and sub.status in LIVE + PAST_DUE + PAUSED:
            await ctx.later("endsubscription", subscription=sub.id)  # a newer subscription replaces it


async def _open(ctx: Context, clientid: int, sub: Subscription, plan: PlanRow) -> SubscriptionRow:
    """Insert a subscription and close the live one that it replaces."""
    await _close_live(ctx, clientid)
    await audit.write(ctx, "plan_subscribed", plan.planid, clientid=clientid)
    row = await ctx.db.one(
        SubscriptionRow, _OPEN, clientid, plan.planid, plan.sku, sub.start, sub.until, sub.id, sub.itemid
    )
    await plans.update_allowances(ctx, clientid)
    return row


async def _close_live(ctx: Context, clientid: int) -> None:
    for live in await ctx.db.all(
        SubscriptionRow, "select * from usersubscription where clientid = $1 and isactive = 1", clientid
    ):
        await ctx.db.execute(_CLOSE, clientid, live.subscriptionid)


async def _pause(ctx: Context, row: SubscriptionRow) -> None:
    await ctx.db.execute(_PAUSE, row.subscriptionid, row.clientid)
    await audit.write(ctx, "plan_paused", row.planid, clientid=row.clientid)


async def _continue(ctx: Context, row: SubscriptionRow) -> SubscriptionRow:
    """Make a paused subscription live again, in place of the plan that the account has had meanwhile."""
    await _close_live(ctx, row.clientid)
    await ctx.db.execute(_CONTINUE, row.subscriptionid, row.clientid)
    await plans.update_allowances(ctx, row.clientid)
    await audit.write(ctx, "plan_continued", row.planid, clientid=row.clientid)
    return replace(row, isactive=1, status="active")


async def _update(
    ctx: Context, row: SubscriptionRow, sub: Subscription, plans_by_price: dict[str, PlanRow], bills: list[Invoice]
) -> None:  # fmt: skip
    """Update the row of a live subscription, and notify the owner of a failed payment."""
    clientid, late, plan = row.clientid, sub.status in PAST_DUE, plans_by_price[sub.priceid]
    paid = [bill for bill in bills if bill.subscription == sub.id and bill.status == "paid"]
    periods = [line.end for bill in paid for line in bill.lines if line.priceid in plans_by_price]
    end = max(periods, default=sub.start) if late else sub.until
    # The next period has begun, or the schedule of the change is gone.
    undone = bool(row.stripe_scheduleid) and not sub.scheduleid
    downgraded = sub.start > row.startdate or plan.planid == row.downgrade_planid or undone
    last = await ctx.db.first_value(int, _LAST_PAID, clientid, [bill.id for bill in paid])
    await ctx.db.execute(
        _KEEP,
        row.subscriptionid, plan.planid, plan.sku, min(sub.start, end), end, end + GRACE if late else None,
        "past_due" if late else "active", int(sub.renews), last, sub.itemid, sub.scheduleid or None, downgraded,
        clientid,
    )  # fmt: skip
    if plan.planid != row.planid:
        await plans.update_allowances(ctx, clientid)
        await audit.write(ctx, "plan_changed", plan.planid, clientid=clientid, before=row.planid)
    if late and row.status != "past_due":
        await notices.payment_failed(ctx, clientid, end + GRACE)
    if bool(row.autorenew) != sub.renews:
        await audit.write(ctx, "plan_renews" if sub.renews else "plan_cancelled", plan.planid, clientid=clientid)


async def _end_all(ctx: Context, clientid: int) -> None:
    """End the subscriptions of a deleted customer."""
    for row in await ctx.db.all(SubscriptionRow, _ROWS, clientid):
        if row.stripe_subid and (row.isactive or row.status == "paused"):
            await _end(ctx, row, datetime.now(UTC), superseded=False)


async def _end(ctx: Context, row: SubscriptionRow, when: datetime, *, superseded: bool) -> None:
    """End a subscription.

    Its remaining plan credits expire, unless another plan has replaced it.
    """
    status = "cancelled" if row.status in ("active", "paused") and not row.autorenew else "expired"
    await ctx.db.execute(_END, row.subscriptionid, status, when, row.clientid)
    await audit.write(ctx, "plan_ended", row.planid, clientid=row.clientid)
    if superseded or await ctx.db.value(bool, _OTHER, row.clientid, row.subscriptionid):
        return
    await end_plan_credits(ctx, row.clientid, f"end:{row.stripe_subid}")
    await notices.ended(ctx, row.clientid, unpaid=row.status == "past_due")
