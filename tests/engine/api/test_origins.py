"""Pages of other sites have no access to a server that requires no secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tableapi import Access, Rule, Settings, TableAPI
from tests.helpers.served import Served
from tests.helpers.support import Serve, Server

SCHEMA = """
create table item (id integer generated always as identity primary key, name text not null);
insert into item (name) values ('one'), ('two');
create function twice(n integer) returns integer language sql immutable as 'select 2 * n';
"""
ACCESS = {
    "keys": {"secret": {"role": "*"}},
    "roles": {"guest": {"access": [
        {"component": "_table/item/*", "verb_mask": 31}, {"component": "_func/twice", "verb_mask": 3},
    ]}},
    "anonymous": "guest",
}  # fmt: skip
TABLE, ROW = "/api/v2/x/_table/item", {"resource": [{"name": "new"}]}
EVIL = "https://evil.example"
# Headers that a browser sends for a page of another site.
FOREIGN = [
    {"Origin": EVIL},
    {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"},
    {"Origin": "http://localhost:1"},
]
# Requests that change something or run code of the database.
ACTS: list[tuple[str, str, Any]] = [
    ("POST", TABLE, ROW),
    ("POST", f"{TABLE}?method=DELETE&force=true", None),
    ("POST", f"{TABLE}?method=PATCH&filter=id=1", ROW),
    ("POST", f"{TABLE}?method=GET", None),
    ("POST", f"{TABLE}?import=true", "name\nx"),
    ("DELETE", f"{TABLE}?force=true", None),
    ("PATCH", f"{TABLE}/1", {"name": "x"}),
    ("PUT", f"{TABLE}/1", {"name": "x"}),
    ("POST", "/api/v2/x/_func/twice", {"n": 2}),
    ("GET", "/api/v2/x/_func/twice?n=2", None),
    ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
]
READS = [
    TABLE, f"{TABLE}/1", "/api/v2/x/_schema", "/api/v2/x/_schema/item", "/api/v2/x/_spec", "/api/v2/_spec", "/api/v2",
    "/api/v2/system/service", f"{TABLE}/_changes", "/api/v2/x/_table",
]  # fmt: skip
SERVED = Served(SCHEMA)


@pytest.fixture(scope="module", params=["open", "anonymous"])
def server(
    request: pytest.FixtureRequest, url: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> Server:
    folder: Path = tmp_path_factory.mktemp("origins")
    (folder / "access.json").write_text(json.dumps(ACCESS))
    rights = ["--open"] if request.param == "open" else ["--access", "access.json"]
    return module_serve("--dataset", f"x={url}", *rights, cwd=folder, PUBLIC_ROUTINES="twice")


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        yield client


def send(http: httpx.Client, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
    content = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    kind = "text/csv" if isinstance(body, str) else "application/json"
    accept = "application/json, text/event-stream" if path == "/mcp" else "*/*"
    return http.request(method, path, content=content, headers={"Content-Type": kind, "Accept": accept} | headers)


def error(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["context"]["reason"]


def rows(http: httpx.Client) -> list[str]:
    return [row["name"] for row in http.get(TABLE).json()["resource"]]


@pytest.mark.parametrize("headers", FOREIGN)
def test_writes_from_a_page_of_another_site_are_rejected(http: httpx.Client, headers: dict[str, str]) -> None:
    before = rows(http)
    for method, path, body in ACTS:
        assert error(send(http, method, path, body, headers)) == (403, "bad_origin"), (method, path)
    assert rows(http) == before


@pytest.mark.parametrize(
    "host", ["rebind.evil.example:{port}", "127.0.0.1.evil.example", "evil.example", "x@evil.example"]
)
def test_requests_with_the_host_name_of_another_site_are_rejected(
    http: httpx.Client, server: Server, host: str
) -> None:
    name = host.format(port=server.port)
    for path in READS:
        for more in ({}, {"Origin": f"http://{name}", "Sec-Fetch-Site": "same-origin"}, {"X-API-Key": "anything"}):
            if more.get("X-API-Key") and http.get(TABLE, headers=more).status_code == 401:
                continue  # an access file knows its keys
            assert error(http.get(path, headers={"Host": name} | more)) == (403, "bad_host"), path
    for method, path, body in ACTS:
        assert error(send(http, method, path, body, {"Host": name})) == (403, "bad_host"), path
    assert http.get("/metrics", headers={"Host": name}).status_code in (403, 404)
    assert http.get("/healthz", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost"},
        {"Host": "localhost:8000"},
        {"Host": "[::1]:8000"},
        {"Host": "127.0.0.2:80"},
        {"Host": "app.localhost:3000"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "{url}", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://localhost:8000", "Host": "localhost:8000", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_programs_and_pages_of_the_same_origin_are_allowed(
    http: httpx.Client, server: Server, headers: dict[str, str]
) -> None:
    sent = {name: value.format(url=server.url) for name, value in headers.items()}
    assert send(http, "POST", TABLE, ROW, sent).status_code == 200
    assert send(http, "GET", "/api/v2/x/_func/twice?n=2", None, sent).json() == [{"twice": 4}]
    assert http.get(TABLE, headers=sent).status_code == 200
    assert send(http, "POST", "/mcp", ACTS[-1][2], sent).status_code == 200


def test_a_page_must_send_its_body_as_json(http: httpx.Client, server: Server) -> None:
    sent = {"Origin": server.url, "Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain"}
    assert error(send(http, "POST", TABLE, ROW, sent)) == (415, "unsupported_media_type")


def test_another_site_gets_no_permission_to_read(http: httpx.Client) -> None:
    response = http.get(TABLE, headers={"Origin": EVIL, "Sec-Fetch-Site": "cross-site"})
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("headers", [{"Host": "any.example"}, FOREIGN[1]])
def test_with_an_api_key_any_host_and_origin_are_accepted(
    url: str, serve: Serve, tmp_path: Path, headers: dict[str, str]
) -> None:
    server = serve("--dataset", f"x={url}", "--open", "--api-key", "a-key-of-thirty-two-characters-00", cwd=tmp_path)
    key = {"X-API-Key": "a-key-of-thirty-two-characters-00"}
    with httpx.Client(base_url=server.url) as client:
        assert send(client, "POST", TABLE, ROW, headers | key).status_code == 200
        assert send(client, "POST", TABLE, ROW, headers).status_code == 401


def test_requests_to_the_host_of_public_url_are_accepted(url: str, serve: Serve, tmp_path: Path) -> None:
    server = serve("--dataset", f"x={url}", "--open", cwd=tmp_path, PUBLIC_URL="https://data.example.com")
    own = {"Host": "data.example.com", "Origin": "https://data.example.com", "Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=server.url) as client:
        assert send(client, "POST", TABLE, ROW, own).status_code == 200
        assert error(client.get(TABLE, headers={"Host": "other.example.com"})) == (403, "bad_host")


@pytest.mark.parametrize("full", [True, False])
async def test_a_host_program_checks_origins_as_well(url: str, full: bool) -> None:
    rule = Rule()
    policy = {"item": Access(read=rule, create=rule, update=rule, delete=rule)}
    api = TableAPI({"x": url}, open=True) if full else TableAPI({"x": url}, policy=policy)
    public = TableAPI({"x": url}, open=True, settings=Settings(public_url="https://app.example.com"))
    transport = httpx.ASGITransport(app=api)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://app.example.com") as client:
            response = await client.post(TABLE, json=ROW, headers={"Origin": EVIL, "Host": "localhost"})
            assert error(response) == (403, "bad_origin")
            # The policy gives its rows to anyone; full rights need a known name.
            assert (await client.get(TABLE)).status_code == (403 if full else 200)
            assert (await client.get(TABLE, headers={"Host": "host"})).status_code == 200
        transport = httpx.ASGITransport(app=public)
        async with httpx.AsyncClient(transport=transport, base_url="https://app.example.com") as client:
            assert (await client.post(TABLE, json=ROW)).status_code == 200
    finally:
        await api.stop()
        await public.stop()
