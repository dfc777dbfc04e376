"""Limits of one dataset and of one filter. A request past them gets 400 or 413, never 500."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    length: int = 2000
    conditions: int = 50
    depth: int = 10
    values: int = 500


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one dataset; past them 400 or 413, never 500."""

    rows: int = 1000
    records: int = 1000
    offset: int | None = None
    plan_cache: int = 4000  # compiled statements that are kept, and how many bytes of them
    shape_bytes: int = 16_000_000
    answer_rows: int = 100_000  # of one answer, the rows of relations included
    answer_bytes: int = 64_000_000
    routines: tuple[str, ...] = ()
    filter: Limits = field(default_factory=Limits)
