"""The time span of a usage report, in UTC. A calendar month extends to its last day."""

from __future__ import annotations

import calendar
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

MAX_DAYS = 62


def _moment(value: object) -> datetime:
    """Parse `2026-02-01 00:00:00`, ISO 8601 text or a day; without a zone it is UTC."""
    if not isinstance(value, str):
        raise _not_a_date()
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        raise _not_a_date() from None
    if not MINYEAR < moment.year < MAXYEAR:  # leaves room for zones and the end of the span
        raise _not_a_date()
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _not_a_date() -> PydanticCustomError:
    return PydanticCustomError("not_a_date", "Must be a date such as 2026-01-31")


class Span(BaseModel):
    """The input of a usage report: a span of at most 62 days and an optional search text."""

    startdate: Annotated[datetime, BeforeValidator(_moment)]
    enddate: Annotated[datetime, BeforeValidator(_moment)]
    clientid: int | None = None
    search: str = Field(default="", max_length=100)

    @model_validator(mode="after")
    def _sensible(self) -> Span:
        if not timedelta(0) <= self.enddate - self.startdate <= timedelta(days=MAX_DAYS):
            message = "A report covers at most {limit} days, from startdate to enddate"
            raise PydanticCustomError("report_too_long", message, {"limit": MAX_DAYS})
        return self

    @property
    def until(self) -> datetime:
        """Return the exclusive end. Day 1 to 30 of one month (28 in February) means the whole month."""
        start, end = self.startdate, self.enddate
        last_day = 28 if start.month == 2 else 30
        if start.day == 1 and (start.year, start.month) == (end.year, end.month) and end.day >= last_day:
            days = calendar.monthrange(start.year, start.month)[1]
            return start.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)
        return end + timedelta(seconds=1) if end.microsecond == 0 else end + timedelta(microseconds=1)
