"""Look up as many as 100 people by API key: by profile address, e-mail address, or name and company.

A person named by an e-mail address is found only if a value was paid for, now or before: otherwise the response would
confirm guessed addresses for free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from product import api_keys, call_limits, callers, idempotent
from product.callers import Caller
from product.contacts import agents, enrichment, purchase
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.people import profile_url
from product.people.kinds import Kind
from product.sample import answers
from tableapi import script

MAX_PEOPLE = 100
PHONES = "directdial"


class Wanted(BaseModel):
    """One person. `reference` is returned as it was sent."""

    model_config = ConfigDict(extra="forbid")

    reference: Annotated[str, Field(max_length=200)] | int | None = None
    linkedinurl: str = Field(default="", max_length=2000)
    email: str = Field(default="", max_length=254)
    name: str = Field(default="", max_length=200)
    company: str = Field(default="", max_length=200)


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    people: list[Wanted] = Field(min_length=1, max_length=MAX_PEOPLE)
    kinds: list[Kind] = Field(min_length=1, max_length=3)
    max_credits: int | None = Field(default=None, ge=0)
    dry_run: bool = False


class Person(BaseModel):
    linkedinurl: str
    full_name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    phones: list[str]
    business_emails: list[agents.Email]
    personal_emails: list[agents.Email]


_ADVICE = {
    "bad_profile": f"linkedinurl is not the address of a person's profile, such as {profile_url.EXAMPLE}.",
    "no_identifier": "Send linkedinurl, email, or name and company of the person.",
    "ambiguous": "Several people have this name at this company. Send linkedinurl.",
}


class Item(BaseModel):
    """The result of one person. `message` says what to send instead, if the input was the reason."""

    reference: str | int | None = None
    status: Literal["found", "not_found", "no_credit"]
    reason: str = ""
    message: str = ""
    person: Person | None = None
    charged: int = 0
    owned: list[str] = []

    @model_validator(mode="after")
    def _advised(self) -> Item:
        self.message = _ADVICE.get(self.reason, "")
        return self


class Output(BaseModel):
    price: int
    charged: int
    credits: Balances
    resource: list[Item]


@script(
    public=True,
    own_key=api_keys.own_key("enrich"),
    limit=f"{call_limits.ENRICH}, 120/minute per ip",
    tag="Enrichment",
    seconds=60,
    errors=(402, 409),
)
@answers.served(answers.enrich, "enrich", call_limits.ENRICH)
async def run(ctx: Context, input: Input) -> Output | Response:
    caller = await callers.by_key(ctx, "enrich", call_limits.ENRICH)
    return await idempotent.once(ctx, caller.keyid or 0, input, lambda: _enrich(ctx, caller, input))


async def _enrich(ctx: Context, caller: Caller, input: Input) -> Output:
    kinds = list(dict.fromkeys(input.kinds))
    wanted = [enrichment.Wanted(each.linkedinurl, each.email, each.name, each.company) for each in input.people]
    addresses = callers.Addresses(ctx, caller, len(enrichment.addresses(wanted)))
    found = await enrichment.find(ctx, wanted)
    shown, hidden = await enrichment.disclosed(ctx, caller, wanted, found, kinds)
    named = [match.person for match in shown if match.person is not None]
    price = await purchase.quote(ctx, caller.clientid, named, kinds)
    if input.dry_run:
        ctx.headers["X-Credits-Price"] = str(price.price)
        left = await balance.balances(ctx, caller.clientid)
        addresses.paid(len(enrichment.addresses(wanted, shown)))
        items = [_quoted(each, match, kinds, price) for each, match in zip(input.people, shown, strict=True)]
        return Output(price=price.price, charged=0, credits=left, resource=items)
    purchase.check_ceiling(price.price, input.max_credits)
    bought, left = await purchase.buy(ctx, caller, named, kinds, price)
    total = price.price
    if more := purchase.affordable(hidden, kinds, bought, left, input.max_credits):
        asked = await purchase.quote(ctx, caller.clientid, more, kinds)
        paid, left = await purchase.buy(ctx, caller, more, kinds, asked)
        bought |= paid
        total += sum(item.charged for item in paid.values())
    charged = sum(item.charged for item in bought.values())
    final = enrichment.paid(wanted, found, bought)
    addresses.paid(len(enrichment.addresses(wanted, final)))
    await enrichment.count_use(ctx, caller, final, kinds, bought)
    items = [_item(ctx, each, match, bought) for each, match in zip(input.people, final, strict=True)]
    ctx.headers |= {"X-Credits-Price": str(total), "X-Credits-Charged": str(charged)}
    return Output(price=total, charged=charged, credits=left, resource=items)


def _quoted(wanted: Wanted, match: enrichment.Match, kinds: Sequence[str], price: purchase.Quote) -> Item:
    """Return one result of a dry run: the outcome and the owned kinds, without personal data."""
    item = Item(reference=wanted.reference, status=match.status, reason=match.why)
    if match.person is not None:
        item.owned = list(price.owned[match.person.personid])
        if not any(match.person.has(kind) for kind in kinds):
            item.status, item.reason = "not_found", "no_data"
    return item


def _item(ctx: Context, wanted: Wanted, match: enrichment.Match, bought: dict[int, purchase.Bought]) -> Item:
    item = Item(reference=wanted.reference, status=match.status, reason=match.why)
    if match.person is None:
        return item
    done, person = bought[match.person.personid], match.person
    item.owned = list(done.owned)
    item.charged, done.charged = done.charged, 0  # a person named twice is charged only the first time
    if done.unpaid:
        item.status, item.reason = "no_credit", "no_credit"
    elif not done.revealed:
        item.status, item.reason = "not_found", "no_data"
    if not done.revealed:
        return item
    item.person = Person(
        linkedinurl=profile_url.url_of(person.key, ctx.settings.profile_host),
        full_name=person.full_name,
        title=person.title,
        company=person.company,
        company_domain=person.company_domain,
        country=person.country,
        city=person.city,
        phones=list(person.phones) if PHONES in done.revealed else [],
        business_emails=agents.emails(done, "businessemail"),
        personal_emails=agents.emails(done, "personalemail"),
    )
    return item
