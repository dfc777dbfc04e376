"""Casts to a short list of types, and aggregates of a value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import aggregate_order_by

from tableapi.errors import BadRequest
from tableapi.query.expressions.operand import Operand
from tableapi.query.filter.comparable import check_sortable
from tableapi.query.spelling import suggestion
from tableapi.query.syntax import Function
from tableapi.schema.pgtypes import NUMERIC, PgType
from tableapi.schema.sqltypes import Named
from tableapi.schema.types import BY_NAME

BIGINT = PgType("integer", "bigint", "bigint")
FLOAT = PgType("float", "double precision", "double precision")
_NAMES = {
    "text": "text", "integer": "integer", "int": "integer", "bigint": "bigint", "numeric": "numeric",
    "decimal": "numeric", "float": "double precision", "double": "double precision", "boolean": "boolean",
    "bool": "boolean", "date": "date", "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone", "time": "time without time zone", "uuid": "uuid", "json": "jsonb",
}  # fmt: skip
TYPES: dict[str, PgType] = {name: PgType(BY_NAME[own], own, own) for name, own in _NAMES.items()}
_NUMBERS = frozenset(("integer", "decimal", "float", "money"))
_TIMES = frozenset(("date", "timestamp", "timestamptz"))
_NOT_SUMMED = _TIMES | {"text", "boolean", "uuid", "json", "bytea", "enum", "network", "array", "composite"}
_READ_FROM_TEXT = frozenset(("text", "enum", "uuid", "network", "time", "other"))


def cast(target: Any, text: Any, source: PgType, name: str, label: str) -> tuple[Any, PgType]:
    """Return a value cast to a type of `TYPES`.

    `text`: the text of a value inside JSON, which is then cast instead.

    Raises:
        BadRequest: `bad_cast`.
    """
    type_ = TYPES.get(name)
    if type_ is None:
        raise BadRequest(
            f"CAST does not support the type '{name[:30]}'.{suggestion(name, TYPES)} It supports "
            f"{', '.join(sorted(TYPES))}.",
            reason="bad_cast",
        )
    if type_.kind == "json":
        return sa.func.to_jsonb(target), type_
    if text is not None:
        return sa.cast(text, Named(type_.name)), type_
    if type_.kind == "text" or source.kind == type_.kind or _converts(source.kind, type_):
        return sa.cast(target, Named(type_.name)), replace(type_, fuzzy=source.fuzzy)
    if source.kind in _READ_FROM_TEXT:
        return sa.cast(sa.cast(target, Named("text")), Named(type_.name)), type_
    raise BadRequest(
        f"Field '{label}' has the type {source.db_type}, which cannot be cast to {name}.",
        reason="bad_cast",
        context={"field": label},
    )


def _converts(kind: str, type_: PgType) -> bool:
    """Return whether PostgreSQL casts values of a kind to a type."""
    if kind == "money":
        return type_.name == "numeric"
    if kind == "boolean":
        return type_.name == "integer"
    if type_.kind == "boolean":
        return kind == "integer"
    if kind in _NUMBERS:
        return type_.kind in _NUMBERS
    return kind in _TIMES and (type_.kind in _TIMES or (type_.kind == "time" and kind != "date"))


def aggregate(function: Function, operand: Operand) -> Operand:
    """Return an aggregate of a value.

    Raises:
        BadRequest: the function does not exist for the type of the value.
    """
    name, target = function.name, operand.expression
    result = f"{name}_{'distinct_' if function.argument else ''}{operand.name.lower()}"
    if name == "count":
        if function.argument:
            check_sortable(operand, grouped=True)
            target = sa.distinct(target)
        return _result(operand, sa.func.count(target), BIGINT, result)
    if name == "percentile":
        return _percentile(function, operand)
    if operand.text is not None:
        if name in ("min", "max"):
            raise BadRequest(
                f"'{operand.name}' is a value inside JSON. Cast it to a type: {name.upper()}(CAST({operand.name} AS "
                "numeric)).",
                reason="bad_type",
                context={"field": operand.name},
            )
        return _result(operand, getattr(sa.func, name)(operand.number), NUMERIC, result)
    if name in ("min", "max"):
        check_sortable(operand)
        if operand.type.operators:  # min() and max() of such a type may be outside the search path
            ordered = aggregate_order_by(target, target.asc() if name == "min" else target.desc())
            values = sa.func.array_agg(ordered).filter(target.is_not(None))
            first = sa.type_coerce(values, sa.ARRAY(Named(operand.type.name)))[1]
            return _result(operand, first, operand.type, result)
        return _result(operand, getattr(sa.func, name)(target), operand.type, result)
    if operand.type.kind in _NOT_SUMMED:
        raise BadRequest(
            f"{name.upper()} needs a number; '{operand.name}' is {operand.type.db_type}.",
            reason="bad_type",
            context={"field": operand.name},
        )
    if operand.type.operators or not operand.type.sorts:
        raise BadRequest(
            f"Field '{operand.name}' has the type {operand.type.db_type}, which {name.upper()} does not support.",
            reason="bad_type",
        )
    return _result(operand, getattr(sa.func, name)(target), NUMERIC, result)


def _percentile(function: Function, operand: Operand) -> Operand:
    """Return the value below which a fraction of the values lies; between two values it is interpolated.

    Raises:
        BadRequest: the field is not a number, or the fraction is not between 0 and 1.
    """
    fraction = function.argument
    if not fraction or float(fraction) > 1:
        message = f"A percentile needs a fraction between 0 and 1: PERCENTILE({operand.name}, 0.9) AS p90."
        raise BadRequest(message, reason="bad_aggregate", context={"field": operand.name})
    if operand.text is None and operand.type.kind not in ("integer", "decimal", "float"):
        raise BadRequest(
            f"Field '{operand.name}' has the type {operand.type.db_type}, which {function.name.upper()} does not "
            "support.",
            reason="bad_type",
        )
    values = sa.cast(operand.number if operand.text is not None else operand.expression, Named("double precision"))
    share: Any = sa.literal_column(fraction)
    percent = f"{float(fraction) * 100:.7f}".rstrip("0").rstrip(".").replace(".", "_")
    result = sa.func.percentile_cont(share).within_group(values)
    return _result(operand, result, FLOAT, f"p{percent}_{operand.name.lower()}")


def _result(operand: Operand, expression: Any, type_: PgType, name: str) -> Operand:
    return type(operand)(expression, type_, name)
