"""Operators of arrays, ranges and JSON: contains, overlaps, adjacent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import sqlalchemy as sa

from tableapi import exact_json
from tableapi.errors import BadFilter, BadRequest
from tableapi.query.expressions.operand import Operand
from tableapi.query.filter.scanner import items
from tableapi.query.limits import FilterLimits
from tableapi.schema.pgtypes import BadValue, PgType
from tableapi.schema.sqltypes import Named
from tableapi.schema.types import check

SIGNS = {
    "contains": "@>", "contained": "<@", "overlaps": "&&", "adjacent": "-|-", "before": "<<", "after": ">>",
    "json_contains": "@>", "json_contained": "<@",
}  # fmt: skip
_OF_ARRAYS = frozenset(("contains", "contained", "overlaps"))
_WORDS = {
    "contains": "CONTAINS", "contained": "CONTAINED BY", "overlaps": "OVERLAPS", "adjacent": "ADJACENT TO",
    "before": "BEFORE", "after": "AFTER", "json_contains": "CONTAINS JSON", "json_contained": "CONTAINED BY JSON",
}  # fmt: skip
_UNLIMITED = FilterLimits(length=10**9, values=10**9)  # the parser has already counted the values
JSONB = PgType("json", "jsonb", "jsonb")


def applies(op: str, type_: PgType) -> bool:
    """Return whether an operator belongs to this module for a type; CONTAINS also exists for text."""
    return op in SIGNS and (op != "contains" or _is_array(type_) or type_.bounds is not None)


def _is_array(type_: PgType) -> bool:
    return type_.kind == "array" and not type_.of_composites


def conversion(op: str, operand: Operand) -> tuple[Any, PgType, Callable[[Any, bool], Any]]:
    """Return the left side of an operator, the type of its right side, and the conversion of a value.

    The conversion takes the value, and whether it is a list in parentheses.

    Raises:
        BadRequest: the type of the field does not support the operator.
    """
    type_ = operand.type
    if op in ("json_contains", "json_contained") and type_.kind == "json":
        return sa.cast(operand.expression, Named("jsonb")), JSONB, lambda value, _: _json(value)
    if type_.bounds is not None and op in ("contains", "contained", "overlaps", "adjacent", "before", "after"):
        return operand.expression, type_, lambda value, _: _range(value, type_)
    if _is_array(type_) and op in _OF_ARRAYS:
        if type_.element is not None and not type_.element.sorts:
            raise _no_operator(op, operand)
        return operand.expression, type_, lambda value, listed: _array(value, type_, listed=listed)
    raise _no_operator(op, operand)


def _no_operator(op: str, operand: Operand) -> BadRequest:
    return BadRequest(
        f"Field '{operand.name}' has the type {operand.type.db_type}, which {_WORDS[op]} does not support.",
        reason="bad_operator",
        context={"field": operand.name},
    )


def _array(value: Any, type_: PgType, *, listed: bool) -> Any:
    """Build an array from a list in parentheses, a list, or a single value."""
    if listed:
        try:
            value = items(value, _UNLIMITED)
        except BadFilter:
            raise BadValue("expected a list in parentheses") from None
    return check(type_, value if isinstance(value, list) else [value])


def _range(value: Any, type_: PgType) -> str:
    """Parse a range such as `[1,5)`, or build the range of a single value."""
    if isinstance(value, list):
        raise BadValue("expected a range such as [1,5), or a single value")
    text = str(value).strip()
    if text[:1] == "{" and type_.multirange:
        return str(check(type_, text))
    if text[:1] not in ("[", "(") and text.lower() != "empty":
        assert type_.bounds is not None
        bound = str(check(type_.bounds, value)).replace("\\", "\\\\").replace('"', '\\"')
        text = f'["{bound}","{bound}"]'
    text = str(check(type_, text))
    return "{" + text + "}" if type_.multirange else text


def _json(value: Any) -> str:
    """Return JSON text in a form that PostgreSQL accepts."""
    try:
        text = exact_json.dumps(exact_json.loads(value) if isinstance(value, str) else value).decode()
    except (orjson.JSONDecodeError, TypeError, ValueError, RecursionError):
        raise BadValue("expected JSON text") from None
    if "\\u0000" in text:
        raise BadValue("a string must not contain a NUL character")
    return text
