"""Reveal kinds of contact data of as many as 100 people, with the price before and a ceiling."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from product import call_limits
from product.callers import Caller
from product.contacts import asked, purchase
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.people import profile_url
from product.people.directory import Person
from product.people.kinds import Kind
from product.people.search import PeopleSearch
from product.roles import SESSION
from tableapi import script

MAX_PEOPLE = 100


class Input(BaseModel):
    """Either `linkedinurls`, or `search` with `first`, in the order of the search."""

    linkedinurls: list[Annotated[str, Field(max_length=2000)]] = Field(default=[], max_length=MAX_PEOPLE)
    search: PeopleSearch | None = None
    first: int = Field(default=MAX_PEOPLE, ge=1, le=MAX_PEOPLE)
    kinds: list[Kind] = Field(min_length=1, max_length=3)
    max_credits: int | None = Field(default=None, ge=0)
    dry_run: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Input:
        if bool(self.linkedinurls) == (self.search is not None):
            raise PydanticCustomError("urls_or_search", "Send either linkedinurls or search")
        return self


class Item(BaseModel):
    """The outcome for one person. `contactid`: the contact that now has the values."""

    linkedinurl: str
    contactid: int | None = None
    charged: int
    status: Literal["found", "not_found", "no_credit", "invalid"]
    owned: list[str]
    unpaid: list[str]


class Output(BaseModel):
    price: int
    charged: int
    credits: Balances
    resource: list[Item]


@script(roles=SESSION, limit=call_limits.REVEALMANY, repeatable=True, seconds=60, errors=(402,))
async def run(ctx: Context, input: Input) -> Output:
    caller = Caller(ctx.actor.clientid, ctx.actor.appuserid)
    named = await asked.find(ctx, caller, input.linkedinurls, input.search, input.first)
    people = list({person.personid: person for _, person, _ in named if person is not None}.values())
    kinds: list[str] = list(dict.fromkeys(input.kinds))
    found = await purchase.quote(ctx, caller.clientid, people, kinds)
    if input.dry_run:
        left = await balance.balances(ctx, caller.clientid)
        items = [_item(ctx, *each, kinds, None, found) for each in named]
        return Output(price=found.price, charged=0, credits=left, resource=items)
    purchase.check_ceiling(found.price, input.max_credits)
    bought, left = await purchase.buy(ctx, caller, people, kinds, found)
    charged = sum(item.charged for item in bought.values())
    items = [_item(ctx, *each, kinds, bought, found) for each in named]
    return Output(price=found.price, charged=charged, credits=left, resource=items)


def _item(
    ctx: Context,
    address: str,
    person: Person | None,
    valid: bool,
    kinds: list[str],
    bought: dict[int, purchase.Bought] | None,
    found: purchase.Quote,
) -> Item:
    if person is None or not any(person.has(kind) for kind in kinds):
        url = profile_url.url_of(address, ctx.settings.profile_host) if valid else address[:2000]
        return Item(linkedinurl=url, charged=0, status="not_found" if valid else "invalid", owned=[], unpaid=[])
    url = profile_url.url_of(person.key, ctx.settings.profile_host)
    if bought is None:
        owned = list(found.owned[person.personid])
        return Item(linkedinurl=url, charged=0, status="found", owned=owned, unpaid=[])
    item = bought[person.personid]
    charged, item.charged = item.charged, 0  # a person named twice is charged only the first time
    status: Literal["found", "no_credit"] = "no_credit" if item.unpaid else "found"
    return Item(
        linkedinurl=url, contactid=item.contact and item.contact.contactid, charged=charged, status=status,
        owned=list(item.owned), unpaid=item.unpaid,
    )  # fmt: skip
