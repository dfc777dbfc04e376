"""What can be compared, ordered and grouped by: refusals that name the field and its type."""

from __future__ import annotations

from tableapi.errors import BadRequest
from tableapi.schema.model import Column
from tableapi.schema.types import PgType


def has_sign(type_: PgType, sign: str, label: str) -> None:
    """Refuse a comparison that the type does not have."""
    if type_.signs is not None and {"!=": "<>"}.get(sign, sign) not in type_.signs:
        raise BadRequest(
            f"Field '{label}' has the type {type_.db_type}, which cannot be compared by {sign}.",
            reason="bad_operator",
            context={"field": label},
        )


def sortable(column: Column, *, grouped: bool = False) -> None:
    """Refuse a field whose type has no order, or with `grouped` no equality to group by."""
    if not (column.type.groups if grouped else column.type.sorts):
        raise BadRequest(
            f"Field '{column.name}' has the type {column.type.db_type}, which cannot be "
            + ("grouped by." if grouped else "ordered."),
            reason="bad_type",
            context={"field": column.name},
        )
