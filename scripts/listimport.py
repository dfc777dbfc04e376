"""Import people into a list: pasted profile addresses, or a CSV with any columns. Free.

The meaning of the columns is sent once and kept for files with the same columns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from product import audit
from product.contacts import enrichment, list_file, lists
from product.contacts.enrichment import Match
from product.contacts.list_file import Line
from product.contacts.lists import MAX_ITEMS, ListFull
from product.context import Context
from product.people import profile_url, search_use
from product.roles import SESSION
from tableapi import FieldError, Invalid, script

MAX_CHARS, PREVIEW = 2_000_000, 5
Meaning = Literal["linkedinurl", "name", "firstname", "lastname", "company", "tags", "note", ""]


@dataclass(frozen=True, slots=True)
class _Present:
    personid: int


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    listid: int = Field(ge=1, lt=2**63)
    text: str = Field(default="", max_length=MAX_CHARS)
    file: Base64Bytes = Field(default=b"", max_length=MAX_CHARS, description="CSV in any encoding, or xlsx, in Base64.")
    encoding: str = Field(default="", max_length=20, description="Of the file, if the guess is wrong.")
    mapping: dict[str, Meaning] | None = None
    dry_run: bool = False


Status = Literal["present", "duplicate", "not_found", "invalid"]


class Row(BaseModel):
    """A line that was not added, with the reason: `duplicate`, `present`, or the reason from matching."""

    line: int
    status: Status
    reason: str


class Output(BaseModel):
    columns: list[str]
    encoding: str
    preview: list[list[str]]
    mapping: dict[str, str]
    total: int
    added: int
    present: int
    duplicates: int
    not_found: int
    resource: list[Row]


_KEPT = "select mapping from listmapping where clientid = $1 and headerhash = $2"
_KEEP = """
    insert into listmapping (clientid, headerhash, mapping) values ($1, $2, $3::jsonb)
    on conflict (clientid, headerhash) do update set mapping = excluded.mapping, changedon = excluded.changedon
"""
_PRESENT = "select personid from contactlistitem where listid = $1 and personid = any($2) and clientid = $3"
_ADD = """
    insert into contactlistitem (listid, clientid, personid, linkedinurl, full_name, title, company, country, tags,
                                 note, addedby)
    select $1, $2, x.personid, x.linkedinurl, x.full_name, x.title, x.company, x.country,
           array(select jsonb_array_elements_text(x.tags)), x.note, $3
    from jsonb_to_recordset($4::text::jsonb) as x (personid bigint, linkedinurl text, full_name text, title text,
        company text, country text, tags jsonb, note text)
    on conflict on constraint contactlistitem_listid_personid_key do nothing returning personid
"""


@script(roles=SESSION, body_bytes=MAX_CHARS * 4, limit="30/hour per user", repeatable=True, seconds=120)
async def run(ctx: Context, input: Input) -> Output:
    await lists.people(ctx, input.listid)
    if bool(input.text) == bool(input.file):
        raise Invalid({"text": FieldError("text_or_file", "Send either 'text' or 'file'.")})
    sheet = await asyncio.to_thread(list_file.read, input.text or input.file, input.encoding)
    mapping = await _mapping(ctx, sheet, input.mapping)
    lines = list_file.people(sheet, mapping)
    wanted = [enrichment.Wanted(each.linkedinurl, name=each.name, company=each.company) for each in lines]
    matches = await enrichment.find(ctx, wanted)  # may call the vendor: outside any transaction
    people = [match.person.personid for match in matches if match.person is not None]
    await search_use.shown(ctx, ctx.actor.clientid, people)
    rows, first = _sorted_out(lines, matches)
    async with ctx.db.transaction():
        count = await lists.people(ctx, input.listid, lock=True)
        present = await ctx.db.all(_Present, _PRESENT, input.listid, list(first), ctx.actor.clientid)
        known = {row.personid for row in present}
        rows += [Row(line=first[ident][0].number, status="present", reason="") for ident in sorted(known)]
        new = [place for ident, place in first.items() if ident not in known]
        if count + len(new) > MAX_ITEMS:
            raise ListFull
        if not input.dry_run:
            records = orjson.dumps([_record(ctx, line, match) for line, match in new]).decode()
            await ctx.db.execute(_ADD, input.listid, ctx.actor.clientid, ctx.actor.appuserid, records)
            if sheet.columns:
                kept = orjson.dumps(mapping).decode()
                await ctx.db.execute(_KEEP, ctx.actor.clientid, sheet.header_hash, kept)
            await audit.write(ctx, "list_imported", input.listid, added=len(new), total=len(lines))
    counts = {status: sum(row.status == status for row in rows) for status in ("present", "duplicate")}
    return Output(
        columns=list(sheet.columns), encoding=sheet.encoding,
        preview=[list(cells) for _, cells in sheet.rows[:PREVIEW]], mapping=mapping, total=len(lines), added=len(new),
        present=counts["present"], duplicates=counts["duplicate"], not_found=len(rows) - sum(counts.values()),
        resource=sorted(rows, key=lambda row: row.line),
    )  # fmt: skip


async def _mapping(ctx: Context, sheet: list_file.Sheet, sent: Mapping[str, str] | None) -> dict[str, str]:
    """Return the column mapping: as sent, as stored for files with these columns, or by column names."""
    if sent is not None:
        return {name: meaning for name, meaning in sent.items() if meaning}
    kept: dict[str, str] | None = (
        await ctx.db.first_value(dict, _KEPT, ctx.actor.clientid, sheet.header_hash) if sheet.columns else None
    )
    if kept is not None:
        return kept
    return sheet.suggested()


def _sorted_out(lines: Sequence[Line], matches: Sequence[Match]) -> tuple[list[Row], dict[int, tuple[Line, Match]]]:
    """Return the lines that add no person, and the first line of each person."""
    rows: list[Row] = []
    first: dict[int, tuple[Line, Match]] = {}
    for line, match in zip(lines, matches, strict=True):
        if match.person is None:
            status: Status = "invalid" if match.why in ("bad_profile", "no_identifier") else "not_found"
            rows.append(Row(line=line.number, status=status, reason=match.why))
        elif match.person.personid in first:
            reason = f"line {first[match.person.personid][0].number}"
            rows.append(Row(line=line.number, status="duplicate", reason=reason))
        else:
            first[match.person.personid] = (line, match)
    return rows, first


def _record(ctx: Context, line: Line, match: Match) -> dict[str, object]:
    person = match.person
    assert person is not None
    return {
        "personid": person.personid, "linkedinurl": profile_url.url_of(person.key, ctx.settings.profile_host),
        "full_name": person.full_name, "title": person.title, "company": person.company, "country": person.country,
        "tags": list(line.tags), "note": line.note,
    }  # fmt: skip
