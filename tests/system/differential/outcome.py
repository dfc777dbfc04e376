"""What a differential run found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Comparisons, rows in them, statuses, and descriptions of what is wrong."""

    count: int = 0
    rows: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
