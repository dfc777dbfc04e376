"""What to write -> SQL statements that answer with JSON. Pure: no connection, no HTTP.

Every statement returns `body` (the fields of the answer), `mark` (the row's version), `ok` (whether the row still
satisfies the caller's rule of rows; always true when no field of the rule was written) and raw `key N` columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from tableapi.auth.rights import Right, Rights
from tableapi.query import aggregate, write_conditions
from tableapi.query import columns as reader
from tableapi.query import select as query
from tableapi.query.change import EXPRESSIONS, Change
from tableapi.query.filter.ast import Node
from tableapi.query.select import Statement
from tableapi.query.where import ACTOR, Binder, ParamSource, Scope
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import Named, shown

JSON_NULL: Any = sa.literal_column("'null'")  # JSON null is NULL, but for a field that cannot be NULL


def _written(table: Table, change: Change, binder: Binder, stamps: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in change.values:
        column = table.columns[name]
        value = binder.value(column.type, ("value", name), name)
        if column.type.kind == "json" and not column.nullable:
            value = sa.func.coalesce(value, JSON_NULL)
        made[name] = value
    for name, word in change.expressions.items():
        made[name] = sa.cast(EXPRESSIONS[word](), Named(table.columns[name].type.name))
    for name, stamp in stamps.items():
        made[name] = stamp(ACTOR) if callable(stamp) else stamp
    return made


@dataclass(slots=True)
class Target:
    """The table of one write as the caller sees it, and what the answer shall hold."""

    table: Table
    right: Right
    rights: Rights
    fields: str | None
    keys: tuple[str, ...]  # fields returned raw, for nested records and reading again
    binder: Binder

    def chosen(self, clause: Any) -> list[Column]:
        return reader.chosen(Scope(self.table, clause, self.right, self.rights, self.binder), self.fields)

    def returned(self, clause: Any, checked: Any = None) -> list[Any]:
        """What RETURNING hands on to `answer`: the raw fields of the answer, its version, the check and the keys."""
        mark, ok, *raw = self.told(clause, checked)
        fields = [clause.c[c.name] for c in self.chosen(clause)]
        return [*fields, mark.label("tableapi mark"), ok.label("tableapi ok"), *raw]

    def told(self, clause: Any, checked: Any) -> list[Any]:
        """What is told of a row beside its fields: its version, the check and the keys."""
        mark = sa.literal_column("xmin::text") if self.table.has_xmin else self.version(clause)
        ok = checked if checked is not None else sa.literal_column("true")
        return [mark, ok, *(clause.c[name].label(f"our {n}") for n, name in enumerate(self.keys))]

    def version(self, clause: Any) -> Any:
        """As a read gives it to the caller, who may see other fields than those of this write."""
        right = self.rights.right(self.table, "GET") or self.right
        return query.version(Scope(self.table, clause, right, self.rights, self.binder), self.table)

    def body(self, columns: Mapping[str, Any], *rows: Any) -> Any:
        """The record of the answer, as JSON, of columns of `rows` or of the row that is changed."""
        made = [shown(columns[c.name], c.type).label(c.name) for c in self.chosen(self.table.clause)]
        if not made:
            return sa.cast(sa.literal_column("'{}'"), Named("json"))
        row = sa.select(*made).correlate(*rows).subquery(aggregate.ROW)
        return sa.select(sa.func.row_to_json(row.table_valued())).select_from(row).scalar_subquery()

    def answer(self, rows: Any) -> list[Any]:
        """The columns of the answer over rows that hold what `returned` asks for."""
        raw = [rows.c[f"our {n}"] for n in range(len(self.keys))]
        mark, ok = rows.c["tableapi mark"].label("mark"), rows.c["tableapi ok"].label("ok")
        return [self.body(rows.c, rows).label("body"), mark, ok, *raw]

    def finish(self, statement: Any, clause: Any, checked: Any = None) -> Statement:
        """A statement that changes one row, with its answer. What it returns is not selected from: that would cost a
        tenth more."""
        mark, ok, *raw = self.told(clause, checked)
        plain = {c.name: sa.column(c.name, clause.c[c.name].type) for c in self.chosen(clause)}
        columns = [self.body(plain).label("body"), mark.label("mark"), ok.label("ok"), *raw]
        return query.finish(statement.returning(*columns), self.binder)

    @property
    def sealed(self) -> bool:
        return bool(self.right.sealed)


def touches(right: Right, table: Table, names: Iterable[str]) -> bool:
    """Whether the rule of rows looks at one of these fields, so that the row must be checked after the change too."""
    if right.rows is None:
        return False
    clause = table.clause.alias("probe")
    looked = {
        element.name
        for element in visitors.iterate(right.rows(clause, ACTOR))
        if isinstance(element, sa.ColumnClause) and element.table is clause
    }
    return bool(looked & set(names))


def may_refuse(right: Right, table: Table, verb: str, names: Iterable[str]) -> bool:
    """Whether the rule of rows can refuse a POST or PATCH of these fields only once it is written, and must undo it."""
    if verb == "POST":
        return right.rows is not None and not set(right.stamp) >= _looked(right, table)
    return touches(right, table, names)


def insert(target: Target, change: Change) -> Statement:
    table, clause = target.table, target.table.clause
    values = _written(table, change, target.binder, target.right.stamp)
    checked = None
    if target.right.rows is not None and may_refuse(target.right, table, "POST", values):
        checked = target.right.rows(clause, ACTOR)
    return target.finish(_insert(sa.insert(table.clause), values, _on_create(target, change, values)), clause, checked)


def _on_create(target: Target, change: Change, values: Mapping[str, Any]) -> list[Any]:
    return write_conditions.of_create(target, values, (*change.values, *change.expressions))


def _insert(statement: Any, values: dict[str, Any], conditions: list[write_conditions.Guard]) -> Any:
    """The INSERT of one row, which is written only when the conditions hold."""
    if not conditions:
        return statement.values(values)
    row = sa.select(*values.values()).where(*(one.clause for one in conditions))
    return statement.from_select(list(values), row, include_defaults=False)


def _looked(right: Right, table: Table) -> set[str]:
    return {name for name in table.columns if touches(right, table, (name,))} or {""}


def upsert(target: Target, change: Change, conflict: list[Column], update: Right) -> Statement:
    """Create, or change the record that has these identifying fields. A record the caller may not change is left as it
    is, and no row comes back."""
    from sqlalchemy.dialects.postgresql import insert as pg_insert

    table = target.table
    values = _written(table, change, target.binder, target.right.stamp)
    names = {c.name for c in conflict}
    checked = None
    if target.right.rows is not None or update.rows is not None:
        rules = [right.rows(table.clause, ACTOR) for right in (target.right, update) if right.rows is not None]
        checked = sa.and_(*rules)
    present = _present(target, conflict, values, _on_create(target, change, values))
    statement = _insert(pg_insert(table.clause), values, present)
    allowed = [n for n in values if n not in names and update.writes(n)]
    new = {n: statement.excluded[n] for n in allowed} or {conflict[0].name: statement.excluded[conflict[0].name]}
    before = [update.rows(table.clause, ACTOR)] if update.rows is not None else []
    before += [
        one.clause for one in write_conditions.of_change(target, update, table.clause, {n: values[n] for n in new})
    ]
    done = statement.on_conflict_do_update(
        index_elements=[table.clause.c[c.name] for c in conflict], set_=new, where=sa.and_(*before) if before else None
    )
    return target.finish(done, table.clause, checked)


def _present(
    target: Target, conflict: list[Column], values: Mapping[str, Any], created: list[write_conditions.Guard]
) -> list[write_conditions.Guard]:
    """The conditions of a create, for a record that may be there already: then those of the change hold alone."""
    if not created:
        return []
    other: Any = target.table.clause.alias("present")
    there = sa.exists().where(*(other.c[c.name] == values[c.name] for c in conflict)).correlate_except(other)
    return [write_conditions.Guard(one.kind, sa.or_(there, one.clause)) for one in created]


def _by_key(target: Target, clause: Any, wanted: list[Column], *, match: bool) -> list[Any]:
    conditions = [clause.c[c.name] == target.binder.value(c.type, ("id", 0, i), c.name) for i, c in enumerate(wanted)]
    if target.right.rows is not None:
        conditions.append(target.right.rows(clause, ACTOR))
    if match:
        target.binder.slots["match"] = ParamSource(("value", "if-match"))
        known = sa.func.string_to_array(sa.cast(sa.bindparam("match", type_=sa.Text), Named("text")), " ")
        conditions.append(target.version(clause) == sa.func.any(known))
    return conditions


def update(target: Target, change: Change, wanted: list[Column], *, match: bool = False) -> Statement:
    clause: Any = target.table.clause.alias("t1")
    values = _written(target.table, change, target.binder, {})
    checked = None
    if target.right.rows is not None and touches(target.right, target.table, values):
        checked = target.right.rows(clause, ACTOR)
    statement = sa.update(clause).values({clause.c[n]: v for n, v in values.items()})
    allowed = [one.clause for one in write_conditions.of_change(target, target.right, clause, values)]
    statement = statement.where(*_by_key(target, clause, wanted, match=match), *allowed)
    return target.finish(statement, clause, checked)


def judged(target: Target, change: Change, wanted: list[Column]) -> Statement:
    """Which conditions on its fields a change keeps, for a record that it did not change. No row: no such record."""
    clause: Any = target.table.clause.alias("t1")
    values = _written(target.table, change, target.binder, {})
    told = write_conditions.told(write_conditions.of_change(target, target.right, clause, values))
    found = sa.select(*told).select_from(clause).where(*_by_key(target, clause, wanted, match=False))
    return query.finish(found, target.binder)


def judged_all(target: Target, change: Change, tree: Node | None) -> Statement:
    """The same for all records of a filter, which are locked until the end of the transaction."""
    clause: Any = target.table.clause.alias("t1")
    scope = Scope(target.table, clause, target.right, target.rights, target.binder)
    values = _written(target.table, change, target.binder, {})
    told = write_conditions.told(write_conditions.of_change(target, target.right, clause, values))
    found = sa.select(*told).select_from(clause).where(*query.where(scope, tree)).with_for_update().subquery("w")
    kinds = (write_conditions.REFERENCE, write_conditions.FIELD)
    answer = sa.select(*(sa.func.coalesce(sa.func.bool_and(found.c[kind]), sa.true()).label(kind) for kind in kinds))
    return query.finish(answer, target.binder)


def judged_new(target: Target, change: Change) -> Statement:
    """Which conditions on its fields a record keeps that was not created."""
    values = _written(target.table, change, target.binder, target.right.stamp)
    return query.finish(sa.select(*write_conditions.told(_on_create(target, change, values))), target.binder)


def delete(target: Target, wanted: list[Column], *, match: bool = False) -> Statement:
    clause: Any = target.table.clause.alias("t1")
    statement = sa.delete(clause).where(*_by_key(target, clause, wanted, match=match))
    return target.finish(statement, clause)


def find(target: Target, wanted: list[Column], same: Mapping[str, Any] | None = None) -> Statement:
    """The record as it is. `same`: fields whose stored value is compared with the one sent, as `same`."""
    clause: Any = target.table.clause.alias("t1")
    parts = [
        clause.c[n].is_not_distinct_from(target.binder.value(target.table.columns[n].type, ("value", n), n))
        for n in same or ()
    ]
    equal: Any = sa.and_(*parts) if parts else sa.literal_column("true")
    select = sa.select(*target.returned(clause), equal.label("tableapi same")).select_from(clause)
    found = select.where(*_by_key(target, clause, wanted, match=False)).with_for_update().subquery("w")
    return query.finish(sa.select(*target.answer(found), found.c["tableapi same"].label("same")), target.binder)


def by_filter(target: Target, change: Change | None, tree: Node | None, limit: int) -> Statement:
    """Change (or with None delete) every record of a filter in one statement. Columns: `body` (a JSON array in the
    order of the key) and `ok`."""
    table = target.table
    clause: Any = table.clause.alias("t1")
    scope = Scope(table, clause, target.right, target.rights, target.binder)
    conditions = query.where(scope, tree)
    checked = None
    statement: Any
    if change is None:
        statement = sa.delete(clause).where(*conditions)
    else:
        values = _written(table, change, target.binder, {})
        if target.right.rows is not None and touches(target.right, table, values):
            checked = target.right.rows(clause, ACTOR)
        conditions += [one.clause for one in write_conditions.of_change(target, target.right, clause, values)]
        statement = sa.update(clause).values({clause.c[n]: v for n, v in values.items()}).where(*conditions)
    done = statement.returning(*target.returned(clause, checked)).cte("w")
    keys = [done.c[f"our {n}"] for n in range(len(target.keys))]
    rows = sa.select(*target.answer(done)).select_from(done).order_by(*keys).subquery(aggregate.ROWS)
    body = sa.func.array_to_json(sa.func.array_agg(rows.c.body))
    ok = sa.func.bool_and(sa.func.coalesce(rows.c.ok, sa.false()))
    answer = sa.select(body.label("body"), ok.label("ok"))
    columns = [sa.func.array_agg(rows.c[f"our {n}"]).label(f"our {n}") for n in range(len(target.keys))]
    return query.finish(answer.add_columns(*columns).select_from(rows), target.binder)


def everything(target: Target) -> Statement:
    """DELETE with force: the rows of this table that the caller's rule lets through."""
    clause: Any = target.table.clause.alias("t1")
    rule = [target.right.rows(clause, ACTOR)] if target.right.rows is not None else []
    return query.finish(sa.delete(clause).where(*rule), target.binder)


def release(target: Target, names: Iterable[str], *, drop: bool) -> Statement:
    """Take every row that refers by these fields away from what it refers to: null them, or delete the rows.

    The answer's `ok` says whether all of them still satisfy the rule of rows.
    """
    clause: Any = target.table.clause.alias("t1")
    names = tuple(names)
    conditions = [
        clause.c[n] == target.binder.value(target.table.columns[n].type, ("id", 0, i), n) for i, n in enumerate(names)
    ]
    if target.right.rows is not None:
        conditions.append(target.right.rows(clause, ACTOR))
    if drop:
        return query.finish(sa.delete(clause).where(*conditions), target.binder)
    statement: Any = sa.update(clause).values({clause.c[n]: sa.null() for n in names}).where(*conditions)
    if target.right.rows is None or not touches(target.right, target.table, names):
        return query.finish(statement, target.binder)
    done = statement.returning(target.right.rows(clause, ACTOR).label("ok")).cte("w")
    ok = sa.func.bool_and(sa.func.coalesce(done.c.ok, sa.false()))
    return query.finish(sa.select(sa.func.coalesce(ok, sa.true()).label("ok")), target.binder)
