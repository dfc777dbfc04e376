"""Convert conditions sent as objects to a filter with named values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tableapi.errors import BadRequest
from tableapi.query import names

Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "in", "not in", "like", "ilike", "contains", "starts with", "ends with", "between",
    "is null", "is not null",
]  # fmt: skip
_WITHOUT_VALUE = ("is null", "is not null")
_WITH_LIST = ("in", "not in")


class SentCondition(BaseModel):
    """One condition on a column."""

    model_config = ConfigDict(extra="forbid")
    field: str = Field()
    operator: Operator = "="
    value: Any = Field(default=None)


def joined(conditions: str | Sequence[SentCondition]) -> tuple[str, dict[str, Any]]:
    """Return a filter and its named values. Conditions are joined by AND; a text is already a filter.

    Raises:
        BadRequest: a value does not suit its operator.
    """
    if isinstance(conditions, str):
        return conditions, {}
    params: dict[str, Any] = {}
    return " AND ".join(_text(condition, params) for condition in conditions), params


def _text(condition: SentCondition, params: dict[str, Any]) -> str:
    """Return a condition in the grammar of filters, and add its values to `params`."""
    field, operator, value = _name(condition.field), condition.operator, condition.value
    if operator in _WITHOUT_VALUE:
        return f"{field} {operator}"
    if value is None:
        raise _condition_error(condition, "needs a value. For NULL use the operator 'is null'")
    if operator == "between":
        if not isinstance(value, list) or len(value) != 2:
            raise _condition_error(condition, "needs a list of exactly two values")
        low, high = (_param(part, params) for part in value)
        return f"{field} between {low} and {high}"
    if (operator in _WITH_LIST) != isinstance(value, list):
        raise _condition_error(condition, "needs a list" if operator in _WITH_LIST else "needs a single value")
    return f"{field} {operator} {_param(value, params)}"


def _param(value: Any, params: dict[str, Any]) -> str:
    """Bind a value, and return its placeholder."""
    name = f"v{len(params)}"
    params[name] = value
    return f":{name}"


def _name(field: str) -> str:
    """Return a column or path in filter syntax, quoted if necessary."""
    _, end = names.path(field)
    if field and end == len(field):
        return field
    mark = next((mark for mark in '"`' if mark not in field), "")
    if not field.strip() or not mark:
        raise BadRequest(f"'{field[:100]}' is not a column name.", reason="bad_filter", context={"field": field[:100]})
    return f"{mark}{field}{mark}"


def _condition_error(condition: SentCondition, need: str) -> BadRequest:
    message = f"The operator '{condition.operator}' on '{condition.field[:100]}' {need}."
    return BadRequest(message, reason="bad_filter", context={"field": condition.field[:100]})
