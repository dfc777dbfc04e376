"""OTLP traces from the browser's span through the request and its statements to the queued job."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.helpers.support import NewDatabase, Serve

KEY = "test-app-key"
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Collector(ThreadingHTTPServer):
    """A small OTLP/HTTP receiver."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.spans: list[dict[str, Any]] = []
        self.came = threading.Condition()

    def wait(self, matching: Callable[[list[dict[str, Any]]], Any], seconds: float = 30) -> Any:
        end = time.monotonic() + seconds
        with self.came:
            while not (match := matching(self.spans)):
                assert self.came.wait(max(0.0, end - time.monotonic())), [span["name"] for span in self.spans]
        return match


class _Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        sent = ExportTraceServiceRequest()
        sent.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.came:
            for part in sent.resource_spans:
                for scope in part.scope_spans:
                    self.server.spans += [_plain(span) for span in scope.spans]
            self.server.came.notify_all()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def _plain(span: Any) -> dict[str, Any]:
    attributes = {
        attribute.key: attribute.value.string_value or attribute.value.int_value for attribute in span.attributes
    }
    ids = {"id": span.span_id.hex(), "parent": span.parent_span_id.hex(), "trace": span.trace_id.hex()}
    return {"name": span.name, **ids, "attributes": attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_one_trace_from_the_browser_to_the_mail(
    serve: Serve, new_database: NewDatabase, collector: Collector, tmp_path: Path
) -> None:
    server = serve(
        DEMO="1", DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data", APP_KEYS=KEY, OTEL_BSP_SCHEDULE_DELAY="100",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
    )  # fmt: skip
    body = {"name": "Tom Trace", "email": "tom@trace-buyer.example", "query": "Please show it to me"}
    headers = {"X-API-Key": KEY, "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    response = httpx2.post(f"{server.url}/api/v2/scheduledemoemail", json=body, headers=headers, timeout=20)
    assert response.status_code == 200, response.text

    def named(name: str) -> Callable[[list[dict[str, Any]]], Any]:
        return lambda spans: next((span for span in spans if span["name"] == name and span["trace"] == TRACE), None)

    request = collector.wait(named("POST scheduledemoemail"))
    assert request["parent"] == "b7ad6b7169203331"
    assert request["attributes"]["http.response.status_code"] == 200
    assert request["attributes"]["request_id"] == response.headers["x-request-id"]
    job = collector.wait(named("job sendmail"))
    assert job["attributes"]["request_id"] == response.headers["x-request-id"]
    ids = {span["id"] for span in collector.spans if span["trace"] == TRACE}
    assert job["parent"] in ids

    headers["X-Session-Token"] = httpx2.post(
        f"{server.url}/api/v2/user/session", json={"email": "owner@acme-demo.com", "password": "Demo1234"},
        headers={"X-API-Key": KEY}, timeout=20,
    ).json()["session_token"]  # fmt: skip
    httpx2.get(f"{server.url}/api/v2/leads/_table/usercontact?filter=(name=Secret)", headers=headers, timeout=20)
    table = collector.wait(named("GET _table"))
    statement = collector.wait(
        lambda spans: next((s for s in spans if s["parent"] == table["id"] and "usercontact" in str(s)), None)
    )
    assert statement["attributes"]["db.system.name"] == "postgresql"
    assert "Secret" not in str(collector.spans)
    assert "tom@trace-buyer.example" not in str(collector.spans)


@pytest.mark.parametrize("place", ["header", "message"])
def test_a_tool_call_belongs_to_the_trace_of_the_agent(
    serve: Serve, new_database: NewDatabase, collector: Collector, place: str
) -> None:
    database = new_database(
        "create table town (id integer primary key, name text); insert into town values (1, 'Oslo')"
    )
    server = serve(
        "--dataset", f"x={database}", "--open", OTEL_BSP_SCHEDULE_DELAY="100",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
    )  # fmt: skip
    parent = f"00-{TRACE}-b7ad6b7169203331-01"
    params = {"name": "query", "arguments": {"table": "town"}} | (
        {"_meta": {"traceparent": parent}} if place == "message" else {}
    )
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Accept": "application/json, text/event-stream"} | ({"traceparent": parent} if place == "header" else {})
    response = httpx2.post(f"{server.url}/mcp", json=message, headers=headers, timeout=20)
    assert "Oslo" in response.text
    read = collector.wait(
        lambda spans: next((s for s in spans if s["name"] == "SELECT" and "town" in str(s["attributes"])), None)
    )
    assert read["trace"] == TRACE
    known = {span["id"]: span for span in collector.spans if span["trace"] == TRACE}
    while read["parent"] in known:
        read = known[read["parent"]]
    assert read["parent"] == "b7ad6b7169203331"


def test_a_traced_tool_call_keeps_every_digit(serve: Serve, new_database: NewDatabase, collector: Collector) -> None:
    database = new_database("create table price (id integer primary key, amount numeric)")
    server = serve(
        "--dataset", f"x={database}", "--open", MCP_READ_ONLY="off", OTEL_BSP_SCHEDULE_DELAY="100",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
    )  # fmt: skip

    def call(record: str) -> dict[str, Any]:
        params = f'{{"name": "create_records", "arguments": {{"table": "price", "records": [{record}]}}}}'
        message = f'{{"jsonrpc": "2.0", "id": "one", "method": "tools/call", "params": {params}}}'
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        response = httpx2.post(f"{server.url}/mcp", content=message, headers=headers, timeout=20)
        result: dict[str, Any] = response.json()["result"]
        return result

    assert not call('{"id": 1, "amount": 12345678901234567890.25}')["isError"]
    stored = httpx2.get(f"{server.url}/api/v2/x/_table/price/1", timeout=20)
    assert '"amount":12345678901234567890.25' in stored.text
    assert call('{"id": 1}')["isError"]  # the key exists

    def named(spans: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        found = [span for span in spans if span["name"] == "tools/call create_records"]
        return found if len(found) == 2 else None

    kept, failed = (span["attributes"] for span in collector.wait(named))
    assert kept | failed == failed == kept | {"error.type": "tool_error"}
    assert kept["gen_ai.tool.name"] == "create_records"
    assert kept["jsonrpc.request.id"] == "one"
    assert kept["mcp.protocol.version"] == "2025-03-26"
