"""Export lists as files: chosen columns, or the columns that HubSpot, Salesforce and Pipedrive import."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from product.accounts import person_names
from product.contacts import export
from product.contacts.contact import emails_of, phones_of
from product.context import Context
from product.people import phones
from product.people.search_terms import country_name
from tableapi import write_file

# Column headings that each program's import maps automatically, and the column that fills each.
FORMS: Mapping[str, Mapping[str, str]] = {
    "hubspot": {
        "First Name": "firstname", "Last Name": "lastname", "Email": "email", "Phone Number": "phone",
        "Company Name": "company", "Company Domain Name": "company_domain", "Job Title": "title", "City": "city",
        "Country/Region": "country", "LinkedIn URL": "linkedinurl",
    },
    "salesforce": {
        "First Name": "firstname", "Last Name": "lastname", "Email": "email", "Phone": "phone", "Company": "company",
        "Title": "title", "Website": "company_domain", "City": "city", "Country": "country",
        "Description": "note",
    },
    "pipedrive": {
        "Person - Name": "full_name", "Person - Email": "email", "Person - Phone": "phone",
        "Person - Job title": "title", "Organization - Name": "company", "Person - Label": "tags", "Note": "note",
    },
}  # fmt: skip
# Salesforce rejects a lead without a company; this is the placeholder that it uses itself.
REQUIRED = {"Company": "[not provided]"}
COLUMNS = (
    "full_name", "firstname", "lastname", "title", "company", "company_domain", "country", "city", "linkedinurl",
    "email", "business_emails", "personal_emails", "phone", "phones", "verification", "tags", "note", "createdon",
)  # fmt: skip

NO_NAMES: Mapping[str, tuple[str, str]] = {}
# Contact values: for the owner those of the account, for a member those of the contacts in the member's own list.
_ROWS = """
    select i.full_name, i.title, i.company, p.company_domain, i.country, p.city, i.linkedinurl, i.tags, i.note,
           i.createdon::date::text as createdon, c.emails, c.phone_numbers, c.verification
    from contactlistitem i
    left join person p on p.personid = i.personid
    left join usercontact c on c.clientid = i.clientid and c.personid = i.personid and c.deleted = 0
        and ($3::boolean or exists (select 1 from usercontactlink l where l.clientid = c.clientid
                                    and l.contactid = c.contactid and l.appuserid = $4))
    where i.clientid = $1 and i.listid = $2 order by i.createdon desc, i.itemid limit $5
"""


@dataclass(frozen=True, slots=True)
class _Row:
    full_name: str
    title: str
    company: str
    company_domain: str | None
    country: str
    city: str | None
    linkedinurl: str
    tags: list[str]
    note: str
    createdon: str
    emails: str | None
    phone_numbers: str | None
    verification: str | None


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an export.

    heads: column headings, and the column that fills each. phone: the form of phone
    numbers. bom: begin CSV with a byte order mark, for Excel. names: first and last name of full names, as decided.
    """

    format: Literal["csv", "xlsx"]
    heads: Mapping[str, str]
    phone: phones.Form
    bom: bool
    names: Mapping[str, tuple[str, str]]


async def unsplit(ctx: Context, listid: int) -> dict[str, tuple[str, str]]:
    """Return names without a clear first and last name, and the parts that an export gives them."""
    owner = ctx.actor.role == "client"
    rows = await ctx.db.all(_Row, _ROWS, ctx.actor.clientid, listid, owner, ctx.actor.appuserid, export.MAX_ROWS)
    names = {row.full_name for row in rows}
    return {name: _parts(name) for name in sorted(names) if not all(person_names.split(name))}


async def write(ctx: Context, listid: int, form: Form) -> tuple[bytes, str]:
    """Return the file and its content type. Counts as an export of contacts.

    Raises:
        Forbidden: the caller is staff looking at the app as a member (403).
        TooMany: the caller has used up the exports of the day (429).
    """
    await export.count(ctx, form.format, listid=listid)
    owner = ctx.actor.role == "client"
    rows = await ctx.db.all(_Row, _ROWS, ctx.actor.clientid, listid, owner, ctx.actor.appuserid, export.MAX_ROWS)
    return await asyncio.to_thread(_file, ctx, rows, form)


def _file(ctx: Context, rows: Sequence[_Row], form: Form) -> tuple[bytes, str]:
    lines = [_line(_cells(ctx, row, form.phone, form.names), form.heads) for row in rows]
    return write_file(form.format, lines, tuple(form.heads), "List", safe=True, bom=form.bom)


def _line(cells: Mapping[str, str], heads: Mapping[str, str]) -> dict[str, str]:
    return {head: cells[column] or REQUIRED.get(head, "") for head, column in heads.items()}


def _parts(name: str, decided: Mapping[str, tuple[str, str]] = NO_NAMES) -> tuple[str, str]:
    """Return first and last name. The last is never empty, because every CRM identifies people by it."""
    first, last = decided.get(name) or person_names.split(name)
    return (first, last) if last else ("", first or name)


def _cells(
    ctx: Context, row: _Row, phone: phones.Form = "e164", decided: Mapping[str, tuple[str, str]] = NO_NAMES
) -> dict[str, str]:
    items = emails_of(ctx.vault, row.emails)
    numbers = [phones.dialled(number, row.country, phone) for number in phones_of(ctx.vault, row.phone_numbers)]
    work, home = ([item["address"] for item in items if item["type"] == kind] for kind in ("business", "personal"))
    first, last = _parts(row.full_name, decided)
    texts = ("full_name", "title", "company", "company_domain", "country", "city", "linkedinurl", "note", "createdon")
    return {name: getattr(row, name) or "" for name in texts} | {
        "country": country_name(row.country),
        "firstname": first, "lastname": last, "email": next(iter([*work, *home]), ""),
        "business_emails": _joined(work), "personal_emails": _joined(home), "phone": next(iter(numbers), ""),
        "phones": _joined(numbers), "verification": row.verification or "", "tags": "; ".join(row.tags),
    }  # fmt: skip


def _joined(values: Sequence[str]) -> str:
    return ", ".join(value for value in values if value)
