"""Grant and take credits by hand. Each change is one ledger row that names the staff member."""

from __future__ import annotations

from dataclasses import dataclass

from product.context import Context
from product.credits import ledger
from product.credits.balance import Balances
from tableapi import Conflict, FieldError, Invalid, NotFound

SOURCE = "support"
_LOCK = "select * from usercredit where clientid = $1 for update"
_DONE = "select kind, delta, balance_after from creditledger where clientid = $1 and source = $2 and source_id like $3"


@dataclass(frozen=True, slots=True)
class _Done:
    kind: str
    delta: int
    balance_after: int


def _take_sql(kind: str) -> str:
    return f"""
        with taken as (
            update usercredit set {kind} = {kind} - $2, {kind}_bought = least({kind}_bought, {kind} - $2)
            where clientid = $1 and {kind} >= $2 returning {kind}
        )
        insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id, staffid)
        select $1, '{kind}', -$2::int, {kind}, '{SOURCE}', '{SOURCE}', $3, $4 from taken returning balance_after
    """  # noqa: S608


_TAKE = {kind: _take_sql(kind) for kind in ledger.KINDS}


async def move(ctx: Context, clientid: int, kind: str, amount: int, requestid: str) -> tuple[bool, int]:
    """Add `amount` credits, or take them when it is negative.

    Inside a transaction. Returns whether this call made the change, and the balance. A repeat with the same `requestid`
    changes nothing. Granted credits do not expire. Plan credits are taken first.

    Raises:
        NotFound: there is no such client (404).
        Invalid: the request id was used for another change (422).
        Conflict: the balance would fall below zero (409).
    """
    row = await ctx.db.first(Balances, _LOCK, clientid)
    if row is None:
        raise NotFound(f"There is no client with the id {clientid}.", case="no_such_client")
    done = await ctx.db.first(_Done, _DONE, clientid, SOURCE, f"{requestid}:%")
    if done is not None:
        if (done.kind, done.delta) != (kind, amount):
            raise Invalid(
                {"requestid": FieldError("requestid_used", "This id was used for another change: send a new one")}
            )
        return False, getattr(row, kind)
    staffid = ctx.actor.staffid
    if amount > 0:
        await ledger.grant(
            ctx, clientid, {kind: amount}, reason=SOURCE, source=SOURCE, source_id=requestid, bought=True,
            staffid=staffid,
        )  # fmt: skip
        sql = f"select {kind} from usercredit where clientid = $1"  # noqa: S608
        return True, await ctx.db.value(int, sql, clientid)
    left = await ctx.db.first_value(int, _TAKE[kind], clientid, -amount, f"{requestid}:{kind}", staffid)
    if left is None:
        raise Conflict(
            "The client has fewer credits than that. Nothing was deducted.",
            context={"balance": getattr(row, kind)},
            reason="too_few_credits",
        )
    return True, left
