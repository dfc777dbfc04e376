"""A list in the form asked for: JSON with or without its wrapper, identifiers alone, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from tableapi import exact_json
from tableapi.http import response
from tableapi.http.response import Reply
from tableapi.query import names as words
from tableapi.query.options import Options, boolean
from tableapi.tables.export import wanted, written

if TYPE_CHECKING:
    from tableapi.tables.read import TableRequest


def listing(call: TableRequest, given: Options, body: bytes, names: Any, meta: dict[str, Any] | None = None) -> Reply:
    """The answer of a list. `body`: a JSON array; `names`: its fields, for the head of a file."""
    if given.as_list:
        key = words.names(given.id_field) if given.id_field.strip() else call.table.key
        body = exact_json.dumps([_identifier(row, key) for row in exact_json.loads(body)])
    elif (form := wanted(given, call.headers)) is not None:
        return as_file(call, exact_json.loads(body), names, *form)
    wrap = given.wrap and boolean("wrap", call.headers.get("wrap") or "true")
    made = Reply(response.listed(body, orjson.dumps(meta) if meta else None, wrap=wrap))
    if given.file:
        made.headers |= response.attachment(given.file)
    return made


def _identifier(row: dict[str, Any], key: Any) -> Any:
    lower = {name.lower(): value for name, value in row.items()}
    parts = [lower.get(name.lower()) for name in key]
    return parts[0] if len(parts) == 1 else ",".join(map(str, parts))


def as_file(call: TableRequest, rows: list[dict[str, Any]], names: Any, form: str, name: str) -> Reply:
    """The rows as a download of one of the forms of sheets.py."""
    file = title = call.table.bare
    if (export := call.export) is not None:
        rows, names, file, title = [export.line(row) for row in rows], export.line({}).keys(), export.file, export.title
    body, kind = written(form, rows, list(names), title, safe=call.dataset.unseal is not None)
    return Reply(body, content_type=kind, headers=response.attachment(name or f"{file}.{form}"))
