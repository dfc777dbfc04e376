"""Numbers for Prometheus, added up over the workers of a server.

prometheus_client keeps the values of each process in a mapped file of PROMETHEUS_MULTIPROC_DIR, which `serve` sets and
empties; any worker can answer /metrics for all. Without that setting (tests, scripts) values are this process's own.

Telling prometheus_client costs 6 us a request. So a request only adds to plain numbers (under 1 us), which are told
once a second, and before an answer to /metrics.
"""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

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

from tableapi.observability import metrics_file

metrics_file.use()
MEDIA_TYPE = CONTENT_TYPE_LATEST
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)
FLUSH_SECONDS = 1.0
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

_requests = Counter("tableapi_requests", "Answered requests", ("route", "method", "status"))
_seconds = Histogram("tableapi_request_seconds", "Time to the answer", ("route", "method"), buckets=BUCKETS)
_reads = Counter("tableapi_reads", "Reads that a replica may answer, by who answered", ("source",))
_workers = Gauge("tableapi_workers", "Worker processes that serve", multiprocess_mode="livesum")
_events = Counter("project_events", "What the project counts", ("event", "kind"))
_gauges = {
    "under_way": Gauge("tableapi_under_way", "Requests under way", multiprocess_mode="livesum"),
    "lanes_free": Gauge(
        "tableapi_lanes_free", "Connections of the table API that are free", multiprocess_mode="livesum"
    ),
    "lanes_waiting": Gauge("tableapi_lanes_waiting", "Requests that wait for one", multiprocess_mode="livesum"),
    "pool_waiting": Gauge("tableapi_pool_waiting", "Scripts that wait for a connection", multiprocess_mode="livesum"),
}
_watched: dict[str, Callable[[], float]] = {}


def event(name: str, kind: str, count: int = 1) -> None:
    """Count what happened in the project: `event("credits_spent", "directdial")`. Both words are of a short list."""
    _events.labels(name, kind).inc(count)


def watch(name: str, value: Callable[[], float]) -> None:
    """Read this value of the process once a second."""
    _watched[name] = value


@dataclass(slots=True)
class _Cell:
    """Requests of one route, method and status that were not told yet."""

    count: int = 0
    seconds: float = 0.0
    steps: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))


_cells: dict[tuple[str, str, int], _Cell] = {}
_sources: dict[str, int] = {}


def request(route: str, method: str, status: int, seconds: float) -> None:
    """Count an answered request. `route` is a pattern (`_table`, `getcontact`), never a path: paths have no end."""
    cell = _cells.get((route, method, status))
    if cell is None:
        method = method if method in METHODS else "other"  # clients may invent methods without end
        cell = _cells.setdefault((route, method, status), _Cell())
    cell.count += 1
    cell.seconds += seconds
    cell.steps[bisect_left(BUCKETS, seconds)] += 1


def read(source: str) -> None:
    """Count a read that a replica may answer: by `replica` or `primary`."""
    _sources[source] = _sources.get(source, 0) + 1


def tell() -> None:
    """Give prometheus_client what was counted since the last time."""
    reads = _sources.copy()
    _sources.clear()
    for source, count in reads.items():
        _reads.labels(source).inc(count)
    for name, value in _watched.items():
        _gauges[name].set(value())
    told = _cells.copy()
    _cells.clear()
    for (route, method, status), cell in told.items():
        _requests.labels(route, method, str(status)).inc(cell.count)
        histogram = _seconds.labels(route, method)
        # `observe` takes one value at a time; these are the two lines it consists of.
        histogram._sum.inc(cell.seconds)
        for bucket, count in zip(histogram._buckets, cell.steps, strict=True):
            if count:
                bucket.inc(count)


_timer: asyncio.TimerHandle | None = None


def start() -> None:
    """Tell once a second from now on. Once per worker, inside its event loop."""
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        metrics_file.reserve(Path(folder))
    _workers.set(1)
    _tick()


def stop() -> None:
    """Stop what `start` began."""
    if _timer is not None:
        _timer.cancel()
    _workers.set(0)


def _tick() -> None:
    global _timer
    with suppress(OSError):  # the disk is full, and a number that nobody had counted before has no place
        tell()
    _timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, _tick)


def text() -> bytes:
    """The answer of /metrics, over all workers of this server."""
    with suppress(OSError):
        tell()
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
