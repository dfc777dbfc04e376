"""Counters of this process, kept as plain numbers because every request updates them.

Updating prometheus_client costs 6 us, these under 1 us. `prometheus.py` publishes them once a second and before each
response of /metrics.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY"}


@dataclass(slots=True)
class Requests:
    """Requests of one route, method and status."""

    count: int = 0
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))


_requests: dict[tuple[str, str, int], Requests] = {}
_counts: dict[tuple[str, ...], int] = {}  # (counter, *labels) -> count
gauges: dict[str, Callable[[], float]] = {}


def count(counter: str, *labels: str, by: int = 1) -> None:
    """Add to a counter.

    They are `reads` by source, `plans` by door, `streams` and `webhooks` by event, `events` by event and kind.
    """
    if by:
        _add((counter, *labels), by)


def count_event(name: str, kind: str, count: int = 1) -> None:
    """Count an event of the project, for example `count_event("mail", "sent")`.

    Use few different names and kinds.
    """
    _add(("events", name, kind), count)


def _add(counter: tuple[str, ...], by: int) -> None:
    _counts[counter] = _counts.get(counter, 0) + by


def watch(name: str, value: Callable[[], float]) -> None:
    """Publish a value of this process as the gauge `name`; `value` is called once a second."""
    gauges[name] = value


def request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a completed request.

    `route` is a pattern such as `_table`, not a path, to keep the number of labels small.
    """
    requests = _requests.get((route, method, status))
    if requests is None:
        method = method if method in METHODS else "other"  # clients may send arbitrary methods
        requests = _requests.setdefault((route, method, status), Requests())
    requests.count += 1
    requests.seconds += seconds
    requests.buckets[bisect_left(BUCKETS, seconds)] += 1


def take() -> tuple[dict[tuple[str, str, int], Requests], dict[tuple[str, ...], int]]:
    """Return the counts since the last call: requests, and the other counters."""
    requests, counts = _requests.copy(), _counts.copy()
    _requests.clear()
    _counts.clear()
    return requests, counts
