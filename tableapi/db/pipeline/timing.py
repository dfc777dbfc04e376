"""How long each statement takes in PostgreSQL, which decides where it runs."""

from __future__ import annotations

SLOW_SECONDS = 0.008  # a slow statement takes longer than this,
SLOW_FACTOR = 8  # and than so many times the mean of all; on a busy machine every statement takes long
_SHARE, _SHARE_OF_ALL = 1 / 8, 1 / 64  # of the last run in a mean
MAX_STATEMENTS, MAX_CHARS = 5000, 4_000_000  # of all statements together


class Timing:
    """The exponentially weighted mean of one statement's time, in seconds.

    direct: it gets a connection of its own. unsupported: for good, because of its types.
    """

    __slots__ = ("_all", "_unsupported", "direct", "mean")

    def __init__(self, timings: Timings) -> None:
        self._all = timings
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
        if not self.direct:
            # A very long run counts only in part towards the mean of all, so that it does not hide that it is slow.
            every = self._all
            of_all = every.mean or seconds
            every.mean = of_all + (min(seconds, SLOW_FACTOR * of_all) - of_all) * _SHARE_OF_ALL
            self.direct = mean > SLOW_SECONDS and mean > SLOW_FACTOR * every.mean
        elif not self._unsupported:  # half of it, so that a statement does not move to and fro
            self.direct = mean > SLOW_SECONDS / 2 and mean > SLOW_FACTOR / 2 * self._all.mean


class Timings(dict[str, Timing]):
    """The timing of each statement, by its SQL, and the mean of those that are pipelined.

    Dropped from time to time, so that it does not grow without end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mean = 0.0
        self._chars = 0

    def __missing__(self, sql: str) -> Timing:
        if len(self) >= MAX_STATEMENTS or self._chars > MAX_CHARS:
            self.clear()
            self._chars = 0
        self._chars += len(sql)
        timing = self[sql] = Timing(self)
        return timing
