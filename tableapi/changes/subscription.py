"""The subscription of a stream: the plan that reads its rows, and the changes that can affect it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import False_

from tableapi.changes.outbox import RowChange
from tableapi.changes.triggers import RecordedTable
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, Forbidden
from tableapi.query import plan
from tableapi.query.expressions.conditions import clause, conjuncts, fixes, rule_of
from tableapi.query.expressions.operands import Scope
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.filter import cache
from tableapi.query.options import ALIASES, KNOWN
from tableapi.query.plan import Bindings, Plan, ReadRequest
from tableapi.query.relation_options import may_concern_relation, relation_option
from tableapi.query.spelling import suggestion
from tableapi.query.statement import Parameter, arguments, bound, finish
from tableapi.schema.model import Column
from tableapi.tables.read import named_values, read_request, shape_key
from tableapi.tables.request import TableRequest

OPTIONS = ("fields", "filter", "related", "params")
BATCHES = (1, 4, 16, 64)  # row counts that have their own statement
_NEVER = "\0"  # equals no recorded value


@dataclass(frozen=True, slots=True)
class _Shape:
    """State shared by all streams with the same plan.

    fixed: recorded columns that the row rule or the filter compares with a value, and how to compute it. watched: the
    columns in which a change can be visible; None for all. owned: whether the row rule consists only of comparisons in
    `fixed`, so that a change with these values is known to affect a row that the caller can read or could read before.
    Never True under a database role, because the effect of PostgreSQL's policies is known only for rows that are read.
    """

    fixed: tuple[tuple[str, str, Parameter], ...]
    watched: frozenset[str] | None
    owned: bool


@dataclass(slots=True)
class Subscription:
    """The rows that a stream follows. Streams with equal `group` receive the same events and share them."""

    dataset: Dataset
    recorded: RecordedTable
    columns: list[Column]
    request: ReadRequest
    shape: _Shape
    values: Bindings
    fixed: tuple[tuple[str, str], ...]
    plan_key: tuple[Any, ...]
    sealed: int
    group: Any

    @property
    def names_rows(self) -> bool:
        """Whether the caller may read the key, so that a deleted row can be named."""
        return all(self.request.right.can_read(column.name) for column in self.columns)

    def concerns(self, change: RowChange) -> bool:
        """Return whether a change of the table can be visible to the stream."""
        watched = self.shape.watched
        if change.changed is not None and watched is not None and watched.isdisjoint(change.changed):
            return False
        return all(value in change.parts.get(column, (value,)) for column, value in self.fixed)

    def existed(self, change: RowChange) -> bool:
        """Return whether the caller may know that the changed row existed before."""
        if change.operation == "i" or not self.shape.owned:
            return False
        return all(change.parts.get(column, (value,))[0] == value for column, value in self.fixed)

    async def plan(self, count: int) -> Plan:
        """Return the plan that reads `count` rows by their keys, with the filter and the row rule."""
        return await _plan_of(self.dataset, self.plan_key, self.request, self.columns, plan.rounded(count))

    async def check(self) -> None:
        """Read no rows as the caller. Raises PostgresError if PostgreSQL denies its role the statement."""
        plan = await self.plan(1)
        async with self.dataset.db.reads.acquire() as connection:
            await connection.fetch(plan.sql, *plan.args(self.values))

    def bindings(self, keys: list[list[Any]]) -> Bindings:
        """Return the plan's values for these keys."""
        return replace(self.values, ids=keys)


async def _plan_of(
    dataset: Dataset, key: tuple[Any, ...], request: ReadRequest, columns: list[Column], count: int
) -> Plan:
    return await dataset.plan_cache.plan(
        "changes", (*key, count), request.table, request.options, plan.keyed_plan, request, columns, count
    )


