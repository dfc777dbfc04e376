"""Hooks of /_table/contactlist: create lists, and rename and share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from pydantic import Field

from product import audit
from product.context import Context
from product.records import Record
from tableapi import BadRequest, Conflict, validate

MAX_LISTS = 200  # per user


@dataclass(frozen=True, slots=True)
class _Added:
    listid: int
    appuserid: int
    name: str
    shared: int
    createdon: str


COLUMNS = frozenset((
    "listid", "clientid", "appuserid", "name", "shared", "createdon",
))  # fmt: skip


class NewList(Record):
    columns = COLUMNS

    name: str = Field(min_length=1, max_length=100)
    shared: int = Field(default=0, ge=0, le=1)


class Change(Record):
    columns = COLUMNS

    name: str | None = Field(default=None, min_length=1, max_length=100)
    shared: int | None = Field(default=None, ge=0, le=1)


# The user's row is the lock that enforces the limit for simultaneous requests.
_LOCK = "select 1 from appuser where appuserid = $1 for update"
_COUNT = "select count(*) from contactlist where clientid = $1 and appuserid = $2"
_ADD = """
    with added as (
        insert into contactlist (clientid, appuserid, name, shared) values ($1, $2, $3, $4)
        returning listid, appuserid, name, shared, createdon)
    select listid, appuserid, name, shared, createdon::text from added
"""


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    if len(records) != 1:
        raise BadRequest("Create one list at a time.", reason="bad_records", case="one_list")
    body = validate(NewList, records[0])
    owner = (ctx.actor.clientid, ctx.actor.appuserid)
    async with ctx.db.transaction():
        await ctx.db.execute(_LOCK, ctx.actor.appuserid)
        count = await ctx.db.value(int, _COUNT, *owner)
        if count >= MAX_LISTS:
            raise Conflict(
                f"You already have {MAX_LISTS} lists. Delete one first.",
                context={"limit": MAX_LISTS},
                reason="too_many_lists",
            )
        row = await ctx.db.one(_Added, _ADD, *owner, body.name, body.shared)
        if body.shared:
            await audit.write(ctx, "list_shared", row.listid)
    return [asdict(row)]


async def patch(_ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Validate and normalize the changes; the engine writes them."""
    for record in records:
        change = validate(Change, record)
        record |= change.model_dump(exclude_none=True)
