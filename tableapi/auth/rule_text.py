"""Describe row rules in words, to explain to a person or an agent why a row is missing. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import elements, operators

from tableapi.auth.policy import ActorTerms
from tableapi.auth.rights import Right
from tableapi.schema.model import Table
from tableapi.schema.sqltypes import Supplied, constant_text

UNSAID = "a condition of this server"  # stands for conditions on unreadable columns or other tables
SECURED = "the row-level security of the database lets you see them"
_SIGNS = {
    operators.eq: "=", operators.ne: "!=", operators.lt: "<", operators.le: "<=", operators.gt: ">", operators.ge: ">=",
    operators.in_op: "IN", operators.not_in_op: "NOT IN", operators.like_op: "LIKE", operators.is_: "IS",
    operators.is_not: "IS NOT", operators.is_distinct_from: "!=", operators.is_not_distinct_from: "=",
}  # fmt: skip


def rule_of(table: Table, right: Right, can_read: Callable[[str], bool]) -> str:
    """Describe the rows that a right covers, such as `company_id = your user.company`; "" for every row.

    can_read: tests whether the caller may read a column. Unreadable columns and other tables are not named.
    """
    said = [_said(right.rows(table.clause, ActorTerms()), table, can_read)] if right.rows is not None else []
    return " AND ".join([*said, SECURED] if right.secured else said)


def _said(node: Any, table: Table, can_read: Callable[[str], bool]) -> str:
    """Describe a condition in words. Parts that must not be disclosed become `UNSAID`, once in each list."""
    if isinstance(node, elements.Grouping):
        return _said(node.element, table, can_read)
    if isinstance(node, elements.True_):
        return "every row"
    if isinstance(node, elements.False_):
        return "no row"
    if isinstance(node, elements.BooleanClauseList):
        word = " OR " if node.operator is operators.or_ else " AND "
        parts = dict.fromkeys(_said(part, table, can_read) for part in node.clauses)
        ordered = [part for part in parts if part != UNSAID] + ([UNSAID] if UNSAID in parts else [])
        text = word.join(ordered)
        return f"({text})" if word == " OR " and len(ordered) > 1 else text
    if isinstance(node, elements.BinaryExpression):
        left, right = _operand(node.left, table, can_read), _operand(node.right, table, can_read)
        sign = _SIGNS.get(node.operator, getattr(node.operator, "opstring", "").rpartition(".")[2].rstrip(")"))
        if left and right and sign == "LIKE" and _is_supplied(node.right):
            return f"{left} {right}"  # a described pattern includes its operator
        if left and right and sign:
            return f"{left} {_listed(node.right, sign)} {right}"
    return UNSAID


def _listed(right: Any, sign: str) -> str:
    """Return the operator of a comparison, with the filter keyword for a comparison with a list."""
    return {"=": "IN", "<>": "NOT IN", "!=": "NOT IN"}.get(sign, sign) if _is_list(right) else sign


def _is_supplied(node: Any) -> bool:
    return isinstance(node, elements.BindParameter) and isinstance(node.type, Supplied)


def _is_list(node: Any) -> bool:
    return isinstance(node, elements.CollectionAggregate)


def _operand(node: Any, table: Table, can_read: Callable[[str], bool]) -> str:
    """Describe one side of a comparison; "" if it must not be disclosed."""
    while isinstance(node, elements.Grouping | elements.Cast | elements.CollectionAggregate | elements.TypeClause):
        inner = getattr(node, "element", None) if not isinstance(node, elements.Cast) else node.clause
        if inner is None:
            return ""
        node = inner
    if isinstance(node, elements.Null):
        return "NULL"
    if isinstance(node, elements.ColumnClause):
        name = str(node.name)
        return name if node.table is table.clause and name in table.columns and can_read(name) else ""
    if isinstance(node, elements.BindParameter):
        return _value(node)
    return ""


def _value(node: sa.BindParameter[Any]) -> str:
    """Describe a value: the caller's by its name, a constant of the rule unchanged."""
    if isinstance(node.type, Supplied):
        return node.type.words
    if node.key.startswith("actor."):
        return f"your {node.key.removeprefix('actor.')}"
    return constant_text(node.value)
