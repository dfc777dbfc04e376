"""Webhooks: declaration, events, order, and failing receivers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
import standardwebhooks

from tableapi import Access, Rule, Settings, TableAPI, Webhook
from tableapi.changes import outbox
from tableapi.datasets.declared import BadRights
from tableapi.webhooks import queue
from tests.helpers.names import resolve
from tests.helpers.support import NewDatabase, ok, rejection, until
from tests.helpers.webhooks import OTHER_SECRET, SECRET, Received, Receiver, accept, always, receiver, verified_by_node

SCHEMA = """
create table customer (id integer primary key, name text);
create table orders (id integer primary key, status text, amount numeric(12, 2), secret text,
                     customer_id integer references customer);
create table pair (a text, b integer, value bytea, primary key (a, b));
create table keyless (name text);
insert into customer values (1, 'Ada'), (2, 'Bob');
"""
KEYS = {"keys": {"ADMIN": {"role": "*"}, "CLERK": {"role": "clerk"}}, "roles": {"clerk": {"access": []}}}
QUICK = {"webhooks_backoff_seconds": 0.05, "webhooks_timeout_seconds": 2.0, "webhooks_private": True}


def hook(**members: Any) -> dict[str, Any]:
    return {
        "name": "a", "dataset": "shop", "table": "orders", "url": "https://hooks.example.com/x", "secret": SECRET,
    } | members  # fmt: skip


class Shop:
    """A running server with its database and a client with full rights."""

    def __init__(self, api: TableAPI, url: str, db: asyncpg.Connection, http: httpx2.AsyncClient) -> None:
        self.api, self.url, self.db, self.http = api, url, db, http

    async def state(self, name: str = "a") -> dict[str, Any]:
        response = await self.http.get(f"/api/v2/shop/_webhooks/{name}")
        state: dict[str, Any] = ok(response)
        return state

    async def has_column(self, name: str) -> bool:
        response = await self.http.get(f"/api/v2/shop/_schema/orders/_field/{name}")
        return bool(response.status_code == 200)


Serving = Callable[..., Any]


def _serving(url: str, folder: Path) -> Serving:
    """Return serving(*hooks, **settings), which serves the database with these webhooks."""

    @asynccontextmanager
    async def serving(*hooks: dict[str, Any], **settings: Any) -> AsyncIterator[Shop]:
        file = folder / "access.json"
        file.write_text(json.dumps(KEYS | {"webhooks": list(hooks)}))
        api = TableAPI({"shop": url}, access=file, settings=Settings(**(QUICK | settings)))
        db = await asyncpg.connect(url)
        transport = httpx2.ASGITransport(app=api)
        headers = {"X-API-Key": "ADMIN"}
        try:
            async with (
                api.lifespan(),
                httpx2.AsyncClient(transport=transport, base_url="http://host", headers=headers) as http,
            ):
                yield Shop(api, url, db, http)
        finally:
            await db.close()

    return serving


@pytest.fixture(scope="module")
def untouched(module_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Serving:
    """Serve a database in which the tests change nothing."""
    return _serving(module_database(SCHEMA), tmp_path_factory.mktemp("untouched"))


@pytest.fixture(scope="module")
async def idle(untouched: Serving) -> AsyncIterator[Shop]:
    """Return a server with one webhook, which sends nothing."""
    async with untouched(hook()) as server:
        yield server


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database(SCHEMA)


@pytest.fixture
def shop(url: str, tmp_path: Path) -> Serving:
    return _serving(url, tmp_path)


@pytest.fixture
async def target() -> AsyncIterator[Receiver]:
    async with receiver() as made:
        yield made


@pytest.fixture
async def server(shop: Serving, target: Receiver) -> AsyncIterator[Shop]:
    """Return a server with one webhook, which sends to `target`."""
    async with shop(hook(url=target.url)) as running:
        yield running


# -- declarations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"tabel": "orders"}, "did you mean 'table'?"),
        ({"dataset": "shp"}, "Did you mean 'shop'?"),
        ({"table": "order"}, "Did you mean 'orders'?"),
        ({"table": "keyless"}, "needs a table with a primary key"),
        ({"on": []}, "at least one of created"),
        ({"on": ["inserted"]}, "'created', 'updated' or 'deleted'"),
        ({"fields": ["id", "statsu"]}, "Did you mean 'status'?"),
        ({"filter": "amount >="}, "invalid filter"),
        ({"filter": "amuont > 1"}, "Did you mean 'amount'?"),
        ({"filter": "amount > many"}, "amount"),
        ({"url": "ftp://example.com/"}, "must be a URL"),
        ({"url": "https://user:password@example.com/"}, "must be a URL"),
        ({"secret": "whsec_short"}, "24 to 64 random bytes"),
        ({"secret": f"{SECRET} secret"}, "24 to 64 random bytes"),
        ({"name": "a b"}, "webhooks.0.name"),
    ],
)
async def test_a_bad_declaration_prevents_the_start(untouched: Serving, members: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match="webhook") as error:
        async with untouched(hook(**members)):
            pass
    assert told in str(error.value)
    assert "whsec_" not in str(error.value).replace("must be whsec_", "")


async def test_two_webhooks_with_one_name_prevent_the_start(untouched: Serving) -> None:
    with pytest.raises(ValueError, match="Two webhooks are named 'a'"):
        async with untouched(hook(), hook(table="pair")):
            pass


async def test_a_sealed_column_is_not_sent(url: str) -> None:
    policy = {"orders": Access(read=Rule(), sealed={"secret"})}
    api = TableAPI({"shop": url}, policy=policy, webhooks=[Webhook(**hook(fields=["secret"]))])
    with pytest.raises(ValueError, match="is sealed and cannot be sent"):
        await api.start()
    await api.stop()


async def test_only_full_rights_see_webhooks(idle: Shop) -> None:
    for method, path in (("GET", ""), ("GET", "/a"), ("POST", "/a/replay"), ("POST", "/a/test")):
        for key, status in (("CLERK", 403), ("nobody", 401)):
            response = await idle.http.request(
                method, f"/api/v2/shop/_webhooks{path}", headers={"X-API-Key": key}, json={"since": "2026-01-01"}
            )
            assert response.status_code == status, response.text


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "reason"),
    [
        ("POST", "", {}, 405, "method_not_allowed"),
        ("GET", "/a/test", None, 405, "method_not_allowed"),
        ("GET", "/b", None, 404, "unknown_webhook"),
        ("POST", "/a/reply", {}, 404, "unknown_resource"),
        ("POST", "/a/replay", {}, 400, "bad_option"),
        ("POST", "/a/replay", {"id": 1}, 400, "bad_option"),
        ("POST", "/a/replay", {"since": "yesterday"}, 400, "bad_option"),
        ("POST", "/a/replay", {"id": "x", "since": "2026-01-01"}, 400, "bad_option"),
        ("POST", "/a/replay", {"id": "msg_x"}, 404, "unknown_event"),
    ],
)
async def test_invalid_requests_are_rejected(
    idle: Shop, method: str, path: str, body: Any, status: int, reason: str
) -> None:
    response = await idle.http.request(method, f"/api/v2/shop/_webhooks{path}", json=body)
    assert rejection(response) == (status, reason), response.text


# -- addresses ---------------------------------------------------------------------------------------------------------


async def test_a_private_address_is_not_contacted(shop: Serving, target: Receiver) -> None:
    hosts = ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254")
    hooks = [hook(name=f"to{n}", url=f"https://{host}:{target.port}/") for n, host in enumerate(hosts)]
    async with shop(*hooks, webhooks_private=False) as server:
        await server.db.execute("insert into orders values (1)")
        for number, host in enumerate(hosts):
            await until(partial(_attempts, server, 1, f"to{number}"))
            error = (await server.state(f"to{number}"))["attempts"][0]["error"]
            assert "not a public address" in error, (host, error)
        assert target.received == []


async def test_http_is_not_used_for_public_addresses(untouched: Serving) -> None:
    with pytest.raises(BadRights, match=r"sends to http://192\.0\.2\.1/, which is not https"):
        async with untouched(hook(url="http://192.0.2.1/"), webhooks_private=False):
            pass


async def _attempts(server: Shop, count: int, name: str = "a") -> bool:
    return bool(sum(attempt["attempts"] for attempt in (await server.state(name))["attempts"]) >= count)


async def test_a_host_with_one_private_address_of_two_is_not_contacted(
    shop: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved = resolve(monkeypatch, lambda _: ["8.8.8.8", "127.0.0.1"])
    async with shop(hook(url="https://rebinding.example:1/"), webhooks_private=False) as server:
        test = (await server.http.post("/api/v2/shop/_webhooks/a/test")).json()
        assert "127.0.0.1 is internal; set WEBHOOKS_PRIVATE=on" in test["error"]
    assert resolved == ["rebinding.example"]


async def test_the_connection_uses_the_checked_address(shop: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiver() as target:
        resolved = resolve(monkeypatch, lambda _: ["127.0.0.1" if len(resolved) == 1 else "127.0.0.2"])
        async with shop(hook(url=f"http://rebinding.example:{target.port}/x")) as server:
            test = (await server.http.post("/api/v2/shop/_webhooks/a/test")).json()
        assert test["delivered"], test
        assert target.received[0].headers["host"] == f"rebinding.example:{target.port}"
    assert resolved == ["rebinding.example"]


async def test_a_redirect_is_not_followed(shop: Serving) -> None:
    async with receiver() as other, receiver() as target:
        target.respond = always(307, location=other.url)
        async with shop(hook(url=target.url)) as server:
            await server.db.execute("insert into orders values (1)")
            await until(lambda: _attempts(server, 2))
            assert "redirects are not followed" in (await server.state())["attempts"][0]["error"]
        assert other.received == []


# -- events ------------------------------------------------------------------------------------------------------------


async def test_creation_update_and_deletion_are_delivered(server: Shop, target: Receiver) -> None:
    table = "/api/v2/shop/_table/orders"
    await server.http.post(table, json={"resource": [{"id": 7, "status": "new", "amount": "12.50"}]})
    await server.http.patch(f"{table}/7", json={"status": "paid"})
    await server.http.patch(f"{table}/7", json={"status": "paid"})  # changes nothing
    await server.http.delete(f"{table}/7")
    await target.gets(3)

    row = {"id": 7, "status": "new", "amount": 12.5, "secret": None, "customer_id": None}
    assert target.told == [
        ("orders.created", row),
        ("orders.updated", row | {"status": "paid"}),
        ("orders.deleted", row | {"status": "paid"}),
    ]
    first = target.received[0]
    assert first.path == "/hook?a=1"
    assert first.json.keys() == {"type", "timestamp", "data"}
    assert first.data["key"] == {"id": 7}
    assert first.headers["content-type"] == "application/json"
    sent = datetime.fromisoformat(first.json["timestamp"]).timestamp()
    assert abs(sent - int(first.headers["webhook-timestamp"])) < 10
    assert len({request.id for request in target.received}) == 3

    await until(lambda: _is(server, pending=0))
    state = await server.state()
    assert [a["type"] for a in state["attempts"]] == ["orders.deleted", "orders.updated", "orders.created"]
    assert {a["state"] for a in state["attempts"]} == {"delivered"}
    assert (state["state"], state["pending"], state["failed"]) == ("active", 0, 0)
    assert SECRET not in json.dumps(state)
    listed = (await server.http.get("/api/v2/shop/_webhooks")).json()["resource"]
    assert [webhook["name"] for webhook in listed] == ["a"]


async def test_filter_fields_and_verbs_of_a_webhook_apply(shop: Serving) -> None:
    webhook = hook(
        on=["created", "deleted"], filter="amount >= 100 and customer_by_customer_id.name = 'Ada'",
        fields=["id", "amount"],
    )  # fmt: skip
    async with receiver() as target, shop(webhook | {"url": target.url}) as server:
        await server.db.execute("insert into orders values (1, 'x', 99, null, 1), (2, 'x', 100, null, 1)")
        await server.db.execute("insert into orders values (3, 'x', 500, null, 2)")
        await server.db.execute("update orders set amount = 200")
        await server.db.execute("delete from orders")
        await target.gets(3)
        assert sorted(target.told, key=lambda told: told[1]["id"]) == [  # events of one record in order
            ("orders.deleted", {"id": 1, "amount": 200}),
            ("orders.created", {"id": 2, "amount": 100}),
            ("orders.deleted", {"id": 2, "amount": 200}),
        ]


async def test_events_contain_the_values_of_a_read(shop: Serving) -> None:
    async with receiver() as target, shop(hook(table="pair", url=target.url)) as server:
        await server.db.execute("set bytea_output = 'escape'")
        await server.db.execute("insert into pair values ('ä\"', 1, '\\x00ff')")
        await target.gets(1)
        response = await server.http.get("/api/v2/shop/_table/pair")
        assert [target.received[0].data["record"]] == response.json()["resource"]
        assert target.received[0].data["key"] == {"a": 'ä"', "b": 1}


async def test_an_event_is_signed_with_each_secret(shop: Serving) -> None:
    secrets = (SECRET, OTHER_SECRET)
    async with receiver(secrets=secrets) as target, shop(hook(url=target.url, secret=" ".join(secrets))) as server:
        await server.db.execute("insert into orders values (1)")
        await target.gets(1)
        assert target.received[0].signed_by(*secrets)


async def test_events_of_a_record_stay_in_order_and_others_do_not_wait(server: Shop, target: Receiver) -> None:
    refused = 0

    async def refuse_first_record(request: Received) -> tuple[int, dict[str, str]]:
        nonlocal refused
        if request.data["key"]["id"] == 1 and refused < 4:
            refused += 1
            return 500, {}
        return 200, {}

    target.respond = refuse_first_record
    for number in range(5):
        await server.db.execute("insert into orders values (1, $1), ($2, $1)", str(number), number + 2) if (
            number == 0
        ) else await server.db.execute("update orders set status = $1 where id = 1", str(number))
    await server.db.execute("insert into orders values (50)")
    await target.gets(7)
    first = [r.data["record"]["status"] for r in target.delivered if r.data["key"]["id"] == 1]
    assert first == ["0", "1", "2", "3", "4"]
    retried = [r for r in target.received if r.data["key"]["id"] == 1][:5]
    assert len({r.id for r in retried}) == 1  # the same event at each attempt
    others = [place for place, r in enumerate(target.delivered) if r.data["key"]["id"] != 1]
    assert others == [0, 1]


async def test_an_unavailable_receiver_gets_all_events_later(shop: Serving) -> None:
    async with receiver() as first:
        port = first.port
    async with shop(hook(url=f"http://127.0.0.1:{port}/")) as server:
        for number in range(30):
            await server.db.execute("insert into orders values ($1)", number)

        async def paused() -> bool:
            return bool((await server.state())["failures"] >= 4)

        await until(paused)
        async with receiver(port) as target:
            await target.gets(30)
            assert sorted(r.data["key"]["id"] for r in target.delivered) == list(range(30))
            assert len(target.delivered) == 30
            await until(lambda: _is(server, pending=0, failures=0))


async def _is(server: Shop, name: str = "a", /, **members: Any) -> bool:
    state = await server.state(name)
    return all(state[name] == value for name, value in members.items())


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_receiver_can_ask_for_time(shop: Serving, form: str) -> None:
    """Nothing is sent meanwhile, of other records neither."""
    statuses = (429, 503, 500)
    async with AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(receiver()) for _ in statuses]
        for status, target in zip(statuses, targets, strict=True):

            async def wait(_: Received, status: int = status, target: Receiver = target) -> tuple[int, dict[str, str]]:
                # A date has whole seconds: three from now are at least two.
                then = datetime.now(UTC) + timedelta(seconds=3)
                asked = "2" if form == "seconds" else format_datetime(then, usegmt=True)
                return (status, {"Retry-After": asked}) if len(target.received) == 1 else (204, {})

            target.respond = wait
        hooks = [hook(name=f"to{status}", url=target.url) for status, target in zip(statuses, targets, strict=True)]
        server = await stack.enter_async_context(shop(*hooks))
        await server.db.execute("insert into orders values (1)")
        for status in statuses:
            await until(partial(_is, server, f"to{status}", state="paused"))
        await server.db.execute("insert into orders values (2)")
        for status, target in zip(statuses, targets, strict=True):
            await target.gets(2)
            first, *others = target.received
            assert min(request.arrived for request in others) - first.arrived >= 1.9, status
            await until(partial(_is, server, f"to{status}", state="active", pending=0))


async def test_the_time_that_a_receiver_gets_is_bounded(shop: Serving, target: Receiver) -> None:
    long, none = (14390, 14400), (0, 1)
    bounds = {
        "999999999": long, "9" * 400: long, "Fri, 31 Dec 9999 23:59:59 GMT": long, "-5": none, "soon": none,
        "1.5": none, "Sat, 01 Jan 2000 00:00:00 GMT": none, "Fri, 99 Foo 2026": none,
    }  # fmt: skip
    asked = list(bounds)

    async def wait(request: Received) -> tuple[int, dict[str, str]]:
        return 503, {"Retry-After": asked[int(request.path.rpartition("=")[2])]}

    target.respond = wait
    hooks = [hook(name=f"to{n}", url=f"http://127.0.0.1:{target.port}/?n={n}") for n in range(len(asked))]
    left = "greatest(extract(epoch from open_until - now())::float8, 0)"
    async with shop(*hooks) as server:
        await server.db.execute("insert into orders values (1)")
        for number, (least, most) in enumerate(bounds.values()):
            await until(partial(_attempts, server, 1, f"to{number}"))
            sql = f"select {left} from tableapi_changes.webhook where name = 'shop/to{number}'"
            assert least <= await server.db.fetchval(sql) <= most, asked[number]


async def test_nothing_is_sent_to_a_receiver_that_is_gone(shop: Serving, caplog: pytest.LogCaptureFixture) -> None:
    async with receiver() as target, receiver() as other:
        target.respond = always(410)
        async with shop(hook(url=target.url)) as server:
            await server.db.execute("insert into orders values (1)")
            await until(lambda: _is(server, state="gone"))
            await server.db.execute("insert into orders values (2)")
            await until(lambda: _is(server, pending=2))
            assert "410 Gone" in (await server.state())["error"]
        assert caplog.text.count("webhook_gone") == 1
        async with shop(hook(url=target.url)) as server:
            await server.db.execute("insert into orders values (3)")
            await until(lambda: _is(server, state="gone", pending=3))
        assert len(target.received) == 1
        async with shop(hook(url=other.url)):
            await other.gets(3)


async def test_a_successful_test_continues_deliveries(server: Shop, target: Receiver) -> None:
    """To a receiver that was gone."""
    target.respond = always(410)
    await server.db.execute("insert into orders values (1)")
    await until(lambda: _is(server, state="gone"))
    for delivered in (False, True):
        test = (await server.http.post("/api/v2/shop/_webhooks/a/test")).json()
        assert test["delivered"] == delivered
        target.respond = accept
    await until(lambda: _is(server, state="active", error=None, pending=0))
    assert target.told[-1][0] == "orders.created"


async def test_events_are_verified_by_the_libraries_of_the_standard(server: Shop, target: Receiver) -> None:
    """The receiver verifies each request with the library for Python."""
    await server.db.execute("insert into orders (id, status) values (1, 'é \U0001f600 \" \\')")
    await target.gets(1)
    [request] = target.delivered
    assert verified_by_node(request, SECRET) == request.json
    with pytest.raises(subprocess.CalledProcessError):
        verified_by_node(request, OTHER_SECRET)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(SECRET).verify(request.body + b" ", request.headers)


async def test_a_never_accepted_event_is_reported_and_can_be_replayed(shop: Serving) -> None:
    async with receiver() as target, shop(hook(url=target.url), webhooks_keep_seconds=1) as server:
        target.respond = always(500)
        await server.db.execute("insert into orders values (1)")
        await until(lambda: _is(server, failed=1))
        attempt = (await server.state())["attempts"][0]
        assert (attempt["state"], attempt["status"], attempt["due"]) == ("failed", 500, None)
        target.respond = accept
        response = await server.http.post("/api/v2/shop/_webhooks/a/replay", json={"id": attempt["id"]})
        assert response.json() == {"queued": 1}
        await target.gets(1)
        assert target.delivered[0].id == attempt["id"]


async def test_events_since_a_time_can_be_replayed(server: Shop, target: Receiver) -> None:
    await server.db.execute("insert into orders values (1), (2)")
    await target.gets(2)
    await until(lambda: _is(server, pending=0))
    since = target.received[0].json["timestamp"]
    later = await server.http.post("/api/v2/shop/_webhooks/a/replay", json={"since": "2999-01-01T00:00:00Z"})
    assert later.json() == {"queued": 0}
    again = await server.http.post("/api/v2/shop/_webhooks/a/replay", json={"since": since})
    assert again.json()["queued"] == 2
    await target.gets(4)
    assert {r.id for r in target.delivered[:2]} == {r.id for r in target.delivered[2:]}


async def test_a_test_event_can_be_sent(server: Shop, target: Receiver) -> None:
    test = (await server.http.post("/api/v2/shop/_webhooks/a/test")).json()
    assert (test["delivered"], test["status"], test["error"]) == (True, 204, None)
    assert (target.received[0].id, target.received[0].json["type"]) == (test["id"], "orders.test")
    assert (await server.state())["attempts"][0]["id"] == test["id"]


async def test_a_slow_receiver_delays_no_other(shop: Serving) -> None:
    async with receiver() as slow, receiver() as quick:

        async def hang(_: Received) -> tuple[int, dict[str, str]]:
            await slow.closing.wait()
            return 500, {}

        slow.respond = hang
        hooks = (hook(url=slow.url), hook(name="b", url=quick.url))
        async with shop(*hooks, webhooks_timeout_seconds=3.0) as server:
            for part in range(20):
                await server.db.execute(
                    "insert into orders select generate_series($1::int, $2)", part * 10, part * 10 + 9
                )
            await quick.gets(200)
            assert slow.delivered == []
            await until(lambda: _attempts(server, 1))
            assert "did not respond within 3 s" in (await server.state())["attempts"][0]["error"]


async def test_a_large_response_is_not_read_to_its_end(target: Receiver, shop: Serving) -> None:
    target.respond = always(200, content_length="1000000000000")
    async with shop(hook(url=target.url), webhooks_timeout_seconds=0.5) as server:
        test = (await server.http.post("/api/v2/shop/_webhooks/a/test")).json()
        assert "did not respond" in test["error"]


async def test_statement_level_changes_are_reported(server: Shop, target: Receiver) -> None:
    await server.db.execute("truncate orders")

    async def reported() -> bool:
        return "TRUNCATE" in ((await server.state())["error"] or "")

    await until(reported)
    await server.db.execute("insert into orders select generate_series(1, 600)")
    await target.gets(600)


async def test_delivery_continues_after_ddl(shop: Serving) -> None:
    async with receiver() as target, shop(hook(url=target.url, filter="amount > 1")) as server:
        await server.db.execute("insert into orders values (1, 'x', 2)")
        await target.gets(1)
        await server.db.execute("alter table orders rename column amount to total")
        await until(lambda: server.has_column("total"))
        await server.db.execute("insert into orders values (2, 'x', 2)")

        async def stuck() -> bool:
            return "amount" in ((await server.state())["error"] or "")

        await until(stuck)
        await server.db.execute("alter table orders rename column total to amount")
        await server.db.execute("alter table orders add column more text default 'm'")
        await until(lambda: server.has_column("more"))
        await server.db.execute("insert into orders values (3, 'x', 2)")
        await target.gets(2)
        assert target.delivered[1].data["record"]["more"] == "m"
        assert (await server.state())["error"] is None


async def test_a_policy_declares_webhooks(target: Receiver, url: str) -> None:
    policy = {"orders": Access(read=Rule(), sealed={"secret"}, changes=True)}
    api = TableAPI(
        {"shop": url}, policy=policy, webhooks=[Webhook(name="a", table="orders", url=target.url, secret=SECRET)],
        settings=Settings(**QUICK),
    )  # fmt: skip
    async with api.lifespan():
        db = await asyncpg.connect(url)
        await db.execute("insert into orders values (1, 'x', 2, 'hidden')")
        await db.close()
        await target.gets(1)
    assert "secret" not in target.received[0].data["record"]


async def test_a_restart_continues_at_the_last_position(target: Receiver, shop: Serving) -> None:
    async with shop(hook(url=target.url)) as server:
        await server.db.execute("insert into orders values (1)")
        await target.gets(1)
    async with shop(hook(name="b", url=target.url)) as server:  # this server does not deliver "a"
        await server.db.execute("insert into orders values (2)")
        await target.gets(2)
    async with shop(hook(url=target.url)):
        await target.gets(3)
    assert [r.data["key"]["id"] for r in target.delivered] == [1, 2, 2]


async def test_the_next_events_are_found_with_outdated_statistics(shop: Serving, url: str) -> None:
    """Statistics of a queue are old: PostgreSQL expects nothing to wait when 15,000 events do."""
    async with receiver() as target, shop(hook(url=target.url)) as server:
        await until(lambda: _is(server, state="active"))
    db = await asyncpg.connect(url)
    for state in ("d", "p"):
        await db.execute(
            """
            insert into tableapi_changes.delivery (webhook, event, type, at, record_key, key, record, state)
            select 'w', 'e' || n, 'x', now(), md5((n % 500)::text), '{}', '{}', $1::text::"char"
            from generate_series(1, 15000) n
            """,
            state,
        )
        if state == "d":
            await db.execute("vacuum analyze tableapi_changes.delivery")
    for statement, most in ((queue.DUE, "64"), (queue.PROBE, "1"), (queue.PROBE_BY_RECORD, "1")):
        explained = f"explain (analyze, format json) {statement}".replace("$1", "'w'").replace("$2", most)
        plan = json.loads(await db.fetchval(explained))[0]["Plan"]
        assert plan["Actual Rows"] == int(most)
        assert _rows_read(plan) <= 10_000, plan
    await db.close()


def _rows_read(plan: dict[str, Any]) -> int:
    """Return how many rows the parts of a plan returned and passed over."""
    rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Join Filter", 0)
    return int(rows * plan["Actual Loops"]) + sum(map(_rows_read, plan.get("Plans", ())))


@pytest.mark.parametrize(
    "lost",
    [
        "truncate tableapi_changes.change, tableapi_changes.mark, tableapi_changes.intact",  # as after a crash
        "update tableapi_changes.webhook set position = '999999999:999999999:'",  # as in a restored database
    ],
)
async def test_lost_changes_are_reported_and_later_ones_sent(target: Receiver, shop: Serving, lost: str) -> None:
    async with shop(hook(url=target.url)) as server:
        await server.db.execute("insert into orders values (1)")
        await target.gets(1)
    db = await asyncpg.connect(server.url)
    await db.execute(lost)
    await db.close()
    async with shop(hook(url=target.url)) as server:

        async def reported() -> bool:
            return "crash" in ((await server.state())["error"] or "")

        await until(reported)
        await server.db.execute("insert into orders values (2)")
        await target.gets(2)
        assert [r.data["key"]["id"] for r in target.delivered] == [1, 2]


async def test_changes_are_kept_until_every_webhook_has_read_them(target: Receiver, shop: Serving, url: str) -> None:
    async with shop(hook(url=target.url)) as server:
        await until(lambda: _is(server, state="active"))
    db = await asyncpg.connect(url)
    await db.execute("insert into orders values (1)")
    await db.execute("insert into tableapi_changes.mark select now() - interval '1 hour', pg_current_xact_id()")
    await outbox.clean(db, 600)
    async with shop(hook(url=target.url)):
        await target.gets(1)
    await db.execute("update tableapi_changes.webhook set seen = now() - interval '4 days'")
    await db.execute("insert into orders values (2)")
    await db.execute("insert into tableapi_changes.mark select now() - interval '1 hour', pg_current_xact_id()")
    await outbox.clean(db, 600)
    assert await db.fetchval("select count(*) from tableapi_changes.change") == 0
    await db.close()
