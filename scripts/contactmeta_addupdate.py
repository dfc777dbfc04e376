"""Replace the caller's own tags and note on a revealed contact."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from product.context import Context
from product.roles import SESSION
from tableapi import NotFound, Stale, script

Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class _Present:
    tags: list[str] | None
    note: str | None
    kept: bool


class Input(BaseModel):
    contactid: int = Field(ge=1, lt=2**63)
    tags: list[Tag] = Field(default=[], max_length=20)
    note: str = Field(default="", max_length=1000)


class Meta(BaseModel):
    contactid: int
    tags: list[str]
    note: str


class Output(BaseModel):
    success: int = 1
    resource: list[Meta]


_PRESENT = """
    select m.tags, m.note, m.contactid is not null as kept from usercontactlink l
    left join contactmeta m using (clientid, contactid, appuserid)
    where l.contactid = $1 and l.appuserid = $2 and l.clientid = $3
    for update of l
"""
_KEEP = """
    insert into contactmeta (contactid, appuserid, clientid, tags, note) values ($1, $2, $3, $4, $5)
    on conflict on constraint contactmeta_pkey do update set
        tags = excluded.tags, note = excluded.note, updatedon = excluded.updatedon
"""


@script(roles=SESSION)
async def run(ctx: Context, input: Input) -> Output:
    appuserid, tags = ctx.actor.appuserid, list(dict.fromkeys(input.tags))
    async with ctx.db.transaction():
        present = await ctx.db.first(_Present, _PRESENT, input.contactid, appuserid, ctx.actor.clientid)
        if present is None:
            raise NotFound("There is no such contact among your contacts.", case="no_such_contact")
        if_match = ctx.request.headers.get("if-match")
        if if_match and if_match != "*" and if_match != _etag(present.tags or [], present.note or ""):
            raise Stale("The contact has been changed since you read it. Load it again.", case="contact_changed")
        await ctx.db.execute(_KEEP, input.contactid, appuserid, ctx.actor.clientid, tags, input.note)
    ctx.headers["ETag"] = _etag(tags, input.note)
    return Output(resource=[Meta(contactid=input.contactid, tags=tags, note=input.note)])


def _etag(tags: list[str], note: str) -> str:
    return f'"{hashlib.sha256(repr((tags, note)).encode()).hexdigest()[:16]}"'
