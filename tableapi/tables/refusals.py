"""Refusals of writes: fields the caller may not set, references it may not make, records that are not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tableapi.auth.rights import Right
from tableapi.db.errors import bad_reference
from tableapi.errors import ApiError, BadRequest
from tableapi.http import etag
from tableapi.query import dml, write_conditions
from tableapi.query.change import Change
from tableapi.query.filter.ast import Node
from tableapi.query.plan import Bindings
from tableapi.schema.model import Column, Table
from tableapi.tables import prepared_write, tenant_guard
from tableapi.tables.read import TableRequest, missing

if TYPE_CHECKING:
    from tableapi.tables.write import Writer


def at_create(call: TableRequest, right: Right, change: Change, forced: Mapping[str, Any]) -> None:
    """Refuse fields of a new record that the caller may not set.

    The session's own identity is ignored. A stamped field must be equal to its stamp. `forced`: references to the
    record above, which have to be written.
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
    wanted: list[Column],
    ident: list[Any],
    change: Change,
    forced: Mapping[str, Any],
) -> None:
    """Refuse fields that the caller may not change, unless they are sent as they are stored."""
    tenant_guard.drop_own(writer.call, change.refused)
    change.refused.update({name: value for name, value in forced.items() if not right.sets((name,))})
    if change.refused:
        await unchanged(writer, table, right, wanted, ident, change.refused)


async def unchanged(
    writer: Writer, table: Table, right: Right, wanted: list[Column], ident: list[Any], fields: Mapping[str, Any]
) -> None:
    """Raise Forbidden when one of these fields is stored with another value, NotFound without the record."""
    target = writer.target(table, right, "")
    key = ("same", table.name, tuple(c.name for c in wanted), tuple(fields))
    try:
        row = await writer.fetch(key, lambda: dml.find(target, wanted, fields), writer.values(fields, ident))
    except BadRequest:
        raise tenant_guard.field_refusal(writer.call, dict([next(iter(fields.items()))])) from None
    if row is None:
        raise missing(",".join(map(str, ident)))
    if not row["same"]:
        raise tenant_guard.field_refusal(writer.call, fields)


async def gone(
    writer: Writer, table: Table, right: Right, wanted: list[Column], ident: list[Any], match: str
) -> ApiError:
    """Return the refusal of a missing record, or of an `If-Match` that names an older version of it."""
    if match:
        target = writer.target(table, right, "")
        key = ("find", table.name, tuple(c.name for c in wanted), "", ())
        if await writer.fetch(key, lambda: dml.find(target, wanted), writer.values({}, ident)) is not None:
            return etag.precondition_failed()
    return missing(",".join(map(str, ident)))


async def not_changed(
    writer: Writer, table: Table, wanted: list[Column], ident: list[Any], change: Change, match: str
) -> ApiError:
    """Return the refusal of a change that wrote no row."""
    right = writer.right(table, "PATCH")
    if (kept := await _judged(writer, table, right, wanted, ident, change)) is not None:
        return kept
    return await gone(writer, table, right, wanted, ident, match)


async def not_created(writer: Writer, table: Table, change: Change, conflict: list[Column] | None) -> ApiError:
    """Return the refusal of a create, or with `conflict` of an upsert, that wrote no row."""
    right = writer.right(table, "POST")
    if write_conditions.concern(table, right, writer.call.rights, _names(change)):
        target = writer.target(table, right, "")
        key = ("judged new", table.name, *_shape(change))
        row = await writer.fetch(key, lambda: dml.judged_new(target, change), writer.values(change.values))
        if not row[write_conditions.REFERENCE]:
            return bad_reference()
    if not conflict:
        return prepared_write.not_created()
    ident = [change.values[c.name] for c in conflict]
    found = await _judged(writer, table, writer.right(table, "PATCH"), conflict, ident, change)
    return found or missing(",".join(map(str, ident)))


async def by_filter(
    writer: Writer, table: Table, change: Change, tree: Node | None, values: Bindings, key: tuple[Any, ...]
) -> None:
    """Raise the refusal of a change by filter when one of its records may not be changed this way."""
    right = writer.right(table, "PATCH")
    if not write_conditions.concern(table, right, writer.call.rights, _names(change)):
        return
    target = writer.target(table, right, "")
    target.binder.params = writer.options.params
    row = await writer.fetch(("judged all", *key), lambda: dml.judged_all(target, change, tree), values)
    if (kept := _refusal(writer, right, change, row)) is not None:
        raise kept


async def _judged(
    writer: Writer, table: Table, right: Right, wanted: list[Column], ident: list[Any], change: Change
) -> ApiError | None:
    """Return the refusal by a condition on a field; None when all hold, or without the record."""
    if not write_conditions.concern(table, right, writer.call.rights, _names(change)):
        return None
    target = writer.target(table, right, "")
    key = ("judged", table.name, tuple(c.name for c in wanted), *_shape(change))
    row = await writer.fetch(key, lambda: dml.judged(target, change, wanted), writer.values(change.values, ident))
    return _refusal(writer, right, change, row) if row is not None else None


def _refusal(writer: Writer, right: Right, change: Change, row: Any) -> ApiError | None:
    if not row[write_conditions.FIELD]:
        return tenant_guard.unwritable({name: None for name in _names(change) if name in right.only_in})
    if not row[write_conditions.REFERENCE]:
        return bad_reference()
    return None


def _names(change: Change) -> tuple[str, ...]:
    return (*change.values, *change.expressions)


def _shape(change: Change) -> tuple[Any, ...]:
    return tuple(change.values), tuple(change.expressions.items())
