"""Erase a person who proved an address: from the directory and from every account's contacts; keep only keyed hashes.

With a profile address that person is looked at first. Without one, or when the address is not that person's, every
person is opened and compared: values are sealed, so there is no other way to find an address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from pydantic import BaseModel

from scripts._shared import audit
from tableapi.context import Context
from tableapi.crypto import Vault
from tableapi.scripts import script

BATCH = 20_000


class Input(BaseModel):
    email: str
    key: str = ""


_BATCH = """
    select personid, profilekey, personalcipher, businesscipher from person
    where personid > $1 and (personalcipher is not null or businesscipher is not null) order by personid limit $2
"""
_BY_KEY = "select personid, profilekey, personalcipher, businesscipher from person where profilekey = $1"
_EMPTY_PERSON = """
    update person set full_name = '', title = '', company = '', company_domain = '', country = '',
        personalcipher = null, businesscipher = null, phonecipher = null, updatedon = now() where personid = $1
"""
_EMPTY_CONTACTS = """
    update usercontact set name = 'Removed', emails = null, business_emails = null, phone_numbers = null, deleted = 1
    where personid = $1
"""
_FEEDBACK = "delete from contactfeedback where personid = $1"
_SUPPRESS = """
    insert into suppression (hash, kind, erasedon) values ($1, 'profile', now())
    on conflict (hash) do update set erasedon = now()
"""
_ERASED = "update suppression set erasedon = now() where hash = any($1)"


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    row: Any = await ctx.db.fetchrow(_BY_KEY, input.key) if input.key else None
    if row is not None and input.email in _addresses(ctx.vault, row):
        await _erase(ctx, row)
    else:
        last = 0
        while rows := await ctx.db.fetch(_BATCH, last, BATCH):
            for one in rows:
                if input.email in _addresses(ctx.vault, one):
                    await _erase(ctx, one)
            last = rows[-1]["personid"]
    await ctx.db.execute(_ERASED, ctx.vault.indexes("email", input.email))


def _addresses(vault: Vault, row: Any) -> Iterator[str]:
    if row["personalcipher"] is not None:
        yield from (address.lower() for address in orjson.loads(vault.open_bytes(row["personalcipher"])))
    if row["businesscipher"] is not None:
        yield from (address.lower() for address, _ in orjson.loads(vault.open_bytes(row["businesscipher"])))


async def _erase(ctx: Context, row: Any) -> None:
    async with ctx.db.transaction():
        await ctx.db.execute(_SUPPRESS, ctx.vault.index("profile", row["profilekey"]))
        for statement in (_EMPTY_PERSON, _EMPTY_CONTACTS, _FEEDBACK):
            await ctx.db.execute(statement, row["personid"])
        await audit.write(ctx, "person_removed", row["personid"])
