"""Rules of a plan change: ownership, seat and key limits, proration dates and idempotency of attempts."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from product.billing.rows import OwnSubscription, PlanRow
from product.context import Context
from product.vendors.money import Subscription
from tableapi import Conflict, NotFound

QUOTE_SECONDS = 15 * 60  # how long a quoted proration date stays valid

_OWN = """
    select s.*, p.name as planname, p.price, p.sku as plansku, p.validity
    from usersubscription s join subscriptionplan p using (planid)
    where s.subscriptionid = $1 and s.clientid = $2
"""
_USED = """
    select (select count(*) from appuser where clientid = $1 and isdeleted = 0 and role <> 'client') as members,
           (select count(*) from apikeys where clientid = $1 and isdeleted = 0) as keys
"""
_QUOTE = """
    insert into prorationquote (clientid, subscriptionid, planid, prorationdate) values ($1, $2, $3, $4)
    on conflict do nothing
"""
_QUOTED = """
    select max(prorationdate) from prorationquote
    where clientid = $1 and subscriptionid = $2 and planid = $3 and ($4::bigint is null or prorationdate = $4)
      and createdon > now() - make_interval(secs => $5)
"""
_ATTEMPT = """
    insert into planchange as c (clientid, subscriptionid, planid, period, prorationdate) values ($1, $2, $3, $4, $5)
    on conflict on constraint planchange_pkey do update set
        attempt = c.attempt + (excluded.createdon - c.createdon > interval '1 hour')::int,
        prorationdate = case when excluded.createdon - c.createdon > interval '1 hour' then excluded.prorationdate
                             else c.prorationdate end,
        createdon = case when excluded.createdon - c.createdon > interval '1 hour' then excluded.createdon
                         else c.createdon end
    returning attempt, prorationdate
"""
_REPEATED = "select sum(attempt - 1) from planchange where subscriptionid = $1 and period = $2 and clientid = $3"
_FAILED = """
    update planchange set attempt = attempt + 1, createdon = now() - interval '2 hours'
    where subscriptionid = $1 and planid = $2 and period = $3 and attempt = $4 and clientid = $5
"""


@dataclass(frozen=True, slots=True)
class _Attempt:
    attempt: int
    prorationdate: int


@dataclass(frozen=True, slots=True)
class _Used:
    members: int
    keys: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to change a plan, with the values that a repeat must send to the provider again."""

    prorationdate: int
    key: str
    number: int


async def own(ctx: Context, subscriptionid: int) -> OwnSubscription | None:
    """Return a subscription of the caller's account, live or not, else None."""
    return await ctx.db.first(OwnSubscription, _OWN, subscriptionid, ctx.actor.clientid)


async def own_live(ctx: Context, subscriptionid: int) -> OwnSubscription:
    """Return a live subscription of the caller's account; raise NotFound (404) otherwise."""
    row = await own(ctx, subscriptionid)
    if row is None or not row.isactive:
        raise NotFound(f"There is no subscription with the id {subscriptionid}.", case="no_such_subscription")
    return row


async def must_fit(ctx: Context, clientid: int, plan: PlanRow) -> None:
    """Raise Conflict (409) when the account uses more seats or API keys than the plan allows."""
    used = await ctx.db.one(_Used, _USED, clientid)
    members = max(0, used.members - plan.availableseats)
    apis = max(0, used.keys - plan.availableapicall)
    if members or apis:
        what = f"Member Limit Exceeded: delete {members} member/admin" if members else f"delete {apis} API"
        message = what if members else f"API Limit Exceeded: {what}"
        raise Conflict(message, context={"members_over": members, "apis_over": apis}, reason="limit_exceeded")


async def quote(ctx: Context, subscriptionid: int, planid: int) -> int:
    """Issue and store a proration date for a change, in seconds since 1970."""
    date = int(time.time())
    await ctx.db.execute(_QUOTE, ctx.actor.clientid, subscriptionid, planid, date)
    return date


async def begin(
    ctx: Context, row: OwnSubscription, planid: int, proration_date: int | None, sub: Subscription
) -> Attempt:
    """Return the attempt that this request belongs to.

    A repeat within an hour belongs to the same attempt. The idempotency key contains the current price rather than the
    target, so the provider accepts only one of several simultaneous changes.

    The proration date is used if `quote` issued it for this change within `QUOTE_SECONDS`, else replaced by a new one.
    """
    start = sub.start
    change = (row.clientid, row.subscriptionid, planid)
    date = await ctx.db.first_value(int, _QUOTED, *change, proration_date, QUOTE_SECONDS)
    date = max(date or int(datetime.now(UTC).timestamp()), int(start.timestamp()))
    stored = await ctx.db.one(_Attempt, _ATTEMPT, *change, start, date)
    repeated = await ctx.db.first_value(int, _REPEATED, row.subscriptionid, start, row.clientid)
    text = f"{sub.id}:{sub.priceid}:{int(start.timestamp())}:{repeated}"
    key = "change:" + hashlib.sha256(text.encode()).hexdigest()[:40]
    return Attempt(stored.prorationdate, key, stored.attempt)


async def failed(ctx: Context, row: OwnSubscription, planid: int, start: datetime, attempt: int) -> None:
    """Record that the bank declined an attempt, so that the next request starts a new one."""
    await ctx.db.execute(_FAILED, row.subscriptionid, planid, start, attempt, row.clientid)
