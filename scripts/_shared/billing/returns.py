"""What a refund or a dispute takes back: the credits of that payment, in proportion to the money.

The amount returned is the state of the provider, so the effect is a target and not a step: applying it again changes
nothing, and a dispute that is won gives back what was taken. What cannot be taken because it was spent is owed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from scripts._shared import audit
from scripts._shared.billing import notices
from scripts._shared.context import Context
from scripts._shared.credits import debt

_TRANSACTION = """
    select * from transactionhistory where clientid = $1 and providerid = $2 and status in ('paid', 'refunded')
    for update
"""
# A refund that failed and a dispute that was won or only asked about move no money. Where the provider lists no refund,
# the sum that the charge of an event stated counts.
_BACK = """
    with told as (select * from paymentreversal where purchase = $1),
    refund as (
        select coalesce(sum(amount) filter (where status not in ('failed', 'canceled')), 0) as amount,
               coalesce(bool_or(listed = 1), false) as listed,
               max(asof) filter (where status in ('failed', 'canceled')) as failedon
        from told where kind = 'refund'
    ),
    charge as (select coalesce(max(amount), 0) as amount, max(asof) as asof from told where kind = 'charge'),
    dispute as (
        select coalesce(sum(amount), 0) as amount from told
        where kind = 'dispute' and status not in ('won', 'prevented') and status not like 'warning%'
    )
    select dispute.amount > 0 as disputed, dispute.amount + case
        when refund.listed or refund.failedon >= charge.asof then refund.amount
        else greatest(refund.amount, charge.amount) end as amount
    from refund, charge, dispute
"""
_KEEP = "update transactionhistory set refunded = $2, status = $3 where transactionid = $1"
_GRANTED = """
    select kind, delta, ledgerid, source from creditledger
    where clientid = $1 and delta > 0 and (
        source in ('payment', 'upgrade') and source_id = $2 || ':' || kind
        or source = 'plan' and split_part(source_id, ':', 2) = $3 and split_part(source_id, ':', 3) = $4
           and split_part(source_id, ':', 1) like 'sub%')
"""
_AFTER = """
    select reason, delta from creditledger
    where clientid = $1 and kind = $2 and ledgerid > $3 and (reason = 'expired' or source = 'plan')
    order by ledgerid limit 1
"""
_STATE = """
    insert into creditreturn as r (clientid, transactionid, kind) values ($1, $2, $3)
    on conflict (clientid, transactionid, kind) do update set step = r.step + 1
    returning returned, owed, step
"""
_SET = """
    update creditreturn set returned = $4, owed = $5 where clientid = $1 and transactionid = $2 and kind = $3
"""


async def apply(ctx: Context, clientid: int, purchase: str) -> bool:
    """Bring credits, transaction and owner up to what is known to go back. Under the lock on usercredit."""
    row: Any = await ctx.db.fetchrow(_TRANSACTION, clientid, purchase)
    if row is None:
        return False
    paid = int(row["price"] * 100)
    known: Any = await ctx.db.fetchrow(_BACK, purchase)
    back, before = min(paid, int(known["amount"])), int(row["refunded"] * 100)
    if back == before:
        return True
    await ctx.db.execute(
        _KEEP, row["transactionid"], Decimal(back) / 100, "refunded" if back == paid else "paid"
    )  # fmt: skip
    moved = await _credits(ctx, row, back, paid)
    event = "payment_restored" if back < before else "payment_disputed" if known["disputed"] else "payment_refunded"
    await audit.write(ctx, event, row["invoicenumber"], clientid=clientid, refunded=back, credits=moved)
    await notices.money_back(ctx, row, event, back - before, moved)
    return True


async def _credits(ctx: Context, row: Any, back: int, paid: int) -> dict[str, int]:
    """Move the credits of each kind; out: by how many, negative where they were taken or are owed."""
    moved = {}
    period = str(int(row["periodstart"].timestamp())) if row["periodstart"] else ""
    granted = await ctx.db.fetch(_GRANTED, row["clientid"], row["providerid"], period, str(row["planid"]))
    for grant in granted:
        kind, whole = grant["kind"], grant["delta"] - await _expired(ctx, row["clientid"], grant)
        target = (2 * whole * back + paid) // (2 * paid)
        if amount := await _move(ctx, row, kind, target):
            moved[kind] = amount
    return moved


async def _expired(ctx: Context, clientid: int, grant: Any) -> int:
    """How many of a grant ended unused with its period; those are not taken a second time."""
    if grant["source"] == "payment":
        return 0
    after: Any = await ctx.db.fetchrow(_AFTER, clientid, grant["kind"], grant["ledgerid"])
    return min(grant["delta"], -after["delta"]) if after is not None and after["reason"] == "expired" else 0


async def _move(ctx: Context, row: Any, kind: str, target: int) -> int:
    clientid, transactionid = row["clientid"], row["transactionid"]
    state: Any = await ctx.db.fetchrow(_STATE, clientid, transactionid, kind)
    more, owed = target - int(state["returned"]), int(state["owed"])
    if not more:
        return 0
    sql = f"select {kind} from usercredit where clientid = $1"  # noqa: S608
    if more > 0:
        change = -min(more, await ctx.db.fetchval(sql, clientid))
        owed += more + change
    else:
        change = max(0, -more - owed)
        owed = max(0, owed + more)
    await ctx.db.execute(_SET, clientid, transactionid, kind, target, owed)
    if change:
        reason, source_id = "refund" if change < 0 else "restored", f"{transactionid}:{kind}:{state['step']}"
        moving = debt.moving(kind, bought=bool(row["isaddon"]))
        await ctx.db.execute(moving, clientid, change, reason, "refund", source_id)
        if change > 0:
            await debt.pay(ctx, clientid, kind)
    return -more
