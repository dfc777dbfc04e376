"""Find a person by profile address. Free: what the account has not paid for is shown as a mask."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, model_validator

from scripts._shared.contacts import contact
from scripts._shared.contacts.contact import MASKED_EMAIL, MASKED_PHONE
from scripts._shared.context import Context
from scripts._shared.people import directory, profile_url
from scripts._shared.people.directory import Person
from scripts._shared.roles import SESSION
from tableapi.endpoints.registry import script


class Input(BaseModel):
    linkedinurl: str
    personal: bool = False
    business: bool = False
    phone: bool = False

    @model_validator(mode="after")
    def _one_box(self) -> Input:
        if not (self.personal or self.business or self.phone):
            raise ValueError("Please choose options")
        return self


class Email(BaseModel):
    address: str
    type: str
    encrypted: bool
    validation: str | None = None


class Found(BaseModel):
    full_name: str
    linkedinurl: str
    emails: list[Email]
    phone_numbers: list[str]
    phone_encrypted: bool
    business_email_encrypted: bool
    personal_email_encrypted: bool
    bus_email_validation: str | None


class Output(BaseModel):
    data: list[Found]


_PAID = "select kind from reveal where clientid = $1 and personid = $2"


@script(roles=SESSION, limit="60/minute per session, 2000/day per user")
async def run(ctx: Context, input: Input) -> Output:
    key = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host)
    person = await directory.find(ctx, key)
    if person is None:
        return Output(data=[])
    paid = {row["kind"] for row in await ctx.db.fetch(_PAID, ctx.actor.clientid, person.personid)}
    return Output(data=[_card(ctx, person, input, paid)])


def _card(ctx: Context, person: Person, input: Input, paid: set[Any]) -> Found:
    """The card: values that were paid for, a mask for each other value, nothing of a box that is not ticked."""

    def hidden(kind: str, wanted: bool) -> bool:
        return wanted and person.has(kind) and kind not in paid

    business = [address for address, _ in person.business] if input.business else []
    phones = list(person.phones) if input.phone else []
    no_business = hidden("businessemail", input.business)
    no_personal = hidden("personalemail", input.personal)
    no_phone = hidden("directdial", input.phone)
    emails = _emails(ctx, "business", business, no_business)
    for email, (_, validity) in zip(emails, person.business, strict=False):
        email.validation = validity
    emails += _emails(ctx, "personal", list(person.personal) if input.personal else [], no_personal)
    return Found(
        full_name=person.full_name,
        linkedinurl=profile_url.url_of(person.key, ctx.settings.profile_host),
        emails=emails,
        phone_numbers=[MASKED_PHONE] * len(phones) if no_phone else contact.shown(ctx, phones),
        phone_encrypted=no_phone,
        business_email_encrypted=no_business,
        personal_email_encrypted=no_personal,
        bus_email_validation=person.validation if input.business else None,
    )


def _emails(ctx: Context, type_: str, addresses: list[str], masked: bool) -> list[Email]:
    shown = [MASKED_EMAIL] * len(addresses) if masked else contact.shown(ctx, addresses)
    return [Email(address=address, type=type_, encrypted=masked) for address in shown]
