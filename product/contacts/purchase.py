"""Reveal several kinds of several people: the price first, then each value, charged once per account.

Each value is one reveal (product/contacts/reveal.py), so races and repeats behave as for a single one. Without credits
for a kind, values that the account already owns are still returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from product.callers import Caller
from product.contacts import reveal
from product.contacts.contact import Contact
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances, NoCredit, SubscriptionExpired
from product.people import email_checks, search_use
from product.people.directory import Person
from product.people.email_checks import Check
from product.people.search_terms import KINDS
from tableapi import ApiError

CHECKS_AT_ONCE = 20  # people with addresses to look up in the DNS
_OWNED = "select personid, kind from reveal where clientid = $1 and personid = any($2)"


@dataclass(frozen=True, slots=True)
class _Owned:
    personid: int
    kind: str


@dataclass(slots=True)
class Bought:
    """The outcome for one person: the credits charged, the kinds paid for, and the kinds without credits.

    `owned`: the kinds that another call has paid for, before this one or while it ran.
    """

    person: Person
    charged: int = 0
    owned: tuple[str, ...] = ()
    revealed: list[str] = field(default_factory=list)
    unpaid: list[str] = field(default_factory=list)
    contact: Contact | None = None
    checks: dict[str, list[Check]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quote:
    """The kinds that the account already owns of each person, and the price of the others."""

    owned: Mapping[int, tuple[str, ...]]
    price: int


async def quote(ctx: Context, clientid: int, people: Sequence[Person], kinds: Sequence[str]) -> Quote:
    """Return the price of some kinds for people that the call shows. Owned values are free.

    Raises TooMany (429): the plan shows no more people today.
    """
    await search_use.shown(ctx, clientid, [person.personid for person in people])
    return await price(ctx, clientid, people, kinds)


async def price(ctx: Context, clientid: int, people: Sequence[Person], kinds: Sequence[str]) -> Quote:
    """Return the price like `quote`, for people that the call may keep to itself."""
    by_id = {person.personid: person for person in people}
    owned = await _owned(ctx, clientid, list(by_id))
    total = sum(
        person.has(kind) and kind not in owned[ident]
        for ident, person in by_id.items()
        for kind in dict.fromkeys(kinds)
    )
    return Quote(owned, total)


async def _owned(ctx: Context, clientid: int, personids: list[int]) -> dict[int, tuple[str, ...]]:
    """Return the kinds that the account has paid for, by person."""
    rows = await ctx.db.all(_Owned, _OWNED, clientid, personids)
    paid = {(row.personid, row.kind) for row in rows}
    return {ident: tuple(kind for kind in KINDS if (ident, kind) in paid) for ident in personids}


def check_ceiling(price: int, most: int | None) -> None:
    """Raise ApiError (402) for a price above the caller's ceiling."""
    if most is not None and price > most:
        raise ApiError(
            f"This costs {price:,} credit{'s' * (price != 1)}, more than max_credits ({most:,}). Nothing was charged.",
            context={"price": price, "max_credits": most},
            status=402,
            reason="over_ceiling",
        )


def affordable(
    people: Iterable[Person], kinds: Sequence[str], bought: Mapping[int, Bought], left: Balances, most: int | None
) -> list[Person]:
    """Return the people with a kind that can be paid for, in order and under the ceiling `most`.

    bought: what the call has bought already; it counts against the ceiling, and its people are left out.
    """
    budget = None if most is None else most - sum(item.charged for item in bought.values())
    chosen = []
    for person in people:
        has = [kind for kind in kinds if person.has(kind)]
        if person.personid in bought or not any(getattr(left, balance.CREDIT[kind]) for kind in has):
            continue
        if budget is not None:
            if len(has) > budget:
                continue
            budget -= len(has)
        chosen.append(person)
    return chosen


async def buy(
    ctx: Context, caller: Caller, people: Sequence[Person], kinds: Sequence[str], found: Quote
) -> tuple[dict[int, Bought], Balances]:
    """Reveal the kinds of each person, in order, and check the addresses.

    Returns the outcome for each person, by id, and the remaining balances.
    """
    bought: dict[int, Bought] = {}
    owned = found.owned
    empty: set[str] = set()  # kinds without credits
    left = found.price  # a value that was not part of the price is not bought
    for person in people:
        if person.personid in bought:
            continue
        paid = set(owned.get(person.personid, ()))
        item = bought[person.personid] = Bought(person)
        for kind in dict.fromkeys(kinds):
            if not person.has(kind):
                continue
            if kind not in owned.get(person.personid, ()) and (kind in empty or left <= 0):
                item.unpaid.append(kind)
                continue
            try:
                done = await reveal.reveal(
                    ctx,
                    person,
                    kind,
                    clientid=caller.clientid,
                    appuserid=caller.appuserid,
                    keyid=caller.keyid,
                    tool=caller.tool,
                )
            except (NoCredit, SubscriptionExpired):
                empty.add(kind)
                item.unpaid.append(kind)
                # Values that another request has bought in the meantime are still returned.
                owned = await _owned(ctx, caller.clientid, [each.personid for each in people])
                continue
            left -= done.charged
            item.charged += done.charged
            if not done.charged:
                paid.add(kind)
            item.revealed.append(kind)
            item.contact = done.contact
        item.owned = tuple(kind for kind in KINDS if kind in paid)
    await _check(ctx, caller, bought.values())
    return bought, await balance.balances(ctx, caller.clientid)


async def _check(ctx: Context, caller: Caller, bought: Iterable[Bought]) -> None:
    """Check the addresses that were paid for, for several people at a time."""
    gate = asyncio.Semaphore(CHECKS_AT_ONCE)

    async def one(item: Bought, kind: str) -> None:
        async with gate:
            item.checks[kind] = await email_checks.check_person(ctx, item.person, kind)
            if kind == "businessemail":
                await email_checks.keep(ctx, caller.clientid, item.person, item.checks[kind])

    await asyncio.gather(*(one(item, kind) for item in bought for kind in item.revealed if kind != "directdial"))
