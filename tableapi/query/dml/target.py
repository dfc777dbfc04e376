"""The table of one write from its caller's perspective, and the columns that its statements return.

Every write returns `body` (the fields of the response), `mark` (the version of the row), `ok` (whether the row still
satisfies the caller's row rule) and the key fields as columns named `KEY` plus their position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from tableapi.auth.rights import Right, Rights
from tableapi.query import aggregate, select
from tableapi.query.dml import operators
from tableapi.query.dml.plan import EXPRESSIONS, Change, WritePlan
from tableapi.query.expressions.operands import Scope
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.fields import chosen
from tableapi.query.filter.ast import Filter
from tableapi.query.filter.cache import digest
from tableapi.query.limits import FilterLimits
from tableapi.query.options import Options
from tableapi.query.plan import params_key
from tableapi.query.statement import Binder, bound, finish
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import Named, key_text, shown
from tableapi.schema.types import EXACT_KINDS

KEY = "tableapi key "  # prefix of columns that return key fields; no field has such a name
JSON_NULL: Any = sa.literal_column("'null'")  # for a NOT NULL JSON field; elsewhere JSON null is stored as NULL


def assignments(
    table: Table, change: Change, binder: Binder, set_on_create: Mapping[str, Any],
    sent: Mapping[str, Any] | None = None, stored: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the SQL value of every written field; values set on create override the caller's.

    sent: the values of the fields, if they are not parameters of their own. stored: the row that is changed.
    """
    values: dict[str, Any] = {}
    for name in change.values:
        column = table.columns[name]
        value = sent[name] if sent is not None else binder.value(column.type, ("value", name), name)
        if (operator := change.operators.get(name)) is not None:
            value = operators.applied(operator, column.type, None if stored is None else stored.c[name], value, binder)
        if column.type.kind == "json" and not column.nullable:
            value = sa.func.coalesce(value, JSON_NULL)
        values[name] = value
    for name, expression in change.expressions.items():
        values[name] = sa.cast(EXPRESSIONS[expression](), Named(table.columns[name].type.name))
    for name, make in set_on_create.items():
        value = make(ACTOR) if callable(make) else make
        values[name] = sa.type_coerce(value, table.clause.c[name].type)  # a condition compares it with other columns
    return values


