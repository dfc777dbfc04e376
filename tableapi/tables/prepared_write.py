"""Writes of a known shape: one record, one statement, and nothing left to find out.

The first write of a shape goes the long way (tables.py, writing.py). What it found is kept under table, role, verb and
the names of the fields; the next ones bind their values and run. What does not look plain is never kept, and goes the
long way every time: options, nested records, expressions, `If-Match`, fields that the caller may not write, rules of
rows that can refuse only once a row is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tableapi.errors import ApiError, Forbidden
from tableapi.http import etag, response
from tableapi.http.response import Reply
from tableapi.query import write_conditions
from tableapi.query.options import Options
from tableapi.query.plan import Bindings
from tableapi.tables import read
from tableapi.tables.batch import Batch, trying
from tableapi.tables.read import TableRequest

_JSON = frozenset(("", "*/*", "application/json", "application/*"))


@dataclass(frozen=True, slots=True)
class PreparedWrite:
    """A compiled write; `sealed`: whether its answer holds sealed fields, `guarded`: whether it has conditions of
    guards.py, so that a row that was not written needs a second look."""

    sql: str
    binders: list[Callable[[Bindings], Any]]
    sealed: bool
    guarded: bool


def _record(call: TableRequest, verb: str, ident: str | None) -> dict[str, Any] | None:
    """The record of a write that may be known; None for one that must go the long way."""
    body = call.body
    if ident is None:
        if verb != "POST" or type(body) is not dict or len(body) != 1:
            return None
        body = body.get("resource")
        if type(body) is not list or len(body) != 1:
            return None
        body = body[0]
    elif verb not in ("PATCH", "PUT"):
        return None
    if type(body) is not dict or call.query or dict in map(type, body.values()):
        return None
    return body if _plain(call.headers) else None


def _plain(headers: Mapping[str, str]) -> bool:
    accept = headers.get("accept", "").partition(",")[0].partition(";")[0].strip().lower()
    return "if-match" not in headers and "wrap" not in headers and accept in _JSON


def _key(call: TableRequest, verb: str, fields: dict[str, Any]) -> tuple[Any, ...]:
    return ("known", call.actor.role, call.table.name, verb, *fields)


async def write(call: TableRequest, verb: str, ident: str | None) -> Reply | None:
    """The answer to a write of a known shape. None when the shape is not known, or there is no such record: nothing
    was written then. Raises ApiError and asyncpg's errors."""
    fields = _record(call, verb, ident)
    if fields is None:
        return None
    known: PreparedWrite | None = call.dataset.plan_cache.get(_key(call, verb, fields))
    if known is None:
        return None
    values = Bindings(call.actor, [], {}, [[ident]], 0, None, fields)
    if ident is not None:
        row = await _run(call, known, values)
        return _answer(call, known, row, row["body"]) if row is not None else None
    row = await trying(_run(call, known, values))
    if row is None and known.guarded:
        return None
    if row is None:
        row = not_created()
    if isinstance(row, ApiError):
        batch = Batch("created", Options())
        batch.failed(row)
        batch.answer()
    return _answer(call, known, row, response.listed(b"[" + row["body"] + b"]"))


async def _run(call: TableRequest, known: PreparedWrite, values: Bindings) -> Any:
    return await call.dataset.db.writes.fetchrow(known.sql, *[get(values) for get in known.binders])


def _answer(call: TableRequest, known: PreparedWrite, row: Any, body: bytes) -> Reply:
    return Reply(read.unsealed(call, known.sealed, body), headers=etag.headers(row["mark"]))


def not_created() -> Forbidden:
    return Forbidden("The record was not created: a rule of the table took it away.", reason="not_created")


def remember(
    call: TableRequest, verb: str, ident: str | None, statements: list[tuple[str, Any]], *, sealed: bool
) -> None:
    """Keep the shape of a write that was one statement outside a transaction, if the next one can do the same."""
    fields, table = _record(call, verb, ident), call.table
    right = call.rights.right(table, "POST" if verb == "POST" else "PATCH")
    if fields is None or right is None or len(statements) != 1 or (ident is not None and len(table.key) != 1):
        return
    allowed = table.columns.keys() if right.writable is None else right.writable & table.columns.keys()
    if fields.keys() <= allowed:
        guarded = write_conditions.concern(table, right, call.rights, fields)
        call.dataset.keep(_key(call, verb, fields), PreparedWrite(*statements[0], sealed, guarded))
