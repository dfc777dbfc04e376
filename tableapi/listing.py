"""A list in the form asked for: JSON with or without its wrapper, identifiers alone, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from tableapi import exact, reply, sheets
from tableapi import names as words
from tableapi.reply import Reply
from tableapi.request import Options, boolean

if TYPE_CHECKING:
    from tableapi.reading import Call


def listing(call: Call, given: Options, body: bytes, names: Any, meta: dict[str, Any] | None = None) -> Reply:
    """The answer of a list. `body`: a JSON array; `names`: its fields, for the head of a file."""
    if given.as_list:
        key = words.names(given.id_field) if given.id_field.strip() else call.table.key
        body = exact.dumps([_identifier(row, key) for row in exact.loads(body)])
    elif (form := sheets.wanted(given, call.headers)) is not None:
        return as_file(call, exact.loads(body), names, *form)
    wrap = given.wrap and boolean("wrap", call.headers.get("wrap") or "true")
    made = Reply(reply.listed(body, orjson.dumps(meta) if meta else None, wrap=wrap))
    if given.file:
        made.headers |= reply.attachment(given.file)
    return made


def _identifier(row: dict[str, Any], key: Any) -> Any:
    lower = {name.lower(): value for name, value in row.items()}
    parts = [lower.get(name.lower()) for name in key]
    return parts[0] if len(parts) == 1 else ",".join(map(str, parts))


def as_file(call: Call, rows: list[dict[str, Any]], names: Any, form: str, name: str) -> Reply:
    """The rows as a download of one of the forms of sheets.py."""
    file = title = call.table.bare
    if (export := call.export) is not None:
        rows, names, file, title = [export.line(row) for row in rows], export.line({}).keys(), export.file, export.title
    body, kind = sheets.written(form, rows, list(names), title, safe=call.dataset.unseal is not None)
    return Reply(body, content_type=kind, headers=reply.attachment(name or f"{file}.{form}"))
