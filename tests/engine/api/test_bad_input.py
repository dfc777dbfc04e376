"""Invalid requests: a JSON error with the right status, and no write."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.table_api import FIXTURE

JSON = {"Content-Type": "application/json"}
NEW = {"resource": [{"name": "New"}]}
SERVED = Served(FIXTURE, None, "--api-key", "right", under="/")


def ask(base: str, method: str, path: str, body: bytes | None = None, headers: Any = ()) -> tuple[int, Any]:
    """Send a request unchanged, as an HTTP client library would not."""
    parts = urlsplit(base)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers)
    connection.putrequest(method, f"/api/v2/x/{path}", skip_accept_encoding=True)
    if not any(name.lower() == "x-api-key" for name, _ in pairs):
        pairs.append(("X-API-Key", "right"))
    for name, value in pairs:
        connection.putheader(name, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    text = response.read()
    assert "json" in (response.getheader("content-type") or ""), (response.status, text)
    connection.close()
    return response.status, json.loads(text)


def refused(
    base: str, status: int, method: str, path: str, body: bytes | None = None, headers: Any = ()
) -> dict[str, Any]:
    """Check the error envelope and that no table changed, and return the error object."""
    got, response = ask(base, method, path, body, headers)
    assert got == status, response
    error: dict[str, Any] = response["error"]
    assert error["status_code"] == status
    assert error["message"]
    assert not {"Traceback", "SELECT"} & set(error["message"].split())
    count = httpx.get(f"{base}/api/v2/x/_table/company?count_only=true", headers={"X-API-Key": "right"})
    assert count.json() == 10
    return error


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (400, b'{"resource": [', JSON),
        (400, b"[1, 2]", JSON),
        (400, b'"text"', JSON),
        (400, b"5", JSON),
        (400, b"null", JSON),
        (400, b"", JSON),
        (400, b"{}", JSON),
        (400, b'{"resource": {"name": "a\\u0000b"}}', JSON),
        (400, b'{"resource": [{"name": "\xff\xfe"}]}', JSON),
        (400, b'{"resource": [{"name": "x"}], "fields": 5}', JSON),
        (400, b'{"resource": [{"name": "x"}], "limit": "many"}', JSON),
        (400, b'{"resource": [{"name": "x"}], "params": []}', JSON),
        (400, b"[" * 5000 + b"]" * 5000, JSON),
        (400, b'{"resource": [{"name": "x", "founded": "soon"}]}', JSON),
        (400, b'{"resource": [{"name": "x", "attrs": {"a": "\\u0000"}}]}', JSON),
        (400, b'{"resource": [{"id": 1e400, "name": "x"}]}', JSON),
        (400, b'{"resource": [{"id": {"$gt": 1}, "name": "x"}]}', JSON),
        (400, b"name\n\x00\n", {"Content-Type": "text/csv"}),
        (400, b"name\n\xff\n", {"Content-Type": "text/csv"}),
        (400, b'name\n"open\n', {"Content-Type": "text/csv"}),
        (413, b'{"resource": [{"name": "' + b"x" * 2_000_000 + b'"}]}', JSON),
        (413, json.dumps({"resource": [{"name": f"n{n}"} for n in range(1001)]}).encode(), JSON),
        (415, b"<a/>", {"Content-Type": "application/xml"}),
        (415, b"name=x", {"Content-Type": "application/x-www-form-urlencoded"}),
        (415, b"x", {"Content-Type": "image/png"}),
        (415, json.dumps(NEW).encode(), JSON | {"Content-Encoding": "br"}),
        (415, b"\x1f\x8b\x08", {"Content-Type": "text/csv", "Content-Encoding": "gzip"}),
        (400, b"name,founded\nDoe, Jane, 1999\n", {"Content-Type": "text/csv"}),
        (401, json.dumps(NEW).encode(), JSON | {"X-API-Key": "wrong"}),
        (401, json.dumps(NEW).encode(), JSON | {"X-API-Key": ""}),
        (400, json.dumps(NEW).encode(), [*JSON.items(), ("X-API-Key", "right"), ("X-API-Key", "wrong")]),
        (400, json.dumps(NEW).encode(), [*JSON.items(), ("Content-Type", "text/csv")]),
        (405, json.dumps(NEW).encode(), JSON | {"X-HTTP-Method": "TRACE"}),
        (400, json.dumps(NEW).encode(), JSON | {"Idempotency-Key": "x" * 65}),
    ],
)
def test_an_invalid_body_or_header_is_rejected(base: str, status: int, body: bytes, headers: Any) -> None:
    refused(base, status, "POST", "_table/company", body, headers)


@pytest.mark.parametrize(
    ("status", "path"),
    [
        (404, "_table/nope"),
        (404, "_bogus"),
        (404, "_table/company/1/2"),
        (404, "_table/company/999"),
        (404, "_schema/nope"),
        (400, "_table/company/one"),
        (400, "_table/company?raw=name"),
        (400, "_table/company/99999999999999999999"),
        (400, "_table/company/1%00"),
        (400, "_table/company/%ff"),
        (400, "_table/%c3%28"),
        (400, "_table/company?filter=%ff"),
        (400, "_table/company?%ff=1"),
        (400, "_table/company?filter=name%20%3D%20%27%00%27"),
        (400, "_table/company?fields=nope"),
        (400, "_table/company?order=nope"),
        (400, "_table/company?related=nope"),
        (400, "_table/company?group=nope"),
        (400, "_table/company?limit=x"),
        (400, "_table/company?offset=1.5"),
        (400, "_table/company?id_field=nope&ids=1"),
        (400, "_table/company?params=x&filter=id=1"),
        (400, "_table/company?params=[1]"),
        (400, "_table/company?cursor=!"),
        (400, "_table/company?cursor=" + "A" * 400),
        (400, "_table/company?order=" + ",".join(["id"] * 30)),
        (400, "_table/company?fields=id%00"),
        (400, "_table/company?having=1"),
        (400, "_table/company?related=" + "x" * 5000),
        (400, "_table/company?order=name.x"),
        (400, "_table/company?fields=SUM(attrs)"),
        (400, "_table/company?junk=" + "x" * 62_000),
        (400, "_table/company?" + "&".join(f"j{n}=1" for n in range(600))),
        (400, "_table/company?fields=" + "x" * 9000),
        (400, "_table/company?order=" + "[" * 9000),
    ],
)
def test_an_invalid_path_or_option_is_rejected(base: str, status: int, path: str) -> None:
    refused(base, status, "GET", path)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("name = 'x' AND", 14),
        ("id ? 1", 3),
        ("(id = 1", 7),
        ("id = 1)", 6),
        ("name = 'x", 7),
        ("id IN (1", 8),
        ("id = 1 AND ((id = 2)", 20),
        ("id BETWEEN 1", 12),
        ("1 = 1", 0),
        ("id IS 5", 6),
        ("id IN (1,,2)", 9),
    ],
)
def test_an_invalid_filter_is_reported_with_its_position(base: str, text: str, position: int) -> None:
    error = refused(base, 400, "GET", "_table/company?filter=" + quote(text))
    assert error["context"]["position"] == position
    assert f"position {position}" in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        "name = '" + "x" * 3000 + "'",
        " OR ".join(["id = 1"] * 60),
        "(" * 20 + "id = 1" + ")" * 20,
        "NOT " * 20 + "id = 1",
        "id IN (" + ",".join(["1"] * 600) + ")",
        "nope = 1",
        "nope.id = 1",
        "person_by_company_id.nope = 1",
        "id = one",
        "founded = 2024-02-30",
        "active = perhaps",
        "rating > null",
        "attrs > 5",
        "name.x = 1",
    ],
)
def test_a_filter_past_a_limit_or_of_the_wrong_type_is_rejected(base: str, text: str) -> None:
    refused(base, 400, "GET", "_table/company?filter=" + quote(text))
    refused(base, 400, "DELETE", "_table/company?filter=" + quote(text))
    refused(base, 400, "PATCH", "_table/company?filter=" + quote(text), b'{"resource": [{"city": "X"}]}', JSON)


@pytest.mark.parametrize("blank", ["", "%20", "%20%09", "%0A"])
def test_a_write_with_a_blank_filter_is_rejected(base: str, blank: str) -> None:
    """A filter that a client forgot to fill must not select every record."""
    error = refused(base, 400, "DELETE", f"_table/device?filter={blank}")
    assert error["context"]["reason"] == "no_records"
    refused(base, 400, "DELETE", "_table/device", b'{"filter": " ", "resource": []}', JSON)
    refused(base, 400, "PATCH", f"_table/company?filter={blank}", b'{"resource": [{"city": "X"}]}', JSON)
    refused(base, 400, "PATCH", "_table/company", b'{"where": "  ", "resource": [{"city": "X"}]}', JSON)


@pytest.mark.parametrize("body", [b'{"resource": []}', b"[]", b'{"resource": [], "filter": " "}'])
def test_an_empty_list_of_records_does_not_select_all(base: str, body: bytes) -> None:
    error = refused(base, 400, "DELETE", "_table/device?force=true", body, JSON)
    assert error["context"]["reason"] == "no_records"


def test_a_limit_of_a_billion_is_capped(base: str) -> None:
    status, body = ask(base, "GET", "_table/company?limit=1000000000")
    assert (status, len(body["resource"])) == (200, 10)


def test_nothing_is_disclosed_without_a_key(base: str) -> None:
    for path in ("_table", "_table/company", "_schema", "_spec", "_table/nope", ""):
        response = httpx.get(f"{base}/api/v2/x/{path}")
        assert response.status_code == 401, path


@pytest.mark.parametrize(
    ("status", "method", "path", "key"),
    [
        (401, "POST", "_table/company", "wrong"),
        (404, "POST", "nothing/here", "right"),
        (400, "GET", "_table/company?filter=(", "right"),
        (413, "POST", "_table/company", "right"),
    ],
)
def test_a_client_still_sending_a_rejected_body_receives_the_error(
    base: str, status: int, method: str, path: str, key: str
) -> None:
    """Return an error response, not a connection reset while the client sends."""
    for _ in range(5):
        refused(base, status, method, path, b"x" * 6_000_000, {**JSON, "X-API-Key": key})


@pytest.mark.parametrize("alias", ["tableapi mark", "TABLEAPI place", "tableapi key 0", "tableapi rows"])
@pytest.mark.parametrize("option", ["fields", "group"])
def test_internal_names_are_rejected_as_aliases(base: str, option: str, alias: str) -> None:
    named = quote(f'name AS "{alias}"')
    path = f"_table/company?{option}={named}" + ("&cursor=" if option == "fields" else "")
    assert refused(base, 400, "GET", path)["context"]["reason"] == "bad_alias"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("_table/company/1", b'[{"resource": 1}]'),
        ("_table/company/1", b'[{"resource": [{"city": "X"}]}]'),
        ("_table/person/1", b'{"person_by_manager_id": [{"id": 2, "resource": 1, "age": -1}]}'),
        ("_table/person/1", b'{"person_by_manager_id": [{"id": 2, "resource": [{}], "age": -1}]}'),
    ],
)
def test_a_field_named_resource_in_a_single_record_is_rejected(base: str, path: str, body: bytes) -> None:
    refused(base, 400, "PATCH", path, body, JSON)
    refused(base, 400, "PUT", path, body, JSON)
