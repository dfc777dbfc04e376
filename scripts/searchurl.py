"""Find a person by profile address, free of charge. Values not paid for are masked.

`revealed` lists the kinds that the account has paid for, with user and time; they cost nothing again.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, model_validator
from pydantic_core import PydanticCustomError

from product import call_limits
from product.contacts import contact
from product.contacts.contact import MASKED_EMAIL, MASKED_PHONE
from product.context import Context
from product.people import directory, profile_url, search_use
from product.people.directory import Person
from product.roles import SESSION
from tableapi import script

HINT = "Send at least one of personal, business and phone as true."


class Input(BaseModel):
    linkedinurl: str
    personal: bool = False
    business: bool = False
    phone: bool = False

    @model_validator(mode="after")
    def _one_box(self) -> Input:
        if not (self.personal or self.business or self.phone):
            raise PydanticCustomError("options_missing", "Please choose options", {"hint": HINT})
        return self


class CardEmail(BaseModel):
    address: str
    type: str
    encrypted: bool
    validation: str | None = None
    verification: str | None = None


class Earlier(BaseModel):
    """A kind that the account has paid for. `name` is None for a reveal by an API key.

    `returnedon`: when the credit came back, for a value that proved to be wrong.
    """

    type: str
    appuserid: int | None
    name: str | None
    revealedon: datetime
    returnedon: datetime | None


class Card(BaseModel):
    full_name: str
    linkedinurl: str
    title: str
    company: str
    country: str
    company_domain: str
    city: str
    firstseen: datetime | None
    lastchecked: datetime | None
    emails: list[CardEmail]
    phone_numbers: list[str]
    phone_encrypted: bool
    business_email_encrypted: bool
    personal_email_encrypted: bool
    bus_email_validation: str | None
    revealed: list[Earlier]


class Output(BaseModel):
    data: list[Card]


_PAID = """
    select r.kind as type, r.appuserid, u.name, r.createdon as revealedon, b.createdon as returnedon
    from reveal r left join appuser u using (appuserid)
    left join creditback b on b.clientid = r.clientid and b.personid = r.personid and b.kind = r.kind
    where r.clientid = $1 and r.personid = $2
"""


@script(roles=SESSION, limit=call_limits.SEARCHURL, agents=True, scope="read")
async def run(ctx: Context, input: Input) -> Output:
    key = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host)
    person = await directory.find(ctx, key)
    await search_use.shown(ctx, ctx.actor.clientid, [person.personid] if person is not None else [])
    if person is None:
        return Output(data=[])
    rows = await ctx.db.all(Earlier, _PAID, ctx.actor.clientid, person.personid)
    return Output(data=[_card(ctx, person, input, rows)])


def _card(ctx: Context, person: Person, input: Input, revealed: list[Earlier]) -> Card:
    """Return the requested kinds of a person: values paid for in clear, a mask for every other value."""

    paid = {one.type for one in revealed}

    def hidden(kind: str, requested: bool) -> bool:
        return requested and person.has(kind) and kind not in paid

    business = [address for address, _ in person.business] if input.business else []
    phones = list(person.phones) if input.phone else []
    business_hidden = hidden("businessemail", input.business)
    personal_hidden = hidden("personalemail", input.personal)
    phone_hidden = hidden("directdial", input.phone)
    emails = _emails(ctx, "business", business, business_hidden)
    for email, (_, validity) in zip(emails, person.business, strict=False):
        email.validation = directory.as_validity(validity)
        email.verification = validity
    emails += _emails(ctx, "personal", list(person.personal) if input.personal else [], personal_hidden)
    return Card(
        full_name=person.full_name,
        title=person.title,
        company=person.company,
        country=person.country,
        company_domain=person.company_domain,
        city=person.city,
        firstseen=person.firstseen,
        lastchecked=person.updatedon,
        linkedinurl=profile_url.url_of(person.key, ctx.settings.profile_host),
        emails=emails,
        phone_numbers=[MASKED_PHONE] * len(phones) if phone_hidden else contact.shown(ctx, phones),
        phone_encrypted=phone_hidden,
        business_email_encrypted=business_hidden,
        personal_email_encrypted=personal_hidden,
        bus_email_validation=person.validation if input.business else None,
        revealed=revealed,
    )


def _emails(ctx: Context, type_: str, addresses: list[str], masked: bool) -> list[CardEmail]:
    shown = [MASKED_EMAIL] * len(addresses) if masked else contact.shown(ctx, addresses)
    return [CardEmail(address=address, type=type_, encrypted=masked) for address in shown]
