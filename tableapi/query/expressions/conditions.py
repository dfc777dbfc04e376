"""Filter trees as SQLAlchemy conditions. Pure: no connection, no HTTP."""

from __future__ import annotations

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


def _grouped(part: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return a condition as a boolean expression of its own, for XOR."""
    return sa.cast(part, Named("boolean"))


def _condition(cond: Condition, path: tuple[str, ...], scope: Scope) -> sa.ColumnElement[bool]:
    """Return a condition on a field, or on any of the related rows."""
    through = cond.function is not None and cond.function.aggregates
    relation = scope.relation(path[0]) if len(path) > 1 and not through else None
    if relation is not None:
        inner, conditions = scope.related(relation)
        condition = _condition(cond, path[1:], inner)
        return sa.exists().where(*conditions, condition).correlate_except(inner.clause)
    return compare(cond, scope.operand(path, cond.function), scope)
