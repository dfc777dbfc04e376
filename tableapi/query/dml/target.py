"""The parts of a record, the table of its write as the caller sees it, and the columns that its statements return.

Every write returns `body` (the fields of the response), `mark` (the version of the row), `ok` (whether the row still
satisfies the caller's row rule) and the key fields as raw columns named `KEY` and their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest
from tableapi.query import aggregate, select
from tableapi.query.expressions.fields import chosen
from tableapi.query.expressions.scope import ACTOR, Scope
from tableapi.query.spelling import spelled
from tableapi.query.statement import Binder, Statement, finish
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import Named, shown

KEY = "tableapi key "  # prefix of the columns that return the key fields; no field has this name
JSON_NULL: Any = sa.literal_column("'null'")  # for a JSON field that is NOT NULL; elsewhere JSON null is stored as NULL
EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "NOW()": sa.func.now,
    "CURRENT_TIMESTAMP": sa.func.now,
    "CURRENT_TIMESTAMP()": sa.func.now,
    "CURRENT_DATE": lambda: sa.cast(sa.func.now(), Named("date")),
    "CURRENT_DATE()": lambda: sa.cast(sa.func.now(), Named("date")),
}


@dataclass(slots=True)
class Change:
    """The parts of one record.

    values: fields to write. expressions: fields set to the current time or date. refused: fields that the caller may
    not write, with the values that were sent. relations: nested records. held: names of relations with references
    that may not be written and keep their stored values.
    """

    values: dict[str, Any] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    refused: dict[str, Any] = field(default_factory=dict)
    relations: list[tuple[Relation, Any]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)

    @property
    def empty(self) -> bool:
        """Whether the change writes no field of the table itself."""
        return not (self.values or self.expressions)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the change writes."""
        return (*self.values, *self.expressions)

    @property
    def shape(self) -> tuple[Any, ...]:
        """What the statement of a change depends on: all but the values."""
        return tuple(self.values), tuple(self.expressions.items())


def take_apart(table: Table, right: Right, record: Mapping[str, Any], skip: Iterable[str] = ()) -> Change:
    """Sort the fields of a record by what the caller may do with them.

    Unknown fields, fields that only the database sets and fields that the right ignores are left out.

    Raises:
        DuplicateField: one field is sent under two spellings.
        BadRequest: an expression is not allowed for its field.
    """
    change = Change()
    left_out = set(skip) | right.ignored
    for name, value in spelled(table, record).items():
        column = table.columns.get(name)
        if column is None:
            if (relation := table.relations.get(name)) is not None and not relation.derived:
                change.relations.append((relation, value))
            continue
        if name in left_out or column.fixed:
            continue
        if not right.writes(name):
            change.refused[name] = value
        elif (
            isinstance(value, dict) and value.keys() == {"expression"} and column.type.kind not in ("json", "composite")
        ):
            change.expressions[name] = _expression(column, value["expression"])
        else:
            change.values[name] = value
    return change


def _expression(column: Column, text: Any) -> str:
    expression = str(text).replace(" ", "").upper()
    if expression not in EXPRESSIONS or not column.type.is_time:
        raise BadRequest(
            f"Field '{column.name}': this expression is not allowed. "
            "NOW(), CURRENT_DATE and CURRENT_TIMESTAMP are, on date and time fields.",
            reason="bad_expression",
            context={"field": column.name},
        )
    return expression


