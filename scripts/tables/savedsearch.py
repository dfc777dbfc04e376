"""Hooks of /_table/savedsearch: keep a search under a name.

New matches are counted by the call searchnews.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import Field

from product import audit
from product.context import Context
from product.people import saved
from product.records import Record
from tableapi import BadRequest, Conflict, validate

MAX_SEARCHES = 100  # per user


@dataclass(frozen=True, slots=True)
class _Added:
    savedsearchid: int
    appuserid: int
    name: str
    kind: str
    filters: object
    shared: int
    createdon: str


COLUMNS = frozenset((
    "savedsearchid", "clientid", "appuserid", "name", "kind", "filters", "shared", "seenupto", "createdon",
))  # fmt: skip


class NewSearch(Record):
    columns = COLUMNS

    name: str = Field(min_length=1, max_length=100)
    kind: Literal["people", "companies"] = "people"
    filters: dict[str, object]
    shared: int = Field(default=0, ge=0, le=1)


class Change(Record):
    columns = COLUMNS

    name: str | None = Field(default=None, min_length=1, max_length=100)
    filters: dict[str, object] | None = None
    shared: int | None = Field(default=None, ge=0, le=1)


_LOCK = "select 1 from appuser where appuserid = $1 for update"
_COUNT = "select count(*) from savedsearch where clientid = $1 and appuserid = $2"
_ADD = """
    with added as (
        insert into savedsearch (clientid, appuserid, name, kind, filters, shared, seenupto)
        select $1, $2, $3, $4, $5, $6, coalesce((select max(personid) from person), 0)
        returning savedsearchid, appuserid, name, kind, filters, shared, createdon)
    select savedsearchid, appuserid, name, kind, filters, shared, createdon::text from added
"""
_KIND = "select kind from savedsearch where savedsearchid = $1 and clientid = $2"


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Keep one search. Its filters are those of searchpeople or searchcompanies."""
    if len(records) != 1:
        raise BadRequest("Save one search at a time.", reason="bad_records", case="one_search")
    body = validate(NewSearch, records[0])
    filters = saved.checked(body.kind, body.filters)
    owner = (ctx.actor.clientid, ctx.actor.appuserid)
    async with ctx.db.transaction():
        await ctx.db.execute(_LOCK, ctx.actor.appuserid)
        count = await ctx.db.value(int, _COUNT, *owner)
        if count >= MAX_SEARCHES:
            raise Conflict(
                f"You already have {MAX_SEARCHES} saved searches. Delete one first.",
                case="too_many_searches",
                context={"limit": MAX_SEARCHES},
                reason="too_many_lists",
            )
        row = await ctx.db.one(_Added, _ADD, *owner, body.name, body.kind, filters, body.shared)
        if body.shared:
            await audit.write(ctx, "search_shared", row.savedsearchid)
    return [asdict(row)]


async def patch(ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Validate the changes; the engine writes them."""
    for record in records:
        change = validate(Change, record)
        if change.filters is not None:
            kind = await ctx.db.first_value(str, _KIND, int(str(record["savedsearchid"])), ctx.actor.clientid)
            change.filters = saved.checked(kind or "people", change.filters)
        record |= change.model_dump(exclude_none=True)
