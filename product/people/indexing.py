"""Fill in missing search data of stored people and contacts.

It is missing in rows stored by another program that writes the tables itself, and in new contacts until the next run,
because it would slow down a reveal. Each row is decrypted only once for this, however often it is searched.
"""

from __future__ import annotations

import orjson

from product.contacts.contact import emails_of
from product.context import Context
from product.people import companies, directory, search_terms

BATCH = 500

_PEOPLE = """
    select personid, full_name, title, company, company_domain, country, city, industry, company_size, seniority,
           personalcipher, businesscipher, phonecipher
    from person where personid > $1 and (searchable is null or $2) order by personid limit $3
"""
_FILL = """
    update person p set seniority = x.seniority, jobfunction = x.jobfunction, verification = x.verification,
        searchable = x.searchable::tsvector
    from jsonb_to_recordset($1::text::jsonb) as x (personid bigint, seniority text, jobfunction text,
        verification text, searchable text)
    where p.personid = x.personid and p.full_name <> ''
"""
_ERASED = "update person set searchable = '' where personid = any($1) and full_name = ''"
_CONTACTS = """
    select contactid, emails from usercontact
    where contactid > $1 and emails is not null and (emailhashes is null or $2) order by contactid limit $3
"""
# A contact written in the meantime is left to the next run.
_FILL_CONTACTS = """
    update usercontact c set emailhashes = x.emailhashes
    from jsonb_to_recordset($1::text::jsonb) as x (contactid bigint, emails text, emailhashes bytea[])
    where c.contactid = x.contactid and c.emails = x.emails
"""


async def fill(ctx: Context, *, rebuild: bool = False) -> int:
    """Fill in the search columns, and return the number of people.

    rebuild: process every row, not only rows without these columns.
    """
    count = await fill_people(ctx, rebuild=rebuild)
    if count:
        async with ctx.db.transaction(), ctx.db.connection() as connection:
            await companies.add_up(connection)
    await _fill_contacts(ctx, rebuild)
    return count


async def fill_people(ctx: Context, *, rebuild: bool = False) -> int:
    """Fill in the search columns of people only, without counting them by company."""
    last, count = 0, 0
    while rows := await ctx.db.fetch(_PEOPLE, last, rebuild, BATCH):
        filled = [{"personid": row["personid"]} | directory.search_columns(ctx.vault, row) for row in rows]
        await ctx.db.execute(_FILL, orjson.dumps(filled).decode())
        await ctx.db.execute(_ERASED, [row["personid"] for row in rows])
        last, count = rows[-1]["personid"], count + len(rows)
    return count


async def _fill_contacts(ctx: Context, rebuild: bool) -> None:
    last = 0
    while rows := await ctx.db.fetch(_CONTACTS, last, rebuild, BATCH):
        filled = [dict(row) | {"emailhashes": _hashes(ctx, row["emails"])} for row in rows]
        await ctx.db.execute(_FILL_CONTACTS, orjson.dumps(filled).decode())
        last = rows[-1]["contactid"]


def _hashes(ctx: Context, emails: str) -> list[str]:
    """Return the hashes of the addresses in a contact, as JSON spells bytes for PostgreSQL."""
    addresses = {item["address"] for item in emails_of(ctx.vault, emails)}
    return [rf"\x{search_terms.email_hash(ctx.vault, address).hex()}" for address in sorted(addresses)]
