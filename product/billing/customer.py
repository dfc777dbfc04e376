"""The payment provider of this installation, and the customer that represents an account there."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from product.context import Context
from product.vendors.money import Missing
from tableapi import ApiError

if TYPE_CHECKING:
    from product.vendors.payments import Payments

CURRENCY = "usd"
T = TypeVar("T")

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


async def customer(ctx: Context, clientid: int, lost: str = "") -> str:
    """Return the provider's customer id of an account, creating the customer on first use.

    Because of the idempotency key, concurrent requests and a retry after a crash get the same customer.

    Args:
        lost: the id of the former customer, which the provider no longer knows.
    """
    if lost:
        await ctx.db.execute(_FORGET, clientid, lost)
    row = await ctx.db.one(_Client, _CLIENT, clientid)
    if row.stripe_custid:
        return row.stripe_custid
    name = row.companyname or row.name
    digest = hashlib.sha256(f"{row.email}\0{name}".encode()).hexdigest()[:16]
    custid = await provider(ctx).customer(clientid, row.email, name, f"customer:{clientid}:{digest}:{lost}")
    await ctx.db.execute(_KEEP, clientid, custid)
    return await ctx.db.value(str, "select stripe_custid from client where clientid = $1", clientid)


async def known(ctx: Context, clientid: int, run: Callable[[str], Awaitable[T]]) -> T:
    """Run a call with the customer of an account, and again with a new one if the provider lost it.

    Customers are deleted at the provider, and are others after a change of the provider's account.
    """
    custid = await customer(ctx, clientid)
    try:
        return await run(custid)
    except Missing as error:
        if error.what != "customer":
            raise
        return await run(await customer(ctx, clientid, lost=custid))
