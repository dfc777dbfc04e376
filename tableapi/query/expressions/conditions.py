"""The conditions of a read: row rules and filter trees as SQLAlchemy expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import and_, eq
from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Rows
from tableapi.query.expressions.comparison import compare
from tableapi.query.expressions.operands import Scope, check_level
from tableapi.query.expressions.scope import ACTOR
from tableapi.query.filter.ast import Condition, Logic, Node, Not
from tableapi.schema.sqltypes import Named

EXACT = frozenset(("smallint", "integer", "bigint", "uuid"))  # types with a single =, independent of any collation


Conditions = list[sa.ColumnElement[bool]]


def where(scope: Scope, tree: Node | None) -> Conditions:
    """Return the conditions of a read: the row rule and the filter, with their trees joined."""
    return joined(*rule_and_filter(scope, tree))


def rule_and_filter(scope: Scope, tree: Node | None) -> tuple[Conditions, Conditions]:
    """Return the conditions of the row rule and those of the filter."""
    row_rule = rule_of(scope, tree)
    rule = row_rule(scope.clause, ACTOR) if row_rule is not None else None
    return [] if rule is None else [rule], [] if tree is None else [guarded(tree, scope, rule)]


def joined(rule: Conditions, filtered: Conditions) -> Conditions:
    """Combine both, merging two equality conditions on the same column into one.

    PostgreSQL would turn `a = $1 AND a = $2` into `a = $1` and a one-time filter `$1 = $2`, which it evaluates for
    every row of the scan.
    """
    if not rule or not filtered:
        return [*rule, *filtered]
    places: dict[Any, int] = {}
    conditions: list[Any] = []
    for condition in conjuncts([*rule, *filtered]):
        place = places.setdefault(condition.left, len(conditions)) if fixes(condition) else len(conditions)
        if place == len(conditions):
            conditions.append(condition)
        else:
            value, second = conditions[place].right, condition.right
            conditions[place] = condition.left == sa.case((value == second, value))
    return conditions


def conjuncts(parts: Iterable[Any]) -> Iterator[Any]:
    """Yield the conditions joined by AND, flattened."""
    for part in parts:
        if isinstance(part, sa.BooleanClauseList) and part.operator is and_:
            yield from conjuncts(part.clauses)
        else:
            yield part


def fixes(part: Any) -> bool:
    """Return whether a condition compares a column of an exact type with a bound value."""
    return (
        isinstance(part, sa.BinaryExpression)
        and part.operator is eq
        and isinstance(part.right, sa.BindParameter)
        and getattr(part.left.type, "name", "") in EXACT
    )


def names_constant(part: Any) -> bool:
    """Return whether a condition compares a column with a constant of the statement, such as 0 or 1."""
    return (
        isinstance(part, sa.BinaryExpression)
        and part.operator is eq
        and isinstance(part.left, sa.ColumnClause)
        and isinstance(part.right, sa.ColumnClause)
        and part.right.is_literal
    )


def rule_of(scope: Scope, tree: Node | None) -> Rows | None:
    """Return the row rule of a read: the one for fields fixed by the filter, or the general one."""
    fixed = _fixed_rule(tree, scope.right.rows_when_filtered_by) if tree is not None else None
    return fixed or scope.right.rows


def _fixed_rule(tree: Node, rows_when_filtered_by: Mapping[str, Rows]) -> Rows | None:
    """Return the row rule for a field that the filter requires to equal a value."""
    match tree:
        case Logic("and", left, right):
            return _fixed_rule(left, rows_when_filtered_by) or _fixed_rule(right, rows_when_filtered_by)
        case Logic("or", left, right):
            rule = _fixed_rule(left, rows_when_filtered_by)
            return rule if rule is _fixed_rule(right, rows_when_filtered_by) else None
        case Condition(path, "=", _, False, None) if len(path) == 1:
            return rows_when_filtered_by.get(path[0].lower())
    return None


def clause(node: Node, scope: Scope) -> sa.ColumnElement[bool]:
    """Build the condition of a filter tree.

    Raises:
        UnknownField, BadRequest: a field or value of the filter is invalid.
        Forbidden: the filter names a relation that the caller may not read.
    """
    match node:
        case Condition():
            if not node.level:
                scope.binder.count("conditions")
            return _condition(node, scope)
        case Not(inner):
            return sa.not_(clause(inner, scope).self_group())
        case Logic(op, left, right):
            a, b = clause(left, scope), clause(right, scope)
            if op == "and":
                return sa.and_(a, b)
            if op == "or":
                return sa.or_(a, b)
            if op == "nor":
                return sa.not_(sa.or_(a, b).self_group())
            return _grouped(a).op("<>")(_grouped(b))
    raise AssertionError(node)


def guarded(node: Node, scope: Scope, rule: sa.ColumnElement[bool] | None) -> sa.ColumnElement[bool]:
    """Build the condition of a filter tree that is combined with a row rule.

    PostgreSQL may evaluate the filter before the rule. A part that may fail for some values is deferred with CASE until
    the rule holds; otherwise its error would disclose a row that the caller may not read.
    """
    if rule is None:
        return clause(node, scope)
    if isinstance(node, Logic) and node.op == "and":
        return sa.and_(guarded(node.left, scope, rule), guarded(node.right, scope, rule))
    before, scope.binder.may_fail = scope.binder.may_fail, False
    condition = guarded_by(rule, clause(node, scope), scope)
    scope.binder.may_fail |= before
    return condition


def guarded_by(rule: sa.ColumnElement[bool], condition: sa.ColumnElement[bool], scope: Scope) -> sa.ColumnElement[bool]:
    """Return a condition that is evaluated after the row rule if a part of it may fail."""
    return sa.case((rule, condition)) if scope.binder.may_fail else condition


def _grouped(part: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return a condition as a single boolean expression, for XOR."""
    return sa.cast(part, Named("boolean"))


def _condition(cond: Condition, scope: Scope) -> sa.ColumnElement[bool]:
    """Build a condition on a field, or on any of the related rows.

    Raises:
        BadRequest: `too_deep`; the path leads through too many relations.
    """
    path = cond.path
    through = cond.function is not None and cond.function.aggregates
    relation = scope.relation(path[0]) if len(path) > 1 and not through else None
    if relation is not None:
        check_level(cond.level + 1)
        inner, conditions = scope.followed(relation)
        condition = guarded(replace(cond, path=path[1:], level=cond.level + 1), inner, inner.rows())
        return sa.exists().where(*conditions, condition).correlate_except(inner.clause)
    return compare(cond, scope.operand(path, cond.function), scope)
