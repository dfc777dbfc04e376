"""Erase a person from all tables.

These are directory, contacts, notes, feedback, lists, bulk lookups and stored responses.
Keyed hashes of the profile keys are kept, so that no import adds the person again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from product import audit
from product.bulk import job
from product.context import Context
from product.people import companies

_COMPANY = "select lower(company) from person where personid = $1"
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
_NOTES = """
    delete from contactmeta m using usercontact c
    where c.clientid = m.clientid and c.contactid = m.contactid and c.personid = $1
"""
_LOOKUPS = """
    update bulkrow r set linkedinurl = '' from usercontact c
    where c.clientid = r.clientid and c.contactid = r.contactid and c.personid = $1
"""
# Lookups without a result refer to no contact, but the typed address contains the last part of the profile key, unless
# it is encoded or one of former years.
_TYPED = """
    select clientid, jobid, line, linkedinurl from bulkrow
    where contactid is null and (position(lower($1) in lower(linkedinurl)) > 0 or linkedinurl ~* '%|/pub/|[^ -~]')
"""
_UNTYPE = "update bulkrow set linkedinurl = '' where clientid = $1 and jobid = $2 and line = $3"
# A stored response is encrypted and may name any person, so none is kept. A repeat of these calls runs again, which
# does nothing twice; a repeat of any other call gets the error `answer_lost`.
_REPEATABLE = "principal like 'apikey:%' or route ~ 'getcontact|searchurl|searchname|revealmany'"
_STORED = "where body is not null and createdon <= least($1::timestamptz, now())"
_RESPONSES = (
    f"delete from idempotency {_STORED} and ({_REPEATABLE})",  # noqa: S608 - constants
    f"update idempotency set status = 0, headers = '{{}}', body = null {_STORED}",  # noqa: S608
)
_LAST_ERASED = """
    select max(updatedon) from person
    where updatedon > now() - interval '10 minutes' and profilekey = 'removed/' || personid
"""
_FEEDBACK = "delete from contactfeedback where personid = $1"
_LISTS = "delete from contactlistitem where personid = $1"
# The change of the person's key waits for transactions that refer to the person, and the change of the contacts for
# those that write a note, so that the statements after them see their rows.
_STATEMENTS = (_EMPTY_PERSON, _LISTS, _EMPTY_CONTACTS, _NOTES, _LOOKUPS, _FEEDBACK)
_SUPPRESS = """
    insert into suppression (hash, kind, erasedon) values ($1, 'profile', now())
    on conflict (hash) do update set erasedon = now()
"""


@dataclass(frozen=True, slots=True)
class _Lookup:
    clientid: int
    jobid: int
    line: int
    linkedinurl: str


def _late(table: str, condition: str = "true") -> str:
    """Return the query for people erased in the last minutes that have rows in `table` again."""
    return f"""
        select distinct p.personid from person p join {table} late using (personid)
        where p.profilekey = 'removed/' || p.personid and p.updatedon > now() - interval '10 minutes' and {condition}
    """  # noqa: S608 - constants


_LATE = (
    _late(
        "usercontact",
        "(late.name <> 'Removed' or late.linkedinurl <> '' or late.emails is not null"
        " or late.business_emails is not null or late.phone_numbers is not null)",
    ),
    _late(
        "usercontact",
        "exists (select from contactmeta m where m.clientid = late.clientid and m.contactid = late.contactid)",
    ),
    _late("contactlistitem"),
    _late("contactfeedback"),
)


async def erase(ctx: Context, personid: int, profilekey: str) -> str:
    """Erase one person, and return the key of its company for `finish`, which has to follow."""
    async with ctx.db.transaction():
        company = await ctx.db.value(str, _COMPANY, personid)
        aliases = await ctx.db.fetch(_ALIASES, personid)
        for key in (profilekey, *(alias["profilekey"] for alias in aliases)):
            await ctx.db.execute(_SUPPRESS, ctx.vault.index("profile", key))
            await _forget_lookups(ctx, key)
        await _forget(ctx, personid)
        await audit.write(ctx, "person_removed", personid)
    return company


async def erase_late(ctx: Context) -> None:
    """Erase what requests in flight have written about a person after it was erased."""
    if (last := await ctx.db.fetchval(_LAST_ERASED)) is not None:
        await _forget_responses(ctx, last)
    for statement in _LATE:
        for row in await ctx.db.fetch(statement):
            async with ctx.db.transaction():
                await _forget(ctx, row["personid"])


async def _forget(ctx: Context, personid: int) -> None:
    for statement in _STATEMENTS:
        await ctx.db.execute(statement, personid)


async def finish(ctx: Context, companykeys: Sequence[str]) -> None:
    """Remove the stored responses after some people were erased, and recount their companies."""
    if companykeys:
        await _forget_responses(ctx)
    await companies.recount(ctx, companykeys)


async def _forget_responses(ctx: Context, until: datetime | None = None) -> None:
    """Remove the responses of requests that began before now, or before `until`."""
    for statement in _RESPONSES:
        await ctx.db.execute(statement, until)


async def _forget_lookups(ctx: Context, key: str) -> None:
    """Clear the address in bulk lookup rows that name the person and have no contact."""
    for lookup in await ctx.db.all(_Lookup, _TYPED, key.rpartition("/")[2]):
        if key in job.keys_of(ctx, [lookup.linkedinurl]):
            await ctx.db.execute(_UNTYPE, lookup.clientid, lookup.jobid, lookup.line)
