"""What the owner is told about money: a receipt, a payment that failed, a plan that ended. Queued with its cause."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scripts._shared import mails
from tableapi.context import Context

_OWNER = """
    select u.email, u.name, p.name as planname,
           (select t.payurl from transactionhistory t where t.clientid = u.clientid and t.status = 'open'
            order by t.transactiondate desc limit 1) as payurl
    from appuser u
    left join usersubscription s on s.clientid = u.clientid
    left join subscriptionplan p using (planid)
    where u.clientid = $1 and u.role = 'client' and u.isdeleted = 0
    order by s.isactive desc nulls last, s.createdon desc nulls last limit 1
"""
BILLING, PLANS = "/dashboard/settings/billing", "/dashboard/upgradeplan"


async def receipt(ctx: Context, clientid: int, transactionid: int) -> None:
    """The receipt of a paid invoice, with its PDF."""
    await ctx.later("sendreceipt", clientid=clientid, transactionid=transactionid)


async def payment_failed(ctx: Context, clientid: int, until: datetime) -> None:
    """A renewal could not be charged; the account goes on until the grace is over."""
    owner: Any = await ctx.db.fetchrow(_OWNER, clientid)
    if owner is not None:
        link = owner["payurl"] or mails.link(ctx, BILLING)
        values = {"name": owner["name"], "planname": owner["planname"] or "", "until": f"{until:%-d %b %Y}"}
        await mails.queue(ctx, "paymentfailed", owner["email"], link, **values)


async def ended(ctx: Context, clientid: int, *, unpaid: bool) -> None:
    """The plan is over: cancelled, or not paid for."""
    owner: Any = await ctx.db.fetchrow(_OWNER, clientid)
    if owner is not None:
        values = {"name": owner["name"], "planname": owner["planname"] or "", "unpaid": unpaid}
        await mails.queue(ctx, "planended", owner["email"], mails.link(ctx, PLANS), **values)
