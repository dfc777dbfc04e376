"""The parts of a record to write, and the compiled statement that writes it.

Plans are cached like those of reads: by table, role, options and fields. The values are bound at each request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest
from tableapi.query.dml import operators
from tableapi.query.dml.operators import SET
from tableapi.query.spelling import spelled
from tableapi.query.statement import Parameter
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import Named

EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "NOW()": sa.func.now,
    "CURRENT_TIMESTAMP": sa.func.now,
    "CURRENT_TIMESTAMP()": sa.func.now,
    "CURRENT_DATE": lambda: sa.cast(sa.func.now(), Named("date")),
    "CURRENT_DATE()": lambda: sa.cast(sa.func.now(), Named("date")),
}


@dataclass(frozen=True, slots=True)
class WritePlan:
    """A compiled write, or one of its checks.

    ident: the fields that identify the record. keys: the fields that are returned besides the response. texts: those of
    them that are returned as text. sealed: whether the response has
    sealed fields. transaction: whether a row rule may reject the row after it is written. guarded: whether the
    statement has write conditions, so that another statement must find out why it wrote no row.
    """

    sql: str
    parameters: list[Parameter]
    ident: tuple[Column, ...] = ()
    keys: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    sealed: bool = False
    transaction: bool = False
    guarded: bool = False


@dataclass(slots=True)
class Change:
    """The parts of one record.

    values: fields to write. operators: those that have the operand of a change. expressions: fields set to the
    current time or date. rejected: fields that the caller may not write, with the values that were sent. relations:
    nested records. held: names of relations with unwritable references, which keep their stored values.
    """

    values: dict[str, Any] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    operators: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, Any] = field(default_factory=dict)
    relations: list[tuple[Relation, Any]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)

    @property
    def empty(self) -> bool:
        """Whether the change writes no field of the table itself."""
        return not (self.values or self.expressions)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the change writes."""
        return (*self.values, *self.expressions)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The parts of a change that its statement depends on: everything except the values."""
        return tuple(self.values), tuple(self.expressions.items()), tuple(self.operators.items())


def take_apart(table: Table, right: Right, record: Mapping[str, Any], skip: Iterable[str] = ()) -> Change:
    """Split the fields of a record by what the caller may do with them.

    Unknown fields, fields that only the database sets and fields that the right ignores are dropped.

    Raises:
        DuplicateField: one field is sent under two spellings.
        BadRequest: an expression is not allowed for its field.
    """
    change = Change()
    left_out = set(skip) | right.ignored
    for name, value in spelled(table, record).items():
        column = table.columns.get(name)
        if column is None:
            if (relation := table.relations.get(name)) is not None and not relation.derived:
                change.relations.append((relation, value))
            continue
        if name in left_out or column.fixed:
            continue
        if not right.can_write(name):
            change.rejected[name] = value
        elif (
            isinstance(value, dict) and value.keys() == {"expression"} and column.type.kind not in ("json", "composite")
        ):
            change.expressions[name] = _expression(column, value["expression"])
        elif type(value) is dict and (operator := operators.named(column, value)):
            change.values[name] = value[operator] if operator == SET else operators.operand(column, operator, value)
            if operator != SET:
                change.operators[name] = operator
        else:
            change.values[name] = value
    return change


def _expression(column: Column, text: Any) -> str:
    expression = str(text).replace(" ", "").upper()
    if expression not in EXPRESSIONS or not column.type.is_time:
        raise BadRequest(
            f"Field '{column.name}': this expression is not allowed. Only NOW(), CURRENT_DATE and CURRENT_TIMESTAMP "
            "are, for date and time fields.",
            reason="bad_expression",
            context={"field": column.name},
        )
    return expression