@dataclass(slots=True)
class Target:
    """The table of one write, the rights of its caller, and the fields of the response.

    fields: as in option `fields`. keys: fields to return besides, for nested records and for reading the record again.
    returns_nothing: whether the statement reads nothing of the row, for callers that may write rows they cannot read.
    verb: that of the right. texts: whether exact numbers are strings in the response.
    """

    table: Table
    right: Right
    rights: Rights
    fields: str | None
    keys: tuple[str, ...]
    binder: Binder
    returns_nothing: bool = False
    verb: str = ""
    texts: bool = False

    def scope(self, clause: Any) -> Scope:
        """Return the scope of this table under an alias."""
        return Scope(self.table, clause, self.right, self.rights, self.binder)

    def chosen(self, clause: Any) -> list[Column]:
        """Return the fields of the response."""
        return [] if self.returns_nothing else chosen(self.scope(clause), self.fields)

    def returned(self, clause: Any, allowed: Any = None) -> list[Any]:
        """Return the RETURNING columns that `response` uses: raw fields, version, check and keys.

        Citus allows only immutable expressions there, so `response` computes the version of a row from its fields.
        """
        mark, ok, *keys = self._meta(clause, allowed)
        names = {column.name for column in self.chosen(clause)}
        if self.table.distributed and not self.returns_nothing:
            names |= set(select.versioned(self._read(clause)))
        fields = [clause.c[name] for name in self.table.columns if name in names]
        marks = [] if self.table.distributed else [mark.label("tableapi mark")]
        return [*fields, *marks, ok.label("tableapi ok"), *keys]

    def _meta(self, clause: Any, allowed: Any) -> list[Any]:
        """Return the columns besides the fields: row version, row rule after the write, and keys."""
        ok = allowed if allowed is not None else sa.literal_column("true")
        if self.returns_nothing:
            mark: Any = sa.literal_column("''")
        elif self.table.has_xmin and self.right.xmin:
            mark = sa.literal_column("xmin::text")
        else:
            mark = self.version(clause)
        return [mark, ok, *(clause.c[name].label(f"{KEY}{number}") for number, name in enumerate(self.keys))]

    def _sent(self, keys: list[Any]) -> list[Any]:
        """Return the key fields for RETURNING, as text unless Python has exact values of their type."""
        types = [self.table.columns[name].type for name in self.keys]
        return [
            key if type_.kind in EXACT_KINDS else key_text(key, type_).label(key.name)
            for key, type_ in zip(keys, types, strict=True)
        ]

    def version(self, clause: Any) -> Any:
        """Return the row version as in a read, which may have access to other fields than a write."""
        return select.version(self._read(clause), self.table)

    def _read(self, clause: Any) -> Scope:
        """Return the scope of a read of this table."""
        right = self.rights.right(self.table, "GET") or self.right
        return Scope(self.table, clause, right, self.rights, self.binder)

    def body(self, source: Mapping[str, Any], *rows: Any) -> Any:
        """Return the record for the response as JSON, from columns of `rows` or of the written row."""
        fields = [
            shown(source[column.name], column.type, texts=self.texts).label(column.name)
            for column in self.chosen(self.table.clause)
        ]
        if not fields:
            return sa.cast(sa.literal_column("'{}'"), Named("json"))
        row = sa.select(*fields).correlate(*rows).subquery(self.binder.name(aggregate.ROW))
        return sa.select(sa.func.row_to_json(row.table_valued())).select_from(row).scalar_subquery()

    def response(self, rows: Any) -> list[Any]:
        """Return the columns `body`, `mark`, `ok` and the keys, given rows with the columns of `returned`."""
        keys = self._sent([rows.c[f"{KEY}{number}"] for number in range(len(self.keys))])
        if not self.table.distributed:
            mark: Any = rows.c["tableapi mark"]
        else:
            mark = sa.literal_column("''") if self.returns_nothing else self.version(rows)
        return [self.body(rows.c, rows).label("body"), mark.label("mark"), rows.c["tableapi ok"].label("ok"), *keys]

    def key(self, build: Callable[..., WritePlan], parts: Iterable[Any]) -> tuple[Any, ...]:
        """Return the key of the plan built by `build` for this target and these parts."""
        form = (self.table.name, self.verb, self.fields, self.keys, self.returns_nothing, self.texts)
        return (build, *form, *map(_shape, parts))

    def finish(
        self, statement: Any, clause: Any, allowed: Any = None, also: Iterable[Any] = (), *,
        ident: Iterable[Column] = (), guarded: bool = False,
    ) -> WritePlan:  # fmt: skip
        """Return the plan of a statement that writes one row and its response. `also`: additional columns.

        The response is computed in RETURNING itself: selecting from the returned row would be about 10 % slower. Citus
        does not allow that.
        """
        if self.table.distributed:
            written = statement.returning(*self.returned(clause, allowed), *also).cte(self.binder.name("w"))
            more = [written.c[column.name] for column in also]
            rows = sa.select(*self.response(written), *more).select_from(written)
            return self.plan(rows, ident, transaction=allowed is not None, guarded=guarded)
        mark, ok, *keys = self._meta(clause, allowed)
        fields = {column.name: sa.column(column.name, clause.c[column.name].type) for column in self.chosen(clause)}
        returning = [self.body(fields).label("body"), mark.label("mark"), ok.label("ok"), *self._sent(keys), *also]
        may_fail = allowed is not None
        return self.plan(statement.returning(*returning), ident, transaction=may_fail, guarded=guarded)

    def plan(
        self, statement: Any, ident: Iterable[Column] = (), *, transaction: bool = False, guarded: bool = False
    ) -> WritePlan:
        compiled = finish(statement, self.binder)
        texts = tuple(name for name in self.keys if self.table.columns[name].type.kind not in EXACT_KINDS)
        sealed = bool(self.right.sealed)
        return WritePlan(compiled.sql, bound(compiled), tuple(ident), self.keys, texts, sealed, transaction, guarded)


def _shape(part: Any) -> Any:
    """Return the aspects of a part of a write that its plan depends on."""
    match part:
        case Change():
            return part.shape
        case Filter():
            return part.mark
        case Options():
            return params_key(part.params), digest(sorted(part.relations.items())) if part.relations else b""
        case Right() | FilterLimits():  # the function that builds the plan implies the verb
            return None
        case list():
            return tuple(column.name for column in part)
    return part


def touches(right: Right, table: Table, names: Iterable[str]) -> bool:
    """Return whether the row rule reads one of these fields, so it must also hold after the write."""
    return right.rows is not None and not _rule_fields(right, table).isdisjoint(names)


def may_reject(right: Right, table: Table, verb: str, names: Iterable[str]) -> bool:
    """Return whether the row rule may reject a POST or PATCH of these fields after the row is written."""
    if verb == "POST":
        # A rule that reads no field can reject any row, so it always has to be checked.
        return right.rows is not None and not set(right.set_on_create) >= (_rule_fields(right, table) or {""})
    return touches(right, table, names)


def reads_itself(right: Right, table: Table) -> bool:
    """Return whether the row rule reads other rows of the table, or is SQL text and therefore may."""
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
