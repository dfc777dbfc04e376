"""A filter tree over a table -> an SQLAlchemy clause, and the values it binds. Pure: no connection, no HTTP.

A Scope is a table under an alias as one caller sees it: it finds the fields and relations the caller may name, and
says the same of a hidden field as of one that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import ActorTerms
from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest, Forbidden, UnknownField
from tableapi.query.comparable import has_sign
from tableapi.query.filter.ast import Condition, Literal, Logic, Node, Not, Param, Special, Value, Word
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import MOMENTS, Named, Native, as_text, bind
from tableapi.schema.types import BadValue, PgType, check, stored

ACTOR = ActorTerms()
TEXT = PgType("text", "text", "text")
NUMERIC = PgType("decimal", "numeric", "numeric")
KEPT = 1_000_000


@dataclass(frozen=True, slots=True)
class ParamSource:
    """Where the value of one bound parameter comes from at each request, and how it is checked.

    source: ("lit", place in the filter), ("param", name), ("param", name, place in its list), ("id", which, part of
    the key), ("cursor", place), ("value", field), ("offset",), ("actor", name) or ("const", value).
    """

    source: tuple[Any, ...]
    convert: Callable[[Any], Any] | None = None
    label: str = ""  # the field, for the message when a value does not fit


class Binder:
    """Collects the slots of one statement while it is built."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.slots: dict[str, ParamSource] = {}
        self.params = params or {}
        self.aliases = 0
        self.tables: dict[str, Table] = {}  # every table of the statement, but those that rules of rows bring along
        self._kept: list[str] = []

    def keep(self, literals: list[str]) -> int:
        """Literals that belong to the shape, as those of a relation's filter do: -> how far to shift their places."""
        start = KEPT + len(self._kept)
        self._kept += literals
        return start

    def alias(self, table: Table) -> sa.FromClause:
        self.aliases += 1
        self.tables[table.name] = table
        return table.clause.alias(f"t{self.aliases}")

    def value(self, type_: PgType, source: tuple[Any, ...], label: str, wrap: Any = None) -> sa.ColumnElement[Any]:
        name = f"v{len(self.slots)}"
        if source[0] == "lit" and source[1] >= KEPT:
            try:
                value = check(type_, self._kept[source[1] - KEPT])
            except BadValue as error:
                raise bad_value(label, error) from None
            self.slots[name] = ParamSource(("const", wrap(value) if wrap else value))
            return bind(type_, name)

        fit = stored if source[0] in ("value", "id") else check

        def convert(value: Any) -> Any:
            return wrap(fit(type_, value)) if wrap else fit(type_, value)

        self.slots[name] = ParamSource(source, convert, label)
        return bind(type_, name)


