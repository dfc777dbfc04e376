"""SQL expressions for values: bind a parameter of each type, and select a column for JSON output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import operators
from sqlalchemy.types import TypeEngine, UserDefinedType

from tableapi.schema.types import KINDS, PgType

DIALECT = postgresql.asyncpg.dialect(json_serializer=orjson.dumps)  # type: ignore[no-untyped-call]


_SIGNS = {operators.eq: "=", operators.ne: "<>", operators.lt: "<", operators.le: "<=", operators.gt: ">",
          operators.ge: ">="}  # fmt: skip


class _Qualified(TypeEngine.Comparator[Any]):
    """Compare with the operators of a schema that is not in the search path."""

    def operate(self, op: Any, *other: Any, **more: Any) -> Any:
        if op in _SIGNS and other[0] is not None:
            return self._operator(_SIGNS[op])(other[0])
        if op is operators.in_op and isinstance(other[0], list | tuple):
            return sa.or_(*(self._operator("=")(value) for value in other[0])) if other[0] else sa.false()
        if op is operators.is_not_distinct_from:
            return sa.or_(self._operator("=")(other[0]), sa.and_(self.expr.is_(None), other[0].is_(None)))
        return super().operate(op, *other, **more)

    def _operator(self, sign: str) -> Any:
        return self.expr.op(f"OPERATOR({self.type.operators}.{sign})", is_comparison=True)  # type: ignore[attr-defined]


class Named(UserDefinedType[Any]):
    """A database type by its name, for casts."""

    cache_ok = True

    def __init__(self, name: str, operators: str = "") -> None:
        """`operators` is the schema of its operators, if that is not in the search path."""
        self.name, self.operators = name, operators
        if operators:
            self.comparator_factory = _Qualified

    def get_col_spec(self, **_: Any) -> str:
        """Return the name in SQL."""
        return self.name


class Native(Named):
    """A type with native values in asyncpg; a parameter is rendered as `$1::name`."""

    render_bind_cast = True


def bind(type_: PgType, name: str) -> sa.ColumnElement[Any]:
    """Return a bound parameter of a type, sent as text and cast where asyncpg has no native values."""
    kind = KINDS[type_.kind]
    if kind.native:
        return sa.bindparam(name, type_=Native(type_.name))
    text: sa.ColumnElement[Any] = sa.bindparam(name, type_=Native("text"))
    if kind.cast == "record":
        null = sa.cast(sa.null(), Named(type_.name))
        return sa.func.json_populate_record(null, sa.cast(text, Named("json")))
    if type_.element is not None and type_.of_composites:
        # The element type may be a domain over the composite; the cast to the type of the array converts to it.
        each = (
            sa.func.json_array_elements(sa.cast(text, Named("json")))
            .table_valued("element", name="each")
            .render_derived()
        )
        null = sa.cast(sa.null(), Named(type_.element.name))
        element = sa.case(
            (sa.func.json_typeof(each.c.element) != "null", sa.func.json_populate_record(null, each.c.element))
        )
        every = sa.select(element).select_from(each).scalar_subquery()
        return sa.case((text.is_not(None), sa.cast(sa.func.array(every), Named(type_.name))))
    return sa.cast(text, Named(type_.name))


# Kinds of elements that PostgreSQL renders as JSON itself; other arrays are read as arrays of text.
_JSON_ELEMENTS = frozenset(
    ("integer", "decimal", "float", "boolean", "text", "date", "uuid", "json", "enum", "composite", "time")
)


def shown(column: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Return the expression that PostgreSQL renders as the JSON value of a column."""
    if type_.kind == "array":
        inner = type_.element.kind if type_.element else "other"
        if inner == "bytea":
            each = sa.func.unnest(column).table_valued("element", name="each").render_derived()
            rows = sa.select(_as_base64(each.c.element)).select_from(each).correlate_except(each).scalar_subquery()
            flat = sa.case((column.is_not(None), sa.func.to_json(sa.func.array(rows))))
            # unnest() loses the dimensions of a nested array; such an array is returned as PostgreSQL's array literal.
            text = sa.func.to_json(sa.cast(column, Named("text[]")))
            return sa.case((sa.func.array_ndims(column) > 1, text), else_=flat)
        if inner == "money":
            return sa.cast(column, Named("numeric[]"))
        return column if inner in _JSON_ELEMENTS else sa.cast(column, Named("text[]"))
    out = KINDS[type_.kind].out
    if out == "base64":
        return _as_base64(column)
    return sa.cast(column, Named(out)) if out else column


def _as_base64(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.func.translate(sa.func.encode(column, "base64"), "\n", "")


def as_text(column: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Return the text of a value, for the text operators of a filter."""
    return column if type_.name in ("text", "character varying") else sa.cast(column, Named("text"))


# Functions of a filter that read the clock of the database.
MOMENTS: dict[str, Callable[[], Any]] = {
    "now": sa.func.now,
    "current_timestamp": sa.func.now,
    "current_date": lambda: sa.cast(sa.func.now(), Named("date")),
}
