"""Erase the person behind a confirmed email address from all tables. Only keyed hashes stay.

Erases directory, contacts, notes, feedback, bulk lookups and stored responses, including the profile address.

If the request names the profile and it has the address, only that person is erased. Otherwise every person and contact
is decrypted and compared, because encrypted values cannot be searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from pydantic import BaseModel

from product.contacts.contact import emails_of
from product.context import Context
from product.people import erasure
from tableapi import Vault, script

BATCH = 20_000


class Input(BaseModel):
    email: str
    key: str = ""


_BATCH = """
    select personid, profilekey, personalcipher, businesscipher from person
    where personid > $1 and (personalcipher is not null or businesscipher is not null) order by personid limit $2
"""
_CONTACTS = """
    select c.contactid, c.emails, p.personid, p.profilekey from usercontact c join person p using (personid)
    where c.contactid > $1 and c.emails is not null order by c.contactid limit $2
"""
_BY_KEY = "select personid, profilekey, personalcipher, businesscipher from person where profilekey = $1"
_ERASED = "update suppression set erasedon = now() where hash = any($1)"


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    row: Any = await ctx.db.fetchrow(_BY_KEY, input.key) if input.key else None
    if row is not None and input.email in _addresses(ctx.vault, row):
        touched = [await erasure.erase(ctx, row)]
    else:
        touched, last = [], 0
        while rows := await ctx.db.fetch(_BATCH, last, BATCH):
            for person in rows:
                if input.email in _addresses(ctx.vault, person):
                    touched.append(await erasure.erase(ctx, person))
            last = rows[-1]["personid"]
        touched += await _by_contacts(ctx, input.email)
    await erasure.recount(ctx, touched)
    await ctx.db.execute(_ERASED, ctx.vault.indexes("email", input.email))


async def _by_contacts(ctx: Context, email: str) -> list[str]:
    """Erase people with an address that is no longer in the directory but still in contacts of accounts."""
    last, touched, erased = 0, list[str](), set[int]()
    while rows := await ctx.db.fetch(_CONTACTS, last, BATCH):
        for contact in rows:
            addresses = {item["address"].lower() for item in emails_of(ctx.vault, contact)}
            if contact["personid"] not in erased and email in addresses:
                touched.append(await erasure.erase(ctx, contact))
                erased.add(contact["personid"])
        last = rows[-1]["contactid"]
    return touched


def _addresses(vault: Vault, row: Any) -> Iterator[str]:
    if row["personalcipher"] is not None:
        yield from (address.lower() for address in orjson.loads(vault.open_bytes(row["personalcipher"])))
    if row["businesscipher"] is not None:
        yield from (address.lower() for address, _ in orjson.loads(vault.open_bytes(row["businesscipher"])))
