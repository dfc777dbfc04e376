"""Plan writes: statements that create, change and delete records, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as pg_insert

from tableapi.auth.rights import Right
from tableapi.query import aggregate
from tableapi.query.dml import conditions
from tableapi.query.dml.plan import Change, WritePlan
from tableapi.query.dml.target import KEY, Target, assignments, may_reject, touches
from tableapi.query.expressions.conditions import where
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.filter.ast import Filter
from tableapi.query.limits import FilterLimits
from tableapi.query.options import Options
from tableapi.query.plan import reading_binder
from tableapi.query.statement import ParamSource
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import Named, bind_list, element

PLACE = "tableapi place"  # the column with the position of a record in the statement, from 1
_VALUE = "tableapi value "  # prefix of columns with values from the request; no field has such a name


def insert(target: Target, change: Change, ignored: list[Column] | None = None) -> WritePlan:
    """Build the INSERT of one record. It returns no row if a write condition fails.

    ignored: unique fields; the record is also not created if another one has the same values in them. The statement
    then looks for that one first, because PostgreSQL checks a new row before it finds a conflict.
    """
    table, clause = target.table, target.table.clause
    values = assignments(table, change, target.binder, target.right.set_on_create)
    allowed = None
    if target.right.rows is not None and may_reject(target.right, table, "POST", values):
        allowed = target.right.rows(clause, ACTOR)
    guards = create_conditions(target, change, values)
    found = _present(target, ignored, values) if ignored and looks_first(table, target.right, change) else None
    statement = _insert(pg_insert(table.clause), values, guards, None if found is None else sa.not_(found))
    if ignored and not lacks_arbiter(table, ignored):
        statement = statement.on_conflict_do_nothing(index_elements=[table.clause.c[c.name] for c in ignored])
    return target.finish(statement, clause, allowed, guarded=bool(guards))


def looks_first(table: Table, right: Right, change: Change) -> bool:
    """Return whether an upsert has to look for an existing record before it inserts one.

    PostgreSQL checks a new row before it finds a conflict, so a field that was not sent may fail there although the
    existing record has a value. Keys that ON CONFLICT cannot use need the look, too.
    """
    return bool(table.no_arbiters or table.needed.difference(change.values, change.expressions, right.set_on_create))


def lacks_arbiter(table: Table, conflict: list[Column]) -> bool:
    """Return whether ON CONFLICT cannot use the unique key with these columns."""
    return frozenset(column.name for column in conflict) in table.no_arbiters


def create_conditions(target: Target, change: Change, values: Mapping[str, Any]) -> list[conditions.Guard]:
    """Return the write conditions of a new record, for the fields that the caller sent."""
    names = {*change.values, *change.expressions} - target.right.set_on_create.keys()
    return conditions.of_create(target, values, names)


def _insert(statement: Any, values: dict[str, Any], guards: list[conditions.Guard], absent: Any = None) -> Any:
    """Return the INSERT of one row that is written only if the conditions hold.

    absent: whether no record with its identifying fields exists.
    """
    clauses = [guard.clause for guard in guards] + ([] if absent is None else [absent])
    if not clauses:
        return statement.values(values)
    row = sa.select(*values.values()).where(*clauses)
    return statement.from_select(list(values), row, include_defaults=False)


def upsert(target: Target, change: Change, conflict: list[Column], update: Right) -> WritePlan:
    """Build an INSERT that changes an existing record with the same identifying fields instead.

    A record that the caller may not change is left unchanged, and no row is returned.
    """
    table = target.table
    values = assignments(table, change, target.binder, target.right.set_on_create)
    names = {column.name for column in conflict}
    allowed = None
    if target.right.rows is not None or update.rows is not None:
        rules = [right.rows(table.clause, ACTOR) for right in (target.right, update) if right.rows is not None]
        allowed = sa.and_(*rules)
    guards = _unless_present(target, conflict, values, create_conditions(target, change, values))
    statement = _insert(pg_insert(table.clause), values, guards)
    changed = [name for name in values if name not in names and update.can_write(name)]
    new = {name: statement.excluded[name] for name in changed}
    if change.operators:
        computed = assignments(table, change, target.binder, {}, stored=table.clause)
        new |= {name: computed[name] for name in changed if name in change.operators}
    new = new or {conflict[0].name: statement.excluded[conflict[0].name]}
    before = [update.rows(table.clause, ACTOR)] if update.rows is not None else []
    guards = conditions.of_change(target, update, table.clause, {name: values[name] for name in new})
    before += [guard.clause for guard in guards]
    statement = statement.on_conflict_do_update(
        index_elements=[table.clause.c[column.name] for column in conflict],
        set_=new,
        where=sa.and_(*before) if before else None,
    )
    return target.finish(statement, table.clause, allowed)


def _unless_present(
    target: Target, conflict: list[Column], values: Mapping[str, Any], guards: list[conditions.Guard]
) -> list[conditions.Guard]:
    """Waive the conditions of a create if the record exists, since those of the change apply to it."""
    if not guards:
        return []
    present = _present(target, conflict, values)
    return [conditions.Guard(guard.kind, sa.or_(present, guard.clause)) for guard in guards]


def _present(target: Target, conflict: list[Column], values: Mapping[str, Any]) -> Any:
    """Return the condition that a record with these values in its identifying fields exists."""
    other: Any = target.binder.alias(target.table)
    same = (other.c[column.name] == values[column.name] for column in conflict)
    return sa.exists().where(*same).correlate_except(other)


def by_key(target: Target, clause: Any, key: list[Column], *, match: bool) -> list[Any]:
    """Return the conditions of one record: identifier, row rule and, with `match`, If-Match."""
    found = [
        clause.c[column.name] == target.binder.value(column.type, ("id", part), column.name)
        for part, column in enumerate(key)
    ]
    if target.right.rows is not None:
        found.append(target.right.rows(clause, ACTOR))
    if match:
        target.binder.sources["match"] = ParamSource(("value", "if-match"))
        versions = sa.func.string_to_array(sa.cast(sa.bindparam("match", type_=sa.Text), Named("text")), " ")
        found.append(target.version(clause) == sa.any_(versions))
    return found


def update(target: Target, change: Change, key: list[Column], match: bool = False) -> WritePlan:
    """Build the UPDATE of one record. `match`: only in a version named by the `If-Match` header."""
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {}, stored=clause)
    allowed = None
    if target.right.rows is not None and touches(target.right, target.table, values):
        allowed = target.right.rows(clause, ACTOR)
    statement = sa.update(clause).values({clause.c[name]: value for name, value in values.items()})
    guards = [guard.clause for guard in conditions.of_change(target, target.right, clause, values)]
    statement = statement.where(*by_key(target, clause, key, match=match), *guards)
    return target.finish(statement, clause, allowed, ident=key, guarded=bool(guards))


def update_several(target: Target, change: Change, key: list[Column]) -> WritePlan:
    """Build the UPDATE of records that set the fields of `change`, each to its own values.

    The values of one field, or of one part of the key, are passed as one array: the parameters ("value", field name)
    and ("value", `KEY` and the number of the part). Rows come back in any order, with `PLACE`.
    """
    clause: Any = target.binder.alias(target.table)
    fields = [target.table.columns[name] for name in change.values]
    rows, columns = _rows(target, key, fields)
    idents, sent = columns[: len(key)], dict(zip(change.values, columns[len(key) :], strict=True))
    values = assignments(target.table, change, target.binder, {}, sent, clause)
    matched = [clause.c[column.name] == ident for column, ident in zip(key, idents, strict=True)]
    allowed = None
    if target.right.rows is not None:
        matched.append(target.right.rows(clause, ACTOR))
        allowed = target.right.rows(clause, ACTOR) if touches(target.right, target.table, values) else None
    matched += [guard.clause for guard in conditions.of_change(target, target.right, clause, values)]
    statement = sa.update(clause).values({clause.c[name]: value for name, value in values.items()}).where(*matched)
    return target.finish(statement, clause, allowed, (rows.c[PLACE],))


def _rows(target: Target, key: list[Column], fields: Iterable[Column]) -> tuple[Any, list[Any]]:
    """Return the values of the request as rows, with their key columns and field columns."""
    names = [f"{KEY}{place}" for place in range(len(key))] + [field.name for field in fields]
    types = [column.type for column in (*key, *fields)]
    arrays, columns = [], []
    for place, (name, type_) in enumerate(zip(names, types, strict=True)):
        parameter = f"v{place}"
        target.binder.sources[parameter] = ParamSource(("value", name))
        array, own = bind_list(type_, parameter)
        arrays.append(array)
        columns.append(sa.column(f"{_VALUE}{place}", own))
    unnested = sa.func.unnest(*arrays).table_valued(*columns, with_ordinality=PLACE)
    rows = unnested.render_derived(name=target.binder.name("sent"))
    return rows, [element(type_, rows.c[column.name]) for type_, column in zip(types, columns, strict=True)]


def delete(target: Target, key: list[Column], match: bool = False) -> WritePlan:
    """Build the DELETE of one record, which returns it as it was before."""
    clause: Any = target.binder.alias(target.table)
    statement = sa.delete(clause).where(*by_key(target, clause, key, match=match))
    return target.finish(statement, clause)


def by_filter(
    target: Target, change: Change | None, parsed: Filter, options: Options, limits: FilterLimits
) -> WritePlan:
    """Build one statement that changes every record matching a filter, or deletes it if `change` is None.

    Columns: `body` (a JSON array in the order of the key), `ok`, and the key fields as arrays.
    """
    table, target.binder = target.table, reading_binder(options, limits)
    clause: Any = target.binder.alias(table)
    matched, guards = where(target.scope(clause), parsed.tree), []
    allowed = None
    statement: Any
    if change is None:
        statement = sa.delete(clause).where(*matched)
    else:
        values = assignments(table, change, target.binder, {}, stored=clause)
        if target.right.rows is not None and touches(target.right, table, values):
            allowed = target.right.rows(clause, ACTOR)
        guards = [guard.clause for guard in conditions.of_change(target, target.right, clause, values)]
        new = {clause.c[name]: value for name, value in values.items()}
        statement = sa.update(clause).values(new).where(*matched, *guards)
    written = statement.returning(*target.returned(clause, allowed)).cte(target.binder.name("w"))
    labels = [f"{KEY}{number}" for number in range(len(target.keys))]
    ordered = (
        sa.select(*target.response(written)).select_from(written).order_by(*(written.c[label] for label in labels))
    )
    rows = ordered.subquery(target.binder.name(aggregate.ROWS))
    body = sa.func.array_to_json(sa.func.array_agg(rows.c.body))
    ok = sa.func.bool_and(sa.func.coalesce(rows.c.ok, sa.false()))
    keys = [sa.func.array_agg(rows.c[label]).label(label) for label in labels]
    statement = sa.select(body.label("body"), ok.label("ok"), *keys).select_from(rows)
    return target.plan(statement, transaction=True, guarded=bool(guards))


def everything(target: Target) -> WritePlan:
    """Build the DELETE of option `force`: all rows of the table that the row rule permits."""
    clause: Any = target.binder.alias(target.table)
    rule = [target.right.rows(clause, ACTOR)] if target.right.rows is not None else []
    return target.plan(sa.delete(clause).where(*rule))


def release(target: Target, names: Iterable[str], drop: bool) -> WritePlan:
    """Build the statement that sets these references to NULL or, with `drop`, deletes their rows.

    `ok` tells whether all changed rows still satisfy the row rule.
    """
    clause: Any = target.binder.alias(target.table)
    names = tuple(names)
    key = [target.table.columns[name] for name in names]
    matched = by_key(target, clause, key, match=False)
    if drop:
        return target.plan(sa.delete(clause).where(*matched))
    statement: Any = sa.update(clause).values({clause.c[name]: sa.null() for name in names}).where(*matched)
    if target.right.rows is None or not touches(target.right, target.table, names):
        return target.plan(statement)
    written = statement.returning(target.right.rows(clause, ACTOR).label("ok")).cte(target.binder.name("w"))
    ok = sa.func.bool_and(sa.func.coalesce(written.c.ok, sa.false()))
    return target.plan(sa.select(sa.func.coalesce(ok, sa.true()).label("ok")))


# -- checks of writes --------------------------------------------------------------------------------------------------


def find(target: Target, key: list[Column], sent: Iterable[str] = ()) -> WritePlan:
    """Build the read of one record, which locks it.

    The column `same` tells whether the stored values of the fields in `sent` equal those that were sent.
    """
    clause: Any = target.binder.alias(target.table)
    equal = [
        clause.c[name].is_not_distinct_from(target.binder.value(target.table.columns[name].type, ("value", name), name))
        for name in sent
    ]
    same: Any = sa.and_(*equal) if equal else sa.literal_column("true")
    rows = sa.select(*target.returned(clause), same.label("tableapi same")).select_from(clause)
    row = rows.where(*by_key(target, clause, key, match=False)).with_for_update().subquery(target.binder.name("w"))
    return target.plan(sa.select(*target.response(row), row.c["tableapi same"].label("same")))


def check_change(target: Target, change: Change, key: list[Column]) -> WritePlan:
    """Build the check of a change that wrote no row: which kinds of condition hold for the record.

    Columns: `reference` and `field`. There is no row if the record does not exist.
    """
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {}, stored=clause)
    kinds = conditions.kinds(conditions.of_change(target, target.right, clause, values))
    row = sa.select(*kinds).select_from(clause).where(*by_key(target, clause, key, match=False))
    return target.plan(row)


def check_changes(target: Target, change: Change, parsed: Filter, options: Options, limits: FilterLimits) -> WritePlan:
    """Build the same check for all records matching a filter, locked until the transaction ends."""
    target.binder = reading_binder(options, limits)
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {}, stored=clause)
    kinds = conditions.kinds(conditions.of_change(target, target.right, clause, values))
    matched = where(target.scope(clause), parsed.tree)
    rows = sa.select(*kinds).select_from(clause).where(*matched).with_for_update().subquery(target.binder.name("w"))
    names = (conditions.REFERENCE, conditions.FIELD)
    every = (sa.func.coalesce(sa.func.bool_and(rows.c[name]), sa.true()).label(name) for name in names)
    return target.plan(sa.select(*every))


def check_create(target: Target, change: Change) -> WritePlan:
    """Build the check of a create that wrote no row: which kinds of condition hold for the record."""
    values = assignments(target.table, change, target.binder, target.right.set_on_create)
    kinds = conditions.kinds(create_conditions(target, change, values))
    return target.plan(sa.select(*kinds))
