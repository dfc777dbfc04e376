"""Change a list of records together: one statement for those that set the same fields.

Everything else about a list stays as if each record were written on its own. What cannot be decided in one statement
is left to `write`: records with nested records, with fields that may not be written or with a key that another record
has, and every record that the statement did not change. After an error the statements are undone, and the records are
written one by one, which finds the record at fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tableapi.errors import ApiError, Busy
from tableapi.query import plan
from tableapi.query.dml import several, write_conditions
from tableapi.query.dml.change import Change, take_apart
from tableapi.query.dml.target import KEY, reads_itself
from tableapi.query.expressions.conditions import EXACT
from tableapi.schema.model import Column
from tableapi.schema.types import BadValue, stored
from tableapi.tables import tenant_guard
from tableapi.tables.batch import trying
from tableapi.tables.responses.record import Record
from tableapi.tables.write import Writer

MAX_ROWS = 500  # of one statement; live streams begin anew after a change of more


@dataclass(slots=True)
class ChangeGroup:
    """Records that set the same fields.

    rows: of each, its place in the list, its identifier and its values as they are bound.
    """

    change: Change
    rows: list[tuple[int, tuple[Any, ...], tuple[Any, ...]]] = field(default_factory=list)

    def parts(self) -> list[ChangeGroup]:
        """Return the group in parts of at most MAX_ROWS records."""
        starts = range(0, len(self.rows), MAX_ROWS)
        return [ChangeGroup(self.change, self.rows[start : start + MAX_ROWS]) for start in starts]


class Ambiguous(ApiError):
    """Undoes the statements, because the records have to be written in the order of the list."""


async def together(writer: Writer, items: list[tuple[Any, dict[str, Any]]]) -> dict[int, Record]:
    """Change the records of a list that can be changed together, and return them by their place.

    items: the identifier and the fields of each record. The caller writes the records that are not returned.

    Raises:
        PostgresError: a deadlock or concurrent DDL, after which the whole request is repeated.
    """
    options = writer.options
    if len(items) < 2 or options.beyond_row or "if-match" in writer.call.headers:
        return {}
    try:
        changed = await trying(_together(writer, items), alone=options.go_on)
    except Busy as error:
        if error.reason != "time_limit":  # of one statement, which is enough for one record of a slow table
            raise
        return {}
    return {} if isinstance(changed, ApiError) else changed


async def _together(writer: Writer, items: list[tuple[Any, dict[str, Any]]]) -> dict[int, Record]:
    table = writer.call.table
    right = writer.right(table, "PATCH")
    key = plan.identifying(table, writer.options.id_field, right)
    groups = _groups(writer, key, items)
    if not groups or table.kind not in "rpv" or table.rules or reads_itself(right, table):
        return {}
    changed: dict[int, Record] = {}
    async with writer.connection.transaction():
        for group in groups:
            changed |= await _change(writer, key, group)
        _check_distinct(changed, key)
    return changed


def _groups(writer: Writer, key: list[Column], items: list[tuple[Any, dict[str, Any]]]) -> list[ChangeGroup]:
    """Return the records that can be changed together, by the fields that they set."""
    call, table = writer.call, writer.call.table
    right = writer.right(table, "PATCH")
    skip = {column.name for column in key} | (set(table.key) if not writer.options.id_field else set())
    groups: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], ChangeGroup] = {}
    shared: dict[tuple[Any, ...], list[int]] = {}
    for place, (sent, record) in enumerate(items):
        try:
            parts = plan.identifier(sent, key)
            ident = tuple(stored(column.type, part) for column, part in zip(key, parts, strict=True))
            shared.setdefault(ident, []).append(place)
            change = take_apart(table, right, record, skip)
            values = tuple(_stored(table.columns[name], value) for name, value in change.values.items())
        except (ApiError, BadValue):
            continue
        if change.relations:
            return []  # nested records may be records of the list, too
        tenant_guard.drop_own(call, change.refused)
        if change.empty or change.refused:
            continue
        shape = tuple(change.values), tuple(change.expressions.items())
        groups.setdefault(shape, ChangeGroup(change)).rows.append((place, ident, values))
    repeated = {place for places in shared.values() if len(places) > 1 for place in places}
    for group in groups.values():
        group.rows = [row for row in group.rows if row[0] not in repeated]
    fields = {name for names, expressions in groups for name in (*names, *dict(expressions))}
    if write_conditions.refers_to_itself(table, call.rights, fields):
        return []
    return [part for group in groups.values() for part in group.parts() if len(part.rows) > 1]


def _stored(column: Column, value: Any) -> Any:
    """Return what is bound for a value of a record. Raises BadValue."""
    return None if value is None else stored(column.type, value)


async def _change(writer: Writer, key: list[Column], group: ChangeGroup) -> dict[int, Record]:
    """Change the records of one group, and return those that were changed by their place in the list."""
    table, change = writer.call.table, group.change
    target = writer.target(table, writer.right(table, "PATCH"), writer.fields(table))
    names, parts = tuple(column.name for column in key), (tuple(change.values), tuple(change.expressions.items()))
    places, idents, fields = zip(*group.rows, strict=True)
    sent = (*(f"{KEY}{place}" for place in range(len(key))), *change.values)
    columns = [list(column) for column in (*zip(*idents, strict=True), *zip(*fields, strict=True))]
    values = writer.values(dict(zip(sent, columns, strict=True)))
    plan_key = ("several", table.name, names, *parts, target.fields)
    rows = await writer.fetch_all(plan_key, lambda: several.update(target, change, key), values)
    if len(rows) < len(places) and not _exact(key):
        raise Ambiguous("Two identifiers may be equal for PostgreSQL.")
    return {places[row[several.PLACE] - 1]: writer.written_record(row, target) for row in rows}


def _exact(key: list[Column]) -> bool:
    """Return whether different values of the key are different for PostgreSQL, whatever the collation."""
    return all(column.type.name in EXACT for column in key)


def _check_distinct(changed: dict[int, Record], key: list[Column]) -> None:
    """Check that no row was changed twice, by identifiers that differ in Python only."""
    rows = [tuple(record.keys.values()) for record in changed.values()]
    if not _exact(key) and (() in rows or len(set(rows)) < len(rows)):
        raise Ambiguous("Two identifiers are equal for PostgreSQL.")
