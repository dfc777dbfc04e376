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

from product import audit
from product.bulk import job
from product.context import Context
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
_EMPTY_PERSON = """
    update person set profilekey = 'removed/' || personid, full_name = '', title = '', company = '', country = '',
        company_domain = '', city = '', industry = '', company_size = '', seniority = '', jobfunction = '',
        verification = null, searchable = '', personalcipher = null, businesscipher = null, phonecipher = null,
        updatedon = now()
    where personid = $1
"""
_EMPTY_CONTACTS = """
    update usercontact set name = 'Removed', linkedinurl = '', bus_email_validation = null, emails = null,
        business_emails = null, phone_numbers = null, title = '', company = '', company_domain = '', country = '',
        city = '', verification = null, checkedon = null, deleted = 1
    where personid = $1
"""
_ALIASES = "delete from personalias where personid = $1 returning profilekey"
_NOTES = "delete from contactmeta m using usercontact c where c.contactid = m.contactid and c.personid = $1"
_LOOKUPS = """
    update bulkrow r set linkedinurl = '' from usercontact c where c.contactid = r.contactid and c.personid = $1
"""
# Lookups without a result refer to no contact, but the typed address contains the last part of the profile key.
_TYPED = """
    select jobid, line, linkedinurl from bulkrow
    where contactid is null and (position($1 in lower(linkedinurl)) > 0 or linkedinurl ~ '%|[^ -~]')
"""
_UNTYPE = "update bulkrow set linkedinurl = '' where jobid = $1 and line = $2"
_ANSWERS = """
    delete from idempotency i using usercontact c, appuser u
    where c.personid = $1 and u.clientid = c.clientid and i.principal = 'user:appuserid=' || u.appuserid
      and i.route ~ 'getcontact|searchurl|searchname|contactmeta_addupdate|usercontact|contactfeedback|revealmany'
"""
_ANSWERS_OF_KEYS = """
    delete from idempotency i using usercontact c, apikeys k
    where c.personid = $1 and k.clientid = c.clientid and i.principal = 'apikey:' || k.keyid
"""
_FEEDBACK = "delete from contactfeedback where personid = $1"
_LISTS = "delete from contactlistitem where personid = $1"
_STATEMENTS = (
    _ANSWERS, _ANSWERS_OF_KEYS, _LISTS, _NOTES, _LOOKUPS, _EMPTY_PERSON, _EMPTY_CONTACTS, _FEEDBACK,
)  # fmt: skip
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
            for person in rows:
                if input.email in _addresses(ctx.vault, person):
                    await _erase(ctx, person)
            last = rows[-1]["personid"]
        await _by_contacts(ctx, input.email)
    await ctx.db.execute(_ERASED, ctx.vault.indexes("email", input.email))


async def _by_contacts(ctx: Context, email: str) -> None:
    """Erase people with an address that only contacts of accounts still hold, not the directory."""
    last, erased = 0, set[int]()
    while rows := await ctx.db.fetch(_CONTACTS, last, BATCH):
        for contact in rows:
            items: Any = orjson.loads(ctx.vault.open(contact["emails"]))
            if contact["personid"] not in erased and any(item["address"].lower() == email for item in items):
                await _erase(ctx, contact)
                erased.add(contact["personid"])
        last = rows[-1]["contactid"]


def _addresses(vault: Vault, row: Any) -> Iterator[str]:
    if row["personalcipher"] is not None:
        yield from (address.lower() for address in orjson.loads(vault.open_bytes(row["personalcipher"])))
    if row["businesscipher"] is not None:
        yield from (address.lower() for address, _ in orjson.loads(vault.open_bytes(row["businesscipher"])))


async def _erase(ctx: Context, row: Any) -> None:
    async with ctx.db.transaction():
        personid: int = row["personid"]
        aliases: Any = await ctx.db.fetch(_ALIASES, personid)
        for key in (row["profilekey"], *(alias["profilekey"] for alias in aliases)):
            await ctx.db.execute(_SUPPRESS, ctx.vault.index("profile", key))
            await _forget_lookups(ctx, key)
        for statement in _STATEMENTS:
            await ctx.db.execute(statement, personid)
        await audit.write(ctx, "person_removed", row["personid"])


async def _forget_lookups(ctx: Context, key: str) -> None:
    """Clear the address in bulk lookup rows that name the person and have no contact."""
    rows: Any = await ctx.db.fetch(_TYPED, key.rpartition("/")[2])
    for lookup in rows:
        if key in job.keys_of(ctx, [lookup["linkedinurl"]]):
            await ctx.db.execute(_UNTYPE, lookup["jobid"], lookup["line"])
