"""Shared code of the agents' tools: the caller, the requested people, and a person as a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from product import callers
from product.callers import Caller
from product.contacts import asked, purchase
from product.contacts.purchase import Bought, Quote
from product.context import Context
from product.people import profile_url
from product.people.directory import Person
from product.people.kinds import Kind
from product.people.search import PeopleSearch

MAX_PEOPLE = 100
ASK = "Nothing was charged. Ask your user, then repeat the call with max_credits set to at least the price."
_AGENT = "select agent from usersession where tokenhash = decode($1, 'hex') and agent is not null"


class Wanted(BaseModel):
    """People by address, or the first of a search, and the kinds of contact data."""

    model_config = ConfigDict(extra="forbid")

    linkedinurls: list[Annotated[str, Field(max_length=2000)]] = Field(default=[], max_length=MAX_PEOPLE)
    search: PeopleSearch | None = Field(default=None, description="Filters of search_people, instead of linkedinurls.")
    first: int = Field(default=10, ge=1, le=MAX_PEOPLE, description="People of the search.")
    kinds: list[Kind] = Field(min_length=1, max_length=3)

    @model_validator(mode="after")
    def _one_way(self) -> Wanted:
        if bool(self.linkedinurls) == (self.search is not None):
            raise PydanticCustomError("urls_or_search", "Send either linkedinurls or search")
        return self


class Email(BaseModel):
    address: str
    verification: str
    checkedon: datetime


class Revealed(BaseModel):
    """One person: the price or the credits charged, and the values that were paid for."""

    linkedinurl: str
    status: str  # found, not_found, no_credit or invalid
    full_name: str = ""
    title: str = ""
    company: str = ""
    owned: list[str] = []
    price: int = 0
    charged: int = 0
    phones: list[str] = []
    business_emails: list[Email] = []
    personal_emails: list[Email] = []


async def caller(ctx: Context, scope: str, limits: str, tool: str, *, spends: bool = False) -> Caller:
    """Return the caller of a tool, with the name of the tool and of the agent that a user signed in.

    Raises the errors of `callers.session_or_key`.
    """
    found = await callers.session_or_key(ctx, scope, limits, spends=spends)
    agent = await ctx.db.first_value(str, _AGENT, ctx.actor.session) if ctx.actor.scopes is not None else None
    return replace(found, tool=f"{tool}, {agent}" if agent else tool)


async def quote(ctx: Context, caller: Caller, wanted: Wanted) -> tuple[list[asked.Asked], list[Person], Quote]:
    """Return the requested addresses in order, the people, and the price of values not owned yet."""
    named = await asked.find(ctx, caller, wanted.linkedinurls, wanted.search, wanted.first)
    people = list({person.personid: person for _, person, _ in named if person is not None}.values())
    return named, people, await purchase.quote(ctx, caller.clientid, people, wanted.kinds)


def priced(ctx: Context, named: asked.Asked, kinds: Sequence[str], price: Quote) -> Revealed:
    """Return a person with its price and without any value."""
    address, person, valid = named
    if person is None:
        url = profile_url.url_of(address, ctx.settings.profile_host) if valid else address[:2000]
        return Revealed(linkedinurl=url, status="not_found" if valid else "invalid")
    owned = price.owned[person.personid]
    new = [kind for kind in dict.fromkeys(kinds) if person.has(kind) and kind not in owned]
    return Revealed(
        linkedinurl=profile_url.url_of(person.key, ctx.settings.profile_host),
        status="found" if new or set(owned) & set(kinds) else "not_found", full_name=person.full_name,
        title=person.title, company=person.company, owned=list(owned), price=len(new),
    )  # fmt: skip


def revealed(item: Revealed, person: Person, done: Bought) -> Revealed:
    """Add the values that were paid for, now or before."""
    item.charged, done.charged = done.charged, 0  # a person named twice is charged only the first time
    item.owned = list(done.owned)
    if done.unpaid:
        item.status = "no_credit"
    if "directdial" in done.revealed:
        item.phones = list(person.phones)
    item.business_emails, item.personal_emails = emails(done, "businessemail"), emails(done, "personalemail")
    return item


def emails(done: Bought, kind: str) -> list[Email]:
    """Return the addresses of a kind that were paid for."""
    return [
        Email(address=check.address, verification=check.verification, checkedon=check.checkedon)
        for check in done.checks.get(kind, ())
    ]
