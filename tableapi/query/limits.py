"""Limits of one dataset, one request and one filter. Exceeding them causes 400 or 413, never 500."""

from __future__ import annotations

from dataclasses import dataclass, field

DEEPEST = 100  # levels of parentheses that a filter may have whatever FILTER_DEPTH is, because parsing recurses


@dataclass(frozen=True, slots=True)
class FilterLimits:
    """Limits of one filter: characters, conditions, nested groups, and values in one list.

    The request as a whole, including `having`, filters of relations and named values, may have twice as many conditions
    and values.
    """

    length: int = 2000
    conditions: int = 50
    depth: int = 10
    values: int = 500

    def of_request(self) -> dict[str, int]:
        """Return the limits of a whole request, by the kind of item counted."""
        return {
            "conditions": 2 * self.conditions, "values": 2 * self.values, "fields": MAX_FIELDS, "terms": MAX_TERMS,
            "windows": MAX_WINDOWS,
        }  # fmt: skip


# Per request: renamed or computed fields, and terms of `order` and `group`, including those of relations. Plain columns
# are bounded by the tables.
MAX_FIELDS, MAX_TERMS, MAX_WINDOWS = 300, 100, 20


DEFAULT_FILTER_LIMITS = FilterLimits()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one dataset.

    rows: per page. records: per batch. offset: the maximum. plan_cache, shape_bytes: number and bytes of cached
    statements. answer_rows, answer_bytes: per response, including related rows. routines: public ones.
    """

    rows: int = 1000
    records: int = 1000
    offset: int | None = None
    plan_cache: int = 4000
    shape_bytes: int = 16_000_000
    answer_rows: int = 100_000
    answer_bytes: int = 64_000_000
    routines: tuple[str, ...] = ()
    filter: FilterLimits = field(default_factory=FilterLimits)
