"""Convert rows of usercontact to responses, and build the values that a reveal writes into a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import orjson
from pydantic import BaseModel

from product.context import Context
from product.people.directory import Person
from tableapi import Vault, unseal

COLUMNS = (
    "contactid, name, linkedinurl, emails, business_emails, phone_numbers, bus_email_validation, phonecost,"
    " businessemailcost, personalemailcost, deleted, revealedby, dialrevealedby, createdon::text as createdon"
)
SEALED = ("emails", "business_emails", "phone_numbers")
EMAIL_TYPE = {"businessemail": "business", "personalemail": "personal"}
MASKED_EMAIL, MASKED_PHONE = "*****@****.***", "+**********"


class Address(TypedDict):
    """An address in the stored JSON."""

    address: str
    type: str


class Contact(BaseModel):
    """A revealed contact.

    `emails` is JSON text of {address, type}; the other lists are comma-separated text.
    """

    contactid: int
    name: str
    linkedinurl: str
    emails: str | None
    business_emails: str | None
    phone_numbers: str | None
    bus_email_validation: str | None
    phonecost: int
    businessemailcost: int
    personalemailcost: int
    deleted: int
    revealedby: int | None
    dialrevealedby: int | None
    createdon: str


def opened(ctx: Context, row: Contact) -> Contact:
    """Return a sealed row of usercontact, its sealed fields decrypted or encrypted for the session."""
    values = unseal(ctx.vault, [getattr(row, name) for name in SEALED], ctx.wire)
    return row.model_copy(update=dict(zip(SEALED, values, strict=True)))


def emails_of(vault: Vault, emails: str | None) -> list[Address]:
    """Return the addresses in sealed `emails`, as {address, type}."""
    items: list[Address] = orjson.loads(vault.open(emails)) if emails else []
    return items


def phones_of(vault: Vault, phone_numbers: str | None) -> list[str]:
    """Return the numbers in sealed `phone_numbers`."""
    return [number for number in vault.open(phone_numbers).split(",") if number] if phone_numbers else []


def _items(person: Person, kind: str) -> list[Address]:
    addresses = [address for address, _ in person.business] if kind == "businessemail" else list(person.personal)
    return [{"address": address, "type": EMAIL_TYPE[kind]} for address in addresses]


def sealed_values(vault: Vault, person: Person, kind: str) -> tuple[str | None, ...]:
    """Return the encrypted values that a reveal of this kind writes into a contact.

    The tuple contains: emails of this kind, emails of both kinds, business_emails, phone_numbers, validation. Emails of
    both kinds are None when the directory has none of the other kind.
    """
    if kind == "directdial":
        return None, None, None, vault.seal(",".join(person.phones)), None
    other = "personalemail" if kind == "businessemail" else "businessemail"
    mine, others = _items(person, kind), _items(person, other)
    emails = vault.seal(orjson.dumps(mine).decode())
    both = vault.seal(orjson.dumps(others + mine).decode()) if others else None
    if kind == "personalemail":
        return emails, both, None, None, None
    return emails, both, vault.seal(",".join(item["address"] for item in mine)), None, person.validation


def merged_emails(vault: Vault, person: Person, kind: str, present: str | None) -> str:
    """Return `emails` with the addresses of one kind replaced and the others unchanged."""
    items = [] if present is None else orjson.loads(vault.open(present))
    others = [item for item in items if item["type"] != EMAIL_TYPE[kind]]
    return vault.seal(orjson.dumps(others + _items(person, kind)).decode())


def shown(ctx: Context, values: Sequence[str]) -> list[str]:
    """Return paid values in response format: plain, or encrypted for the session on request."""
    return [ctx.wire.encrypt(value) for value in values] if ctx.wire else list(values)
