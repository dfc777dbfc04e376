"""Pages of the contacts that an account has paid for, for its programs."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from product.contacts.contact import emails_of, phones_of
from product.context import Context
from tableapi import BadRequest

_OWN = """
    select c.contactid, c.linkedinurl, c.name, c.title, c.company, c.company_domain, c.country, c.city, c.emails,
           c.phone_numbers, c.verification, c.checkedon, c.createdon,
           (select jsonb_agg(jsonb_build_object('kind', r.kind, 'by', u.name, 'keyid', r.keyid, 'on', r.createdon)
                             order by r.createdon)
            from reveal r left join appuser u using (appuserid)
            where r.clientid = c.clientid and r.contactid = c.contactid) as revealed
    from usercontact c
    where c.clientid = $1 and c.deleted = 0
      and ($2::timestamptz is null or (c.createdon, c.contactid) < ($2, $3::bigint))
      and c.createdon >= coalesce($4::timestamptz, '-infinity')
    order by c.createdon desc, c.contactid desc limit $5
"""


@dataclass(frozen=True, slots=True)
class _Owned:
    contactid: int
    linkedinurl: str
    name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    emails: str | None
    phone_numbers: str | None
    verification: str | None
    checkedon: datetime | None
    createdon: datetime
    revealed: list[dict[str, object]] | None


class Reveal(BaseModel):
    """The user, by name, or the API key that revealed a kind, and the time."""

    kind: str
    by: str | None
    keyid: int | None
    on: datetime


class Own(BaseModel):
    contactid: int
    linkedinurl: str
    name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    phones: list[str]
    business_emails: list[str]
    personal_emails: list[str]
    verification: str | None
    checkedon: datetime | None
    revealed: list[Reveal]
    createdon: datetime


async def page(
    ctx: Context, clientid: int, limit: int, cursor: str, since: datetime | None
) -> tuple[list[Own], str | None]:
    """Return the newest contacts of an account, and the cursor of the next page. Raises BadRequest."""
    after, last = _position(cursor) if cursor else (None, 0)
    rows = await ctx.db.all(_Owned, _OWN, clientid, after, last, since, limit + 1)
    shown = rows[:limit]
    more = _cursor(shown[-1]) if len(rows) > limit else None
    return [_own(ctx, row) for row in shown], more


def _own(ctx: Context, row: _Owned) -> Own:
    items = emails_of(ctx.vault, row.emails)
    revealed = row.revealed or []
    names = Own.model_fields.keys() - {"phones", "business_emails", "personal_emails", "revealed"}
    return Own.model_validate(
        {name: getattr(row, name) for name in names}
        | {
            "phones": phones_of(ctx.vault, row.phone_numbers),
            "business_emails": [item["address"] for item in items if item["type"] == "business"],
            "personal_emails": [item["address"] for item in items if item["type"] == "personal"],
            "revealed": revealed,
        }
    )


def _cursor(row: _Owned) -> str:
    text = f"{row.createdon.isoformat()}|{row.contactid}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _position(cursor: str) -> tuple[datetime, int]:
    with suppress(ValueError):
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        created, _, contactid = text.partition("|")
        position = datetime.fromisoformat(created), int(contactid)
        if position[0].tzinfo is not None and 0 < position[1] < 2**63:
            return position
    raise BadRequest(
        "This is not a cursor of this call. Send meta.next of the page before, or start again without a cursor.",
        reason="bad_cursor",
        case="cursor_of_another_list",
    )
