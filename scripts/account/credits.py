"""Return credits, plan, renewal date, recent spending and rate limits, for a session or an API key.

`spent` counts the credits of the last 30 days, from which the app derives how long a balance lasts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from product import api_keys, call_limits, callers
from product.accounts import sessions
from product.billing.live import LIVE
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.roles import SESSION, VIEW
from product.sample import answers
from tableapi import Unauthorized, script


@dataclass(frozen=True, slots=True)
class _Plan:
    name: str
    expirydate: datetime
    autorenew: int


class Output(BaseModel):
    credits: Balances
    plan: str | None
    renewson: datetime | None
    autorenew: bool
    spent: Balances
    limits: dict[str, str]


_PLAN = f"""
    select p.name, s.expirydate, s.autorenew from usersubscription s join subscriptionplan p using (planid)
    where s.clientid = $1 and {LIVE}
"""  # noqa: S608
_SPENT = """
    select count(*) filter (where kind = 'directdial') as contactcredit,
           count(*) filter (where kind = 'businessemail') as bus_email_credits,
           count(*) filter (where kind = 'personalemail') as personal_email_credits
    from reveal where clientid = $1 and createdon >= now() - interval '30 days'
"""


@script(
    method="GET",
    public=True,
    roles=(*SESSION, *VIEW),
    own_key=api_keys.own_key(),
    limit="60/minute per ip",
    agents=True,
    errors=(402,),
)
@answers.served(answers.credits_, "")
async def run(ctx: Context) -> Output:
    clientid = await _account(ctx)
    plan = await ctx.db.first(_Plan, _PLAN, clientid)
    left = await balance.balances(ctx, clientid)
    spent = balance.of_row(await ctx.db.first(balance.Balances, _SPENT, clientid))
    if plan is None:
        return Output(credits=left, plan=None, renewson=None, autorenew=False, spent=spent, limits=call_limits.REPORTED)
    renews, renewson = bool(plan.autorenew), plan.expirydate
    return Output(
        credits=left, plan=plan.name, renewson=renewson, autorenew=renews, spent=spent, limits=call_limits.REPORTED
    )


async def _account(ctx: Context) -> int:
    """Return the account of the session, or of the API key."""
    key = api_keys.sent(ctx)
    if key in ctx.settings.app_keys:  # an application key: the session determines the account
        api_keys.reject_app_key(ctx)
        user = await sessions.live_user(ctx, ctx.request.session_token)
        sessions.reject_confined(user)
        if user.role in (*SESSION, *VIEW) and user.clientid is not None:
            await callers.record_look(ctx, user)
            return user.clientid
        raise Unauthorized(sessions.EXPIRED)
    return int((await api_keys.live(ctx, key)).clientid)
