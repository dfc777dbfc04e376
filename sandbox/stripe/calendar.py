"""Date arithmetic of billing periods."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime


def add(moment: int, interval: str, count: int = 1, anchor: int | None = None) -> int:
    """Return the end of a period that starts at `moment`, on the day of `anchor` where the month has it."""
    start = datetime.fromtimestamp(moment, UTC)
    if interval in ("day", "week"):
        return moment + count * (86400 if interval == "day" else 7 * 86400)
    months = start.year * 12 + start.month - 1 + count * (12 if interval == "year" else 1)
    year, month = divmod(months, 12)
    anchor_day = datetime.fromtimestamp(anchor if anchor is not None else moment, UTC).day
    day = min(anchor_day, monthrange(year, month + 1)[1])
    return int(start.replace(year=year, month=month + 1, day=day).timestamp())


def part(amount: int, start: int, end: int, date: int) -> int:
    """Return the share of `amount` for the rest of a period from `date` on, rounded half up."""
    length = end - start
    return (2 * amount * (end - date) + length) // (2 * length)


def day(moment: int) -> str:
    """Format a moment as `5 Nov 2026`."""
    return f"{datetime.fromtimestamp(moment, UTC):%-d %b %Y}"
