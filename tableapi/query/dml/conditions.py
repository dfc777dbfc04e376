"""Conditions of writes: PostgreSQL rules that replace writes, and conditions on single fields.

Field conditions are compiled into the statement. A reference must point to a row that the caller may read; any other
row gets the same response as a missing one. A field may be editable in some rows only (`Rule.editable_in`). A write
that satisfies the conditions needs no extra round trip. If no row was written, another statement finds out which kind
of condition failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest
from tableapi.query.dml.target import Target
from tableapi.query.expressions.scope import ACTOR
from tableapi.schema.model import Relation, Table

Clause = sa.ColumnElement[bool]
REFERENCE, FIELD = "reference", "field"
_EVENTS = {"POST": "INSERT", "PUT": "UPDATE", "PATCH": "UPDATE", "DELETE": "DELETE"}


def check_rules(table: Table, verb: str, *, upsert: bool) -> None:
    """Reject writes replaced by a rule without RETURNING, and upserts into tables with rules.

    Raises:
        BadRequest: `replaced_by_rule`.
    """
    if not table.rules.get(_EVENTS.get(verb, ""), True):
        raise BadRequest(
            f"A rule of the database replaces this write of '{table.name}' and returns no record. "
            "Write to the table behind it, or add RETURNING to the rule.",
            reason="replaced_by_rule",
        )
    if upsert and not table.rules.keys().isdisjoint(("INSERT", "UPDATE")):
        raise BadRequest(
            f"Rules of the database replace writes of '{table.name}', so it does not support upserts. Use POST or "
            "PATCH.",
            reason="replaced_by_rule",
        )


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition on a row. `kind` is REFERENCE or FIELD, and determines the error."""

    kind: str
    clause: Clause


def concern(table: Table, right: Right, rights: Rights, names: Iterable[str]) -> bool:
    """Return whether a write of these fields is subject to conditions on single fields."""
    names = set(names)
    return not names.isdisjoint(right.editable_in) or next(_references(table, rights, names), None) is not None


def refers_to_itself(table: Table, rights: Rights, names: Iterable[str]) -> bool:
    """Return whether a write of these fields is subject to a condition on other rows of the table."""
    return any(relation.target is table for relation, _ in _references(table, rights, set(names)))


def _references(table: Table, rights: Rights, names: set[str]) -> Iterator[tuple[Relation, Right]]:
    """Yield references among these fields to tables with a row rule, and the right to read those tables."""
    for relation in table.relations.values():
        if relation.kind == "belongs_to" and not relation.derived and not names.isdisjoint(relation.own):
            right = rights.right(relation.target, "GET")
            if right is not None and right.rows is not None:
                yield relation, right


def of_create(target: Target, values: Mapping[str, Any], names: Iterable[str]) -> list[Guard]:
    """Return the conditions on a new row.

    `values`: all fields to write. `names`: those of them sent by the caller.
    """
    guards = []
    for relation, right in _references(target.table, target.rights, set(names)):
        refers = [values[n] if n in values else _default(target.table, n) for n in relation.own]
        if all(value is not None for value in refers):  # a reference with a NULL part refers to no row
            guards.append(
                Guard(REFERENCE, _seen(target, relation, right, refers, _itself(target.table, relation, values)))
            )
    return guards


def _default(table: Table, name: str) -> Any:
    column = table.columns[name]
    return sa.literal_column(column.default) if column.default and not column.automatic else None


def of_change(target: Target, right: Right, clause: Any, values: Mapping[str, Any]) -> list[Guard]:
    """Return the conditions on a row before its change. Unchanged values always satisfy them."""
    guards = []
    for name, rows in right.editable_in.items():
        if name in values:
            same = clause.c[name].is_not_distinct_from(values[name])
            guards.append(Guard(FIELD, sa.or_(same, rows(clause, ACTOR))))
    for relation, seen in _references(target.table, target.rights, set(values)):
        after = {name: values.get(name, clause.c[name]) for name in target.table.columns}
        refers = [after[n] for n in relation.own]
        same = sa.and_(*(clause.c[n].is_not_distinct_from(values[n]) for n in relation.own if n in values))
        itself = _itself(target.table, relation, after)
        guards.append(Guard(REFERENCE, sa.or_(same, _seen(target, relation, seen, refers, itself))))
    return guards


def _itself(table: Table, relation: Relation, row: Mapping[str, Any]) -> list[Any] | None:
    """Return the values by which the written row could refer to itself."""
    if relation.target is not table or not row.keys() >= set(relation.theirs):
        return None
    return [row[name] for name in relation.theirs]


def _seen(target: Target, relation: Relation, right: Right, refers: list[Any], itself: list[Any] | None) -> Clause:
    """Return the condition that these values are NULL or refer to a row that the caller may read."""
    other: Any = target.binder.alias(relation.target)
    assert right.rows is not None
    same = [other.c[t] == value for t, value in zip(relation.theirs, refers, strict=True)]
    parts: list[Clause] = [value.is_(None) for value in refers]
    if itself is not None:
        parts.append(sa.and_(*(own == value for own, value in zip(itself, refers, strict=True))))
    return sa.or_(*parts, sa.exists().where(*same, right.rows(other, ACTOR)).correlate_except(other))


def kinds(guards: list[Guard]) -> list[Any]:
    """Return the columns REFERENCE and FIELD, which tell whether the conditions of each kind hold."""
    columns = []
    for kind in (REFERENCE, FIELD):
        parts = [sa.func.coalesce(guard.clause, sa.false()) for guard in guards if guard.kind == kind]
        columns.append((sa.and_(*parts) if parts else sa.true()).label(kind))
    return columns
