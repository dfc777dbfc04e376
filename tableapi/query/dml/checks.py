"""Statements beside a write: the stored record, and the condition that a refused write violated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from tableapi.query.dml import write_conditions
from tableapi.query.dml.change import Change
from tableapi.query.dml.statements import by_key, create_conditions
from tableapi.query.dml.target import Target, assignments
from tableapi.query.expressions.conditions import where
from tableapi.query.filter.ast import Node
from tableapi.query.statement import Statement, finish
from tableapi.schema.model import Column


def find(target: Target, key: list[Column], sent: Mapping[str, Any] | None = None) -> Statement:
    """Build the read of one record, which locks it.

    The column `same` tells whether the fields of `sent` are stored with the values that were sent.
    """
    clause: Any = target.binder.alias(target.table)
    equal = [
        clause.c[name].is_not_distinct_from(target.binder.value(target.table.columns[name].type, ("value", name), name))
        for name in sent or ()
    ]
    same: Any = sa.and_(*equal) if equal else sa.literal_column("true")
    rows = sa.select(*target.returned(clause), same.label("tableapi same")).select_from(clause)
    row = rows.where(*by_key(target, clause, key, match=False)).with_for_update().subquery(target.binder.name("w"))
    return finish(sa.select(*target.response(row), row.c["tableapi same"].label("same")), target.binder)


def of_change(target: Target, change: Change, key: list[Column]) -> Statement:
    """Build the check of a change that wrote no row: the kinds of condition that hold for the record.

    Columns: `reference` and `field`. No row: the record does not exist.
    """
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {})
    kinds = write_conditions.kinds(write_conditions.of_change(target, target.right, clause, values))
    row = sa.select(*kinds).select_from(clause).where(*by_key(target, clause, key, match=False))
    return finish(row, target.binder)


def of_changes(target: Target, change: Change, tree: Node | None) -> Statement:
    """Build the same check for all records of a filter, which it locks until the end of the transaction."""
    clause: Any = target.binder.alias(target.table)
    values = assignments(target.table, change, target.binder, {})
    kinds = write_conditions.kinds(write_conditions.of_change(target, target.right, clause, values))
    conditions = where(target.scope(clause), tree)
    rows = sa.select(*kinds).select_from(clause).where(*conditions).with_for_update().subquery(target.binder.name("w"))
    names = (write_conditions.REFERENCE, write_conditions.FIELD)
    every = (sa.func.coalesce(sa.func.bool_and(rows.c[name]), sa.true()).label(name) for name in names)
    return finish(sa.select(*every), target.binder)


def of_create(target: Target, change: Change) -> Statement:
    """Build the check of a create that wrote no row: the kinds of condition that hold for the record."""
    values = assignments(target.table, change, target.binder, target.right.stamp)
    kinds = write_conditions.kinds(create_conditions(target, change, values))
    return finish(sa.select(*kinds), target.binder)
