"""Search the caller's revealed contacts by part of the name; wildcards are matched literally."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from pydantic import BaseModel, Field

from product.contacts import contact
from product.contacts.contact import COLUMNS, Contact
from product.context import Context
from product.roles import SESSION, VIEW
from tableapi import script

_WILD = re.compile(r"([\\%_])")


@dataclass(frozen=True, slots=True)
class _Found:
    found: int
    contactid: int | None
    name: str | None
    linkedinurl: str | None
    emails: str | None
    business_emails: str | None
    phone_numbers: str | None
    bus_email_validation: str | None
    phonecost: int | None
    businessemailcost: int | None
    personalemailcost: int | None
    deleted: int | None
    revealedby: int | None
    dialrevealedby: int | None
    createdon: str | None


class Input(BaseModel):
    limit: int = Field(default=25, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=100_000)
    searchtext: str = Field(default="", max_length=100)


class Meta(BaseModel):
    count: int


class Output(BaseModel):
    resource: list[Contact]
    meta: Meta


# Scans the index of the caller's links once and reads only the contacts on the page; the count continues where the page
# ends. The cost depends on the length of the list, not on the search text.
_COUNT = """
    select count(*) from usercontactlink l where l.clientid = $1 and l.appuserid = $2 and l.searchname like lower($5)
"""
_FIND = f"""
    with page as materialized (
        select l.contactid, l.listedon from usercontactlink l
        where l.clientid = $1 and l.appuserid = $2 and l.searchname like lower($5)
        order by l.listedon desc, l.contactid limit $3 offset $4
    ), ended as materialized (
        select listedon, contactid from page order by listedon, contactid desc limit 1
    )
    select case (select count(*) from page)
               when 0 then case $4 when 0 then 0 else ({_COUNT}) end
               when $3 then $4 + $3 + ({_COUNT} and l.listedon < (select listedon from ended))
                   + ({_COUNT} and l.listedon = (select listedon from ended)
                               and l.contactid > (select contactid from ended))
               else $4 + (select count(*) from page) end as found,
           {COLUMNS}
    from (values (1)) one
    left join (page join (select * from usercontact where clientid = $1) mine using (contactid)) on true
    order by listedon desc, contactid
"""  # noqa: S608 - every part is a constant


@script(roles=(*SESSION, *VIEW), limit="120/minute per session", agents=True, scope="read")
async def run(ctx: Context, input: Input) -> Output:
    pattern = "%" + _WILD.sub(r"\\\1", input.searchtext.strip()) + "%"
    rows = await ctx.db.all(_Found, _FIND, ctx.actor.clientid, ctx.actor.appuserid, input.limit, input.offset, pattern)
    contacts = [
        contact.opened(ctx, contact.Contact.model_validate(asdict(row))) for row in rows if row.contactid is not None
    ]
    return Output(resource=contacts, meta=Meta(count=rows[0].found))
