"""OpenTelemetry traces: a span for each request, tool call, statement and job.

Enabled when OTEL_EXPORTER_OTLP_ENDPOINT (or OTEL_TRACES_EXPORTER=otlp) is set and the extra `otel` is installed; the
SDK reads its other variables itself. When disabled, tracing costs one comparison per statement. A span contains nothing
that a log line may not: route, status, request id, and SQL without its values, which are all bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from tableapi.config.command_error import MissingExtra
from tableapi.config.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

MAX_SQL_CHARS = 4000  # the tables of a list come after its columns
tracer: Tracer | None = None
_provider: Any = None
_NOTHING: Any = nullcontext()


def enabled(settings: Settings) -> bool:
    """Whether traces are enabled in the settings."""
    exporter = settings.otel_traces_exporter
    return exporter == "otlp" or (bool(settings.otel_exporter_otlp_endpoint) and exporter != "none")


def start(settings: Settings) -> None:
    """Start exporting spans if enabled in the settings. Once per process. Raises MissingExtra."""
    global tracer, _provider
    if not enabled(settings):
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
    """Export the remaining spans, giving up on an unresponsive collector after 2 seconds."""
    global tracer, _provider
    if _provider is not None:
        _provider.force_flush(2000)
        _provider.shutdown()
    tracer = _provider = None


@contextmanager
def request(headers: Mapping[str, str]) -> Iterator[Span | None]:
    """Open the span of a request, as a child of the client's span if there is a `traceparent` header."""
    if tracer is None:
        yield None
        return
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    with tracer.start_as_current_span("request", extract(headers), kind=SpanKind.SERVER) as span:
        yield span


def describe_response(span: Span | None, method: str, route: str, status: int, request_id: str) -> None:
    """Set the span attributes that are known when the request ends."""
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
    """Return a context manager for the span of one statement."""
    if tracer is None:
        return _NOTHING
    from opentelemetry.trace import SpanKind

    words = sql.split(None, 1)
    name = words[0].upper() if words else "SQL"
    attributes = {"db.system.name": "postgresql", "db.query.text": sql[:MAX_SQL_CHARS]}
    return tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes)


@contextmanager
def tool_call(tool: str, ident: object, meta: Mapping[str, Any], protocol: str) -> Iterator[Span | None]:
    """Open the span of a tool call, named and described as by the MCP SDK.

    meta: the metadata of the message. Its `traceparent`, if any, is the parent instead of the span of the request.
    """
    if tracer is None:
        yield None
        return
    from opentelemetry.context import get_current
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    parent = extract({key: value for key, value in meta.items() if isinstance(value, str)}, get_current())
    attributes = {
        "mcp.method.name": "tools/call", "mcp.protocol.version": protocol, "jsonrpc.request.id": str(ident),
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool,
    }  # fmt: skip
    with tracer.start_as_current_span(
        f"tools/call {tool}", parent, kind=SpanKind.SERVER, attributes=attributes
    ) as span:
        yield span


def describe_tool_error(span: Span | None) -> None:
    """Mark a tool call that ended with an error of the tool."""
    if span is None:
        return
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", "tool_error")
    span.set_status(StatusCode.ERROR)


def carried(request_id: str) -> dict[str, str]:
    """Return the request id and trace context to store with a job."""
    cause = {"request_id": request_id} if request_id else {}
    if tracer is not None:
        from opentelemetry.propagate import inject

        inject(cause)
    return cause


def job(name: str, cause: Mapping[str, str]) -> Any:
    """Return a context manager for the span of a job, as a child of the request that enqueued it."""
    if tracer is None:
        return _NOTHING
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    attributes = {"job": name, "request_id": cause.get("request_id", "")}
    return tracer.start_as_current_span(f"job {name}", extract(cause), kind=SpanKind.CONSUMER, attributes=attributes)
