"""Plan writes: turn the parts of a record and the caller's rights into a statement. Pure.

Plans are cached like those of reads: by table, role, options and fields. The values are bound at each request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tableapi.auth.rights import Right
from tableapi.query.dml import conditions, statements
from tableapi.query.dml.target import Change, Target, may_refuse, touches
from tableapi.query.filter.ast import Filter
from tableapi.query.statement import Parameter, Statement, bound
from tableapi.schema.model import Column


@dataclass(frozen=True, slots=True)
class WritePlan:
    """A compiled write, or a check beside it.

    ident: the fields that identify the record. keys: the fields that are returned raw. sealed: the response has sealed
    fields. transaction: a row rule may refuse a row after it is written. guarded: the statement has write conditions,
    so another statement finds out why it wrote no row.
    """

    sql: str
    parameters: list[Parameter]
    ident: tuple[Column, ...] = ()
    keys: tuple[str, ...] = ()
    sealed: bool = False
    transaction: bool = False
    guarded: bool = False


def key_of(build: Callable[..., WritePlan], target: Target, parts: Iterable[Any]) -> tuple[Any, ...]:
    """Return the key of the plan that `build` makes of a target and these parts."""
    return (
        build, target.table.name, target.verb, target.fields, target.keys, target.blind, *map(_shape, parts)
    )  # fmt: skip


def _shape(part: Any) -> Any:
    """Return what a plan depends on in one part of a write."""
    match part:
        case Change():
            return part.shape
        case Filter():
            return part.mark
        case Right():  # of a verb that `build` implies
            return None
        case list():
            return tuple(column.name for column in part)
    return part


def _plan(
    statement: Statement, target: Target, ident: Iterable[Column] = (), *, transaction: bool = False,
    guarded: bool = False,
) -> WritePlan:  # fmt: skip
    return WritePlan(
        statement.sql, bound(statement), tuple(ident), target.keys, target.sealed, transaction, guarded
    )  # fmt: skip


def _guarded(target: Target, change: Change) -> bool:
    return conditions.concern(target.table, target.right, target.rights, change.names)


# -- one record ------------------------------------------------------------------------------------------------------


def insert(target: Target, change: Change, unless: list[Column]) -> WritePlan:
    """Plan the create of a record. `unless`: not where another record has the same values in these unique fields."""
    refusable = may_refuse(target.right, target.table, "POST", change.names)
    statement = statements.insert(target, change, unless)
    return _plan(statement, target, transaction=refusable, guarded=_guarded(target, change))


def upsert(target: Target, change: Change, unique: list[Column], update: Right) -> WritePlan:
    """Plan the create of a record that changes the one with the same values in unique fields, if there is one."""
    ruled = target.right.rows is not None or update.rows is not None
    return _plan(statements.upsert(target, change, unique, update), target, transaction=ruled)


def update(target: Target, change: Change, ident: list[Column], match: bool) -> WritePlan:
    """Plan the change of a record. `match`: only in a version that the `If-Match` header names."""
    refusable = touches(target.right, target.table, change.names)
    statement = statements.update(target, change, ident, match=match)
    return _plan(statement, target, ident, transaction=refusable, guarded=_guarded(target, change))


def delete(target: Target, ident: list[Column], match: bool) -> WritePlan:
    """Plan the delete of a record. `match`: only in a version that the `If-Match` header names."""
    return _plan(statements.delete(target, ident, match=match), target, ident)


# -- several records -------------------------------------------------------------------------------------------------


def update_several(target: Target, change: Change, ident: list[Column]) -> WritePlan:
    """Plan the change of records that set the same fields, each to values of its own."""
    return _plan(statements.update_several(target, change, ident), target)


def change_matching(target: Target, change: Change, parsed: Filter, _params: tuple[str, ...]) -> WritePlan:
    """Plan the change of all records of a filter."""
    statement = statements.by_filter(target, change, parsed.tree)
    return _plan(statement, target, transaction=True, guarded=_guarded(target, change))


def delete_matching(target: Target, parsed: Filter, _params: tuple[str, ...]) -> WritePlan:
    """Plan the delete of all records of a filter."""
    return _plan(statements.by_filter(target, None, parsed.tree), target, transaction=True)


def everything(target: Target) -> WritePlan:
    """Plan the delete of all records, for option `force`."""
    return _plan(statements.everything(target), target)


def release(target: Target, names: tuple[str, ...], drop: bool) -> WritePlan:
    """Plan to null the references of children, or with `drop` to delete the children."""
    return _plan(statements.release(target, names, drop=drop), target)


# -- checks ----------------------------------------------------------------------------------------------------------


def find(target: Target, ident: list[Column], sent: tuple[str, ...] = ()) -> WritePlan:
    """Plan the read of a stored record, which locks it. `sent`: fields that are compared with what was sent."""
    return _plan(statements.find(target, ident, sent), target, ident)


def check_create(target: Target, change: Change) -> WritePlan:
    """Plan to find out which condition refused a create."""
    return _plan(statements.check_create(target, change), target)


def check_change(target: Target, change: Change, ident: list[Column]) -> WritePlan:
    """Plan to find out which condition refused a change."""
    return _plan(statements.check_change(target, change, ident), target)


def check_matching(target: Target, change: Change, parsed: Filter, _params: tuple[str, ...]) -> WritePlan:
    """Plan to find out whether a condition refuses the change of a record of a filter."""
    return _plan(statements.check_changes(target, change, parsed.tree), target)
