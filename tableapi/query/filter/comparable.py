"""Capabilities of a field's type: comparison, order and grouping."""

from __future__ import annotations

from typing import Protocol

from tableapi.errors import BadRequest
from tableapi.schema.pgtypes import PgType


class Typed(Protocol):
    """A column, or an expression of a row."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> PgType: ...


def check_operator(type_: PgType, operator: str, label: str) -> None:
    """Reject a comparison that the type does not support.

    Raises:
        BadRequest: `bad_operator`.
    """
    if type_.signs is not None and {"!=": "<>"}.get(operator, operator) not in type_.signs:
        raise BadRequest(
            f"Field '{label}' has the type {type_.db_type}, which cannot be compared with {operator}.",
            reason="bad_operator",
            context={"field": label},
        )


def check_sortable(column: Typed, *, grouped: bool = False) -> None:
    """Reject a field that cannot be ordered by or, with `grouped`, one that cannot be grouped by.

    Raises:
        BadRequest: `bad_type`.
    """
    if not (column.type.groups if grouped else column.type.sorts):
        raise BadRequest(
            f"Field '{column.name}' has the type {column.type.db_type}, which cannot be "
            + ("grouped by." if grouped else "ordered."),
            reason="bad_type",
            context={"field": column.name},
        )
