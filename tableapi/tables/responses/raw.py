"""One column of one record as the body of a response."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from tableapi import exact_json, threads
from tableapi.errors import NotFound
from tableapi.http import response
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.query.spelling import unknown_field
from tableapi.schema.model import Column
from tableapi.tables import read
from tableapi.tables.read import TableRequest

_PIECE = 400_000  # characters of base64; a multiple of four


async def answer(call: TableRequest, ident: str) -> Reply:
    """Answer a read of one record with the bytes of the column that option `raw` names.

    Raises:
        UnknownField: the caller may read no such column.
        NotFound: the record does not exist for the caller, or the column is NULL.
    """
    name = call.query["raw"]
    right = plan.right_of(call.table, call.rights, "GET")
    column = call.table.find(name)
    if column is None or not right.sees(column.name):
        raise unknown_field(name, call.table, right)
    query = {key: value for key, value in call.query.items() if key == "id_field"}
    headers = {key: value for key, value in call.headers.items() if key not in ("accept", "if-none-match")}
    quoted = column.name if '"' in column.name else f'"{column.name}"'
    reply = await read.single(replace(call, query=query | {"fields": quoted}, headers=headers), ident)
    value = await threads.body(len(reply.body), _value, reply.body, column)
    if value is None:
        raise NotFound(f"Field '{column.name}' of this record has no value.")
    file = response.attachment(f"{call.table.bare}-{ident}") | {"ETag": reply.headers["ETag"]}
    if column.type.kind == "bytea":
        return Reply(value, content_type="application/octet-stream", headers=file)
    if column.type.kind == "json":
        return Reply(exact_json.dumps(value), headers={"ETag": reply.headers["ETag"]})
    text = value if isinstance(value, str) else exact_json.dumps(value).decode()
    return Reply(text.encode(), content_type="text/plain; charset=utf-8", headers=file)


def _value(body: bytes, column: Column) -> Any:
    """Return the value of the column of a record, the only one; bytes are decoded in pieces."""
    start, end = b"{" + exact_json.dumps(column.name) + b':"', b'"}'
    sent = body[len(start) : -len(end)]
    if column.type.kind != "bytea" or body != start + sent + end or b'"' in sent:
        value = exact_json.loads(body)[column.name]
        return value if column.type.kind != "bytea" or value is None else base64.b64decode(value)
    return b"".join(base64.b64decode(sent[at : at + _PIECE]) for at in range(0, len(sent), _PIECE))
