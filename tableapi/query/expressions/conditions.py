"""Filter trees as SQLAlchemy conditions. Pure: no connection, no HTTP."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from tableapi.query.expressions.comparison import compare
from tableapi.query.expressions.scope import Scope
from tableapi.query.filter.ast import Condition, Logic, Node, Not
from tableapi.schema.sqltypes import Named


def clause(node: Node, scope: Scope) -> sa.ColumnElement[bool]:
    """Return the condition of a filter tree.

    Raises:
        UnknownField, BadRequest: a field or value of the filter is wrong.
        Forbidden: the filter names a relation that the caller may not read.
    """
    match node:
        case Condition():
            return _condition(node, node.path, scope)
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
    """Return the condition of a filter tree beside a row rule.

    PostgreSQL may evaluate the filter before the rule. A part that may fail at the value of a row waits for the rule
    in a CASE; otherwise its error would tell that a row exists which the caller may not read.
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
    """Return a condition, evaluated after the row rule if a part of it may fail."""
    return sa.case((rule, condition)) if scope.binder.may_fail else condition


def _grouped(part: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return a condition as a boolean expression of its own, for XOR."""
    return sa.cast(part, Named("boolean"))


def _condition(cond: Condition, path: tuple[str, ...], scope: Scope) -> sa.ColumnElement[bool]:
    """Return a condition on a field, or on any of the related rows."""
    through = cond.function is not None and cond.function.aggregates
    relation = scope.relation(path[0]) if len(path) > 1 and not through else None
    if relation is not None:
        inner, conditions = scope.related(relation)
        condition = guarded(replace(cond, path=path[1:]), inner, inner.rows())
        return sa.exists().where(*conditions, condition).correlate_except(inner.clause)
    return compare(cond, scope.operand(path, cond.function), scope)
