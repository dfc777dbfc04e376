"""Grant and expire credits.

Each change is one ledger row with a unique source, so a repeat has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping

from product.context import Context
from product.credits import debt
from tableapi import count_event

KINDS = ("contactcredit", "bus_email_credits", "personal_email_credits")


def _grant_sql(kind: str) -> str:
    return f"""
        with booked as (
            insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id, staffid)
            select clientid, '{kind}', $2, {kind} + $2, $3, $4, $5, $7 from usercredit where clientid = $1
            on conflict (clientid, source, source_id) do nothing
            returning delta
        )
        update usercredit set {kind} = {kind} + delta,
            {kind}_bought = {kind}_bought + case when $6::boolean then delta else 0 end
        from booked where clientid = $1
    """  # noqa: S608


def _expire_sql(kind: str) -> str:
    return f"""
        with booked as (
            insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
            select clientid, '{kind}', {kind}_bought - {kind}, {kind}_bought, 'expired', 'expiry', $2
            from usercredit where clientid = $1 and {kind} > {kind}_bought
            on conflict (clientid, source, source_id) do nothing
            returning delta
        )
        update usercredit set {kind} = {kind} + delta from booked where clientid = $1
    """  # noqa: S608


_GRANT = {kind: _grant_sql(kind) for kind in KINDS}
_EXPIRE = {kind: _expire_sql(kind) for kind in KINDS}


async def grant(
    ctx: Context,
    clientid: int,
    amounts: Mapping[str, int],
    *,
    reason: str,
    source: str,
    source_id: str,
    bought: bool = False,
    staffid: int | None = None,
) -> None:
    """Add credits, once per source and id. Inside a transaction; locks the row of usercredit."""
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    for kind, amount in amounts.items():
        if amount:
            # Allows a new low-credit notice.
            await ctx.db.execute("delete from creditnotice where clientid = $1 and kind = $2", clientid, kind)
            params = (clientid, amount, reason, source, f"{source_id}:{kind}", bought, staffid)
            if await ctx.db.execute(_GRANT[kind], *params) == "UPDATE 1":
                count_event("credits_granted", kind, amount)
                await debt.pay(ctx, clientid, kind)


async def end_plan_credits(ctx: Context, clientid: int, source_id: str) -> None:
    """Expire the remaining plan credits, once per id; bought credits stay. Inside a transaction."""
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    for kind in KINDS:
        await ctx.db.execute(_EXPIRE[kind], clientid, f"{source_id}:{kind}")
