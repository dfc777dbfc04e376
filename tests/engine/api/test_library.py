"""The engine mounted in other programs: under a path, with and without the host's lifespan, leaving the host alone."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

from tableapi import (
    ANYONE,
    Access,
    Context,
    EnvironmentSettings,
    Invalid,
    Rule,
    Sessions,
    Settings,
    TableAPI,
    hook,
    script,
)  # fmt: skip
from tableapi.app.features import application
from tests.helpers.support import NewDatabase, execute, rejection

SCHEMA = """
create table customer (id integer primary key, name text not null);
create table invoice (id integer primary key, customer_id integer not null references customer, total numeric);
create table login (token bytea primary key, customerid integer not null);
insert into customer values (1, 'Ada'), (2, 'Bob');
insert into invoice values (1, 1, 12.50), (2, 2, 7);
insert into login values (sha256('ada'), 1);
"""


def own(table: Any, actor: Any) -> Any:
    """Select the rows of the caller."""
    return table.c.customer_id == actor.customerid


POLICY = {"customer": Access(read=Rule()), "invoice": Access(read=Rule(roles=("customer",), rows=own))}
SESSIONS = Sessions(lookup="select customerid, 'customer' as role from login where token = $1", user="customerid")


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    """Return the URL of a database with three tables."""
    address = new_database()
    execute(address, SCHEMA)
    return address


def starlette(api: TableAPI) -> Any:
    return Starlette(routes=[Mount("/data", app=api)], lifespan=api.lifespan)


def fastapi(api: TableAPI) -> Any:
    app = FastAPI(lifespan=api.lifespan)
    app.mount("/data", api)
    return app


def deeper(api: TableAPI) -> Any:
    return Starlette(routes=[Mount("/a b", routes=[Mount("/data", app=api)])])


def _client(app: Any, **headers: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://host", headers=headers)


@pytest.fixture
async def started() -> AsyncIterator[list[TableAPI]]:
    """Collect APIs to close after the test."""
    apis: list[TableAPI] = []
    yield apis
    for api in apis:
        await api.stop()


@pytest.mark.parametrize(("host", "path"), [(starlette, "/data"), (fastapi, "/data"), (deeper, "/a%20b/data")])
async def test_it_can_be_mounted_under_a_path(url: str, host: Any, path: str, started: list[TableAPI]) -> None:
    started.append(api := TableAPI({"shop": url}, open=True))
    async with _client(host(api)) as http:
        table = f"{path}/api/v2/shop/_table/customer"
        assert (await http.get(table)).json() == {"resource": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]}
        related = await http.get(f"{table}/1?related=invoice_by_customer_id")
        assert related.json()["invoice_by_customer_id"] == [{"id": 1, "customer_id": 1, "total": 12.50}]
        created = await http.post(
            table, json={"resource": [{"id": 3, "name": "Eve"}]}, headers={"Idempotency-Key": "a"}
        )
        again = await http.post(table, json={"resource": [{"id": 3, "name": "Eve"}]}, headers={"Idempotency-Key": "a"})
        assert (created.status_code, again.status_code) == (200, 200)
        assert again.headers["idempotency-replayed"] == "true"
        assert (await http.get(f"{path}/healthz")).json() == {"status": "ok"}
        missing = await http.get(f"{table}/9")
        assert missing.status_code == 404
        assert missing.json()["error"]["context"]["doc"] == f"{path}/docs/reference/errors/#not_found"
        document = (await http.get(f"{path}/api/v2/_spec")).json()
        assert document["servers"] == [{"url": path}]
        assert (await http.get("/api/v2/shop/_table/customer")).status_code == 404


async def test_the_lifespan_of_the_host_opens_and_closes_the_api(url: str) -> None:
    api = TableAPI({"shop": url}, open=True)
    async with api.lifespan(), _client(starlette(api)) as http:
        assert (await http.get("/data/readyz")).status_code == 200
    async with api.lifespan(), _client(starlette(api)) as http:
        assert (await http.get("/data/readyz")).status_code == 200


async def test_a_policy_without_users_serves_public_tables(url: str, started: list[TableAPI]) -> None:
    started.append(api := TableAPI({"shop": url}, policy=POLICY))
    async with _client(api) as http:
        assert (await http.get("/api/v2/shop/_table/invoice")).status_code == 403
        assert (await http.get("/api/v2/shop/_table/login")).status_code == 404
        assert (await http.post("/api/v2/shop/_table/customer", json={"resource": [{"id": 9}]})).status_code == 403
        assert (await http.get("/api/v2/shop/_table/customer?count_only=true")).json() == 2


async def test_session_tokens_identify_users(url: str, started: list[TableAPI]) -> None:
    started.append(api := TableAPI({"shop": url}, policy=POLICY, sessions=SESSIONS))
    async with _client(api) as http:
        invoices = "/api/v2/shop/_table/invoice?fields=id"
        assert (await http.get(invoices)).status_code == 401
        assert (await http.get(invoices, headers={"X-Session-Token": "bob"})).status_code == 401
        mine = await http.get(invoices, headers={"Authorization": "Bearer ada"})
        assert mine.json() == {"resource": [{"id": 1}]}


async def test_an_access_file_defines_roles(url: str, tmp_path: Path, started: list[TableAPI]) -> None:
    file = tmp_path / "access.json"
    file.write_text('{"keys": {"K": {"role": "*"}}, "roles": {}}')
    started.append(api := TableAPI({"shop": url}, access=file))
    async with _client(api) as http:
        assert (await http.get("/api/v2/shop/_table/customer")).status_code == 401
        assert (await http.get("/api/v2/shop/_table/customer", headers={"X-API-Key": "K"})).status_code == 200


@pytest.mark.parametrize(
    "arguments",
    [{}, {"open": True, "policy": POLICY}, {"open": True, "access": "x.json"}, {"open": True, "sessions": SESSIONS}],
)
def test_rights_are_given_in_exactly_one_way(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Pass exactly one of|require policy="):
        TableAPI({"shop": "postgresql://localhost/shop"}, **arguments)


async def test_the_host_is_not_changed(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOG_LEVEL", "loud")  # settings of other programs are not read
    monkeypatch.setenv("PORT", "none")

    def state() -> tuple[Any, ...]:
        root = logging.getLogger()
        signals = [signal.getsignal(number) for number in signal.valid_signals() if number not in (9, 19)]
        collector = (gc.get_threshold(), gc.get_freeze_count(), gc.isenabled())
        return signals, root.handlers[:], root.level, collector, type(asyncio.get_event_loop_policy()), dict(os.environ)

    before = state()
    api = TableAPI({"shop": url}, open=True)
    async with api.lifespan(), _client(api) as http:
        assert (await http.get("/api/v2/shop/_table/customer")).status_code == 200
        assert state() == before
    assert state() == before
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - an empty folder


async def test_the_page_of_the_api_refers_to_its_mount(url: str, started: list[TableAPI]) -> None:
    started.append(api := TableAPI({"shop": url}, open=True))
    async with _client(starlette(api)) as http:
        page = (await http.get("/data/api/docs")).text
        assert '"/data/api/docs/docs.js"' in page
        assert '="/api/' not in page
        assert (await http.get("/data/api/docs/docs.js")).status_code == 200
        assert (await http.get("/data/api/v2/shop/_spec")).json()["servers"] == [{"url": "/data"}]
        assert (await http.get("/data/")).headers["location"] == "/data/api/docs"
    async with _client(api) as http:
        assert '"/api/docs/docs.js"' in (await http.get("/api/docs")).text
        assert (await http.get("/api/v2/_spec")).json()["servers"] == [{"url": "/"}]


async def test_metrics_below_a_mount_need_a_token(url: str, started: list[TableAPI]) -> None:
    """The host may serve other machines, so full rights and a local client do not permit them."""
    started.append(closed := TableAPI({"shop": url}, open=True))
    started.append(api := TableAPI({"shop": url}, open=True, settings=Settings(metrics_token="watch")))
    async with _client(starlette(closed)) as http:
        assert (await http.get("/data/metrics")).status_code == 404
        assert (await http.get("/data/metrics", headers={"Authorization": "Bearer "})).status_code == 404
    async with _client(starlette(api)) as http:
        assert (await http.get("/data/metrics")).status_code == 404
        assert (await http.get("/data/metrics", headers={"Authorization": "Bearer wrong"})).status_code == 404
        answered = await http.get("/data/metrics", headers={"Authorization": "Bearer watch"})
        assert answered.status_code == 200
        assert "tableapi_requests_total" in answered.text


async def test_a_host_program_passes_its_own_settings(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, started: list[TableAPI]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("MAX_OFFSET=1\n")
    monkeypatch.setenv("MAX_LIMIT", "1")
    rows = "/api/v2/shop/_table/customer?limit=2"
    started.append(api := TableAPI({"shop": url}, open=True, settings=Settings(request_seconds=5)))
    async with _client(api) as http:
        assert len((await http.get(rows)).json()["resource"]) == 2
    started.append(api := TableAPI({"shop": url}, open=True, settings=EnvironmentSettings.read(make_secrets=False)))
    async with _client(api) as http:
        assert len((await http.get(rows)).json()["resource"]) == 1
    with pytest.raises(ValueError, match="max_limits"):
        Settings(max_limits=5)  # type: ignore[call-arg]


@pytest.mark.parametrize("opening", ["(", "not (", "(id > 0 and "])
async def test_a_filter_has_at_most_a_hundred_levels_whatever_the_settings_are(
    url: str, opening: str, started: list[TableAPI]
) -> None:
    limits = Settings(filter_depth=10**9, filter_chars=10**9, filter_conditions=10**9)
    started.append(api := TableAPI({"shop": url}, open=True, settings=limits))
    async with _client(api) as http:
        found = {}
        for levels in (45, 101, 1000):
            params = {"filter": opening * levels + "id = 1" + ")" * levels}
            response = await http.get("/api/v2/shop/_table/customer", params=params)
            found[levels] = response.status_code
        assert found == {45: 200, 101: 400, 1000: 400}


def test_an_unreadable_access_file_is_reported_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no\.json cannot be read: No such file"):
        TableAPI({"shop": "postgresql://localhost/shop"}, access=tmp_path / "no.json")


# -- scripts, hooks and projects in a host ---------------------------------------------------------------------------


class Total(BaseModel):
    customer: int


@script(roles=(ANYONE,), method="GET")
async def total(ctx: Context[Any, Any], input: Total) -> dict[str, Any]:
    """Return the total invoiced to a customer."""
    row = await ctx.db.fetchrow("select sum(total)::text as total from invoice where customer_id = $1", input.customer)
    return {"total": row["total"] if row else None, "role": ctx.actor.role}


@hook("customer", "POST", "PATCH")
async def named(ctx: Context[Any, Any], records: list[dict[str, Any]], options: Mapping[str, Any]) -> None:
    """Reject customers without a name."""
    if any(not record.get("name") for record in records):
        raise Invalid({"name": "Give the customer a name"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"open": True, "scripts": {"total": own}},
        {"open": True, "hooks": [total]},
        {"project": "nowhere", "open": True},
        {"project": "nowhere", "hooks": [named]},
    ],
)
def test_a_function_without_a_decorator_prevents_the_start(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"script|hook|exactly one|project"):
        application(Settings(), TableAPI({"shop": "postgresql://nobody@127.0.0.1:1/x"}, **arguments)._served)


def test_a_hook_without_valid_verbs_is_rejected() -> None:
    for verbs in ((), ("MERGE",), ("PUT",)):
        with pytest.raises(ValueError, match="pass one or more"):
            hook("customer", *verbs)


async def test_scripts_and_hooks_of_the_host_are_served(url: str, started: list[TableAPI]) -> None:
    api = TableAPI({"shop": url}, open=True, scripts={"reports/total": total}, hooks=[named])
    started.append(api)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(api), base_url="http://host") as http:
        response = await http.get("/api/v2/reports/total", params={"customer": "1"})
        assert (response.status_code, response.json()) == (200, {"total": "12.50", "role": "*"})
        assert (await http.get("/api/v2/reports/total")).status_code == 422
        assert (await http.post("/api/v2/reports/total")).status_code == 405
        refused = await http.post("/api/v2/shop/_table/customer", json={"resource": [{"id": 3}]})
        assert refused.json()["error"]["context"]["fields"] == {"name": "Give the customer a name"}
        assert (await http.put("/api/v2/shop/_table/customer/1", json={"name": ""})).status_code == 422
        assert (await http.patch("/api/v2/shop/_table/customer/1", json={"name": "Eve"})).json() == {"id": 1}
        assert "/api/v2/reports/total" in (await http.get("/api/v2/_spec")).json()["paths"]


async def test_a_hook_gets_the_records_that_a_read_shows(url: str, started: list[TableAPI]) -> None:
    seen: list[list[int]] = []

    @hook("customer", "PATCH", "DELETE")
    async def note(ctx: Context[Any, Any], records: list[dict[str, Any]], options: Mapping[str, Any]) -> None:
        seen.append([record["id"] for record in records])

    api = TableAPI({"shop": url}, open=True, hooks=[note])
    started.append(api)
    selecting = {"filter": "invoice_by_customer_id.COUNT(*) = 1", "invoice_by_customer_id.filter": "total > 10"}
    path = "/api/v2/shop/_table/customer"
    lenient = {"Prefer": "handling=lenient"}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(api), base_url="http://host") as http:
        shown = (await http.get(path, params=selecting | {"fields": "id"})).json()
        changed = await http.patch(path, params=selecting, json={"resource": [{"name": "Ada L"}]})
        assert (changed.json(), seen) == (shown, [[1]])
        for option in ({"limit": "1"}, {"cursor": ""}, {"offset": "1"}):
            for verb, body in (("PATCH", {"resource": [{"name": "x"}]}), ("DELETE", None)):
                rejected = await http.request(verb, path, params=selecting | option, json=body, headers=lenient)
                assert rejection(rejected) == (400, "bad_option")
        await http.post(path, json={"resource": [{"id": number, "name": "new"} for number in range(10, 1010)]})
        many = await http.patch(path, params={"filter": "id > 0"}, json={"resource": [{"name": "x"}]})
        assert rejection(many) == (413, "batch_too_large")
        assert len(seen) == 1
        await http.delete(path, params={"filter": "name = new"})
        assert len(seen[-1]) == 1000


async def test_a_role_that_only_reads_is_rejected_by_scripts_of_the_host(url: str, started: list[TableAPI]) -> None:
    sessions = replace(SESSIONS, read_only={"customer": (403, "reads_only", "Customers only read.")}, expired="Over.")
    api = TableAPI({"shop": url}, policy=POLICY, sessions=sessions, scripts={"reports/total": total})
    started.append(api)
    async with _client(api) as http:
        reads = {"Authorization": "Bearer ada"}
        assert (await http.get("/api/v2/shop/_table/invoice?fields=id", headers=reads)).status_code == 200
        rejected = await http.get("/api/v2/reports/total?customer=1", headers=reads)
        assert rejection(rejected) == (403, "reads_only")
        ended = await http.get("/api/v2/shop/_table/invoice", headers={"Authorization": "Bearer bob"})
        assert (ended.status_code, ended.json()["error"]["message"]) == (401, "Over.")


async def test_a_project_can_be_served_by_a_host(url: str, project: Path, started: list[TableAPI]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("create table note (noteid integer primary key, text text)")
    await connection.close()
    settings = EnvironmentSettings(app_keys=("key",), secret_keys=("a secret of this test",), _env_file=None)
    api = TableAPI({"notes": url}, project=project, settings=settings)
    started.append(api)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(api), base_url="http://host") as http:
        assert (await http.get("/api/v2/notes/_table/note")).status_code == 401
        listed = await http.get("/api/v2/notes/_table/note", headers={"X-API-Key": "key"})
        assert listed.json() == {"resource": []}
