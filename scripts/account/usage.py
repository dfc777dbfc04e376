"""Return the credits used in the last days, by kind and day, and by user, API key and tool."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, Field

from product import api_keys, call_limits, callers
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.sample import answers
from tableapi import script

_DAYS = """
    select createdon::date as day, kind, count(*)::integer as reveals from reveal
    where clientid = $1 and createdon >= current_date - $2::integer group by 1, 2 order by 1, 2
"""
_CALLERS = """
    select u.name as by, l.keyid, l.tool, count(*)::integer as reveals
    from creditledger l left join appuser u on u.appuserid = l.actor
    where l.clientid = $1 and l.reason = 'reveal' and l.createdon >= current_date - $2::integer
    group by 1, 2, 3 order by 4 desc, 1, 2, 3 limit 500
"""


class Input(api_keys.Query):
    days: int = Field(default=30, ge=1, le=366)


class Day(BaseModel):
    day: date
    kind: str
    reveals: int


class User(BaseModel):
    """A user by name or an API key, with the tool of an agent."""

    by: str | None
    keyid: int | None
    tool: str | None
    reveals: int


class Output(BaseModel):
    credits: Balances
    days: list[Day]
    callers: list[User]


@script(method="GET", public=True, own_key=api_keys.own_key("usage"), limit=call_limits.ACCOUNT, errors=(402,))
@answers.served(answers.usage, "usage", call_limits.ACCOUNT)
async def run(ctx: Context, input: Input) -> Output:
    caller = await callers.by_key(ctx, "usage", call_limits.ACCOUNT)
    days = await ctx.db.all(Day, _DAYS, caller.clientid, input.days)
    users = await ctx.db.all(User, _CALLERS, caller.clientid, input.days)
    return Output(credits=await balance.balances(ctx, caller.clientid), days=days, callers=users)
