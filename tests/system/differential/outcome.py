"""The findings of a differential run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Numbers of comparisons, rows and statuses, and descriptions of failures."""

    count: int = 0
    rows: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
