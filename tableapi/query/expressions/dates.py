"""Parts of dates and times: the start of the year, month or hour that contains a value."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import Named

PARTS = ("year", "quarter", "month", "week", "day", "hour")
DATE = PgType("date", "date", "date")


def start_of(part: str, target: Any, type_: PgType, label: str) -> tuple[Any, PgType]:
    """Return the start of the year, quarter, month, ISO week, day or hour of a value, in UTC.

    The start of an hour has the type of the value, the others are dates.

    Raises:
        BadRequest: `bad_type`.
    """
    if not type_.is_time or (part == "hour" and type_.kind == "date"):
        raise BadRequest(
            f"Field '{label}' has the type {type_.db_type}, which {part.upper()} does not support.",
            reason="bad_type",
            context={"field": label},
        )
    moment = sa.cast(target, Named("timestamp without time zone")) if type_.kind == "date" else target
    start = sa.func.date_trunc(sa.literal_column(f"'{part}'"), moment)
    return (start, type_) if part == "hour" else (sa.cast(start, Named("date")), DATE)
