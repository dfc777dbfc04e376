"""Search one's own unlocked contacts by a part of the name, letter for letter."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from scripts._shared import contacts
from scripts._shared.contacts import COLUMNS, Contact
from scripts._shared.roles import SESSION
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    limit: int = Field(default=25, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=100_000)
    searchtext: str = Field(default="", max_length=100)


class Meta(BaseModel):
    count: int


class Output(BaseModel):
    resource: list[Contact]
    meta: Meta


# Two statements each, because an index serves `name ilike` only where it stands without an "or".
_MINE = """
    from usercontact c
    where c.clientid = $1
      and exists (select 1 from usercontactlink l
                  where l.clientid = $1 and l.appuserid = $2 and l.contactid = c.contactid)
"""
_NAMED = f"{_MINE} and c.name ilike $5"
_ORDER = "order by c.createdon desc, c.contactid limit $3 offset $4"
_PAGE_OF_ALL = f"select {COLUMNS} {_MINE} {_ORDER}"
_PAGE_NAMED = f"select {COLUMNS} {_NAMED} {_ORDER}"
_COUNT_ALL = "select count(*) from usercontactlink where clientid = $1 and appuserid = $2"
_COUNT_NAMED = f"select count(*) {_MINE} and c.name ilike $3"


@script(roles=SESSION, limit="120/minute per session")
async def run(ctx: Context, input: Input) -> Output:
    clientid, who, text = ctx.actor.clientid, ctx.actor.appuserid, input.searchtext.strip()
    if text:
        pattern = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
        rows = await ctx.db.fetch(_PAGE_NAMED, clientid, who, input.limit, input.offset, pattern)
        count = await ctx.db.fetchval(_COUNT_NAMED, clientid, who, pattern)
    else:
        rows = await ctx.db.fetch(_PAGE_OF_ALL, clientid, who, input.limit, input.offset)
        count = await ctx.db.fetchval(_COUNT_ALL, clientid, who)
    return Output(resource=[contacts.opened(ctx, row) for row in rows], meta=Meta(count=count))
