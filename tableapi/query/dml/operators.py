"""Values of a write that name a change instead: `{"stock": {"$add": -1}}`.

The change is computed from the stored value by the statement that writes it, so concurrent writes lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import aggregate_order_by

from tableapi.errors import BadRequest
from tableapi.query.spelling import suggestion
from tableapi.query.statement import Binder
from tableapi.schema.model import Column
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import Named, own_type

NUMBERS = frozenset(("integer", "decimal", "float", "money"))
SET = "$set"  # for JSON that looks like a change


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of change.

    Attributes:
        of: the columns that it applies to, in words.
        suits: whether it applies to a type.
        as_list: whether a single operand stands for a list with it.
        operand: the Python type of the operand, if JSON.
        compute: the new SQL value, given the type, the stored value, the operand and the names of the statement.
    """

    of: str
    suits: Callable[[PgType], bool]
    as_list: bool
    operand: type
    compute: Callable[[PgType, Any, Any, Binder], Any]


def _is_list(type_: PgType) -> bool:
    return type_.kind == "array" or type_.name == "jsonb"


def _empty(type_: PgType, text: str) -> Any:
    return sa.cast(sa.literal_column(f"'{text}'"), Named(type_.name))


def _add(type_: PgType, stored: Any, operand: Any, _: Binder) -> Any:
    return sa.func.coalesce(stored, _empty(type_, "0")) + operand


def _append(type_: PgType, stored: Any, operand: Any, _: Binder) -> Any:
    if type_.kind == "array":
        return sa.func.array_cat(sa.func.coalesce(stored, _empty(type_, "{}")), operand)
    return sa.func.coalesce(stored, _empty(type_, "[]")).op("||")(operand)


def _remove(type_: PgType, stored: Any, operand: Any, binder: Binder) -> Any:
    if type_.kind == "array":
        assert type_.element is not None
        item = sa.column("item", own_type(type_.element))
        items = sa.func.unnest(stored).table_valued(item, with_ordinality="place")
        items = items.render_derived(name=binder.name("e"))
        kept = sa.func.array_agg(aggregate_order_by(items.c.item, items.c.place))
        others = sa.select(kept).where((items.c.item == sa.any_(operand)).is_not(sa.true())).scalar_subquery()
        return sa.func.coalesce(others, _empty(type_, "{}"))
    names = sa.func.jsonb_array_elements_text(operand).table_valued("name")
    names = names.render_derived(name=binder.name("e"))
    gone = sa.select(sa.func.coalesce(sa.func.array_agg(names.c.name), _text_array())).scalar_subquery()
    return sa.func.coalesce(stored, _empty(type_, "[]")).op("-")(gone)


def _text_array() -> Any:
    return sa.cast(sa.literal_column("'{}'"), Named("text[]"))


def _merge(_type: PgType, stored: Any, operand: Any, _: Binder) -> Any:
    is_object = sa.func.jsonb_typeof(stored) == sa.literal_column("'object'")
    return sa.case((is_object, stored.op("||")(operand)), else_=operand)


OPERATORS = {
    "$add": Operator("numbers", lambda type_: type_.kind in NUMBERS, False, object, _add),
    "$append": Operator("arrays and jsonb", _is_list, True, list, _append),
    "$remove": Operator("arrays and jsonb", _is_list, True, list, _remove),
    "$merge": Operator("jsonb", lambda type_: type_.name == "jsonb", False, dict, _merge),
}


def named(column: Column, value: Any) -> str:
    """Return the operator that a value names, `SET`, or "" for a value.

    Raises:
        BadRequest: `bad_expression`: the operator does not exist, or not for this type.
    """
    if type(value) is not dict or len(value) != 1:
        return ""
    (name,) = value
    if name == SET:
        return SET
    operator = OPERATORS.get(name)
    if operator is not None and operator.suits(column.type):
        return str(name)
    if column.type.kind in ("json", "composite") or not str(name).startswith("$"):
        return ""
    known = [*OPERATORS, SET]
    if operator is not None:
        told = f"cannot be used here. {name} is for {operator.of}."
    else:
        takes = " and ".join([name for name, other in OPERATORS.items() if other.suits(column.type)] + [SET])
        told = f"is unknown.{suggestion(name, known) or f' A field of this type takes {takes}.'}"
    raise BadRequest(
        f"Field '{column.name}': '{name[:50]}' {told}", reason="bad_expression", context={"field": column.name}
    )


def operand(column: Column, name: str, value: Any) -> Any:
    """Return the operand of an operator, as a value of the column.

    Raises:
        BadRequest: `bad_expression`: it is NULL, or has the wrong JSON type.
    """
    operator, sent = OPERATORS[name], value[name]
    if operator.as_list and not isinstance(sent, list):
        sent = [sent]
    fits = isinstance(sent, operator.operand) and sent is not None
    if fits and name == "$remove" and column.type.kind == "json":
        fits = all(isinstance(item, str) for item in sent)  # PostgreSQL removes names and texts
    if not fits:
        expected = {"$merge": "an object", "$remove": "a text or a list of texts"}.get(name, "a value")
        raise BadRequest(
            f"Field '{column.name}': {name} needs {expected}.", reason="bad_expression", context={"field": column.name}
        )
    return sent


def applied(name: str, type_: PgType, stored: Any, sent: Any, binder: Binder) -> Any:
    """Return the SQL value after the change. `stored`: None for a new record."""
    before = sa.cast(sa.null(), Named(type_.name)) if stored is None else stored
    return OPERATORS[name].compute(type_, before, sent, binder)
