"""Prepared writes: one record, one statement that was compiled before.

The first write of a table, role, verb and set of fields takes the general path (`endpoints`, `write`), and its
statement is remembered under these; the next ones bind their values and run it. Some writes always take the general
path: with options, nested records, expressions, `If-Match`, fields that the caller may not write, or a row rule that
can refuse the row only after it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg

from tableapi.auth.rights import EVERYTHING
from tableapi.errors import ApiError, Forbidden
from tableapi.http import etag, response
from tableapi.http.compression import media_type
from tableapi.http.response import Reply
from tableapi.query.dml import write_conditions
from tableapi.query.dml.target import may_refuse
from tableapi.query.expressions import syntax
from tableapi.query.options import Options
from tableapi.query.plan import Bindings
from tableapi.query.statement import Parameter, arguments
from tableapi.tables import read, tenant_guard
from tableapi.tables.batch import Batch, trying
from tableapi.tables.read import TableRequest

_JSON = frozenset(("", "*/*", "application/json", "application/*"))


@dataclass(frozen=True, slots=True)
class PreparedWrite:
    """A compiled write.

    sealed: the response has sealed fields. guarded: the statement has write conditions, so that the general path has
    to find out why a row was not written.
    """

    sql: str
    parameters: list[Parameter]
    sealed: bool
    guarded: bool


def _record(call: TableRequest, verb: str, ident: str | None) -> dict[str, Any] | None:
    """Return the record of a write that may be prepared, or None."""
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
    """Return whether the headers ask for nothing beyond a JSON response."""
    return "if-match" not in headers and "wrap" not in headers and media_type(headers.get("accept", "")) in _JSON


def _key(call: TableRequest, verb: str, fields: dict[str, Any]) -> tuple[Any, ...]:
    """Return the key of a prepared write."""
    return ("prepared", call.actor.role, call.table.name, verb, *fields)


async def write(call: TableRequest, verb: str, ident: str | None) -> Reply | None:
    """Answer a write that is prepared. None: it is not, or wrote no row; the general path then answers.

    Raises:
        ApiError: the write is refused.
    """
    fields = _record(call, verb, ident)
    if fields is None:
        return None
    prepared: PreparedWrite | None = call.dataset.plan_cache.get(_key(call, verb, fields))
    if prepared is None:
        return None
    values = Bindings(call.actor, [], {}, [[ident]], 0, None, fields)
    if ident is not None:
        row = await _run(call, prepared, values)
        return _answer(call, prepared, row, row["body"]) if row is not None else None
    row = await trying(_run(call, prepared, values))
    if row is None and prepared.guarded:
        return None
    if row is None:
        row = not_created()
    if isinstance(row, ApiError):
        batch = Batch("created", Options())
        batch.failed(row)
        batch.answer()
    return _answer(call, prepared, row, response.listed(b"[" + row["body"] + b"]"))


async def _run(call: TableRequest, prepared: PreparedWrite, values: Bindings) -> Any:
    try:
        return await call.dataset.db.writes.fetchrow(prepared.sql, *arguments(prepared.parameters, values))
    except asyncpg.NotNullViolationError as error:
        raise tenant_guard.required(call, error) from None


def _answer(call: TableRequest, prepared: PreparedWrite, row: Any, body: bytes) -> Reply:
    return Reply(read.unseal(call, prepared.sealed, body), headers=etag.headers(row["mark"]))


def not_created() -> Forbidden:
    """Return the refusal of a create that wrote no row."""
    return Forbidden("The record was not created: a rule or trigger of the table dropped it.", reason="not_created")


def remember(
    call: TableRequest, verb: str, ident: str | None, statements: list[tuple[str, Any]], *, sealed: bool
) -> None:
    """Remember the statement of a write if the next write of the same fields can reuse it."""
    fields, table = _record(call, verb, ident), call.table
    right = call.rights.right(table, "POST" if verb == "POST" else "PATCH")
    if fields is None or right is None or len(statements) != 1 or (ident is not None and len(table.key) != 1):
        return
    allowed = table.columns.keys() if right.writable is None else right.writable & table.columns.keys()
    if fields.keys() <= allowed:
        guarded = write_conditions.concern(table, right, call.rights, fields)
        call.dataset.keep(_key(call, verb, fields), PreparedWrite(*statements[0], sealed, guarded))


def needs_transaction(call: TableRequest, item: Any, word: str) -> bool:
    """Return whether a write needs more than one statement.

    It does with nested records, with related records in the response, and when the row rule may undo it.
    """
    record = item[1] if isinstance(item, tuple) else item
    if "related" in call.query or (isinstance(call.body, dict) and "related" in call.body):
        return True
    if call.query and syntax.computed(call.options().fields):
        return True
    columns = {name: call.table.find(name) for name in record} if isinstance(record, dict) else {}
    if any(column is None and call.table.relation(name) for name, column in columns.items()):
        return True
    fields = [column.name for column in columns.values() if column is not None]
    upsert = "upsert" in call.query and call.options().upsert
    key = ("undo", call.actor.role, call.table.name, word, upsert, tuple(fields))
    undo = call.dataset.plan_cache.get(key)
    if undo is None:
        undo = _may_be_undone(call, word, fields, upsert=upsert)
        call.dataset.keep(key, undo)
    return bool(undo)


def _may_be_undone(call: TableRequest, word: str, names: list[str], *, upsert: bool) -> bool:
    """Return whether a row rule may refuse a write of these fields after the row is written."""
    if word == "deleted":
        return False
    rights = {verb: call.rights.right(call.table, verb) or EVERYTHING for verb in ("POST", "PATCH")}
    if upsert:
        return any(right.rows is not None for right in rights.values())
    verb = "POST" if word == "created" else "PATCH"
    return may_refuse(rights[verb], call.table, verb, names)
