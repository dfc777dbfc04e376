"""Prometheus metrics, summed over the worker processes of a server.

prometheus_client keeps the values of each process in a mapped file below PROMETHEUS_MULTIPROC_DIR, which `serve` sets
and empties; any worker answers /metrics for all. Without that variable the values are those of the current process.

An update of prometheus_client costs 6 us per request. So a request only adds to plain counters (under 1 us), which are
flushed once a second and before a response of /metrics.
"""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

MEDIA_TYPE = CONTENT_TYPE_LATEST
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)
FLUSH_SECONDS = 1.0
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY"}

_requests = Counter("tableapi_requests", "Completed requests", ("route", "method", "status"))
_seconds = Histogram("tableapi_request_seconds", "Time to the response", ("route", "method"), buckets=BUCKETS)
_reads = Counter("tableapi_reads", "Reads that a replica may answer, by the server that answered", ("source",))
_workers = Gauge("tableapi_workers", "Worker processes that accept requests", multiprocess_mode="livesum")
_live = Counter("tableapi_live", "Events sent to streams of live changes, and streams dropped", ("event",))
_webhooks = Counter("tableapi_webhooks", "Attempts to deliver events of webhooks, and events lost", ("event",))
_events = Counter("project_events", "Events counted by the project", ("event", "kind"))
_gauges = {
    "under_way": Gauge("tableapi_under_way", "Requests in flight", multiprocess_mode="livesum"),
    "lanes_free": Gauge("tableapi_lanes_free", "Free connections of the table API", multiprocess_mode="livesum"),
    "lanes_waiting": Gauge("tableapi_lanes_waiting", "Requests waiting for a connection", multiprocess_mode="livesum"),
    "pool_waiting": Gauge("tableapi_pool_waiting", "Scripts waiting for a connection", multiprocess_mode="livesum"),
    "listeners": Gauge("tableapi_listeners", "Open streams of live changes", multiprocess_mode="livesum"),
}
_watched: dict[str, Callable[[], float]] = {}


def count_event(name: str, kind: str, count: int = 1) -> None:
    """Count an event of the project, for example `count_event("mail", "sent")`.

    Use few different names and kinds.
    """
    _events.labels(name, kind).inc(count)


def watch(name: str, value: Callable[[], float]) -> None:
    """Publish a value of this process as the gauge `name`; `value` is called once a second."""
    _watched[name] = value


@dataclass(slots=True)
class _Cell:
    """The requests of one route, method and status since the last flush."""

    count: int = 0
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))


_cells: dict[tuple[str, str, int], _Cell] = {}
_sources: dict[str, int] = {}


def request(route: str, method: str, status: int, seconds: float) -> None:
    """Count a completed request.

    `route` is a pattern such as `_table`, not a path, so that the labels stay few.
    """
    cell = _cells.get((route, method, status))
    if cell is None:
        method = method if method in METHODS else "other"  # clients may send arbitrary methods
        cell = _cells.setdefault((route, method, status), _Cell())
    cell.count += 1
    cell.seconds += seconds
    cell.buckets[bisect_left(BUCKETS, seconds)] += 1


def read(source: str) -> None:
    """Count a read that a replica may answer; `source` is `replica` or `primary`."""
    _sources[source] = _sources.get(source, 0) + 1


def live(event: str, count: int = 1) -> None:
    """Count events of live changes; `event` is `events` or `dropped`."""
    _live.labels(event).inc(count)


def webhook(event: str, count: int = 1) -> None:
    """Count attempts that were `delivered` or `failed`, events `given_up`, and changes `missed`."""
    if count:
        _webhooks.labels(event).inc(count)


def flush() -> None:
    """Add the counts since the last flush to the values of prometheus_client."""
    reads = _sources.copy()
    _sources.clear()
    for source, count in reads.items():
        _reads.labels(source).inc(count)
    for name, value in _watched.items():
        _gauges[name].set(value())
    cells = _cells.copy()
    _cells.clear()
    for (route, method, status), cell in cells.items():
        _requests.labels(route, method, str(status)).inc(cell.count)
        histogram = _seconds.labels(route, method)
        # `observe` takes a single value; these are the two steps it consists of.
        histogram._sum.inc(cell.seconds)
        for bucket, count in zip(histogram._buckets, cell.buckets, strict=True):
            if count:
                bucket.inc(count)


_timer: asyncio.TimerHandle | None = None


def start() -> None:
    """Flush once a second from now on. Called once per worker, inside its event loop."""
    _workers.set(1)
    _tick()


def stop() -> None:
    """Stop the timer of `start`."""
    if _timer is not None:
        _timer.cancel()
    _workers.set(0)


def _tick() -> None:
    global _timer
    with suppress(OSError):  # no room for the file of a new value; requests go on without it
        flush()
    _timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, _tick)


def text() -> bytes:
    """Return the body of /metrics, over all workers of this server."""
    with suppress(OSError):
        flush()
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
