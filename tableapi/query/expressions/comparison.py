"""Comparisons of an expression with the bound values of a filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query.expressions import containment, search, similarity, spatial
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.operands import Scope
from tableapi.query.filter.ast import Condition, Literal, Param, Special, Value, Word
from tableapi.query.filter.comparable import check_operator
from tableapi.query.spelling import suggestion
from tableapi.query.statement import Binder
from tableapi.schema.pgtypes import NUMERIC, TEXT, BadValue, PgType
from tableapi.schema.sqltypes import MOMENTS, Named, as_text, like_ended, like_escaped

MAX_PATTERN_CHARS = 200  # per regular expression
_NUMERIC_OPERATORS = frozenset(("=", "!=", ">", ">=", "<", "<=", "between", "in", "distinct"))
_TESTS: dict[str, Any] = {"true": sa.true(), "false": sa.false(), "unknown": sa.null()}
_COMPARE: dict[str, Callable[[Any, Any], sa.ColumnElement[bool]]] = {
    "=": lambda c, v: c == v,
    "!=": lambda c, v: c != v,
    ">": lambda c, v: c > v,
    ">=": lambda c, v: c >= v,
    "<": lambda c, v: c < v,
    "<=": lambda c, v: c <= v,
}
_PATTERN: dict[str, tuple[str, Callable[[str], str]]] = {
    "like": ("LIKE", like_ended),
    "ilike": ("ILIKE", like_ended),
    "contains": ("LIKE", lambda v: f"%{like_escaped(v)}%"),
    "starts": ("LIKE", lambda v: f"{like_escaped(v)}%"),
    "ends": ("LIKE", lambda v: f"%{like_escaped(v)}"),
}


def compare(cond: Condition, operand: Operand, scope: Scope) -> sa.ColumnElement[bool]:
    """Build the comparison of an expression with the values of a condition.

    Raises:
        BadRequest: the type of the expression does not support the operator, or a value does not fit it.
    """
    if operand.text is not None and cond.op != "matches" and not cond.op.startswith("json_"):
        operand = _as_number_or_text(cond, operand, scope)
    negate: Callable[[Any], sa.ColumnElement[bool]] = sa.not_ if cond.negated else lambda c: c
    if cond.op in spatial.FUNCTIONS:
        return negate(_spatial(cond, operand, scope))
    if cond.op == "matches":
        words = _value(cond.values[0], TEXT, operand.name, scope)
        return negate(search.condition(scope, operand, cond.language, words).self_group())
    if cond.op == "similar":
        value = _value(cond.values[0], TEXT, operand.name, scope)
        return negate(similarity.condition(scope, operand, value).self_group())
    if cond.op in ("true", "false", "unknown"):
        return _tested(cond, operand)
    if containment.applies(cond.op, operand.type):
        return negate(_contained(cond, operand, scope).self_group())
    return _compare(cond, operand.expression, operand.type, operand.name, scope)


def _as_number_or_text(cond: Condition, operand: Operand, scope: Scope) -> Operand:
    """Treat a value inside JSON as a number if the sent values are numbers, else as text."""
    numeric = bool(cond.values) and all(_is_number(v, scope.binder) for v in cond.values)
    if numeric and cond.op in _NUMERIC_OPERATORS:
        return replace(operand, expression=operand.number, type=NUMERIC, text=None)
    return replace(operand, expression=operand.text, type=TEXT, text=None)


def _tested(cond: Condition, operand: Operand) -> sa.ColumnElement[bool]:
    """Build IS TRUE, IS FALSE or IS UNKNOWN."""
    if operand.type.kind != "boolean":
        raise BadRequest(
            f"Field '{operand.name}' has the type {operand.type.db_type}. IS {cond.op.upper()} works only on true "
            "and false.",
            reason="bad_operator",
            context={"field": operand.name},
        )
    word = _TESTS[cond.op]
    return operand.expression.is_not(word) if cond.negated else operand.expression.is_(word)  # type: ignore[no-any-return]


def _spatial(cond: Condition, operand: Operand, scope: Scope) -> Any:
    """Build a comparison with a shape."""
    spatial.check(operand, cond.op.upper())
    if any(isinstance(v, Word) or (isinstance(v, Param) and _named(v, scope) is None) for v in cond.values):
        raise _no_null(operand.name)
    sources = [("param", v.name) if isinstance(v, Param) else ("lit", v.place) for v in cond.values]  # type: ignore[union-attr]
    return spatial.condition(scope, operand, cond.op, sources)


def _contained(cond: Condition, operand: Operand, scope: Scope) -> Any:
    """Build a comparison by an operator of arrays, ranges or JSON."""
    target, type_, convert = containment.conversion(cond.op, operand)
    value = cond.values[0]
    listed = isinstance(value, Literal) and value.listed
    if isinstance(value, Word) or (isinstance(value, Param) and _named(value, scope) is None):
        raise _no_null(operand.name)
    source = ("param", value.name) if isinstance(value, Param) else ("lit", value.place)
    bound = scope.binder.converted(type_, source, operand.name, lambda item: convert(item, listed))
    return target.op(containment.SIGNS[cond.op], is_comparison=True)(bound)


def _pattern(value: str) -> str:
    """Check the length of a regular expression, and return it."""
    if len(value) > MAX_PATTERN_CHARS:
        raise BadValue(f"expected a regular expression of at most {MAX_PATTERN_CHARS} characters")
    return value


def _compare(
    cond: Condition, target: sa.ColumnElement[Any], type_: PgType, label: str, scope: Scope
) -> sa.ColumnElement[bool]:
    """Build the comparison of an expression with the values of a condition."""
    negate: Callable[[Any], sa.ColumnElement[bool]] = sa.not_ if cond.negated else lambda c: c
    if cond.op == "null":
        return target.is_not(None) if cond.negated else target.is_(None)
    if cond.op in _PATTERN:
        sign, wrap = _PATTERN[cond.op]
        pattern = _value(cond.values[0], TEXT, label, scope, wrap)
        return negate(as_text(target, type_).op(sign, is_comparison=True)(pattern).self_group())
    if cond.op in ("~", "~*"):
        scope.binder.patterns = True
        pattern = _value(cond.values[0], TEXT, label, scope, _pattern)
        return negate(as_text(target, type_).op(cond.op, is_comparison=True)(pattern).self_group())
    if type_.kind == "json":
        if cond.op not in ("=", "!=", "in", "distinct"):
            raise BadRequest(
                f"Field '{label}' is JSON. Use =, != or IN, or a text operator such as CONTAINS.", reason="bad_operator"
            )
        target, type_ = as_text(target, type_), TEXT
    check_operator(type_, {"in": "=", "distinct": "=", "between": "<="}.get(cond.op, cond.op), label)
    if cond.op == "in":
        return negate(_in(cond, target, type_, label, scope).self_group())
    if cond.op == "between":
        low, high = (_value(v, type_, label, scope) for v in cond.values)
        return negate(sa.and_(target >= low, target <= high).self_group())
    if cond.op == "distinct":
        return _distinct(cond, target, type_, label, scope)
    first = cond.values[0]
    if isinstance(first, Param) and cond.op in ("=", "!=") and _named(first, scope) is None:
        return target.is_(None) if cond.op == "=" else target.is_not(None)
    return _COMPARE[cond.op](target, _value(first, type_, label, scope))


def _distinct(
    cond: Condition, target: sa.ColumnElement[Any], type_: PgType, label: str, scope: Scope
) -> sa.ColumnElement[bool]:
    """Build IS DISTINCT FROM, which treats NULL as an ordinary value."""
    value = cond.values[0]
    if isinstance(value, Param) and _named(value, scope) is None:
        return target.is_(None) if cond.negated else target.is_not(None)
    bound = _value(value, type_, label, scope)
    if type_.operators:  # its = is outside the search path, where IS DISTINCT FROM would look for it
        same = sa.func.coalesce(target == bound, sa.false())
        return same if cond.negated else sa.not_(same)
    return target.is_not_distinct_from(bound) if cond.negated else target.is_distinct_from(bound)


def _is_number(value: Value, binder: Binder) -> bool:
    """Return whether a value of the filter was sent as a number."""
    if isinstance(value, Param):
        value_ = binder.params.get(value.name)
        items = value_ if isinstance(value_, list) else [value_]
        return bool(items) and all(isinstance(item, int | float) and not isinstance(item, bool) for item in items)
    return isinstance(value, Literal) and value.number


def _named(param: Param, scope: Scope) -> Any:
    """Return a named value from option `params`.

    Raises:
        BadRequest: `params` does not have the name.
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
    """Build IN. NULL in the list matches rows without a value."""
    values: list[sa.ColumnElement[Any]] = []
    parts: list[sa.ColumnElement[bool]] = []
    null = False
    for value in cond.values:
        named = _named(value, scope) if isinstance(value, Param) else None
        if isinstance(value, Word):
            null = True
        elif isinstance(value, Param) and isinstance(named, list):
            null = null or None in named
            parts.append(target == scope.binder.values(type_, ("param", value.name), label))
        elif isinstance(value, Param) and named is None:
            null = True
        elif isinstance(value, Literal) and value.listed:
            parts.append(target == scope.binder.values(type_, ("lit", value.place), label))
        else:
            values.append(_value(value, type_, label, scope))
    if values:
        parts.append(target.in_(values))
    if null:
        parts.append(target.is_(None))
    return sa.or_(*parts) if parts else sa.false()


def _value(value: Value, type_: PgType, label: str, scope: Scope, wrap: Any = None) -> Any:
    """Return a bound parameter for one value, or the current date or time of the database."""
    if isinstance(value, Word):
        raise _no_null(label)
    if isinstance(value, Special) and type_.is_time:
        return sa.cast(MOMENTS[value.moment](), Named(type_.name))
    if isinstance(value, Param):
        named = _named(value, scope)
        if named is None or isinstance(named, list):
            raise BadRequest(
                f"The named value ':{value.name}' must be a single value here, not null or a list.", reason="bad_value"
            )
        return scope.binder.value(type_, ("param", value.name), label, wrap, texts=True)
    assert isinstance(value, Literal)
    if value.flag and type_.kind == "integer" and wrap is None:
        return sa.literal_column(value.flag)
    return scope.binder.value(type_, ("lit", value.place), label, wrap, texts=value.quoted)


def _no_null(label: str) -> BadRequest:
    return BadRequest(f"Field '{label}' cannot be compared with null this way. Use IS NULL.", reason="bad_value")