async def subscribe(call: TableRequest, recorded: RecordedTable) -> Subscription:
    """Build the subscription for a request.

    Raises:
        ApiError: an option is not supported by streams, or any error of a read; the key is of type bytea.
    """
    _only_options(call)
    columns = [call.table.columns[name] for name in recorded.key if name in call.table.columns]
    if len(columns) != len(recorded.key) or any(column.type.kind == "bytea" for column in columns):
        raise BadRequest(
            f"Table '{call.table.name}' has no primary key, so its changes cannot be followed. Read the table again "
            "instead.",
            reason="no_primary_key",
        )
    right = plan.right_of(call.table, call.rights, "GET")
    if right.rows is not None and isinstance(right.rows(call.table.clause, ACTOR), False_):
        raise Forbidden(f"Your role may not read any row of '{call.table.name}'.")
    text = call.filter_text()
    tree, literals = cache.parse(text, call.dataset.limits.filter) if text.strip() else (None, [])
    params = named_values(call)
    request = read_request(call, call.options(), tree)
    name = shape_key(call, tree.mark if tree else None, "changes", recorded)
    key = (*name, call.dataset.schema.fingerprint)
    shape = await call.dataset.plan_cache.plan(
        "changes", key, call.table, request.options, _shape, request, recorded, bool(call.dataset.role_sql)
    )
    limits = call.dataset.limits.filter
    conditions = plan.conditions(request.options, limits)
    values = Bindings(call.actor, literals, params, [[None] * len(columns)], limits=limits, conditions=conditions)
    fixed = tuple((column, _text(kind, arguments([value], values)[0])) for column, kind, value in shape.fixed)
    first = await _plan_of(call.dataset, key, request, columns, 1)
    # The plan binds every value that the rows depend on, except the keys and the inputs of PostgreSQL policies.
    group = name, fixed, repr(first.args(values)), call.dataset.role_sql
    return Subscription(call.dataset, recorded, columns, request, shape, values, fixed, key, first.sealed, group)


def _only_options(call: TableRequest) -> None:
    """Reject options that streams do not support."""
    for name in call.query:
        option = ALIASES.get(name, name)
        if option in OPTIONS or (may_concern_relation(name) and relation_option(name, call.table.relation)):
            continue
        known = option in KNOWN
        hint = "" if known else suggestion(name, OPTIONS)
        raise BadRequest(
            f"A stream of changes has no option '{name[:100]}'.{hint} It takes {', '.join(OPTIONS)}.",
            reason="bad_option" if known else "unknown_option",
            context={"option": name[:100]},
        )


def _shape(request: ReadRequest, recorded: RecordedTable, under_role: bool) -> _Shape:
    scope, right = request.scope(), request.right
    tree = request.filter.tree if request.filter else None
    rule = rule_of(scope, tree)
    by_rule = list(conjuncts([rule(scope.clause, ACTOR)])) if rule is not None else []
    by_filter = list(conjuncts([clause(tree, scope)])) if tree is not None else []
    watched = None
    if right.readable is not None:
        watched = right.readable | {name for condition in by_rule for name in _own_columns(condition, scope)}
        watched |= set(recorded.policy_columns)
    fixed = [
        (condition.left.name, condition.left.type.name, bound(finish(sa.select(condition.right), scope.binder))[0])
        for condition in (*by_rule, *by_filter)
        if _is_fixed(condition, scope, recorded)
    ]
    owned = not under_role and all(_is_fixed(condition, scope, recorded) for condition in by_rule)
    return _Shape(tuple(fixed), watched, owned)


def _is_fixed(condition: Any, scope: Scope, recorded: RecordedTable) -> bool:
    """Return whether a condition compares a recorded column of the table with a value."""
    if not fixes(condition) or not isinstance(condition.left, sa.ColumnElement):
        return False
    return getattr(condition.left, "table", None) is scope.clause and condition.left.name in recorded.parts


def _own_columns(condition: Any, scope: Scope) -> Iterator[str]:
    """Yield the columns of the table used in a condition, including its sub-selects."""
    for element in visitors.iterate(condition):
        if isinstance(element, sa.ColumnClause) and element.table is scope.clause:
            yield element.name


def _text(kind: str, value: Any) -> str:
    """Return a value of an exact type in PostgreSQL's text form."""
    if value is None:
        return _NEVER
    try:
        return str(UUID(str(value))) if kind == "uuid" else str(int(value))
    except ValueError:
        return _NEVER
