"""Take back the credits of a refunded or disputed payment, in proportion to the money returned.

The returned amount is a state read from the provider, so applying it again changes nothing, and winning a dispute
restores the credits. Credits that were spent already are recorded as owed (`creditreturn.owed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from product import audit
from product.billing import notices
from product.context import Context
from product.credits import debt

_TRANSACTION = """
    select * from transactionhistory where clientid = $1 and providerid = $2 and status in ('paid', 'refunded')
    for update
"""
# Failed refunds, won disputes and inquiries move no money. If the provider lists no refunds, the refunded sum in the
# charge of an event counts.
_BACK = """
    with reported as (select * from paymentreversal where purchase = $1),
    refund as (
        select coalesce(sum(amount) filter (where status not in ('failed', 'canceled')), 0) as amount,
               coalesce(bool_or(listed = 1), false) as listed,
               max(asof) filter (where status in ('failed', 'canceled')) as failedon
        from reported where kind = 'refund'
    ),
    charge as (select coalesce(max(amount), 0) as amount, max(asof) as asof from reported where kind = 'charge'),
    dispute as (
        select coalesce(sum(amount), 0) as amount from reported
        where kind = 'dispute' and status not in ('won', 'prevented') and status not like 'warning%'
    )
    select dispute.amount > 0 as disputed, dispute.amount + case
        when refund.listed or refund.failedon >= charge.asof then refund.amount
        else greatest(refund.amount, charge.amount) end as amount
    from refund, charge, dispute
"""
_KEEP = "update transactionhistory set refunded = $2, status = $3 where transactionid = $1 and clientid = $4"
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


@dataclass(frozen=True, slots=True)
class _After:
    reason: str
    delta: int


@dataclass(frozen=True, slots=True)
class _Granted:
    kind: str
    delta: int
    ledgerid: int
    source: str


@dataclass(frozen=True, slots=True)
class _State:
    returned: int
    owed: int
    step: int


@dataclass(frozen=True, slots=True)
class _Transaction(notices.Purchase):
    transactionid: int
    planid: int
    isaddon: int
    price: Decimal
    periodstart: datetime | None
    providerid: str | None
    refunded: Decimal


@dataclass(frozen=True, slots=True)
class _Back:
    disputed: bool
    amount: int


async def apply(ctx: Context, clientid: int, purchase: str) -> bool:
    """Apply refunds and disputes of a purchase; return whether the account has the transaction.

    Updates the transaction and the credits, and mails the owner. Requires a transaction with the lock on usercredit.
    """
    row = await ctx.db.first(_Transaction, _TRANSACTION, clientid, purchase)
    if row is None:
        return False
    paid = int(row.price * 100)
    reversal = await ctx.db.one(_Back, _BACK, purchase)
    returned, before = min(paid, int(reversal.amount)), int(row.refunded * 100)
    if returned == before:
        return True
    await ctx.db.execute(
        _KEEP, row.transactionid, Decimal(returned) / 100, "refunded" if returned == paid else "paid", clientid
    )  # fmt: skip
    moved = await _credits(ctx, row, returned, paid)
    event = "payment_restored" if returned < before else "payment_disputed" if reversal.disputed else "payment_refunded"
    await audit.write(ctx, event, row.invoicenumber, clientid=clientid, refunded=returned, credits=moved)
    await notices.money_back(ctx, row, event, returned - before, moved)
    return True


async def _credits(ctx: Context, row: _Transaction, returned: int, paid: int) -> dict[str, int]:
    """Move the credits of each kind and return the changes, negative for credits taken or owed."""
    moved = {}
    period = str(int(row.periodstart.timestamp())) if row.periodstart else ""
    granted = await ctx.db.all(_Granted, _GRANTED, row.clientid, row.providerid, period, str(row.planid))
    for grant in granted:
        kind, whole = grant.kind, grant.delta - await _expired(ctx, row.clientid, grant)
        target = (2 * whole * returned + paid) // (2 * paid)
        if amount := await _move(ctx, row, kind, target):
            moved[kind] = amount
    return moved


async def _expired(ctx: Context, clientid: int, grant: _Granted) -> int:
    """Return how many credits of a grant expired with its period; these are not taken a second time."""
    if grant.source == "payment":
        return 0
    next_entry = await ctx.db.first(_After, _AFTER, clientid, grant.kind, grant.ledgerid)
    return min(grant.delta, -next_entry.delta) if next_entry is not None and next_entry.reason == "expired" else 0


async def _move(ctx: Context, row: _Transaction, kind: str, target: int) -> int:
    clientid, transactionid = row.clientid, row.transactionid
    state = await ctx.db.one(_State, _STATE, clientid, transactionid, kind)
    more, owed = target - int(state.returned), int(state.owed)
    if not more:
        return 0
    sql = f"select {kind} from usercredit where clientid = $1"  # noqa: S608
    if more > 0:
        change = -min(more, await ctx.db.value(int, sql, clientid))
        owed += more + change
    else:
        change = max(0, -more - owed)
        owed = max(0, owed + more)
    await ctx.db.execute(_SET, clientid, transactionid, kind, target, owed)
    if change:
        reason, source_id = "refund" if change < 0 else "restored", f"{transactionid}:{kind}:{state.step}"
        statement = debt.move_sql(kind, bought=bool(row.isaddon))
        await ctx.db.execute(statement, clientid, change, reason, "refund", source_id)
        if change > 0:
            await debt.pay(ctx, clientid, kind)
    return -more
