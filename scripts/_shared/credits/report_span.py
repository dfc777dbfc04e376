"""The span of a usage report: whole days in UTC, a month to its true end."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, model_validator

MOST_DAYS = 62


def _moment(value: Any) -> Any:
    """`2026-02-01 00:00:00`, an ISO text or a day alone, all UTC."""
    if not isinstance(value, str):
        raise ValueError("Must be a date")
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        raise ValueError("Must be a date") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class Span(BaseModel):
    """From the first moment to before the last; what the app calls a month is one."""

    startdate: Annotated[datetime, BeforeValidator(_moment)]
    enddate: Annotated[datetime, BeforeValidator(_moment)]
    clientid: int | None = None
    search: str = Field(default="", max_length=100)

    @model_validator(mode="after")
    def _sensible(self) -> Span:
        if not timedelta(0) <= self.enddate - self.startdate <= timedelta(days=MOST_DAYS):
            raise ValueError(f"A report covers at most {MOST_DAYS} days, from startdate to enddate")
        return self

    @property
    def until(self) -> datetime:
        """The first moment that is not counted. The app asks for day 01 to 30 (28 in February) and means the month."""
        start, end = self.startdate, self.enddate
        last_asked = 28 if start.month == 2 else 30
        if start.day == 1 and (start.year, start.month) == (end.year, end.month) and end.day >= last_asked:
            days = calendar.monthrange(start.year, start.month)[1]
            return start.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)
        return end + timedelta(seconds=1) if end.microsecond == 0 else end + timedelta(microseconds=1)
