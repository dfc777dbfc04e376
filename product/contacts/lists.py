"""Lists of people: access, capacity and errors. Saved searches share some of the errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeVar

from product.context import Context
from product.people import search
from product.people.search import Owned
from product.people.search_terms import KINDS
from product.roles import VIEW
from tableapi import Conflict, FieldError, Invalid, NotFound

Value = TypeVar("Value", int, str)


MAX_ITEMS = 10_000  # people on one list


class ListFull(Conflict):
    """The list has reached the maximum number of people (409)."""

    reason = "list_full"

    def __init__(self) -> None:
        super().__init__(
            f"A list may contain at most {MAX_ITEMS:,} people. Remove some first, or use another list.",
            context={"limit": MAX_ITEMS},
        )


class MappingNeeded(Invalid):
    """The columns have unknown names (422); `context.columns` lists them."""

    reason = "mapping_needed"

    def __init__(self, columns: list[str]) -> None:
        message = "Choose the column that contains the profile address, or those with the name and the company."
        message += f" The columns are {', '.join(name[:50] for name in columns[:10])}."
        super().__init__({"mapping": FieldError("mapping_needed", message)})
        self.context["columns"] = columns


_VISIBLE = "l.listid = $1 and l.clientid = $2 and (l.appuserid = $3 or l.shared = 1)"
_NAME = f"select l.name from contactlist l where {_VISIBLE}"  # noqa: S608 - constants
_COUNT = f"""
    select (select count(*) from contactlistitem i where i.clientid = $2 and i.listid = l.listid)
    from contactlist l where {_VISIBLE}
"""  # noqa: S608 - constants


_SOME = """
    select listid, name from contactlist where clientid = $1 and (shared = 1 or appuserid = $2)
    order by createdon desc, listid limit 5
"""


async def people(ctx: Context, listid: int, *, lock: bool = False) -> int:
    """Return the number of people on a list that the caller may use.

    lock: keeps the list from changing until the end of the transaction. Raises NotFound (404).
    """
    sql = f"{_COUNT} for update of l" if lock else _COUNT
    return await _of_visible(ctx, int, sql, listid)


async def name(ctx: Context, listid: int) -> str:
    """Return the name of a list that the caller may use. Raises NotFound (404)."""
    return await _of_visible(ctx, str, _NAME, listid)


async def _of_visible(ctx: Context, kind: type[Value], sql: str, listid: int) -> Value:
    value = await ctx.db.first_value(kind, sql, listid, ctx.actor.clientid, ctx.actor.appuserid)
    if value is None:
        raise await unknown(ctx, listid, ctx.actor.clientid, ctx.actor.appuserid)
    return value


async def unknown(ctx: Context, listid: int, clientid: int, appuserid: int | None) -> NotFound:
    """Return the error for a list that the caller may not use, with those that it may."""
    rows = await ctx.db.fetch(_SOME, clientid, appuserid)
    known = ", ".join(f"{row['listid']} ({row['name'][:40]})" for row in rows)
    return no_such(listid, f"Your lists: {known}." if known else "You have no lists; create one first.")


def no_such(listid: int, advice: str) -> NotFound:
    return NotFound(f"There is no list with the id {listid}. {advice}", case="no_such_list")


Order = Literal["newest", "oldest", "name", "-name", "company", "-company"]
_ORDERS: dict[Order, str] = {
    "newest": "i.createdon desc, i.itemid desc", "oldest": "i.createdon, i.itemid",
    "name": "lower(i.full_name), i.itemid", "-name": "lower(i.full_name) desc, i.itemid",
    "company": "lower(i.company), i.itemid", "-company": "lower(i.company) desc, i.itemid",
}  # fmt: skip


def _page(order: str) -> str:
    """Return the statement that reads one page of a list in an order."""
    return f"""
        select i.itemid, i.personid, i.linkedinurl, i.full_name, i.title, i.company, i.country, p.city, i.tags, i.note,
               u.name as addedby, i.createdon, p.phonecipher is not null as directdial,
               p.businesscipher is not null as businessemail, p.personalcipher is not null as personalemail,
               count(*) over () as matches
        from contactlistitem i join person p using (personid) left join appuser u on u.appuserid = i.addedby
        where i.clientid = $1 and i.listid = $2
          and ($3 = '' or position(lower($3) in lower(concat_ws(' ', i.full_name, i.title, i.company))) > 0)
          and ($4::boolean is null or $4 = (
              num_nonnulls(p.phonecipher, p.businesscipher, p.personalcipher)
              <= (select count(*) from reveal r where r.clientid = i.clientid and r.personid = i.personid)
          ))
        order by {order} limit $5 offset $6
    """  # noqa: S608 - one of _ORDERS


class Listed(Owned):
    """A person on a list, with the kinds of data that exist and those that the account has revealed.

    `addedby`: the user's name, null for a deleted user.
    """

    itemid: int
    linkedinurl: str
    full_name: str
    title: str
    company: str
    country: str
    city: str
    tags: list[str]
    note: str
    addedby: str | None
    createdon: datetime
    has: list[str]


@dataclass(frozen=True, slots=True)
class Part:
    """The people of a list to return. `revealed`: only those with every kind revealed, or only the others."""

    text: str
    revealed: bool | None
    order: Order
    limit: int
    offset: int


async def page(ctx: Context, listid: int, part: Part) -> tuple[int, Sequence[Listed]]:
    """Return the number of matching people on a list that the caller may use, and one page of them.

    Raises NotFound (404).
    """
    await people(ctx, listid)
    client = ctx.actor.clientid
    sql = _page(_ORDERS[part.order])
    rows = await ctx.db.fetch(sql, client, listid, part.text, part.revealed, part.limit, part.offset)
    owned = await search.owned_of(ctx, client, [row["personid"] for row in rows])
    names = Listed.model_fields.keys() - Owned.model_fields.keys() - {"has"}
    listed = [
        Listed.model_validate(
            {name: row[name] for name in names}
            | {"has": [kind for kind in KINDS if row[kind]]}
            | ({"note": ""} if ctx.actor.role in VIEW else {})
            | owned.get(row["personid"], Owned()).model_dump()
        )
        for row in rows
    ]
    if not rows and part.offset:  # beyond the end, where no row has the number
        return (await page(ctx, listid, replace(part, offset=0, limit=1)))[0], []
    return rows[0]["matches"] if rows else 0, listed