def assignments(
    table: Table, change: Change, binder: Binder, stamps: Mapping[str, Any], sent: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the SQL value of every field that a change writes; stamps replace what the caller sent.

    sent: the values of the fields, where they are not parameters of their own.
    """
    values: dict[str, Any] = {}
    for name in change.values:
        column = table.columns[name]
        value = sent[name] if sent is not None else binder.value(column.type, ("value", name), name)
        if column.type.kind == "json" and not column.nullable:
            value = sa.func.coalesce(value, JSON_NULL)
        values[name] = value
    for name, expression in change.expressions.items():
        values[name] = sa.cast(EXPRESSIONS[expression](), Named(table.columns[name].type.name))
    for name, stamp in stamps.items():
        value = stamp(ACTOR) if callable(stamp) else stamp
        values[name] = sa.type_coerce(value, table.clause.c[name].type)  # a condition compares it with other columns
    return values


@dataclass(slots=True)
class Target:
    """The table of one write, the rights of its caller, and the fields of the response.

    fields: as option `fields`. keys: fields returned raw, for nested records and for reading the record again. blind:
    the statement reads nothing of the row, for callers that may write rows that they may not read. verb: of the right.
    """

    table: Table
    right: Right
    rights: Rights
    fields: str | None
    keys: tuple[str, ...]
    binder: Binder
    blind: bool = False
    verb: str = ""

    def scope(self, clause: Any) -> Scope:
        """Return the scope of this table under an alias."""
        return Scope(self.table, clause, self.right, self.rights, self.binder)

    def chosen(self, clause: Any) -> list[Column]:
        """Return the fields of the response."""
        return [] if self.blind else chosen(self.scope(clause), self.fields)

    def returned(self, clause: Any, allowed: Any = None) -> list[Any]:
        """Return the columns of a RETURNING that `response` reads: raw fields, version, check and keys."""
        mark, ok, *keys = self._meta(clause, allowed)
        fields = [clause.c[column.name] for column in self.chosen(clause)]
        return [*fields, mark.label("tableapi mark"), ok.label("tableapi ok"), *keys]

    def _meta(self, clause: Any, allowed: Any) -> list[Any]:
        """Return the columns beside the fields: row version, row rule after the write, and keys."""
        ok = allowed if allowed is not None else sa.literal_column("true")
        if self.blind:
            mark: Any = sa.literal_column("''")
        elif self.table.has_xmin and self.right.xmin:
            mark = sa.literal_column("xmin::text")
        else:
            mark = self.version(clause)
        return [mark, ok, *(clause.c[name].label(f"{KEY}{number}") for number, name in enumerate(self.keys))]

    def _sent(self, keys: list[Any]) -> list[Any]:
        """Return the key fields as they are sent, ranges as text: asyncpg reads no ranges of times."""
        types = [self.table.columns[name].type.kind for name in self.keys]
        return [
            sa.cast(key, Named("text")).label(key.name) if kind == "other" else key
            for key, kind in zip(keys, types, strict=True)
        ]

    def version(self, clause: Any) -> Any:
        """Return the version of a row as a read computes it; the caller may read other fields than it writes."""
        right = self.rights.right(self.table, "GET") or self.right
        return select.version(Scope(self.table, clause, right, self.rights, self.binder), self.table)

    def body(self, source: Mapping[str, Any], *rows: Any) -> Any:
        """Return the record of the response as JSON, from columns of `rows` or of the row that is written."""
        fields = [
            shown(source[column.name], column.type).label(column.name) for column in self.chosen(self.table.clause)
        ]
        if not fields:
            return sa.cast(sa.literal_column("'{}'"), Named("json"))
        row = sa.select(*fields).correlate(*rows).subquery(self.binder.name(aggregate.ROW))
        return sa.select(sa.func.row_to_json(row.table_valued())).select_from(row).scalar_subquery()

    def response(self, rows: Any) -> list[Any]:
        """Return the columns `body`, `mark`, `ok` and the keys over rows that hold the columns of `returned`."""
        keys = self._sent([rows.c[f"{KEY}{number}"] for number in range(len(self.keys))])
        mark, ok = rows.c["tableapi mark"].label("mark"), rows.c["tableapi ok"].label("ok")
        return [self.body(rows.c, rows).label("body"), mark, ok, *keys]

    def finish(self, statement: Any, clause: Any, allowed: Any = None, also: Iterable[Any] = ()) -> Statement:
        """Return a statement that writes one row and its response. `also`: further columns.

        The response is computed in RETURNING itself: selecting from the returned row would be about 10 % slower.
        """
        mark, ok, *keys = self._meta(clause, allowed)
        written = {column.name: sa.column(column.name, clause.c[column.name].type) for column in self.chosen(clause)}
        returning = [self.body(written).label("body"), mark.label("mark"), ok.label("ok"), *self._sent(keys), *also]
        return finish(statement.returning(*returning), self.binder)

    @property
    def sealed(self) -> bool:
        """Whether the table has sealed fields."""
        return bool(self.right.sealed)


def touches(right: Right, table: Table, names: Iterable[str]) -> bool:
    """Return whether the row rule reads one of these fields, so that it holds after the write too."""
    return right.rows is not None and not _rule_fields(right, table).isdisjoint(names)


def may_refuse(right: Right, table: Table, verb: str, names: Iterable[str]) -> bool:
    """Return whether the row rule may refuse a POST or PATCH of these fields after the row is written."""
    if verb == "POST":
        # A rule that reads no field can refuse any row, so it always has to be checked.
        return right.rows is not None and not set(right.stamp) >= (_rule_fields(right, table) or {""})
    return touches(right, table, names)


def reads_itself(right: Right, table: Table) -> bool:
    """Return whether the row rule reads other rows of the table, or is SQL text, which may."""
    if right.rows is None:
        return False
    parts = visitors.iterate(right.rows(table.clause.alias(), ACTOR))
    return any(
        isinstance(part, sa.TextClause) or (isinstance(part, sa.TableClause) and part.name == table.bare)
        for part in parts
    )


def _rule_fields(right: Right, table: Table) -> set[str]:
    """Return the fields of the written row that the row rule reads."""
    if right.rows is None:
        return set()
    clause = table.clause.alias()
    return {
        element.name
        for element in visitors.iterate(right.rows(clause, ACTOR))
        if isinstance(element, sa.ColumnClause) and element.table is clause
    }
