"""The metrics of /metrics, summed over the worker processes of a server. Needs prometheus-client.

prometheus_client keeps the values of each process in a mapped file below PROMETHEUS_MULTIPROC_DIR, which `serve` sets
and empties; any worker answers /metrics for all. Without that variable, the values are those of the current process.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

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

from tableapi.observability import metrics

MEDIA_TYPE = CONTENT_TYPE_LATEST
PUBLISH_SECONDS = 1.0

_requests = Counter("tableapi_requests", "Completed requests", ("route", "method", "status"))
_seconds = Histogram("tableapi_request_seconds", "Time to the response", ("route", "method"), buckets=metrics.BUCKETS)
_workers = Gauge("tableapi_workers", "Worker processes that accept requests", multiprocess_mode="livesum")
_counters = {
    "reads": Counter("tableapi_reads", "Reads that a replica may answer, by the server that answered", ("source",)),
    "plans": Counter("tableapi_plans", "Plans that were built because none was cached, by what needed them", ("door",)),
    "streams": Counter("tableapi_streams", "Events sent to change streams, and streams dropped", ("event",)),
    "webhooks": Counter("tableapi_webhooks", "Attempts to deliver events of webhooks, and events lost", ("event",)),
    "events": Counter("project_events", "Events counted by the project", ("event", "kind")),
}
_gauges = {
    "under_way": Gauge("tableapi_under_way", "Requests in flight", multiprocess_mode="livesum"),
    "lanes_free": Gauge("tableapi_lanes_free", "Free connections of the table API", multiprocess_mode="livesum"),
    "lanes_waiting": Gauge("tableapi_lanes_waiting", "Requests waiting for a connection", multiprocess_mode="livesum"),
    "pool_waiting": Gauge("tableapi_pool_waiting", "Scripts waiting for a connection", multiprocess_mode="livesum"),
    "listeners": Gauge("tableapi_listeners", "Open change streams", multiprocess_mode="livesum"),
}
_timer: asyncio.TimerHandle | None = None


def publish() -> None:
    """Add the counts since the last call to the values of prometheus_client."""
    requests, counts = metrics.take()
    for (counter, *labels), count in counts.items():
        _counters[counter].labels(*labels).inc(count)
    for name, value in metrics.gauges.items():
        _gauges[name].set(value())
    for (route, method, status), counted in requests.items():
        _requests.labels(route, method, str(status)).inc(counted.count)
        histogram = _seconds.labels(route, method)
        # `observe` takes a single value; these are its two steps.
        histogram._sum.inc(counted.seconds)
        for bucket, count in zip(histogram._buckets, counted.buckets, strict=True):
            if count:
                bucket.inc(count)


def start() -> None:
    """Start publishing once a second. Called once per worker, inside its event loop."""
    _workers.set(1)
    _tick()


def stop() -> None:
    """Stop the timer of `start`."""
    if _timer is not None:
        _timer.cancel()
    _workers.set(0)


def _tick() -> None:
    global _timer
    with suppress(OSError):  # no space for the file of a new value; requests continue without it
        publish()
    _timer = asyncio.get_running_loop().call_later(PUBLISH_SECONDS, _tick)


def text() -> bytes:
    """Return the body of /metrics, summed over all workers of this server."""
    with suppress(OSError):
        publish()
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return generate_latest(registry)