class Scope:
    def __init__(self, table: Table, clause: sa.FromClause, right: Right, rights: Rights, binder: Binder) -> None:
        self.table, self.clause, self.right, self.rights, self.binder = table, clause, right, rights, binder

    def column(self, name: str) -> Column:
        column = self.table.find(name)
        if column is None or not self.right.sees(column.name):
            raise UnknownField(name, self.table.name)
        return column

    def plain(self, name: str) -> tuple[Column, sa.ColumnElement[Any]]:
        """A column that may be compared, ordered and grouped by: not one whose text is sealed."""
        column = self.column(name)
        if column.name in self.right.sealed:
            raise BadRequest(f"Field '{column.name}' can be read, not searched or sorted.", reason="sealed_field")
        return column, self.clause.c[column.name]

    def rows(self) -> sa.ColumnElement[bool] | None:
        return self.right.rows(self.clause, ACTOR) if self.right.rows else None

    def related(self, relation: Relation) -> tuple[Scope, list[sa.ColumnElement[bool]]]:
        """The related table as the caller sees it, and what joins it to a row of this scope.

        Raises Forbidden when the caller may not read it, or the junction between.
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

    def _joined(
        self, relation: Relation, table: Table, inner: Scope, own: list[sa.ColumnElement[Any]]
    ) -> sa.ColumnElement[bool]:
        right = self.rights.right(table, "GET")
        if right is None:
            raise Forbidden(f"Relation '{relation.name}' is not permitted.")
        junction = Scope(table, self.binder.alias(table), right, self.rights, self.binder)
        wanted = [junction.clause.c[j] == o for j, o in zip(relation.junction_own, own, strict=True)]
        if (rows := junction.rows()) is not None:
            wanted.append(rows)
        theirs = [inner.clause.c[name] for name in relation.theirs]
        if any(inner.table.columns[name].type.operators for name in relation.theirs):
            same = [junction.clause.c[j] == t for j, t in zip(relation.junction_theirs, theirs, strict=True)]
            return sa.exists().where(*wanted, *same).correlate_except(junction.clause)
        linked = sa.select(*(junction.clause.c[n] for n in relation.junction_theirs)).where(*wanted)
        target = theirs[0] if len(theirs) == 1 else sa.tuple_(*theirs)
        return target.in_(linked.correlate_except(junction.clause))


def clause(node: Node, scope: Scope) -> sa.ColumnElement[bool]:
    """The condition of a filter tree. Raises UnknownField, BadRequest or Forbidden."""
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
    return sa.cast(part, Named("boolean"))


def _condition(cond: Condition, path: tuple[str, ...], scope: Scope) -> sa.ColumnElement[bool]:
    if len(path) == 1:
        column, target = scope.plain(path[0])
        return _compare(cond, target, column.type, column.name, scope)
    if relation := scope.table.relation(path[0]):
        inner, conditions = scope.related(relation)
        wanted = _condition(cond, path[1:], inner)
        return sa.exists().where(*conditions, wanted).correlate_except(inner.clause)
    column, target = scope.plain(path[0])
    if column.type.kind != "json":
        raise UnknownField(".".join(path), scope.table.name)
    return _json_path(cond, target, column, path[1:], scope)


def _json_path(
    cond: Condition, target: sa.ColumnElement[Any], column: Column, path: tuple[str, ...], scope: Scope
) -> sa.ColumnElement[bool]:
    """A value inside JSON is compared by its text; by size when it and the given value are numbers."""
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
    if isinstance(value, Param):
        given = binder.params.get(value.name)
        items = given if isinstance(given, list) else [given]
        return bool(items) and all(isinstance(g, int | float) and not isinstance(g, bool) for g in items)
    return isinstance(value, Literal) and value.number


def _escape(value: str) -> str:
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
    negate: Callable[[Any], sa.ColumnElement[bool]] = sa.not_ if cond.negated else lambda c: c
    if cond.op == "null":
        return target.is_not(None) if cond.negated else target.is_(None)
    if cond.op in _PATTERN:
        sign, wrap = _PATTERN[cond.op]
        pattern = _value(cond.values[0], TEXT, label, scope, wrap)
        return negate(as_text(target, type_).op(sign, is_comparison=True)(pattern).self_group())
    if type_.kind == "json":
        if cond.op not in ("=", "!=", "in"):
            raise BadRequest(f"Field '{label}' is JSON: it has = and the text operators.", reason="bad_operator")
        target, type_ = as_text(target, type_), TEXT
    has_sign(type_, {"in": "=", "between": "<="}.get(cond.op, cond.op), label)
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
    params = scope.binder.params
    if param.name not in params:
        raise BadRequest(f"The named value ':{param.name}' is missing in params.", reason="missing_param")
    return params[param.name]


def _in(
    cond: Condition, target: sa.ColumnElement[Any], type_: PgType, label: str, scope: Scope
) -> sa.ColumnElement[bool]:
    plain: list[sa.ColumnElement[Any]] = []
    null = False
    for value in cond.values:
        given = _named(value, scope) if isinstance(value, Param) else None
        if isinstance(value, Word):
            null = True
        elif isinstance(value, Param) and isinstance(given, list):
            null = null or None in given
            for place, item in enumerate(given):
                if item is not None:
                    plain.append(scope.binder.value(type_, ("param", value.name, place), label))
        elif isinstance(value, Param) and given is None:
            null = True
        else:
            plain.append(_value(value, type_, label, scope))
    if not plain and not null:
        return sa.false()
    parts = [target.in_(plain)] if plain else []
    return sa.or_(*parts, target.is_(None)) if null else parts[0]


def _value(value: Value, type_: PgType, label: str, scope: Scope, wrap: Any = None) -> Any:
    """A bound parameter for one value, or a moment of the database's clock."""
    if isinstance(value, Word):
        raise BadRequest(f"null cannot be compared this way; use IS NULL on '{label}'.", reason="bad_value")
    if isinstance(value, Special) and type_.is_time:
        return sa.cast(MOMENTS[value.moment](), Named(type_.name))
    if isinstance(value, Param):
        given = _named(value, scope)
        if given is None or isinstance(given, list):
            raise BadRequest(f"The named value ':{value.name}' must be one value here.", reason="bad_value")
        return scope.binder.value(type_, ("param", value.name), label, wrap)
    assert isinstance(value, Literal)
    if value.flag and type_.kind == "integer" and wrap is None:
        return sa.literal_column(value.flag)
    return scope.binder.value(type_, ("lit", value.place), label, wrap)


def bad_value(label: str, error: BadValue) -> BadRequest:
    return BadRequest(f"Field '{label}': {error}.", reason="bad_value", context={"field": label})
