"""Export lists as files: chosen columns, or the columns that HubSpot, Salesforce and Pipedrive import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from product.contacts import export
from product.contacts.contact import emails_of, phones_of
from product.context import Context
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
COLUMNS = (
    "full_name", "firstname", "lastname", "title", "company", "company_domain", "country", "city", "linkedinurl",
    "email", "business_emails", "personal_emails", "phone", "phones", "verification", "tags", "note", "createdon",
)  # fmt: skip

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


async def write(ctx: Context, listid: int, form: str, heads: Mapping[str, str]) -> tuple[bytes, str]:
    """Return the file and its content type. Counts as an export of contacts.

    Raises:
        Forbidden: the caller is staff looking at the app as a member (403).
        TooMany: the caller has used up the exports of the day (429).
    """
    await export.count(ctx, form, listid=listid)
    owner = ctx.actor.role == "client"
    rows = await ctx.db.all(_Row, _ROWS, ctx.actor.clientid, listid, owner, ctx.actor.appuserid, export.MAX_ROWS)
    lines = [_line(_cells(ctx, row), heads) for row in rows]
    return write_file(form, lines, tuple(heads), "List", safe=True)


def _line(cells: Mapping[str, str], heads: Mapping[str, str]) -> dict[str, str]:
    return {head: cells[column] for head, column in heads.items()}


def _cells(ctx: Context, row: _Row) -> dict[str, str]:
    items, phones = emails_of(ctx.vault, row.emails), phones_of(ctx.vault, row.phone_numbers)
    work, home = ([item["address"] for item in items if item["type"] == kind] for kind in ("business", "personal"))
    first, _, last = row.full_name.rpartition(" ")
    texts = ("full_name", "title", "company", "company_domain", "country", "city", "linkedinurl", "note", "createdon")
    return {name: getattr(row, name) or "" for name in texts} | {
        "firstname": first, "lastname": last, "email": next(iter([*work, *home]), ""),
        "business_emails": _joined(work), "personal_emails": _joined(home), "phone": next(iter(phones), ""),
        "phones": _joined(phones), "verification": row.verification or "", "tags": "; ".join(row.tags),
    }  # fmt: skip


def _joined(values: Sequence[str]) -> str:
    return ", ".join(value for value in values if value)
