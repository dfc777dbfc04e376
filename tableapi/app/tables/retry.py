"""Refresh the schema for requests that arrive shortly after DDL.

A request that failed because of DDL is retried. Before a write with an unknown field, which would be silently dropped,
the catalog is checked for the field.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import ApiError, BadRequest
from tableapi.http.response import Response
from tableapi.schema.model import Schema, Table
from tableapi.tables.batch import BatchError
from tableapi.tables.request import TableRequest

MAX_ATTEMPTS = 4
# Reasons of errors that a new or changed table, column or key can cause.
_STALE_SCHEMA = frozenset(
    ("unknown_field", "unknown_relation", "schema_changed", "bad_value", "bad_type", "bad_operator", "bad_identifier",
     "no_primary_key", "not_unique", "no_fields", "missing_extension")
)  # fmt: skip
DATABASE_ERRORS: tuple[type[Exception], ...] = (asyncpg.PostgresError, asyncpg.InternalClientError)
ALL_ERRORS: tuple[type[Exception], ...] = (ApiError, *DATABASE_ERRORS)


def has_known_fields(call: TableRequest) -> bool:
    """Return whether every field of a write is a column of its table, as in nearly every write."""
    body, columns = call.body, call.table.columns.keys()
    # the records are those of `_records`, without a call
    sent = body["resource"] if call.ident is None and type(body) is dict and "resource" in body else _records(call)
    if type(sent) is dict:
        return sent.keys() <= columns
    return type(sent) is list and all(type(record) is dict and record.keys() <= columns for record in sent)


async def notice_fields(call: TableRequest, table: str) -> dict[str, tuple[Table, Any]]:
    """Reload the schema if the records of a write contain new columns or relations.

    table: the table name in the URL.

    Returns the fields that are unknown nevertheless, such as `ctiy`, with their table and a value. Computed fields,
    which a client may send back as it read them, are left out.
    """
    unknown = _unknown(call.table, _records(call))
    for within, fields in unknown.values():
        # A new relation comes from a new foreign key. Few clients send such a field with every request.
        related = any("_by_" in name and isinstance(value, dict | list) for name, value in fields.items())
        if related:
            await call.dataset.look()
        if related or await call.dataset.notice(within, fields):
            call.table = await call.dataset.table(table, call.rights)
            call.rights = call.dataset.rights(call.actor.role)
            unknown = _unknown(call.table, _records(call))
            break
    return {
        name: (within, value)
        for within, fields in unknown.values()
        for name, value in fields.items()
        if within.function(name) is None
    }


def _records(call: TableRequest) -> Any:
    """Return the record or records of a write, as they were sent."""
    body = call.body
    if not isinstance(body, dict):
        return body
    wrapped = call.ident is None or ("resource" in body and call.table.find("resource") is None)
    return body.get("resource") if wrapped else body


def _unknown(table: Table, sent: Any) -> dict[str, tuple[Table, dict[str, Any]]]:
    """Return the unknown fields of records and nested records, by table name."""
    unknown: dict[str, tuple[Table, dict[str, Any]]] = {}
    left = [(table, sent)]
    while left:
        table, sent = left.pop()
        for record in sent if isinstance(sent, list) else [sent]:
            if not isinstance(record, dict) or record.keys() <= table.columns.keys():
                continue
            for name, value in record.items():
                if table.find(name) is not None:
                    continue
                if (relation := table.relation(name)) is None:
                    unknown.setdefault(table.name, (table, {}))[1][name] = value
                elif isinstance(value, dict | list):
                    left.append((relation.target, value))
    return unknown


async def run(
    attempt: Callable[[], Awaitable[Response]],
    call: TableRequest,
    table: str,
    repairable: tuple[type[Exception], ...] = ALL_ERRORS,
) -> Response:
    """Return the response of `attempt`, retrying if DDL may have caused its error.

    Args:
        attempt: Handles `call`; each attempt uses the current table and rights of `call`.
        table: The table name in the URL.
        repairable: The errors that another attempt may avoid.
    """
    schema = call.dataset.schema
    try:
        return await attempt()
    except repairable as error:
        return await again(error, schema, attempt, call, table, repairable)


async def again(
    error: Exception,
    schema: Schema,
    attempt: Callable[[], Awaitable[Response]],
    call: TableRequest,
    table: str,
    repairable: tuple[type[Exception], ...] = ALL_ERRORS,
) -> Response:
    """Return the response of another attempt, or raise `error` if no change of the schema explains it.

    schema: the one with which the request failed. The other arguments are those of `run`.
    """
    dataset = call.dataset
    if dataset.pinned:  # a database error has ended the transaction, so it cannot be retried
        repairable = (ApiError,)
    for _ in range(MAX_ATTEMPTS - 1):
        if not isinstance(error, repairable):
            break
        await _raise_unless_repairable(error, call, schema)
        call.table = await dataset.table(table, call.rights)
        call.rights, schema = dataset.rights(call.actor.role), dataset.schema
        try:
            return await attempt()
        except ALL_ERRORS as another:
            error = another
    raise error


async def _raise_unless_repairable(error: Exception, call: TableRequest, schema: Schema) -> None:
    """Return for a deadlock, or for an error that a changed schema may explain; raise `error` otherwise.

    `schema`: the one with which the request failed; another request may have reloaded it since.
    """
    if isinstance(error, RETRYABLE):
        return
    api_error = to_api_error(error)
    if api_error is None or not _may_be_stale(api_error, call):
        raise error
    if _reasons(api_error) == {"bad_identifier"}:
        # Only another key of this table explains it, and clients that name no record are common: they wait for no look.
        if call.dataset.schema is schema:
            await call.dataset.notice_change(call.table)
    else:
        await call.dataset.look()
    if call.dataset.schema is schema:
        if (
            api_error.reason == "schema_changed"
        ):  # the cause is a value, for example of type regclass, that names a missing object
            raise BadRequest("A value does not match the type of its field.", reason="bad_value") from None
        raise error


def _may_be_stale(api_error: ApiError, call: TableRequest) -> bool:
    """Return whether a changed schema may explain an error, and nothing of the request was kept."""
    if isinstance(api_error, BatchError) and (api_error.kept or call.dataset.pinned):
        return False
    return not _reasons(api_error).isdisjoint(_STALE_SCHEMA)


def _reasons(api_error: ApiError) -> frozenset[str]:
    """Return the reasons of an error; those of its records if it is of a batch."""
    return api_error.reasons if isinstance(api_error, BatchError) else frozenset((api_error.reason,))
