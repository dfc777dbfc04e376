"""The payment provider of this installation, and the customer that represents an account there."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from product.context import Context
from tableapi import ApiError

if TYPE_CHECKING:
    from product.vendors.payments import Payments

CURRENCY = "usd"

_CLIENT = """
    select c.stripe_custid, c.companyname, u.email, u.name
    from client c join appuser u on u.clientid = c.clientid and u.role = 'client' and u.isdeleted = 0
    where c.clientid = $1
"""
_KEEP = "update client set stripe_custid = $2 where clientid = $1 and stripe_custid is null"
_FORGET = "update client set stripe_custid = null where clientid = $1 and stripe_custid = $2"


@dataclass(frozen=True, slots=True)
class _Client:
    stripe_custid: str | None
    companyname: str
    email: str
    name: str


class NotSetUp(ApiError):
    """No payment provider is configured (503)."""

    status, reason = 503, "payments_not_set_up"


def provider(ctx: Context) -> Payments:
    """Return the payment provider; raise NotSetUp (503) if none is configured."""
    payments = ctx.vendors.payments
    if payments is None:
        raise NotSetUp("Payments are not set up here. Please contact us.")
    return payments


async def customer(ctx: Context, clientid: int) -> str:
    """Return the provider's customer id of an account, creating the customer on first use.

    Because of the idempotency key, concurrent requests and a retry after a crash get the same customer.
    """
    row = await ctx.db.one(_Client, _CLIENT, clientid)
    if row.stripe_custid:
        return row.stripe_custid
    name = row.companyname or row.name
    digest = hashlib.sha256(f"{row.email}\0{name}".encode()).hexdigest()[:16]
    custid = await provider(ctx).customer(clientid, row.email, name, f"customer:{clientid}:{digest}")
    await ctx.db.execute(_KEEP, clientid, custid)
    return await ctx.db.value(str, "select stripe_custid from client where clientid = $1", clientid)


async def forget_customer(ctx: Context, clientid: int, custid: str) -> None:
    """Drop a customer id unknown to the provider, for example after the provider's account has changed."""
    await ctx.db.execute(_FORGET, clientid, custid)
