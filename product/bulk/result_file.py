"""Write the outcome of a bulk job as a file: one line for each row, with the contact found."""

from __future__ import annotations

from dataclasses import dataclass

from product.bulk.job import Job, Row
from product.contacts import export
from product.context import Context
from tableapi import write_file

FILE, TITLE = "bulklookup", "Bulk lookup"
HEAD = ("Linkedin_url", "Outcome", "Credits", "Full_name", "Personal_Emails", "Business_Emails", "Phone_numbers")
OUTCOMES = {
    "waiting": "Waiting",
    "done": "Found",
    "invalid": "No profile address",
    "notfound": "Nothing found",
    "skipped": "Left out",
    "nocredit": "No credit",
}
SEALED = ("emails", "business_emails", "phone_numbers")
# Only contacts in the caller's own list.
_CONTACTS = """
    select c.contactid, c.name, c.emails, c.business_emails, c.phone_numbers
    from usercontact c join usercontactlink l using (clientid, contactid)
    where clientid = $1 and l.appuserid = $2 and c.contactid = any($3)
"""


@dataclass(frozen=True, slots=True)
class _Contact:
    contactid: int
    name: str
    emails: str | None
    business_emails: str | None
    phone_numbers: str | None


async def write(ctx: Context, job: Job, form: str) -> tuple[bytes, str]:
    """Return the file and its content type. Counts as an export of contacts."""
    await export.count(ctx, form, jobid=job.jobid)
    ids = sorted({row["contactid"] for row in job.rows if row["contactid"] is not None})
    contacts = {
        row.contactid: row
        for row in await ctx.db.all(_Contact, _CONTACTS, ctx.actor.clientid, ctx.actor.appuserid, ids)
    }
    lines = [_line(ctx, row, contacts.get(row["contactid"] or 0)) for row in job.rows]
    return write_file(form, lines, HEAD, TITLE, safe=True)


def _line(ctx: Context, row: Row, contact: _Contact | None) -> dict[str, str]:
    outcome = {"Linkedin_url": row["linkedinurl"], "Outcome": OUTCOMES[row["status"]], "Credits": str(row["charged"])}
    if contact is None:
        return outcome
    sealed = {name: getattr(contact, name) for name in SEALED}
    opened = {name: ctx.vault.open(value) if value else None for name, value in sealed.items()}
    return outcome | {"Full_name": contact.name} | export.cells(opened)
