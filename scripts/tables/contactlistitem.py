"""Hooks of /_table/contactlistitem: put people on a list, and change tags and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from product.contacts import lists
from product.contacts.lists import MAX_ITEMS, ListFull
from product.context import Context
from product.people import directory, profile_url, search_use
from product.records import Record
from tableapi import BadRequest, NotFound, validate

MAX_AT_ONCE = 100
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class _Added:
    itemid: int
    listid: int
    linkedinurl: str
    full_name: str
    title: str
    company: str
    country: str
    tags: list[str]
    note: str
    addedby: int | None
    createdon: str
    added: bool


COLUMNS = frozenset((
    "itemid", "listid", "clientid", "linkedinurl", "full_name", "title", "company", "country", "tags", "note",
    "addedby", "createdon", "added",
))  # fmt: skip


class NewItem(Record):
    columns = COLUMNS

    listid: int = Field(ge=1, lt=2**63)
    linkedinurl: str = Field(max_length=2000)
    tags: list[Tag] = Field(default=[], max_length=20)
    note: str = Field(default="", max_length=1000)


class Change(Record):
    columns = COLUMNS

    tags: list[Tag] | None = Field(default=None, max_length=20)
    note: str | None = Field(default=None, max_length=1000)


_ADD = """
    with kept as (
        insert into contactlistitem as i (listid, clientid, personid, linkedinurl, full_name, title, company, country,
                                          tags, note, addedby)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        on conflict on constraint contactlistitem_listid_personid_key do update set
            linkedinurl = excluded.linkedinurl, full_name = excluded.full_name,
            title = excluded.title, company = excluded.company, country = excluded.country,
            tags = case when cardinality(excluded.tags) > 0 then excluded.tags else i.tags end,
            note = case when excluded.note <> '' then excluded.note else i.note end
        returning itemid, listid, linkedinurl, full_name, title, company, country, tags, note, addedby, createdon,
                  xmax = 0 as added)
    select itemid, listid, linkedinurl, full_name, title, company, country, tags, note, addedby, createdon::text, added
    from kept
"""


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Add people to lists, free of charge. A person already on the list is returned with `added` false."""
    if not 1 <= len(records) <= MAX_AT_ONCE:
        raise BadRequest(
            f"Send 1 to {MAX_AT_ONCE} people at once.",
            reason="bad_records",
            case="too_many_people",
            context={"limit": MAX_AT_ONCE},
        )
    items = [validate(NewItem, record) for record in records]
    keys = [profile_url.typed_key(item.linkedinurl, ctx.settings.profile_host) for item in items]
    persons = await directory.find_many(ctx, keys)  # may call the vendor: outside any transaction
    await search_use.shown(ctx, ctx.actor.clientid, [person.personid for person in persons.values()])
    rows = []
    async with ctx.db.transaction():
        listids = sorted({item.listid for item in items})
        room = {listid: MAX_ITEMS - await lists.people(ctx, listid, lock=True) for listid in listids}
        for item, key in zip(items, keys, strict=True):
            if (person := persons.get(key)) is None:
                raise NotFound(
                    "There is no such person in the directory.",
                    context={"linkedinurl": item.linkedinurl},
                    case="no_such_person",
                )
            url = profile_url.url_of(person.key, ctx.settings.profile_host)
            shown = (url, person.full_name, person.title, person.company, person.country)
            row = await ctx.db.one(
                _Added, _ADD, item.listid, ctx.actor.clientid, person.personid, *shown, list(dict.fromkeys(item.tags)),
                item.note, ctx.actor.appuserid,
            )  # fmt: skip
            room[item.listid] -= row.added
            if room[item.listid] < 0:
                raise ListFull
            rows.append(asdict(row))
    return rows


async def patch(_ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Validate and normalize tags and notes; the engine writes them."""
    for record in records:
        change = validate(Change, record)
        record |= change.model_dump(exclude_none=True)
