"""Credit balances of an account, and the errors of an empty balance."""

from __future__ import annotations

from pydantic import BaseModel

from product.context import Context
from tableapi import ApiError

CREDIT = {
    "directdial": "contactcredit",
    "businessemail": "bus_email_credits",
    "personalemail": "personal_email_credits",
}
_OVER = {
    "directdial": ("no_cell_credit", "Cell Number Credits Over"),
    "businessemail": ("no_work_credit", "Work Email Credits Over"),
    "personalemail": ("no_secondary_credit", "Secondary Email Credits Over"),
}
_HINT = {
    "directdial": "Buy cell number credits, or choose a larger plan, under Settings > Billing. Nothing was charged.",
    "businessemail": "Choose a larger plan under Settings > Billing, or wait for its renewal. Nothing was charged.",
    "personalemail": "Choose a larger plan under Settings > Billing, or wait for its renewal. Nothing was charged.",
}
_BALANCES = "contactcredit, bus_email_credits, personal_email_credits"


class NoCredit(ApiError):
    """The balance of this kind is 0 (402)."""

    status, reason = 402, "no_credit"


class SubscriptionExpired(ApiError):
    """The account has no live subscription (402)."""

    status, reason = 402, "subscription_expired"


class Balances(BaseModel):
    """Remaining credits of each kind."""

    contactcredit: int
    bus_email_credits: int
    personal_email_credits: int


async def balances(ctx: Context, clientid: int) -> Balances:
    """Return the present balances of an account."""
    row = await ctx.db.first(Balances, f"select {_BALANCES} from usercredit where clientid = $1", clientid)  # noqa: S608
    return of_row(row)


def of_row(row: Balances | None) -> Balances:
    """Return the balances of a row of usercredit; all 0 without a row."""
    return row or Balances(contactcredit=0, bus_email_credits=0, personal_email_credits=0)


def spending_error(kind: str, left: Balances, *, live: bool) -> NoCredit | SubscriptionExpired:
    """Return the error for a kind that cannot be paid for."""
    if not live:
        return SubscriptionExpired("Your subscription has expired. Choose a plan to continue.", context={"kind": kind})
    case, message = _OVER[kind]
    return NoCredit(message, case=case, context={"kind": kind, "credits": left.model_dump(), "hint": _HINT[kind]})
