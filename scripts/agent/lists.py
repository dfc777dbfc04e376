"""Return the lists of people, or the people of one list, without contact values."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from product import api_keys, call_limits
from product.contacts import agents, lists
from product.context import Context
from product.roles import SESSION, VIEW
from product.sample import answers
from tableapi import script

# A key reads the lists that the team shares, a user those and the user's own.
_VISIBLE = "l.clientid = $1 and (l.shared = 1 or l.appuserid = $2)"
_LISTS = f"""
    select l.listid, l.name, l.shared = 1 as shared, l.createdon,
           (select count(*) from contactlistitem i where i.clientid = l.clientid and i.listid = l.listid) as people
    from contactlist l where {_VISIBLE} order by l.createdon desc, l.listid limit 500
"""  # noqa: S608 - constants
_ONE = f"select 1 from contactlist l where l.listid = $3 and {_VISIBLE}"  # noqa: S608
_PEOPLE = """
    select linkedinurl, full_name, title, company, country, tags, case when $5 then '' else note end as note, createdon
    from contactlistitem where clientid = $1 and listid = $2 order by createdon desc, itemid limit $3 offset $4
"""


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    listid: int | None = Field(default=None, ge=1, lt=2**63, description="Return the people of this list.")
    limit: int = Field(default=50, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=100_000)


class List(BaseModel):
    listid: int
    name: str
    shared: bool
    people: int
    createdon: datetime


class Listed(BaseModel):
    linkedinurl: str
    full_name: str
    title: str
    company: str
    country: str
    tags: list[str]
    note: str
    createdon: datetime


class Output(BaseModel):
    lists: list[List] = []
    resource: list[Listed] = []


@script(
    public=True,
    roles=(*SESSION, *VIEW),
    own_key=api_keys.own_key("contacts"),
    limit=call_limits.LISTS,
    tool="lists",
    scope="read",
    errors=(402, 404),
)
@answers.served(answers.lists, "contacts", call_limits.LISTS)
async def run(ctx: Context, input: Input) -> Output:
    caller = await agents.caller(ctx, "contacts", call_limits.LISTS, "lists")
    owner = (caller.clientid, caller.appuserid)
    if input.listid is None:
        return Output(lists=await ctx.db.all(List, _LISTS, *owner))
    if await ctx.db.first_value(int, _ONE, *owner, input.listid) is None:
        raise await lists.unknown(ctx, input.listid, *owner)
    page = (input.listid, input.limit, input.offset, caller.looks)
    return Output(resource=await ctx.db.all(Listed, _PEOPLE, caller.clientid, *page))
