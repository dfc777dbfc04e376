"""Measure how long each statement takes in PostgreSQL, which decides where it runs."""

from __future__ import annotations

SLOW_SECONDS = 0.008  # a statement is slow if it takes longer than this
SLOW_FACTOR = 8  # and this many times the overall mean; on a busy machine every statement is slow
SLOW_GAP = 4  # and there are this many runs of others between its own: otherwise nothing waits for it but itself
_MAX_GAP = 4 * SLOW_GAP
_SHARE, _SHARE_OF_ALL = 1 / 8, 1 / 64  # weight of the last run in a mean
MAX_STATEMENTS, MAX_CHARS = 5000, 4_000_000  # for all statements together


class Timing:
    """The exponentially weighted mean of one statement's run time, in seconds.

    direct: whether it runs on a connection of its own. unsupported: whether its types require that permanently.
    """

    __slots__ = ("_all", "_gap", "_ran", "_unsupported", "direct", "mean")

    def __init__(self, timings: Timings) -> None:
        self._all = timings
        self.mean: float | None = None
        self._ran, self._gap = timings.runs, float(2 * SLOW_GAP)  # the run before, and the mean distance of two runs
        self.direct = self._unsupported = False

    @property
    def unsupported(self) -> bool:
        return self._unsupported

    @unsupported.setter
    def unsupported(self, value: bool) -> None:
        self._unsupported = self.direct = value

    def add(self, seconds: float) -> None:
        """Record one run."""
        every, mean = self._all, self.mean
        every.runs = ran = every.runs + 1
        gap = ran - self._ran
        self._gap += ((gap if gap < _MAX_GAP else _MAX_GAP) - self._gap) * _SHARE
        self._ran = ran
        mean = self.mean = seconds if mean is None else mean + (seconds - mean) * _SHARE
        if not self.direct:
            # Cap the contribution of a very long run to the overall mean, so that the statement still counts as slow.
            of_all = every.mean or seconds
            most = SLOW_FACTOR * of_all
            every.mean = of_all + ((seconds if seconds < most else most) - of_all) * _SHARE_OF_ALL
            self.direct = mean > SLOW_SECONDS and mean > SLOW_FACTOR * every.mean and self._gap > SLOW_GAP
        elif not self._unsupported:  # hysteresis: half the threshold, so that a statement does not keep switching
            self.direct = mean > SLOW_SECONDS / 2 and mean > SLOW_FACTOR / 2 * self._all.mean


class Timings(dict[str, Timing]):
    """The timing of each statement, by its SQL, and the mean of those that are pipelined.

    Cleared when it reaches its limits, so that it does not grow without bound.
    """

    __slots__ = ("_chars", "mean", "runs")

    def __init__(self) -> None:
        super().__init__()
        self.mean = 0.0
        self.runs = 0
        self._chars = 0

    def __missing__(self, sql: str) -> Timing:
        if len(self) >= MAX_STATEMENTS or self._chars > MAX_CHARS:
            self.clear()
            self._chars = 0
        self._chars += len(sql)
        timing = self[sql] = Timing(self)
        return timing
