"""Balances, and the only way a credit is spent: one row per client is the lock, and the ledger says why."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scripts._shared.context import Context
from tableapi.errors import ApiError

CREDIT = {
    "directdial": "contactcredit",
    "businessemail": "bus_email_credits",
    "personalemail": "personal_email_credits",
}
_OVER = {
    "directdial": "Cell Number Credits Over",
    "businessemail": "Work Email Credits Over",
    "personalemail": "Secondary Email Credits Over",
}
_BALANCES = "contactcredit, bus_email_credits, personal_email_credits"


class NoCredit(ApiError):
    """The balance of this kind is 0."""

    status, reason = 402, "no_credit"


class SubscriptionExpired(ApiError):
    """There is no live subscription to spend from."""

    status, reason = 402, "subscription_expired"


class Balances(BaseModel):
    """What is left."""

    contactcredit: int
    bus_email_credits: int
    personal_email_credits: int


async def balances(ctx: Context, clientid: int) -> Balances:
    """What the client has left now."""
    row = await ctx.db.fetchrow(f"select {_BALANCES} from usercredit where clientid = $1", clientid)  # noqa: S608
    return of_row(row)


def of_row(row: Any) -> Balances:
    """Balances of a row of usercredit; a client without one has nothing."""
    if row is None:
        return Balances(contactcredit=0, bus_email_credits=0, personal_email_credits=0)
    return Balances.model_validate({name: row[name] for name in Balances.model_fields})


def refusal(kind: str, left: Balances, *, live: bool) -> NoCredit | SubscriptionExpired:
    """The 402 for a kind that cannot be paid for."""
    if not live:
        return SubscriptionExpired("Your subscription has expired. Choose a plan to go on.", context={"kind": kind})
    return NoCredit(_OVER[kind], context={"kind": kind, "credits": left.model_dump()})
