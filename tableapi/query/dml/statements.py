"""The statements that create, change and delete records. Pure: no connection, no HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert

from tableapi.auth.rights import Right
from tableapi.query import aggregate
from tableapi.query.dml import write_conditions
from tableapi.query.dml.change import Change
from tableapi.query.dml.target import KEY, Target, assignments, may_refuse, touches
from tableapi.query.expressions.conditions import where
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.filter.ast import Node
from tableapi.query.statement import ParamSource, Statement, finish
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import Named


def insert(target: Target, change: Change, ignored: list[Column] | None = None) -> Statement:
    """Build the INSERT of one record. It returns no row when a write condition does not hold.

    ignored: unique fields; the record is not created either when another has the same values in them.
    """
    table, clause = target.table, target.table.clause
    values = assignments(table, change, target.binder, target.right.stamp)
    allowed = None
    if target.right.rows is not None and may_refuse(target.right, table, "POST", values):
        allowed = target.right.rows(clause, ACTOR)
    statement = _insert(pg_insert(table.clause), values, create_conditions(target, change, values))
    if ignored:
        statement = statement.on_conflict_do_nothing(index_elements=[table.clause.c[c.name] for c in ignored])
    return target.finish(statement, clause, allowed)


def create_conditions(target: Target, change: Change, values: Mapping[str, Any]) -> list[write_conditions.Guard]:
    """Return the write conditions of a new record, which concern the fields that the caller sent."""
    names = {*change.values, *change.expressions} - target.right.stamp.keys()
    return write_conditions.of_create(target, values, names)


def _insert(statement: Any, values: dict[str, Any], guards: list[write_conditions.Guard]) -> Any:
    """Return the INSERT of one row that is written only when the conditions hold."""
    if not guards:
        return statement.values(values)
    row = sa.select(*values.values()).where(*(guard.clause for guard in guards))
    return statement.from_select(list(values), row, include_defaults=False)


def upsert(target: Target, change: Change, conflict: list[Column], update: Right) -> Statement:
    """Build an INSERT that changes the record with the same identifying fields instead, if there is one.

    A record that the caller may not change stays as it is, and no row is returned.
    """
    table = target.table
    values = assignments(table, change, target.binder, target.right.stamp)
    names = {column.name for column in conflict}
    allowed = None
    if target.right.rows is not None or update.rows is not None:
        rules = [right.rows(table.clause, ACTOR) for right in (target.right, update) if right.rows is not None]
        allowed = sa.and_(*rules)
    guards = _unless_present(target, conflict, values, create_conditions(target, change, values))
    statement = _insert(pg_insert(table.clause), values, guards)
    changed = [name for name in values if name not in names and update.writes(name)]
    new = {name: statement.excluded[name] for name in changed}
    new = new or {conflict[0].name: statement.excluded[conflict[0].name]}
    before = [update.rows(table.clause, ACTOR)] if update.rows is not None else []
    guards = write_conditions.of_change(target, update, table.clause, {name: values[name] for name in new})
    before += [guard.clause for guard in guards]
    statement = statement.on_conflict_do_update(
        index_elements=[table.clause.c[column.name] for column in conflict],
        set_=new,
        where=sa.and_(*before) if before else None,
    )
    return target.finish(statement, table.clause, allowed)


def _unless_present(
    target: Target, conflict: list[Column], values: Mapping[str, Any], guards: list[write_conditions.Guard]
) -> list[write_conditions.Guard]:
    """Waive the conditions of a create for a record that exists: only those of the change apply to it."""
    if not guards:
        return []
    other: Any = target.binder.alias(target.table)
    same = (other.c[column.name] == values[column.name] for column in conflict)
    present = sa.exists().where(*same).correlate_except(other)
    return [write_conditions.Guard(guard.kind, sa.or_(present, guard.clause)) for guard in guards]


def by_key(target: Target, clause: Any, key: list[Column], *, match: bool) -> list[Any]:
    """Return the conditions of one record: identifier, row rule and, with `match`, If-Match."""
    conditions = [
        clause.c[column.name] == target.binder.value(column.type, ("id", part), column.name)
        for part, column in enumerate(key)
    ]
    if target.right.rows is not None:
        conditions.append(target.right.rows(clause, ACTOR))
    if match:
        target.binder.sources["match"] = ParamSource(("value", "if-match"))
        versions = sa.func.string_to_array(sa.cast(sa.bindparam("match", type_=sa.Text), Named("text")), " ")
        conditions.append(target.version(clause) == sa.func.any(versions))
    return conditions


def update(target: Target, change: Change, key: list[Column], *, match: bool = False) -> Statement:
    """Build the UPDATE of one record. `match`: only in a version that the `If-Match` header names."""
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {})
    allowed = None
    if target.right.rows is not None and touches(target.right, target.table, values):
        allowed = target.right.rows(clause, ACTOR)
    statement = sa.update(clause).values({clause.c[name]: value for name, value in values.items()})
    guards = [guard.clause for guard in write_conditions.of_change(target, target.right, clause, values)]
    statement = statement.where(*by_key(target, clause, key, match=match), *guards)
    return target.finish(statement, clause, allowed)


def delete(target: Target, key: list[Column], *, match: bool = False) -> Statement:
    """Build the DELETE of one record, which returns it as it was."""
    clause: Any = target.binder.alias(target.table)
    statement = sa.delete(clause).where(*by_key(target, clause, key, match=match))
    return target.finish(statement, clause)


def by_filter(target: Target, change: Change | None, tree: Node | None) -> Statement:
    """Build one statement that changes, or with `change` None deletes, every record of a filter.

    Columns: `body` (a JSON array in the order of the key), `ok`, and the key fields as arrays.
    """
    table = target.table
    clause: Any = target.binder.alias(table)
    conditions = where(target.scope(clause), tree)
    allowed = None
    statement: Any
    if change is None:
        statement = sa.delete(clause).where(*conditions)
    else:
        values = assignments(table, change, target.binder, {})
        if target.right.rows is not None and touches(target.right, table, values):
            allowed = target.right.rows(clause, ACTOR)
        conditions += [guard.clause for guard in write_conditions.of_change(target, target.right, clause, values)]
        new = {clause.c[name]: value for name, value in values.items()}
        statement = sa.update(clause).values(new).where(*conditions)
    written = statement.returning(*target.returned(clause, allowed)).cte(target.binder.name("w"))
    labels = [f"{KEY}{number}" for number in range(len(target.keys))]
    ordered = (
        sa.select(*target.response(written)).select_from(written).order_by(*(written.c[label] for label in labels))
    )
    rows = ordered.subquery(target.binder.name(aggregate.ROWS))
    body = sa.func.array_to_json(sa.func.array_agg(rows.c.body))
    ok = sa.func.bool_and(sa.func.coalesce(rows.c.ok, sa.false()))
    keys = [sa.func.array_agg(rows.c[label]).label(label) for label in labels]
    return finish(sa.select(body.label("body"), ok.label("ok"), *keys).select_from(rows), target.binder)


def everything(target: Target) -> Statement:
    """Build the DELETE of option `force`: every row of the table that the row rule permits."""
    clause: Any = target.binder.alias(target.table)
    rule = [target.right.rows(clause, ACTOR)] if target.right.rows is not None else []
    return finish(sa.delete(clause).where(*rule), target.binder)


def release(target: Target, names: Iterable[str], *, drop: bool) -> Statement:
    """Build the statement that nulls these references, or with `drop` deletes their rows.

    `ok` tells whether all changed rows still satisfy the row rule.
    """
    clause: Any = target.binder.alias(target.table)
    names = tuple(names)
    key = [target.table.columns[name] for name in names]
    conditions = by_key(target, clause, key, match=False)
    if drop:
        return finish(sa.delete(clause).where(*conditions), target.binder)
    statement: Any = sa.update(clause).values({clause.c[name]: sa.null() for name in names}).where(*conditions)
    if target.right.rows is None or not touches(target.right, target.table, names):
        return finish(statement, target.binder)
    written = statement.returning(target.right.rows(clause, ACTOR).label("ok")).cte(target.binder.name("w"))
    ok = sa.func.bool_and(sa.func.coalesce(written.c.ok, sa.false()))
    return finish(sa.select(sa.func.coalesce(ok, sa.true()).label("ok")), target.binder)
