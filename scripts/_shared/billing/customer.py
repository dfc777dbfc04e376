"""The account at the payment provider: is it set up, and who is our client there."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from scripts._shared.context import Context
from tableapi.errors import ApiError

if TYPE_CHECKING:
    from scripts._shared.vendors.payments import Payments

CURRENCY = "usd"

_CLIENT = """
    select c.stripe_custid, c.companyname, u.email, u.name
    from client c join appuser u on u.clientid = c.clientid and u.role = 'client' and u.isdeleted = 0
    where c.clientid = $1
"""
_KEEP = "update client set stripe_custid = $2 where clientid = $1 and stripe_custid is null"
_FORGET = "update client set stripe_custid = null where clientid = $1 and stripe_custid = $2"


class NotSetUp(ApiError):
    """There are no payments here: the settings name no provider."""

    status, reason = 503, "payments_not_set_up"


def provider(ctx: Context) -> Payments:
    """The payment provider; 503 where payments are not set up."""
    found = ctx.vendors.payments
    if found is None:
        raise NotSetUp("Payments are not set up here. Please contact us.")
    return found


async def customer(ctx: Context, clientid: int) -> str:
    """Our client at the provider, made once. Two at once, or a crash in between, get the same one by the key."""
    row: Any = await ctx.db.fetchrow(_CLIENT, clientid)
    if row["stripe_custid"]:
        return str(row["stripe_custid"])
    name = row["companyname"] or row["name"]
    digest = hashlib.sha256(f"{row['email']}\0{name}".encode()).hexdigest()[:16]
    made = await provider(ctx).customer(clientid, row["email"], name, f"customer:{clientid}:{digest}")
    await ctx.db.execute(_KEEP, clientid, made)
    return str(await ctx.db.fetchval("select stripe_custid from client where clientid = $1", clientid))


async def forget_customer(ctx: Context, clientid: int, custid: str) -> None:
    """The provider does not know it: another account of ours was used before."""
    await ctx.db.execute(_FORGET, clientid, custid)
