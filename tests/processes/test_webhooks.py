"""Webhooks of real processes: a wrong file, a killed server, two servers, SIGHUP, and a user without rights."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest

from tableapi.webhooks.target import TAKEN
from tests.helpers import webhook_load
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, execute, tableapi, until
from tests.helpers.webhooks import SECRET, Received, certificate, receiver

SCHEMA = "create table orders (id integer primary key, status text);"
ENVIRONMENT = {
    "WEBHOOKS_PRIVATE": "on", "WEBHOOKS_BACKOFF_SECONDS": "0.05", "WEBHOOKS_TIMEOUT_SECONDS": "5", "WORKERS": "2",
}  # fmt: skip


def declare(file: Path, url: str = "https://hooks.example.com/", **members: Any) -> None:
    hook = {"name": "a", "dataset": "shop", "table": "orders", "url": url, "secret": SECRET} | members
    file.write_text(json.dumps({"keys": {"ADMIN-KEY-OF-24-LETTERS": {"role": "*"}}, "webhooks": [hook]}))


async def served(serve: Serve, url: str, folder: Path, **environment: str | Path) -> Server:
    words = ("--dataset", f"shop={url}", "--access", "access.json")
    return await asyncio.to_thread(lambda: serve(*words, cwd=folder, **(ENVIRONMENT | environment)))


def test_an_invalid_webhook_prevents_the_start(new_database: NewDatabase, tmp_path: Path) -> None:
    declare(tmp_path / "access.json", fields=["statsu"])
    words = ("serve", "--dataset", f"shop={new_database(SCHEMA)}", "--access", "access.json")
    ended = tableapi(*words, cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Did you mean 'status'?" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_an_invalid_webhook_of_a_policy_prevents_the_start(new_database: NewDatabase, project: Path) -> None:
    policy = (project / "policy.py").read_text()
    hook = f'Webhook(name="a", table="noet", url="https://hooks.example.com/", secret="{SECRET}")'
    (project / "policy.py").write_text(f"from tableapi import Webhook\n{policy}\nWEBHOOKS = [{hook}]\n")
    ended = tableapi("serve", cwd=project, DATABASE_URL=new_database(), DATA_DIR=project / "data", WORKER="off")
    assert ended.returncode == 2
    assert "Did you mean 'note'?" in ended.stderr


async def test_a_project_declares_webhooks(new_database: NewDatabase, serve: Serve, project: Path) -> None:
    async with receiver() as target:
        policy = (project / "policy.py").read_text()
        hook = f'Webhook(name="a", table="note", url="{target.url}", secret="{SECRET}")'
        (project / "policy.py").write_text(f"from tableapi import Webhook\n{policy}\nWEBHOOKS = [{hook}]\n")
        url = await asyncio.to_thread(new_database)
        await asyncio.to_thread(lambda: serve(cwd=project, DATABASE_URL=url, WORKER="off", **ENVIRONMENT))
        await asyncio.to_thread(execute, url, "insert into note values (1, 'a')")
        await target.gets(1)
        assert target.told == [("note.created", {"noteid": 1, "text": "a"})]


async def test_a_killed_server_loses_no_event(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database, SCHEMA)
    async with receiver() as target:
        declare(tmp_path / "access.json", target.url)
        server = await served(serve, url, tmp_path)
        db = await asyncpg.connect(url)
        for number in range(200):
            await db.execute("insert into orders values ($1)", number)
            await db.execute("update orders set status = 'paid' where id = $1", number)
            if number == 100:
                await target.gets(20)
                await asyncio.to_thread(server.kill)
        await served(serve, url, tmp_path)
        await db.close()
        await until(lambda: len({request.id for request in target.delivered}) == 400)
        events = {request.id: request for request in target.delivered}  # once each, except those in flight
        assert len(events) == 400
        for number in range(200):
            types = [r.json["type"] for r in events.values() if r.data["key"]["id"] == number]
            assert types == ["orders.created", "orders.updated"], number


async def test_one_of_two_servers_delivers_and_the_other_takes_over(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(new_database, SCHEMA)
    async with receiver() as target:
        declare(tmp_path / "access.json", target.url)
        first = await served(serve, url, tmp_path)
        await served(serve, url, tmp_path, DATA_DIR=tmp_path / "other")
        db = await asyncpg.connect(url)
        await db.execute("insert into orders select generate_series(1, 50)")
        await target.gets(50)
        await asyncio.to_thread(first.stop)
        await db.execute("insert into orders select generate_series(51, 100)")
        await target.gets(100)
        await db.close()
        assert sorted(request.data["key"]["id"] for request in target.received) == list(range(1, 101))


async def test_sighup_reloads_the_webhooks(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database, SCHEMA + "create table item (id integer primary key);")
    async with receiver() as target, httpx2.AsyncClient() as http:
        declare(tmp_path / "access.json", target.url)
        server = await served(serve, url, tmp_path, WORKERS="1")
        listed = f"{server.url}/api/v2/shop/_webhooks"
        headers = {"X-API-Key": "ADMIN-KEY-OF-24-LETTERS"}

        async def names(state: str) -> list[str]:
            response = await http.get(listed, headers=headers)
            return [webhook["name"] for webhook in response.json()["resource"] if webhook["state"] == state]

        async def served_are(name: str) -> bool:
            return await names("active") == [name]

        await until(lambda: served_are("a"))
        declare(tmp_path / "access.json", target.url, name="b", table="item")
        server.process.send_signal(signal.SIGHUP)
        await until(lambda: served_are("b"))
        db = await asyncpg.connect(url)
        await db.execute("insert into orders values (1)")
        await db.execute("insert into item values (1)")
        await target.gets(1)
        assert target.told == [("item.created", {"id": 1})]
        declare(tmp_path / "access.json", target.url, name="c", table="itm")
        server.process.send_signal(signal.SIGHUP)
        await until(lambda: "access_file_rejected" in server.log.read_text())
        await db.execute("insert into item values (2)")
        await target.gets(2)
        await db.close()


async def test_missing_rights_are_reported(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database, SCHEMA)
    database = url.rpartition("/")[2]
    role = f"reader_{database}"
    db = await asyncpg.connect(url)
    await db.execute(f"create role {role} login password 'x'; grant select, insert on orders to {role}")
    plain = url.replace(url.partition("://")[2].partition("@")[0], f"{role}:x", 1) if "@" in url else ""
    try:
        async with receiver() as target:
            declare(tmp_path / "access.json", target.url)
            server = await served(serve, plain, tmp_path, WORKERS="1")
            assert "Webhooks of 'shop' are not delivered" in server.told
            assert f"tableapi changes install 'orders:*' --dataset NAME=postgresql://... --reader {role}" in server.told
            words = ("changes", "install", "orders:*", "--dataset", f"shop={url}", "--reader", role)
            done = await asyncio.to_thread(lambda: tableapi(*words, cwd=tmp_path))
            assert done.returncode == 0, done.stderr

            async def begun() -> bool:
                return bool(await db.fetchval("select count(*) from tableapi_changes.webhook"))

            await until(begun)
            await db.execute("insert into orders values (1)")
            await target.gets(1)
            await asyncio.to_thread(server.stop)
    finally:
        await db.execute(f"drop owned by {role}; drop role {role}")
        await db.close()


@pytest.mark.parametrize(("host", "delivered"), [("localhost", True), ("other.example", False)])
async def test_the_certificate_must_match_the_host_name(
    new_database: NewDatabase, serve: Serve, tmp_path: Path, host: str, delivered: bool
) -> None:
    url = await asyncio.to_thread(new_database, SCHEMA)
    file, asked = certificate(tmp_path, host), list[str | None]()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    context.sni_callback = lambda _connection, name, _context: asked.append(name)
    async with receiver(tls=context) as target, httpx2.AsyncClient() as http:
        declare(tmp_path / "access.json", f"https://localhost:{target.port}/")
        server = await served(serve, url, tmp_path, SSL_CERT_FILE=file, WORKERS="1")
        response = await http.post(
            f"{server.url}/api/v2/shop/_webhooks/a/test", headers={"X-API-Key": "ADMIN-KEY-OF-24-LETTERS"}
        )
        assert response.json()["delivered"] == delivered, response.text
        assert asked == ["localhost"]
        assert [request.headers["host"] for request in target.received] == [f"localhost:{target.port}"] * delivered


@pytest.mark.slow
async def test_a_thousand_changes_a_second_with_a_slow_receiver_and_a_killed_node(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(new_database, webhook_load.SCHEMA)
    async with receiver() as slow, receiver() as quick:
        patience = 1.0

        async def answer_late(_: Received) -> tuple[int, dict[str, str]]:
            await asyncio.sleep(patience)  # a receiver that takes its time
            return 204, {}

        slow.respond = answer_late
        hooks = [
            {"name": f"hook{number}", "table": "orders", "url": target.url, "secret": SECRET}
            for number, target in enumerate((slow, quick))
        ]
        (tmp_path / "access.json").write_text(json.dumps({"webhooks": hooks}))
        sending = await served(serve, url, tmp_path, WORKERS="1")
        await until(lambda: sending.log.read_text().count("webhook_taken") == len(hooks))
        await served(serve, url, tmp_path, WORKERS="1", DATA_DIR=tmp_path / "other")
        changes = webhook_load.Changes()
        making = asyncio.create_task(changes.make(url, records=500, per_second=1000, seconds=2))
        await quick.gets(1000)
        assert len(slow.delivered) < 200
        await asyncio.to_thread(sending.kill)
        await making
        await quick.gets(2000, 60)
        assert len(slow.delivered) < 1000, "the slow receiver did not lag, so the test shows nothing"
        patience = 0.0
        await slow.gets(2000, 60)
        for target in (slow, quick):
            await until(partial(changes.complete, target))
            assert len(target.delivered) <= 2000 + TAKEN  # of a round that a kill ends, the result is not stored


async def test_a_long_queue_of_few_records_delays_no_other_webhook(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    """All but the first event of each record wait, so looking for events to send must not read them all."""
    url = await asyncio.to_thread(new_database, SCHEMA + "create table item (id integer primary key);")
    async with receiver() as failing, receiver() as quick:
        status = [500]

        async def answer(_: Received) -> tuple[int, dict[str, str]]:
            await asyncio.sleep(0.05)
            return status[0], {}

        failing.respond = answer
        hooks = [
            {"name": table, "table": table, "url": target.url, "secret": SECRET}
            for table, target in (("orders", failing), ("item", quick))
        ]
        (tmp_path / "access.json").write_text(json.dumps({"webhooks": hooks}))
        server = await served(serve, url, tmp_path, WORKERS="1")
        await until(lambda: server.log.read_text().count("webhook_taken") == len(hooks))
        db = await asyncpg.connect(url)
        await db.execute("insert into orders select generate_series(1, 3)")
        await db.execute(
            "do $$ begin for n in 1..5000 loop update orders set status = n where id = n % 3 + 1; end loop; end $$"
        )

        async def queued() -> bool:
            return bool(await db.fetchval("select count(*) = 5003 from tableapi_changes.delivery"))

        def more(requests: int) -> bool:
            return len(failing.received) >= requests

        await until(queued)
        for status[0] in (500, 204):
            await until(partial(more, len(failing.received) + 3))
            async with asyncio.timeout(15):
                for _ in range(10):
                    before = len(quick.delivered)
                    await db.execute("insert into item select count(*) from item")
                    await quick.gets(before + 1)
        await db.close()
        assert len(failing.delivered) < 5003, "the other queue was empty, so the test shows nothing"


def test_a_webhook_without_the_extra_reports_the_missing_packages(new_database: NewDatabase, tmp_path: Path) -> None:
    """A hidden package simulates one that is not installed."""
    declare(tmp_path / "access.json")
    hide = (
        "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *a: None if n == 'httpx2' else f(n, *a)"
    )
    (tmp_path / "sitecustomize.py").write_text(hide)
    words = ("serve", "--dataset", f"shop={new_database(SCHEMA)}", "--access", "access.json")
    ended = tableapi(*words, cwd=tmp_path, DATA_DIR=tmp_path / "data", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert ended.returncode == 1
    assert "A webhook needs packages that are not installed: pip install" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
