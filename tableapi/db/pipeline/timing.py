"""How long each statement takes in PostgreSQL, which decides where it runs."""

from __future__ import annotations

SLOW_SECONDS, FAST_SECONDS = 0.008, 0.004  # above the first it gets a connection of its own, until below the second
_SHARE = 1 / 8  # of the last run in the mean
MAX_STATEMENTS = 5000


class Timing:
    """The exponentially weighted mean of one statement's time, in seconds.

    direct: it gets a connection of its own. unsupported: for good, because of its types.
    """

    __slots__ = ("_unsupported", "direct", "mean")

    def __init__(self) -> None:
        self.mean: float | None = None
        self.direct = self._unsupported = False

    @property
    def unsupported(self) -> bool:
        return self._unsupported

    @unsupported.setter
    def unsupported(self, value: bool) -> None:
        self._unsupported = self.direct = value

    def add(self, seconds: float) -> None:
        """Count one run."""
        mean = self.mean
        mean = self.mean = seconds if mean is None else mean + (seconds - mean) * _SHARE
        if not self._unsupported:
            self.direct = mean > (FAST_SECONDS if self.direct else SLOW_SECONDS)


class Timings(dict[str, Timing]):
    """The timing of each statement, by its SQL. Dropped from time to time, so that it does not grow without end."""

    def __missing__(self, sql: str) -> Timing:
        if len(self) >= MAX_STATEMENTS:
            self.clear()
        timing = self[sql] = Timing()
        return timing
