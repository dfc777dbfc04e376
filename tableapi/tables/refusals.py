"""Refusals of writes: fields that may not be written, invalid references, records that do not exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tableapi.auth.rights import Right
from tableapi.db.errors import bad_reference
from tableapi.errors import ApiError, BadRequest
from tableapi.http import etag
from tableapi.http.body import records as body_records
from tableapi.query.dml import checks, write_conditions
from tableapi.query.dml.change import Change
from tableapi.query.filter.ast import Node
from tableapi.query.plan import Bindings
from tableapi.query.spelling import spelled
from tableapi.schema.model import Column, Table
from tableapi.tables import prepared_write, tenant_guard
from tableapi.tables.read import TableRequest, missing

if TYPE_CHECKING:
    from tableapi.tables.write import Writer


def too_many(most: int | None, records: int) -> None:
    """Refuse a write of more records than option `max_affected` permits.

    Raises:
        BadRequest: `too_many_affected`; the transaction of the write is then rolled back.
    """
    if most is not None and records > most:
        raise BadRequest(
            f"The write concerns {records} records, more than max_affected={most}. Nothing was kept.",
            reason="too_many_affected",
            context={"records": records, "max_affected": most},
        )


def bounded(call: TableRequest, ids: list[Any]) -> list[Any]:
    """Return the identifiers of option `ids`, unless there are none or too many."""
    body_records([{"id": 0}] * len(ids) or None, call.dataset.bounds.records)
    if not ids:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    return ids


def empty_list(body: Any) -> None:
    """Refuse an empty list of records, which `force` would turn into all of them.

    Raises:
        BadRequest: `no_records`.
    """
    if body == [] or (isinstance(body, dict) and body.get("resource") == []):
        raise BadRequest(
            "The list of records is empty. Leave it out to delete every record with force=true.", reason="no_records"
        )


def only_one(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the single record that is the change for all rows."""
    if len(records) > 1:
        raise BadRequest("With ids or filter send one record: the change for all of them.", reason="bad_records")
    return records[0]


def versioned(call: TableRequest) -> None:
    """Refuse `If-Match` where no record is named, rather than write whatever version is stored.

    Raises:
        BadRequest: the header names a version.
    """
    if etag.if_match(call.headers):
        message = "If-Match goes with changes of records by their keys. Leave it out, or name the records."
        raise BadRequest(message, reason="bad_option", context={"header": "If-Match"})


def named_by_database(table: Table, columns: list[Column], record: Mapping[str, Any]) -> None:
    """Refuse an upsert under a value that only the database sets: each would create another record.

    Raises:
        BadRequest: `generated`.
    """
    sent = spelled(table, record)
    if name := next((c.name for c in columns if c.fixed and sent.get(c.name) is not None), ""):
        message = f"The database sets field '{name}', so no record is created under it. Change the record with PATCH."
        raise BadRequest(message, reason="generated", context={"field": name})


def at_create(call: TableRequest, right: Right, change: Change, forced: Mapping[str, Any]) -> None:
    """Refuse fields of a new record that the caller may not set.

    The session's own identity is ignored, and a stamped field may be sent with its stamp. `forced`: references to the
    record above, which have to be written.

    Raises:
        Forbidden: a field may not be set.
    """
    tenant_guard.drop_own(call, change.refused)
    for name, value in {**change.refused, **{n: v for n, v in forced.items() if not right.sets((n,))}}.items():
        if name in right.stamp:
            if str(value) != str(tenant_guard.stamped(call, right, name)):
                raise tenant_guard.tenant_mismatch(call, name, value)
        elif value is not None:
            raise tenant_guard.field_refusal(call, {name: value})


async def at_change(
    writer: Writer,
    table: Table,
    right: Right,
    key: list[Column],
    ident: list[Any],
    change: Change,
    forced: Mapping[str, Any],
) -> None:
    """Refuse fields that the caller may not change, unless they are sent with their stored values.

    Raises:
        Forbidden: a field may not be changed.
        NotFound: the record does not exist for the caller.
    """
    tenant_guard.drop_own(writer.call, change.refused)
    if unseen := {name: value for name, value in change.refused.items() if not right.sees(name)}:
        raise tenant_guard.field_refusal(writer.call, unseen)  # a comparison would tell what is stored
    change.refused.update({name: value for name, value in forced.items() if not right.sets((name,))})
    if change.refused:
        await unchanged(writer, table, right, key, ident, change.refused)


