"""Erase the person behind a confirmed email address from all tables. Only keyed hashes are kept.

Erases directory, contacts, notes, feedback, bulk lookups and stored responses, including the profile address.

If the request names the profile and it has the address, only that person is erased. Otherwise people and contacts are
found by the keyed hash of the address, and only these are decrypted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson
from pydantic import BaseModel

from product import emails
from product.contacts.contact import emails_of
from product.context import Context
from product.people import erasure, indexing, search_terms
from tableapi import Vault, script

BATCH = 1_000


@dataclass(frozen=True, slots=True)
class _Person:
    personid: int
    profilekey: str
    personalcipher: bytes | None
    businesscipher: bytes | None


@dataclass(frozen=True, slots=True)
class _Contact:
    contactid: int
    emails: str | None
    personid: int
    profilekey: str


class Input(BaseModel):
    email: str
    key: str = ""


_PERSON = "select personid, profilekey, personalcipher, businesscipher from person"
# A confirmed removal has hidden its people (product/people/directory.py), which leaves them without terms.
_HIDDEN = f"{_PERSON} where personid > $1 and searchable = '' and full_name <> '' order by personid limit $2"
_FOUND = f"{_PERSON} where searchable @@ $1::text::tsquery"
_CONTACTS = """
    select c.contactid, c.emails, p.personid, p.profilekey from usercontact c join person p using (personid)
    where c.emailhashes && $1::bytea[]
"""
_BY_KEY = f"{_PERSON} where profilekey = $1"
_ERASED = "update suppression set erasedon = now() where hash = any($1)"


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    row = await ctx.db.first(_Person, _BY_KEY, input.key) if input.key else None
    if row is not None and input.email in _addresses(ctx.vault, row):
        touched = [await _erase(ctx, row)]
    else:
        await indexing.fill(ctx)  # so that the hashes below name every row
        touched = [await _erase(ctx, person) for person in await _people(ctx, input.email)]
        touched += await _by_contacts(ctx, input.email)
    await erasure.finish(ctx, touched)
    await ctx.db.execute(_ERASED, ctx.vault.indexes("email", input.email))


async def _people(ctx: Context, email: str) -> list[_Person]:
    rows = await ctx.db.all(_Person, _FOUND, search_terms.email_query(ctx.vault, email))
    found = [row for row in rows if email in _addresses(ctx.vault, row)]
    last = 0
    while rows := await ctx.db.all(_Person, _HIDDEN, last, BATCH):
        found += [row for row in rows if email in _addresses(ctx.vault, row)]
        last = rows[-1].personid
    return found


async def _by_contacts(ctx: Context, email: str) -> list[str]:
    """Erase people with an address that is no longer in the directory but still in contacts of accounts."""
    touched, erased = list[str](), set[int]()
    for contact in await ctx.db.all(_Contact, _CONTACTS, search_terms.email_hashes(ctx.vault, email)):
        addresses = {emails.normal(item["address"]) for item in emails_of(ctx.vault, contact.emails)}
        if contact.personid not in erased and email in addresses:
            touched.append(await _erase(ctx, contact))
            erased.add(contact.personid)
    return touched


async def _erase(ctx: Context, row: _Person | _Contact) -> str:
    return await erasure.erase(ctx, row.personid, row.profilekey)


def _addresses(vault: Vault, row: _Person) -> Iterator[str]:
    if row.personalcipher is not None:
        yield from (emails.normal(address) for address in orjson.loads(vault.open_bytes(row.personalcipher)))
    if row.businesscipher is not None:
        yield from (emails.normal(address) for address, _ in orjson.loads(vault.open_bytes(row.businesscipher)))
