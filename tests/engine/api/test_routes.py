"""Every URL of the engine is in `app/routes.py` or in a feature: listed ones are served, all others return 404."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tableapi import TableAPI
from tableapi.app.application import App
from tableapi.app.dispatch import Dispatch
from tableapi.app.feature import Route
from tableapi.app.features import all_routes, application
from tableapi.app.features.channels import Channels
from tableapi.app.features.mcp.endpoint import Mcp
from tableapi.app.features.metrics import Metrics
from tableapi.app.features.studio import Studio
from tableapi.app.features.webhooks import WebhookCalls
from tableapi.app.options import ServeOptions
from tableapi.app.pages import Pages
from tableapi.app.script_calls import ScriptCalls
from tableapi.config.settings import Settings
from tests.helpers.served import Served

SCHEMA = """
create table customer (id integer primary key, name text);
create table invoice (id integer primary key, customer_id integer references customer);
create function answer() returns integer language sql stable as 'select 42';
create procedure nothing() language sql as 'select 1';
"""
ROWS = "truncate customer, invoice; insert into customer values (1, 'Ada')"
VALUES = {
    "dataset": "shop", "table": "invoice", "id": "1", "field": "id", "relation": "customer_by_customer_id",
    "file...": "docs.js", "page...": "", "service": "shop",
}  # fmt: skip
BODIES: dict[str, Any] = {"POST": {"resource": [{"id": 1, "customer_id": 1}]}, "PUT": {"customer_id": 1}}
SETTINGS = Settings(public_routines=("answer", "nothing"), security_contact="mailto:security@example.com")
METHODS = ("GET", "QUERY", "POST", "PUT", "PATCH", "DELETE")
# Served by scripts, by a front end or by Studio (test_studio.py), only if the documentation is built, metrics are on or
# webhooks are declared (test_webhooks.py), as an endless stream (test_channels.py), with MCP messages, or for clients
# that sign in (test_mcp_scopes.py).
ROUTES = all_routes()
ELSEWHERE = (
    ScriptCalls.respond, Pages.docs, Studio.file, Metrics.metrics, Mcp.respond, WebhookCalls.respond, Mcp.resource,
    Mcp.server, Channels.respond,
)  # fmt: skip
SERVED = Served(SCHEMA, each=ROWS)


@pytest.fixture(scope="module")
async def http(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    api = TableAPI({"shop": url}, open=True, settings=SETTINGS)
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host") as client:
        yield client


def _path(route: Route) -> str:
    routine = {"routine": "nothing" if "_proc" in route.path else "answer"}
    return re.sub(r"\{([a-z.]+)\}", lambda match: (VALUES | routine)[match[1]], route.path)


@pytest.mark.parametrize("route", [r for r in ROUTES if r.handler not in ELSEWHERE], ids=lambda route: route.path)
async def test_a_listed_url_accepts_only_its_methods(http: httpx2.AsyncClient, route: Route) -> None:
    await http.post("/api/v2/shop/_table/invoice", json=BODIES["POST"])
    for method in METHODS:
        if route.path.endswith("{table}") and method in ("PUT", "PATCH", "DELETE"):
            body = BODIES["POST"]
        else:
            body = BODIES.get(method, BODIES["PUT"] if method == "PATCH" else None)
        path = _path(route) + ("?upsert=true" if route.path.endswith("/_table/{table}") else "")
        body = (
            {} if method == "QUERY" else {"requests": [{"path": "_table/invoice"}]} if "_batch" in route.path else body
        )
        response = await http.request(method, path, json=body if "/_table/" in path or "_batch" in path else None)
        if method in route.methods:
            assert response.status_code in (200, 307, 409), (method, response.text)
        else:
            assert response.status_code in (400, 405), (method, response.text)


@pytest.mark.parametrize(
    "path",
    [
        "/none", "/healthz/x", "/docs/x", "/api/v2/none", "/api/v2/config/x",
        "/api/v2/_spec/x", "/api/v2/docs/none.js", "/api/v2/shop/none", "/api/v2/shop/_spec/x",
        "/api/v2/system", "/api/v2/system/user", "/api/v2/system/service/none",
        "/api/v2/shop/_table/none", "/api/v2/shop/_table/invoice/1/x", "/api/v2/shop/_schema/none",
        "/api/v2/shop/_schema/invoice/x", "/api/v2/shop/_schema/invoice/_field/id/x", "/api/v2/shop/_func/none",
        "/api/v3x/shop",
    ],
)  # fmt: skip
async def test_an_unlisted_url_is_404(http: httpx2.AsyncClient, path: str) -> None:
    assert (await http.get(path)).status_code == 404


OPTIONS = ServeOptions(urls={"shop": "postgresql://127.0.0.1:1/none"})


def test_the_dispatch_tables_are_built_from_the_lists() -> None:
    app = application(Settings(), OPTIONS)
    dispatch = Dispatch(app.pages, app.features)
    assert set(dispatch.api) == {"", "_spec", "config", "docs", "system"}
    assert set(dispatch.dataset) == {
        "",
        "_spec",
        "_schema",
        "_proc",
        "_func",
        "_table",
        "_batch",
        "_channel",
        "_webhooks",
    }
    assert all(dispatch.page(path) for path in ("/healthz", "/readyz", "/metrics", "/docs/x", "/studio"))
    assert dispatch.page("/none") is None
    assert dispatch.own("/mcp/") is not None
    assert dispatch.own("/.well-known/oauth-protected-resource/") is None
    assert len({(route.methods, route.path) for route in ROUTES}) == len(ROUTES)


async def test_other_scopes_do_not_end_the_application(url: str) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    api = TableAPI({"shop": url}, open=True)
    async with api.lifespan():
        for app in (api, await api.start()):
            await app({"type": "websocket", "path": "/", "headers": []}, receive, send)
            await app({"type": "unknown"}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1000}] * 2


def test_every_route_has_a_documentation_page() -> None:
    assert all(re.fullmatch(r"(guides|reference|explanation)/\w+\.md", route.page) for route in ROUTES)


@pytest.mark.parametrize("path", ["/mcp", "/studio", "/metrics", "/api/v2/_spec", "/api/v2/shop/_batch"])
async def test_the_core_serves_tables_without_any_feature(url: str, path: str) -> None:
    app = App(Settings(strict_options=False), ServeOptions(urls={"shop": url}))
    await app.life.start()
    try:
        transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            listed = await client.get("/api/v2/shop/_table/customer")
            assert listed.json() == {"resource": [{"id": 1, "name": "Ada"}]}
            assert (await client.get(path)).status_code == 404
            assert (await client.post("/api/v2/shop/_batch", json={"requests": []})).status_code == 404
    finally:
        await app.life.stop()
    with pytest.raises(LookupError, match="Mcp"):
        app.feature(Mcp)
