"""`GET _channel/<name>`: notifications of PostgreSQL as a stream."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import Serve, Server, SqlClient, rejection, tableapi

ACCESS: dict[str, dict[str, Any]] = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk"}, "wide": {"role": "wide"}},
    "roles": {
        "clerk": {"access": [{"component": "_channel/Orders", "verb_mask": 1}]},
        "wide": {"access": [{"component": "*", "verb_mask": 31}]},
    },
}
# The last statement of the listening connection may be the end of listening for the test before.
LISTENER = """select pg_terminate_backend(pid) from pg_stat_activity
              where query ~* '^(un)?listen ' and datname = current_database()"""
SERVED = Served("create table item (id integer primary key)")


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("access") / "access.json"
    path.write_text(json.dumps(ACCESS))
    return path


@pytest.fixture(scope="module")
def server(url: str, access: Path, module_serve: Serve) -> Server:
    return module_serve(
        "--dataset", f"x={url}", "--access", str(access),
        CHANGES_STREAMS_PER_CALLER="3", CHANGES_HEARTBEAT_SECONDS="1", WORKERS="1",
    )  # fmt: skip


@contextmanager
def follow(server: Server, channel: str = "orders", key: str = "clerk") -> Iterator[Iterator[str]]:
    """Open a stream, and yield its lines after the first event."""
    address = f"{server.url}/api/v2/x/_channel/{channel}"
    with httpx2.stream("GET", address, headers={"X-API-Key": key}, timeout=20) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"] == "text/event-stream"
        lines = response.iter_lines()
        assert event(lines) == ["event: reset", "data: {}"]
        yield lines


def event(lines: Iterator[str]) -> list[str]:
    """Return the lines of the next event."""
    found: list[str] = []
    for line in lines:
        if line:
            found.append(line)
        elif any(each.startswith("event") for each in found):
            return [each for each in found if not each.startswith((":", "retry"))]
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize(
    ("key", "path", "status", "reason"),
    [
        ("", "orders", 401, "no_key"),
        ("wrong", "orders", 401, "no_key"),
        ("clerk", "payments", 403, "forbidden"),
        ("wide", "orders", 403, "forbidden"),
        ("boss", "", 404, "unknown_resource"),
        ("boss", "a/b", 404, "unknown_resource"),
        ("boss", "tableapi_schema", 400, "bad_identifier"),
        ("boss", "Tableapi_schema", 400, "bad_identifier"),
        ("boss", "ch_pgqueuer", 400, "bad_identifier"),
        ("boss", "x" * 64, 400, "bad_identifier"),
        ("boss", "a%00b", 400, None),
        ("boss", "orders?filter=x", 400, "unknown_option"),
    ],
)
def test_unauthorized_callers_and_unknown_channels_are_rejected(
    server: Server, key: str, path: str, status: int, reason: str | None
) -> None:
    response = httpx2.get(f"{server.url}/api/v2/x/_channel/{path}", headers={"X-API-Key": key} if key else {})
    assert response.status_code == status, response.text
    assert reason in (None, response.json()["error"]["context"]["reason"])


def test_another_method_is_rejected(server: Server) -> None:
    response = httpx2.post(f"{server.url}/api/v2/x/_channel/orders", headers={"X-API-Key": "boss"}, json={})
    assert (response.status_code, response.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize("component", ["_channel/*", "_channel", "_channel/ord*"])
def test_a_channel_pattern_prevents_the_start(url: str, tmp_path: Path, component: str) -> None:
    roles = {"clerk": {"access": [{"component": component, "verb_mask": 1}]}}
    (tmp_path / "access.json").write_text(json.dumps({"keys": {"k": {"role": "clerk"}}, "roles": roles}))
    refused = tableapi("serve", "--dataset", f"x={url}", "--access", "access.json", cwd=tmp_path)
    assert refused.returncode != 0
    assert "must name a single channel" in refused.stderr + refused.stdout


@pytest.mark.parametrize(
    ("payload", "lines"),
    [
        ("a\rTEL:1", ["a", "TEL:1"]),
        ("x\revent: reset\rdata: {}\r\rdata: y", ["x", "event: reset", "data: {}", "", "data: y"]),
        ("x\r\nid: 7\n\rretry: 1\r\n", ["x", "id: 7", "", "retry: 1", ""]),
        ("\n\nevent: reset\n\n", ["", "", "event: reset", "", ""]),
        ("a\u2028b\x0bc\x85d", ["a\u2028b\x0bc\x85d"]),
    ],
)
def test_a_payload_is_data_of_one_event(server: Server, db: SqlClient, payload: str, lines: list[str]) -> None:
    quoted = payload.replace("'", "''")
    address = f"{server.url}/api/v2/x/_channel/orders"
    with httpx2.stream("GET", address, headers={"X-API-Key": "clerk"}, timeout=20) as response:
        received = ""
        for chunk in response.iter_text():
            received += chunk
            if "reset" in received and "notification" not in received:
                db.execute(f"select pg_notify('orders', '{quoted}'), pg_notify('orders', 'end')")
            if "data: end" in received:
                break
    data = "".join(f"data: {line}\n" for line in lines)
    sent = f"event: notification\n{data}\nevent: notification\ndata: end\n\n"
    assert received.replace(": heartbeat\n\n", "").endswith("event: reset\ndata: {}\n\n" + sent)


def test_notifications_reach_every_stream_of_their_channel(server: Server, db: SqlClient) -> None:
    with follow(server) as first, follow(server, key="boss") as second, follow(server, "other", "boss") as third:
        db.execute("notify orders, 'one'; notify payments, 'no'")
        db.execute("select pg_notify('orders', E'{\"id\": 2}\\nsecond line'), pg_notify('other', '')")
        for lines in (first, second):
            assert event(lines) == ["event: notification", "data: one"]
            assert event(lines) == ["event: notification", 'data: {"id": 2}', "data: second line"]
        assert event(third) == ["event: notification", "data: "]
        with follow(server) as late:
            db.execute("notify orders, 'three'")
            assert event(late) == event(first) == ["event: notification", "data: three"]


def test_a_lost_connection_resets_the_streams(server: Server, db: SqlClient) -> None:
    with follow(server) as lines:
        assert db.fetch(LISTENER)
        assert event(lines) == ["event: reset", "data: {}"]
        db.execute("notify orders, 'after'")
        assert event(lines) == ["event: notification", "data: after"]
        assert next(line for line in lines if line.startswith(":")) == ": heartbeat"


def test_a_stream_above_the_limit_of_a_caller_is_rejected(server: Server) -> None:
    address, headers = f"{server.url}/api/v2/x/_channel/orders", {"X-API-Key": "clerk"}
    with follow(server), follow(server), follow(server):
        response = httpx2.get(address, headers=headers)
        assert rejection(response) == (429, "too_many_streams")
    for _ in range(200):  # the server learns that the clients have left
        with httpx2.stream("GET", address, headers=headers) as response:
            if response.status_code == 200:
                return
    pytest.fail("closed streams still count")


def test_revoked_rights_end_the_streams(server: Server, access: Path) -> None:
    with follow(server) as lines:
        access.write_text(json.dumps(ACCESS | {"roles": {**ACCESS["roles"], "clerk": {"access": []}}}))
        server.process.send_signal(signal.SIGHUP)
        assert [line for line in lines if line.startswith("event")] == []
    access.write_text(json.dumps(ACCESS))
    server.process.send_signal(signal.SIGHUP)
