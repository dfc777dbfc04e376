"""Hosted payment pages for new subscriptions. At most one is open per account."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from product import mail
from product.billing import customer, prices
from product.billing.rows import PlanRow
from product.context import Context
from product.vendors.money import Checkout, Missing
from tableapi import Conflict

SUCCESS, FAILURE = "/dashboard/paysuccess", "/dashboard/payfail"

_OPEN = """
    select sessionid, planid, url, createdon > now() - interval '10 minutes' as fresh from checkout
    where clientid = $1 and status = 'open'
"""
_CLOSE = "update checkout set status = 'expired' where clientid = $1 and sessionid = $2 and status = 'open'"
_KEEP = """
    insert into checkout (sessionid, clientid, planid, url) values ($1, $2, $3, $4)
    on conflict do nothing
"""


@dataclass(frozen=True, slots=True)
class _Owned:
    planid: int
    status: str


@dataclass(frozen=True, slots=True)
class _Open:
    sessionid: str
    planid: int
    url: str
    fresh: bool


async def page(ctx: Context, clientid: int, plan: PlanRow) -> Checkout:
    """Return the hosted page for a plan: the open one if it is younger than ten minutes, else a new one.

    Raises:
        Conflict: the previous page was paid, or another request opened a page at the same time (409).
    """
    payments = customer.provider(ctx)
    row = await ctx.db.first(_Open, _OPEN, clientid)
    if row is not None:
        if row.planid == plan.planid and row.fresh:
            return Checkout(row.sessionid, row.url, "open")
        await _close(ctx, clientid, row.sessionid)
    checkout = await customer.known(ctx, clientid, partial(_create, ctx, clientid, plan))
    await ctx.db.execute(_KEEP, checkout.id, clientid, plan.planid, checkout.url)
    row = await ctx.db.first(_Open, _OPEN, clientid)
    if row is None or row.sessionid != checkout.id:  # two requests for different plans: one page stays open
        await payments.expire_checkout(checkout.id)
        raise Conflict("Another payment page has just been opened. Try again.", reason="checkout_open")
    return checkout


async def _close(ctx: Context, clientid: int, sessionid: str) -> None:
    payments = customer.provider(ctx)
    try:
        await payments.expire_checkout(sessionid)
        if (await payments.checkout_state(sessionid)).status == "complete":
            raise Conflict("You have just paid for a plan. It will be active in a moment.", reason="checkout_complete")
    except Missing:  # created under another account at the provider
        pass
    await ctx.db.execute(_CLOSE, clientid, sessionid)


async def _create(ctx: Context, clientid: int, plan: PlanRow, custid: str) -> Checkout:
    """Create a page. A price that the provider no longer knows is created again, once."""
    for last in (False, True):
        priceid = await prices.of_plan(ctx, plan)
        count = await ctx.db.value(int, "select count(*) from checkout where clientid = $1", clientid)
        key = f"checkout:{clientid}:{plan.planid}:{count}:{custid}:{priceid}"
        success = mail.link(ctx, SUCCESS) + f"?plan={plan.planid}&session_id={{CHECKOUT_SESSION_ID}}"
        try:
            return await customer.provider(ctx).checkout(
                custid, priceid, clientid, plan.planid, success, mail.link(ctx, FAILURE), key
            )
        except Missing as error:
            if last or "price" not in error.what:
                raise
            await prices.forget(ctx, priceid)
    raise AssertionError("unreachable")


async def settle(ctx: Context, sessionid: str, status: str) -> None:
    """Store the status of a page that the provider reported."""
    if status in ("complete", "expired"):
        sql = "update checkout set status = $2 where sessionid = $1 and status <> 'complete'"
        await ctx.db.execute(sql, sessionid, status)


_OWN = "select planid, status from checkout where sessionid = $1 and clientid = $2"


async def outcome(ctx: Context, sessionid: str) -> dict[str, object] | None:
    """Return plan, status and `settled` of a payment page of the caller's account; None without one."""
    row = await ctx.db.first(_Owned, _OWN, sessionid, ctx.actor.clientid)
    if row is None:
        return None
    status = row.status
    if status != "complete":  # the provider's event may not have arrived yet
        with suppress(Missing):
            status = (await customer.provider(ctx).checkout_state(sessionid)).status
    return {"planid": row.planid, "status": status, "settled": int(row.status == "complete")}
