"""The statement that changes several records, each by its own key and to its own values. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from tableapi.query.dml import write_conditions
from tableapi.query.dml.change import Change
from tableapi.query.dml.target import KEY, Target, assignments, touches
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.statement import ParamSource, Statement
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import bind_list, element

PLACE = "tableapi place"  # the column with the place of a record among those of the statement, from 1
_VALUE = "tableapi value "  # prefix of the columns that hold what was sent; no field has this name


def update(target: Target, change: Change, key: list[Column]) -> Statement:
    """Build the UPDATE of records that set the fields of `change`, each to values of its own.

    The values of one field, or of one part of the key, are one array: the parameters ("value", name of the field) and
    ("value", `KEY` and the place of the part). Rows come back in any order, with `PLACE`.
    """
    clause: Any = target.binder.alias(target.table)
    fields = [target.table.columns[name] for name in change.values]
    rows, columns = _rows(target, key, fields)
    idents, sent = columns[: len(key)], dict(zip(change.values, columns[len(key) :], strict=True))
    values = assignments(target.table, change, target.binder, {}, sent)
    conditions = [clause.c[column.name] == ident for column, ident in zip(key, idents, strict=True)]
    allowed = None
    if target.right.rows is not None:
        conditions.append(target.right.rows(clause, ACTOR))
        allowed = target.right.rows(clause, ACTOR) if touches(target.right, target.table, values) else None
    conditions += [guard.clause for guard in write_conditions.of_change(target, target.right, clause, values)]
    statement = sa.update(clause).values({clause.c[name]: value for name, value in values.items()}).where(*conditions)
    return target.finish(statement, clause, allowed, (rows.c[PLACE],))


def _rows(target: Target, key: list[Column], fields: Iterable[Column]) -> tuple[Any, list[Any]]:
    """Return what was sent as rows, and the values of the key and of the fields in it."""
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
