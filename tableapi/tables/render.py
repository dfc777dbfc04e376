"""Render the response of a list: JSON with or without its wrapper, identifiers only, or a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from tableapi import exact_json, threads
from tableapi.errors import BadRequest
from tableapi.http.response import Response, attachment
from tableapi.query.names import names as field_names
from tableapi.query.names import quoted_value
from tableapi.query.option_values import boolean
from tableapi.query.options import Options
from tableapi.schema.model import Column
from tableapi.tables.export import Row, write_file
from tableapi.tables.request import TableRequest, requested_format


def listed(array: bytes | None, meta: bytes | None = None, *, wrap: bool = True) -> bytes:
    """Put a JSON array into the envelope of a list.

    If there is `meta`, the envelope is added even if `wrap` is false.
    """
    rows = array or b"[]"
    if meta:
        return b"".join((b'{"resource":', rows, b',"meta":', meta, b"}"))
    return b"".join((b'{"resource":', rows, b"}")) if wrap else rows  # makes a single copy, unlike +


async def listing(
    call: TableRequest, options: Options, body: bytes, names: Any, meta: dict[str, Any] | None = None
) -> Response:
    """Render the response of a list.

    `body`: a JSON array; `names`: its fields, for the header line of a file.

    Raises:
        BadRequest: `answer_too_large`; the list is too large to be turned into identifiers or a file.
    """
    if options.as_list:
        key = field_names(options.id_field) if options.id_field.strip() else call.table.key
        columns = [column for name in key if (column := call.table.find(name)) is not None]
        body = await threads.body(_checked(body), _identifiers, body, columns)
    elif (form := requested_format(options, call.headers)) is not None:
        return await as_file(call, body, names, *form)
    wrap = options.wrap and ("wrap" not in call.headers or boolean("wrap", call.headers["wrap"] or "true"))
    response = Response(listed(body, orjson.dumps(meta) if meta else None, wrap=wrap))
    if options.file:
        response.headers |= attachment(options.file)
    return response


def _checked(body: bytes) -> int:
    """Check the size of a body that has to be decoded, and return its length.

    Raises:
        BadRequest: `answer_too_large`.
    """
    if len(body) <= threads.MAX_BYTES:
        return len(body)
    raise BadRequest(
        f"A file or a list of identifiers may be made from at most {threads.MAX_BYTES // 1_000_000} MB of JSON. "
        "Request less, or request application/x-ndjson.",
        reason="answer_too_large",
        context={"bytes": threads.MAX_BYTES},
    )


def _identifiers(body: bytes, key: list[Column]) -> bytes:
    """Render the identifiers of records as JSON."""
    return exact_json.dumps([_identifier(row, key) for row in exact_json.each(body)])


def _identifier(row: dict[str, Any], key: list[Column]) -> Any:
    """Return the identifier of a record; parts of a composite key are joined with commas, as in a path."""
    parts = [row.get(column.name) for column in key]
    for place, column in enumerate(key):
        part = parts[place]
        # The text of a JSON key is JSON; any other text is a JSON string.
        if column.type.kind == "json" and isinstance(part, str) and exact_json.Cell(part).value() != part:
            parts[place] = exact_json.dumps(part).decode()
    if len(parts) == 1:
        return parts[0]
    texts = (part if isinstance(part, str) else exact_json.dumps(part).decode() for part in parts)
    return ",".join(map(quoted_value, texts))


async def as_file(call: TableRequest, array: bytes, names: Any, form: str, name: str) -> Response:
    """Return the rows in a JSON array as a download.

    Raises:
        BadRequest: `answer_too_large`.
    """
    return await threads.body(_checked(array), _file, call, array, names, form, name)


def _file(call: TableRequest, array: bytes, names: Any, form: str, name: str) -> Response:
    """Return rows as a download.

    `form`: csv or xlsx; `name`: the file name, "" for that of the table or the hook.
    """
    rows: Iterable[Row] = exact_json.each(array)
    file = title = call.table.bare
    if (export := call.export) is not None:
        rows, names, file, title = map(export.line, rows), export.line({}).keys(), export.file, export.title
    # A named file is opened in a spreadsheet; programs ask by Accept.
    safe = call.dataset.unseal is not None
    body, content_type = write_file(form, rows, list(names), title, safe=safe, bom=bool(name))
    return Response(body, content_type=content_type, headers=attachment(name or f"{file}.{form}"))
