"""Tools that write rows: create, update and delete, each with a row limit and a dry run."""

from __future__ import annotations

from typing import Any

from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest
from tableapi.exact_json import Cell
from tableapi.mcp import truncation
from tableapi.mcp.arguments import CreateRecords, DeleteRecords, Identifier, UpdateRecords, WriteArguments
from tableapi.mcp.caller import Caller
from tableapi.mcp.conditions import joined
from tableapi.query import plan
from tableapi.query.names import key_parts
from tableapi.query.spelling import unknown_field
from tableapi.schema.model import Table
from tableapi.schema.types import NESTED_KINDS, nested_value
from tableapi.tables.describe import related


async def create_records(caller: Caller, arguments: CreateRecords) -> dict[str, Any]:
    """Create records."""
    return await _write(caller, arguments, "POST", {}, arguments.records)


async def update_records(caller: Caller, arguments: UpdateRecords) -> dict[str, Any]:
    """Change records by key, or all records that match a filter."""
    text, params = joined(arguments.filter)
    if bool(arguments.records) == bool(text.strip()):
        raise BadRequest("Send either records with their keys, or filter and change.", reason="bad_option")
    if text.strip():
        if not arguments.change:
            raise BadRequest("A filter requires change: the columns to set.", reason="no_records")
        return await _write(caller, arguments, "PATCH", {"filter": text, "params": params}, [arguments.change])
    if arguments.change:
        raise BadRequest("change requires filter. Put the columns into records.", reason="bad_option")
    return await _write(caller, arguments, "PATCH", {}, arguments.records)


async def delete_records(caller: Caller, arguments: DeleteRecords) -> dict[str, Any]:
    """Delete records by key, or all records that match a filter."""
    text, params = joined(arguments.filter)
    if bool(arguments.ids) == bool(text.strip()):
        raise BadRequest("Send either ids or filter.", reason="bad_option")
    if text.strip():
        return await _write(caller, arguments, "DELETE", {"filter": text, "params": params}, None)
    dataset = caller.dataset(arguments.database)
    table = await caller.table(dataset, arguments.table)
    return await _write(caller, arguments, "DELETE", {}, [_key(table, ident) for ident in arguments.ids])


def _key(table: Table, ident: Identifier) -> dict[str, Any]:
    """Return a record with only the key of a row."""
    parts: list[int | str] = ident if isinstance(ident, list) else [ident]
    if isinstance(ident, str) and len(table.key) > 1:
        parts = list(key_parts(ident))
    if len(parts) != len(table.key):
        fields = ", ".join(table.key) or "none"
        message = f"An identifier of '{table.name}' must have a value for each column of its key: {fields}."
        raise BadRequest(message, reason="bad_identifier")
    types = {name: table.columns[name].type for name in table.key}
    return {
        name: nested_value(type_, Cell(part)) if type_.kind in NESTED_KINDS else part
        for (name, type_), part in zip(types.items(), parts, strict=True)
    }


async def _write(
    caller: Caller, arguments: WriteArguments, verb: str, options: dict[str, Any], records: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """Send a write, and return the records in their new state."""
    dataset = caller.dataset(arguments.database)
    table = await caller.table(dataset, arguments.table)
    if records is not None and not dataset.hooked(table.name, verb):
        reject_unknown(caller, dataset, table, records)
    options |= {
        "max_affected": arguments.max_affected,
        "dry_run": arguments.dry_run or None,
        "fields": _fields(caller, dataset, table),
    }
    body = {"resource": records} if records is not None else None
    response = await caller.json(verb, dataset, ("_table", table.name), options, body)
    rows = response["resource"]
    shown, _ = truncation.fitting(rows) if rows else ([], [])
    result: dict[str, Any] = {"dry_run": True, "kept": "nothing"} if arguments.dry_run else {}
    result |= {"count": len(rows), **truncation.columns_and_values(shown, table)}
    if len(shown) < len(rows):
        result["note"] = f"The first {len(shown)} of {len(rows)} records are shown."
    return result


def reject_unknown(caller: Caller, dataset: Dataset, table: Table, records: list[dict[str, Any]]) -> None:
    """Reject unknown names, which HTTP ignores and an agent would not notice."""
    for name in dict.fromkeys(name for record in records for name in record):
        if table.find(name) is None and table.relation(name) is None:
            rights = caller.rights(dataset)
            right = rights.right(table, "GET") or plan.right_of(table, rights, "POST")
            raise unknown_field(name, table, right, [relation.name for relation in related(table, rights)])


def _fields(caller: Caller, dataset: Dataset, table: Table) -> str | None:
    """Return option `fields` of a write: all columns for a caller that may read the table, else the key."""
    return "*" if caller.rights(dataset).right(table, "GET") is not None else None
