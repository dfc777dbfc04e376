"""Traces by OpenTelemetry: a span per request, one for each statement in it, and one for each job that it causes.

On when OTEL_EXPORTER_OTLP_ENDPOINT (or OTEL_TRACES_EXPORTER=otlp) is set and the extra `tableapi[otel]` is installed;
the SDK reads its other variables itself. Off, it costs one look at a name per statement. A span holds what a log line
may hold: route, status, request id, and SQL without its values, which are all bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from tableapi.config.command_error import MissingExtra
from tableapi.config.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

MAX_SQL_CHARS = 2000
tracer: Tracer | None = None
_provider: Any = None
_NOTHING: Any = nullcontext()


def wanted(settings: Settings) -> bool:
    exporter = settings.otel_traces_exporter
    return exporter == "otlp" or (bool(settings.otel_exporter_otlp_endpoint) and exporter != "none")


def start(settings: Settings) -> None:
    """Send spans from now on, if the settings ask for it. Once per process. Raises MissingExtra."""
    global tracer, _provider
    if not wanted(settings):
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingExtra("OTEL_EXPORTER_OTLP_ENDPOINT", "otel") from None
    _provider = TracerProvider(resource=Resource.create({"service.name": settings.otel_service_name}))
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracer = _provider.get_tracer("tableapi")


def stop() -> None:
    """Send what is left; a collector that does not answer is not waited for long."""
    global tracer, _provider
    if _provider is not None:
        _provider.force_flush(2000)
        _provider.shutdown()
    tracer = _provider = None


@contextmanager
def request(headers: Mapping[str, str]) -> Iterator[Span | None]:
    """The span of a request, below that of its caller if it names one (`traceparent`)."""
    if tracer is None:
        yield None
        return
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    with tracer.start_as_current_span("request", extract(headers), kind=SpanKind.SERVER) as span:
        yield span


def answered(span: Span | None, method: str, route: str, status: int, request_id: str) -> None:
    """What is known of a request at its end."""
    if span is None:
        return
    span.update_name(f"{method} {route}")
    span.set_attributes({
        "http.request.method": method, "http.route": route, "http.response.status_code": status,
        "request_id": request_id,
    })  # fmt: skip
    if status >= 500:
        from opentelemetry.trace import StatusCode

        span.set_status(StatusCode.ERROR)


def statement(sql: str) -> Any:
    """`with statement(sql):` - the span of one statement."""
    if tracer is None:
        return _NOTHING
    from opentelemetry.trace import SpanKind

    words = sql.split(None, 1)
    name = words[0].upper() if words else "SQL"
    attributes = {"db.system.name": "postgresql", "db.query.text": sql[:MAX_SQL_CHARS]}
    return tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes)


def carried(request_id: str) -> dict[str, str]:
    """What a job is told of its cause."""
    cause = {"request_id": request_id} if request_id else {}
    if tracer is not None:
        from opentelemetry.propagate import inject

        inject(cause)
    return cause


def job(name: str, cause: Mapping[str, str]) -> Any:
    """`with job(name, cause):` - the span of one job, below the request that caused it."""
    if tracer is None:
        return _NOTHING
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    attributes = {"job": name, "request_id": cause.get("request_id", "")}
    return tracer.start_as_current_span(f"job {name}", extract(cause), kind=SpanKind.CONSUMER, attributes=attributes)
