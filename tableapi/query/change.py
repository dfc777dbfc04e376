"""One record of a write, taken apart: fields, refused fields, moments of the clock and nested records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest
from tableapi.query.spelling import spelled
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import Named

EXPRESSIONS: dict[str, Callable[[], Any]] = {
    "NOW()": sa.func.now,
    "CURRENT_TIMESTAMP": sa.func.now,
    "CURRENT_TIMESTAMP()": sa.func.now,
    "CURRENT_DATE": lambda: sa.cast(sa.func.now(), Named("date")),
    "CURRENT_DATE()": lambda: sa.cast(sa.func.now(), Named("date")),
}


@dataclass(slots=True)
class Change:
    """One record taken apart. `values`: fields to write. `refused`: fields the caller may not write, with what was
    sent. `relations`: nested records. `expressions`: fields set to a moment of the database's clock. `held`: names of
    relations whose reference may not be written and stays as it is stored."""

    values: dict[str, Any] = field(default_factory=dict)
    expressions: dict[str, str] = field(default_factory=dict)
    refused: dict[str, Any] = field(default_factory=dict)
    relations: list[tuple[Relation, Any]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)

    @property
    def empty(self) -> bool:
        return not (self.values or self.expressions)


def take_apart(table: Table, right: Right, record: Mapping[str, Any], skip: Iterable[str] = ()) -> Change:
    """Sort the fields of a record by what the caller may do with them.

    Unknown fields are left out, and so are those that the database alone makes and those that the right ignores.
    Raises BadRequest when one field is there under two spellings.
    """
    change = Change()
    left_out = set(skip) | right.ignored
    for name, value in spelled(table, record).items():
        column = table.columns.get(name)
        if column is None:
            if relation := table.relations.get(name):
                change.relations.append((relation, value))
            continue
        if name in left_out or column.fixed:
            continue
        if not right.writes(name):
            change.refused[name] = value
        elif (
            isinstance(value, dict) and value.keys() == {"expression"} and column.type.kind not in ("json", "composite")
        ):
            change.expressions[name] = _expression(column, value["expression"])
        else:
            change.values[name] = value
    return change


def _expression(column: Column, text: Any) -> str:
    word = str(text).replace(" ", "").upper()
    if word not in EXPRESSIONS or not column.type.is_time:
        raise BadRequest(
            f"Field '{column.name}': this expression is not allowed; NOW() is, on date and time fields.",
            reason="bad_expression",
            context={"field": column.name},
        )
    return word
