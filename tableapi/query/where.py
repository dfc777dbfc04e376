"""Filter trees as SQLAlchemy conditions, and the values that a statement binds.

Pure: no connection, no HTTP.

A `Scope` is a table under an alias with the fields and relations that one caller may name. A hidden field gets the same
refusal as a field that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import ActorTerms
from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest, Forbidden, UnknownField
from tableapi.query.filter.ast import Condition, Literal, Logic, Node, Not, Param, Special, Value, Word
from tableapi.query.filter.comparable import check_operator
from tableapi.query.spelling import suggestion, unknown_field
from tableapi.query.statement import Binder
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import MOMENTS, Named, Native, as_text
from tableapi.schema.types import PgType

ACTOR = ActorTerms()
TEXT = PgType("text", "text", "text")
NUMERIC = PgType("decimal", "numeric", "numeric")


class Scope:
    """A table under an alias, as one caller may use it."""

    def __init__(self, table: Table, clause: sa.FromClause, right: Right, rights: Rights, binder: Binder) -> None:
        self.table, self.clause, self.right, self.rights, self.binder = table, clause, right, rights, binder

    def column(self, name: str, *, of_path: bool = False) -> Column:
        """Return a column that the caller may read. `of_path`: a relation could stand in its place.

        Raises:
            UnknownField: the table has no such field, or it is hidden.
        """
        column = self.table.find(name)
        if column is None or not self.right.sees(column.name):
            raise unknown_field(name, self.table, self.right, self.relations() if of_path else ())
        return column

    def plain(self, name: str, *, of_path: bool = False) -> tuple[Column, sa.ColumnElement[Any]]:
        """Return a column that may be compared, ordered and grouped by, and its expression.

        Raises:
            UnknownField: as `column`.
            BadRequest: the values of the field are sealed, so that only their ciphertext could be compared.
        """
        column = self.column(name, of_path=of_path)
        if column.name in self.right.sealed:
            raise BadRequest(f"Field '{column.name}' can be read, not searched or sorted.", reason="sealed_field")
        return column, self.clause.c[column.name]

    def rows(self) -> sa.ColumnElement[bool] | None:
        """Return the row rule of the caller on this alias."""
        return self.right.rows(self.clause, ACTOR) if self.right.rows else None

    def related(self, relation: Relation) -> tuple[Scope, list[sa.ColumnElement[bool]]]:
        """Return the related table as the caller sees it, and the conditions of the join.

        Raises:
            Forbidden: the caller may not read the table, or the junction between.
        """
        right = self.rights.right(relation.target, "GET")
        if right is None:
            raise Forbidden(f"Relation '{relation.name}' is not permitted.")
        inner = Scope(relation.target, self.binder.alias(relation.target), right, self.rights, self.binder)
        own: list[sa.ColumnElement[Any]] = [self.clause.c[name] for name in relation.own]
        if relation.junction is None:
            conditions = [inner.clause.c[t] == o for t, o in zip(relation.theirs, own, strict=True)]
        else:
            conditions = [self._joined(relation, relation.junction, inner, own)]
        if (rows := inner.rows()) is not None:
            conditions.append(rows)
        return inner, conditions

    def relations(self) -> list[str]:
        """Return the names of the relations to tables that the caller may read."""
        return [relation.name for relation in self.table.relations.values() if self.permitted(relation)]

    def permitted(self, relation: Relation) -> bool:
        """Return whether the caller may read the table of a relation, and the junction between."""
        tables = (relation.target, relation.junction) if relation.junction else (relation.target,)
        return all(self.rights.right(table, "GET") for table in tables)

    def _joined(
        self, relation: Relation, table: Table, inner: Scope, own: list[sa.ColumnElement[Any]]
    ) -> sa.ColumnElement[bool]:
        """Return the condition that a row of the junction links the two tables."""
        right = self.rights.right(table, "GET")
        if right is None:
            raise Forbidden(f"Relation '{relation.name}' is not permitted.")
        junction = Scope(table, self.binder.alias(table), right, self.rights, self.binder)
        links = [junction.clause.c[j] == o for j, o in zip(relation.junction_own, own, strict=True)]
        if (rows := junction.rows()) is not None:
            links.append(rows)
        theirs = [inner.clause.c[name] for name in relation.theirs]
        if any(inner.table.columns[name].type.operators for name in relation.theirs):
            same = [junction.clause.c[j] == t for j, t in zip(relation.junction_theirs, theirs, strict=True)]
            return sa.exists().where(*links, *same).correlate_except(junction.clause)
        keys = sa.select(*(junction.clause.c[n] for n in relation.junction_theirs)).where(*links)
        target = theirs[0] if len(theirs) == 1 else sa.tuple_(*theirs)
        return target.in_(keys.correlate_except(junction.clause))


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
    """Return a condition on a field, on a field of related rows, or on a value inside a JSON field."""
    if len(path) == 1:
        column, target = scope.plain(path[0])
        return _compare(cond, target, column.type, column.name, scope)
    if relation := scope.table.relation(path[0]):
        inner, conditions = scope.related(relation)
        condition = _condition(cond, path[1:], inner)
        return sa.exists().where(*conditions, condition).correlate_except(inner.clause)
    column, target = scope.plain(path[0], of_path=True)
    if column.type.kind != "json":
        raise UnknownField(".".join(path), scope.table.name)
    return _json_path(cond, target, column, path[1:], scope)


def _json_path(
    cond: Condition, target: sa.ColumnElement[Any], column: Column, path: tuple[str, ...], scope: Scope
) -> sa.ColumnElement[bool]:
    """Compare a value inside JSON by its text, or as a number when it and the sent value are numbers."""
    quoted = ",".join('"' + p.replace("\\", "\\\\").replace('"', '\\"') + '"' for p in path)
    keys = sa.cast(sa.literal("{" + quoted + "}", Native("text")), Named("text[]"))
    inner = sa.cast(target, Named("jsonb"))
    text = inner.op("#>>")(keys)
    label = ".".join((column.name, *path))
    numeric = bool(cond.values) and all(_is_number(v, scope.binder) for v in cond.values)
    if numeric and cond.op in ("=", "!=", ">", ">=", "<", "<=", "between", "in"):
        node = inner.op("#>")(keys)
        number = sa.case((sa.func.jsonb_typeof(node) == "number", sa.cast(text, Named("numeric"))))
        return _compare(cond, number, NUMERIC, label, scope)
    return _compare(cond, text, TEXT, label, scope)


def _is_number(value: Value, binder: Binder) -> bool:
    """Return whether a value of the filter was sent as a number."""
    if isinstance(value, Param):
        value_ = binder.params.get(value.name)
        items = value_ if isinstance(value_, list) else [value_]
        return bool(items) and all(isinstance(item, int | float) and not isinstance(item, bool) for item in items)
    return isinstance(value, Literal) and value.number


def _escape(value: str) -> str:
    """Escape the wildcards of LIKE."""
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


_COMPARE: dict[str, Callable[[Any, Any], sa.ColumnElement[bool]]] = {
    "=": lambda c, v: c == v,
    "!=": lambda c, v: c != v,
    ">": lambda c, v: c > v,
    ">=": lambda c, v: c >= v,
    "<": lambda c, v: c < v,
    "<=": lambda c, v: c <= v,
}
_PATTERN: dict[str, tuple[str, Callable[[str], str] | None]] = {
    "like": ("LIKE", None),
    "ilike": ("ILIKE", None),
    "contains": ("LIKE", lambda v: f"%{_escape(v)}%"),
    "starts": ("LIKE", lambda v: f"{_escape(v)}%"),
    "ends": ("LIKE", lambda v: f"%{_escape(v)}"),
}


def _compare(
    cond: Condition, target: sa.ColumnElement[Any], type_: PgType, label: str, scope: Scope
) -> sa.ColumnElement[bool]:
    """Return the comparison of an expression with the values of a condition."""
    negate: Callable[[Any], sa.ColumnElement[bool]] = sa.not_ if cond.negated else lambda c: c
    if cond.op == "null":
        return target.is_not(None) if cond.negated else target.is_(None)
    if cond.op in _PATTERN:
        sign, wrap = _PATTERN[cond.op]
        pattern = _value(cond.values[0], TEXT, label, scope, wrap)
        return negate(as_text(target, type_).op(sign, is_comparison=True)(pattern).self_group())
    if type_.kind == "json":
        if cond.op not in ("=", "!=", "in"):
            raise BadRequest(
                f"Field '{label}' is JSON. Use =, != or IN, or a text operator such as CONTAINS.", reason="bad_operator"
            )
        target, type_ = as_text(target, type_), TEXT
    check_operator(type_, {"in": "=", "between": "<="}.get(cond.op, cond.op), label)
    if cond.op == "in":
        return negate(_in(cond, target, type_, label, scope).self_group())
    if cond.op == "between":
        low, high = (_value(v, type_, label, scope) for v in cond.values)
        return negate(sa.and_(target >= low, target <= high).self_group())
    first = cond.values[0]
    if isinstance(first, Param) and cond.op in ("=", "!=") and _named(first, scope) is None:
        return target.is_(None) if cond.op == "=" else target.is_not(None)
    return _COMPARE[cond.op](target, _value(first, type_, label, scope))


def _named(param: Param, scope: Scope) -> Any:
    """Return a named value from option `params`.

    Raises:
        BadRequest: `params` has no such name.
    """
    params = scope.binder.params
    if param.name not in params:
        raise BadRequest(
            f"The named value ':{param.name}' is missing in params." + suggestion(param.name, params),
            reason="missing_param",
        )
    return params[param.name]


def _in(
    cond: Condition, target: sa.ColumnElement[Any], type_: PgType, label: str, scope: Scope
) -> sa.ColumnElement[bool]:
    """Return the condition of IN. NULL in the list matches rows without a value."""
    values: list[sa.ColumnElement[Any]] = []
    null = False
    for value in cond.values:
        named = _named(value, scope) if isinstance(value, Param) else None
        if isinstance(value, Word):
            null = True
        elif isinstance(value, Param) and isinstance(named, list):
            null = null or None in named
            for place, item in enumerate(named):
                if item is not None:
                    values.append(scope.binder.value(type_, ("param", value.name, place), label))
        elif isinstance(value, Param) and named is None:
            null = True
        else:
            values.append(_value(value, type_, label, scope))
    if not values and not null:
        return sa.false()
    parts = [target.in_(values)] if values else []
    return sa.or_(*parts, target.is_(None)) if null else parts[0]


def _value(value: Value, type_: PgType, label: str, scope: Scope, wrap: Any = None) -> Any:
    """Return a bound parameter for one value, or the current date or time of the database."""
    if isinstance(value, Word):
        raise BadRequest(f"null cannot be compared this way. Use '{label}' IS NULL.", reason="bad_value")
    if isinstance(value, Special) and type_.is_time:
        return sa.cast(MOMENTS[value.moment](), Named(type_.name))
    if isinstance(value, Param):
        named = _named(value, scope)
        if named is None or isinstance(named, list):
            raise BadRequest(
                f"The named value ':{value.name}' must be a single value here, not null or a list.", reason="bad_value"
            )
        return scope.binder.value(type_, ("param", value.name), label, wrap)
    assert isinstance(value, Literal)
    if value.flag and type_.kind == "integer" and wrap is None:
        return sa.literal_column(value.flag)
    return scope.binder.value(type_, ("lit", value.place), label, wrap)