async def unchanged(
    writer: Writer, table: Table, right: Right, columns: list[Column], ident: list[Any], fields: Mapping[str, Any]
) -> None:
    """Check that these fields of a record are stored with the values that were sent.

    Raises:
        Forbidden: one is not.
        NotFound: the record does not exist for the caller.
    """
    target = writer.target(table, right, "")
    key = ("same", table.name, tuple(c.name for c in columns), tuple(fields))
    try:
        row = await writer.fetch(key, lambda: checks.find(target, columns, fields), writer.values(fields, ident))
    except BadRequest:
        raise tenant_guard.field_refusal(writer.call, dict([next(iter(fields.items()))])) from None
    if row is None:
        raise missing(",".join(map(str, ident)))
    if not row["same"]:
        raise tenant_guard.field_refusal(writer.call, fields)


async def gone(
    writer: Writer, table: Table, verb: str, columns: list[Column], ident: list[Any], match: str
) -> ApiError:
    """Return the refusal of a record that does not exist, or that is not in a version of `If-Match`."""
    if match:
        target = writer.target(table, writer.right(table, verb), "")
        key = ("find", verb, table.name, tuple(c.name for c in columns), "", ())
        if await writer.fetch(key, lambda: checks.find(target, columns), writer.values({}, ident)) is not None:
            return etag.precondition_failed()
    return missing(",".join(map(str, ident)))


async def not_changed(
    writer: Writer, table: Table, key: list[Column], ident: list[Any], change: Change, match: str
) -> ApiError:
    """Return the refusal of a change that wrote no row."""
    right = writer.right(table, "PATCH")
    if (refusal := await _violated(writer, table, right, key, ident, change)) is not None:
        return refusal
    return await gone(writer, table, "PATCH", key, ident, match)


async def not_created(writer: Writer, table: Table, change: Change, conflict: list[Column] | None) -> ApiError:
    """Return the refusal of a create, or with `conflict` of an upsert, that wrote no row."""
    if (refusal := await reference_of_new(writer, table, change)) is not None:
        return refusal
    if not conflict:
        return prepared_write.not_created()
    ident = [change.values[c.name] for c in conflict]
    refusal = await _violated(writer, table, writer.right(table, "PATCH"), conflict, ident, change)
    return refusal or missing(",".join(map(str, ident)))


async def reference_of_new(writer: Writer, table: Table, change: Change) -> ApiError | None:
    """Return the refusal of a new record that refers to a row which its caller may not read, or None."""
    right = writer.right(table, "POST")
    if write_conditions.concern(table, right, writer.call.rights, _names(change)):
        target = writer.target(table, right, "")
        key = ("check create", table.name, *_change_key(change))
        row = await writer.fetch(key, lambda: checks.of_create(target, change), writer.values(change.values))
        if not row[write_conditions.REFERENCE]:
            return bad_reference()
    return None


async def by_filter(
    writer: Writer, table: Table, change: Change, tree: Node | None, values: Bindings, key: tuple[Any, ...]
) -> None:
    """Check the write conditions for all records of a change by filter.

    Raises:
        ApiError: a condition does not hold for one of them.
    """
    right = writer.right(table, "PATCH")
    if not write_conditions.concern(table, right, writer.call.rights, _names(change)):
        return
    target = writer.target(table, right, "")
    target.binder.params = writer.options.params
    row = await writer.fetch(("check changes", *key), lambda: checks.of_changes(target, change, tree), values)
    if (refusal := _refusal(writer, right, change, row)) is not None:
        raise refusal


async def _violated(
    writer: Writer, table: Table, right: Right, columns: list[Column], ident: list[Any], change: Change
) -> ApiError | None:
    """Return the refusal by a write condition; None when all hold, or the record does not exist."""
    if not write_conditions.concern(table, right, writer.call.rights, _names(change)):
        return None
    target = writer.target(table, right, "")
    key = ("check change", table.name, tuple(c.name for c in columns), *_change_key(change))
    row = await writer.fetch(
        key, lambda: checks.of_change(target, change, columns), writer.values(change.values, ident)
    )
    return _refusal(writer, right, change, row) if row is not None else None


def _refusal(writer: Writer, right: Right, change: Change, row: Any) -> ApiError | None:
    if not row[write_conditions.FIELD]:
        return tenant_guard.unwritable({name: None for name in _names(change) if name in right.only_in})
    if not row[write_conditions.REFERENCE]:
        return bad_reference()
    return None


def _names(change: Change) -> tuple[str, ...]:
    return (*change.values, *change.expressions)


def _change_key(change: Change) -> tuple[Any, ...]:
    """Return what a statement depends on in a change."""
    return tuple(change.values), tuple(change.expressions.items())
