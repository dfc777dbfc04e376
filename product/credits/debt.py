"""Settle credits owed: those of a refunded purchase that were spent already.

Later grants pay them first.
"""

from __future__ import annotations

from dataclasses import dataclass

from product.context import Context

_OWED = """
    select transactionid, owed from creditreturn where clientid = $1 and kind = $2 and owed > 0
    order by transactionid for update
"""
_PAID = """
    update creditreturn set owed = owed - $4, step = step + 1
    where clientid = $1 and transactionid = $2 and kind = $3 returning step
"""


@dataclass(frozen=True, slots=True)
class _Owed:
    transactionid: int
    owed: int


def move_sql(kind: str, *, bought: bool = False) -> str:
    """Return the SQL that changes a balance and writes the ledger row.

    The change affects bought credits last, or first with `bought`.
    """
    part = f"greatest(0, {kind}_bought + $2)" if bought else f"least({kind}_bought, {kind} + $2)"
    return f"""
        with moved as (
            update usercredit set {kind} = {kind} + $2, {kind}_bought = {part} where clientid = $1 returning {kind}
        )
        insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
        select $1, '{kind}', $2, {kind}, $3, $4, $5 from moved
    """  # noqa: S608


async def pay(ctx: Context, clientid: int, kind: str) -> None:
    """Pay the debt of one kind from its balance. Requires a transaction with the lock on usercredit."""
    for row in await ctx.db.all(_Owed, _OWED, clientid, kind):
        sql = f"select {kind} from usercredit where clientid = $1"  # noqa: S608
        part = min(row.owed, await ctx.db.value(int, sql, clientid))
        if not part:
            return
        step = await ctx.db.value(int, _PAID, clientid, row.transactionid, kind, part)
        source_id = f"{row.transactionid}:{kind}:{step}"
        await ctx.db.execute(move_sql(kind), clientid, -part, "debt", "refund", source_id)
