"""An expression of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi.schema.model import Column
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import Named

CREDENTIAL = 2


@dataclass(frozen=True, slots=True)
class Operand:
    """An expression of a row, with its type and its name in responses and messages.

    text: for a value inside JSON, its text. column: the column, if it is one. sealed: 1 if its values are
    ciphertext, CREDENTIAL if they grant access. nearness: for a distance, the expression that an index orders by.
    """

    expression: Any
    type: PgType
    name: str
    nullable: bool = True
    text: Any = None
    column: Column | None = None
    sealed: int = 0
    nearness: Any = None

    @property
    def number(self) -> Any:
        """A value inside JSON as a number, or NULL if it is not a number."""
        is_number = sa.func.jsonb_typeof(self.expression) == "number"
        return sa.case((is_number, sa.cast(self.text, Named("numeric"))))

    @property
    def sortable(self) -> Any:
        """The expression to order, group and partition by. Null inside JSON counts as missing."""
        if self.text is None:
            return self.expression
        return sa.func.nullif(self.expression, sa.cast(sa.literal_column("'null'"), Named("jsonb")))
