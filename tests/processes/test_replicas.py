"""DATABASE_REPLICA_URLS: permitted reads come from a replica and include every earlier commit."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import httpx2
import pytest

from tableapi.server.postgres.server import Embedded
from tests.helpers.standby import Standby, caught_up, crash
from tests.helpers.support import PATIENCE, Serve, Server, free_port, until
from tests.system.faults.peer import Peer

POLICY = """
from tableapi.auth.policy import Access, Rule, Sessions
POLICY = {
    "note": Access(read=Rule(), create=Rule(), update=Rule(), delete=Rule(), replica=True),
    "money": Access(read=Rule(), create=Rule()),
}
SESSIONS = Sessions(lookup="select null as role where $1::bytea is null")
"""
SCHEMA = """
create table money (id int primary key, amount int not null);
create table note (id int primary key, text text not null, moneyid int references money);
create table idempotency (principal text, key text, route text, bodyhash bytea, status int, headers jsonb, body bytea,
                          createdon timestamptz default now(), primary key (principal, key));
"""
KEY = "key-of-the-test"
NOTES, MONEY = "/api/v2/data/_table/note", "/api/v2/data/_table/money"


@dataclass
class Pair:
    """Two nodes with one primary and one replica."""

    primary: str
    replica: str
    standby: Standby
    nodes: list[Server]

    async def sql(self, text: str, *, replica: bool = False) -> None:
        connection = await asyncpg.connect(self.replica if replica else self.primary)
        try:
            await connection.execute(text)
        finally:
            await connection.close()


def _project(folder: Path) -> Path:
    (folder / "scripts").mkdir(parents=True)
    (folder / "policy.py").write_text(POLICY)
    (folder / "schema.sql").write_text(SCHEMA)
    return folder


@pytest.fixture
def pair(tmp_path: Path, serve: Serve) -> Iterator[Pair]:
    with ExitStack() as stack:
        server = Embedded(tmp_path / "one" / "postgres")
        url = stack.enter_context(server)
        standby = Standby(tmp_path / "two" / "postgres", server)
        replica = stack.enter_context(standby)
        settings = {"DATABASE_URL": url, "DATABASE_REPLICA_URLS": replica, "APP_KEYS": KEY, "SECRET_KEYS": "s" * 32,
                    "RATE_LIMITS": "off", "WORKER": "off", "METRICS_TOKEN": "watch"}  # fmt: skip
        folder = _project(tmp_path / "project")
        nodes = [serve(cwd=folder, DATA_DIR=tmp_path / f"node{n}", **settings) for n in (1, 2)]
        yield Pair(url, replica, standby, nodes)
        for node in nodes:
            node.stop()


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(headers={"X-API-Key": KEY}, timeout=20) as client:
        yield client


async def reads(http: httpx2.AsyncClient, node: Server) -> Counter[str]:
    """Return the node's counts of reads by source; a source without a read is not listed by the node."""
    text = (await http.get(f"{node.url}/metrics", headers={"Authorization": "Bearer watch"})).text
    found = re.findall(r'tableapi_reads_total\{source="(\w+)"\} (\S+)', text)
    return Counter({name: int(float(n)) for name, n in found})


async def from_replica(http: httpx2.AsyncClient, node: Server, url: str, seconds: float = PATIENCE) -> None:
    """Wait until the replica serves a read of `url`."""
    until = time.monotonic() + seconds
    while True:
        before = await reads(http, node)
        assert (await http.get(url)).status_code == 200
        if (await reads(http, node))["replica"] > before["replica"]:
            return
        assert time.monotonic() < until, "the replica answers nothing"
        await asyncio.sleep(0.05)


async def test_money_is_never_read_from_a_replica(pair: Pair, http: httpx2.AsyncClient) -> None:
    node = pair.nodes[0]
    await pair.sql("insert into money values (1, 5); insert into note values (1, 'a', 1)")
    await caught_up(pair.primary, pair.replica)
    await from_replica(http, node, f"{node.url}{NOTES}")
    before = await reads(http, node)
    responses = [
        await http.get(f"{node.url}{path}")
        for path in (MONEY, f"{MONEY}/1", f"{NOTES}?related=money_by_moneyid", f"{NOTES}/1?related=*",
                     f"{NOTES}?order=money_by_moneyid.amount")
    ]  # fmt: skip
    assert [response.status_code for response in responses] == [200] * 5
    assert await reads(http, node) == before


async def test_every_node_reads_commits_despite_a_lagging_replica(pair: Pair, http: httpx2.AsyncClient) -> None:
    first, second = pair.nodes
    await from_replica(http, second, f"{second.url}{NOTES}")
    for late in (False, True):
        if late:
            await pair.sql("select pg_wal_replay_pause()", replica=True)
        for number in range(100):
            ident = number + 1000 * late
            response = await http.post(f"{first.url}{NOTES}", json={"resource": [{"id": ident, "text": "new"}]})
            assert response.status_code == 200, response.text
            for node in (second, first):
                response = await http.get(f"{node.url}{NOTES}/{ident}")
                assert response.status_code == 200, (late, ident, response.text)
        changed = await http.patch(f"{first.url}{NOTES}/{ident}", json={"text": "changed"})
        assert changed.status_code == 200, changed.text
        listed = await http.get(f"{second.url}{NOTES}", params={"filter": f"id={ident}", "include_count": "true"})
        assert json.loads(listed.content)["resource"][0]["text"] == "changed"
    await pair.sql("select pg_wal_replay_resume()", replica=True)
    await from_replica(http, second, f"{second.url}{NOTES}")


async def test_a_dead_replica_is_avoided_until_it_recovers(pair: Pair, http: httpx2.AsyncClient) -> None:
    node = pair.nodes[0]
    await from_replica(http, node, f"{node.url}{NOTES}")
    stop = asyncio.Event()

    async def read() -> list[float]:
        times = []
        while not stop.is_set():
            began = time.monotonic()
            response = await http.get(f"{node.url}{NOTES}")
            assert response.status_code == 200, response.text
            times.append(time.monotonic() - began)
        return times

    readers = [asyncio.create_task(read()) for _ in range(4)]
    await asyncio.to_thread(crash, pair.standby)
    before = await reads(http, node)

    async def moved() -> bool:
        return (await reads(http, node))["primary"] > before["primary"]

    await until(moved)
    pair.standby.stop()
    await asyncio.to_thread(pair.standby.start)
    await from_replica(http, node, f"{node.url}{NOTES}")
    stop.set()
    slowest = max(max(times) for times in await asyncio.gather(*readers))
    assert slowest < 5


async def test_a_server_starts_without_its_replica(pair: Pair, serve: Serve, tmp_path: Path) -> None:
    settings = {"DATABASE_URL": pair.primary, "APP_KEYS": KEY, "SECRET_KEYS": "s" * 32, "WORKER": "off",
                "METRICS_TOKEN": "watch",
                "DATABASE_REPLICA_URLS": "postgresql://postgres:x@127.0.0.1:1/none"}  # fmt: skip
    node = await asyncio.to_thread(serve, cwd=tmp_path / "project", DATA_DIR=tmp_path / "three", **settings)
    async with httpx2.AsyncClient(headers={"X-API-Key": KEY}) as http:
        assert (await http.get(f"{node.url}{NOTES}")).status_code == 200
        assert (await reads(http, node))["primary"] == 1


async def test_two_replicas_behind_one_address_are_distinguished(pair: Pair, serve: Serve, tmp_path: Path) -> None:
    """A balancer leads each connection to another replica; what one of them has replayed says nothing of the other."""
    late = Standby(tmp_path / "late" / "postgres", pair.standby.primary)
    await asyncio.to_thread(late.start)
    places = itertools.cycle([pair.standby.port, late.port])

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, to_server = await asyncio.open_connection("127.0.0.1", next(places))
        await asyncio.gather(_copy(reader, to_server), _copy(behind, writer))

    balancer = await asyncio.start_server(relay, "127.0.0.1", free_port())
    port = balancer.sockets[0].getsockname()[1]
    settings = {"DATABASE_URL": pair.primary, "APP_KEYS": KEY, "SECRET_KEYS": "s" * 32, "WORKER": "off",
                "METRICS_TOKEN": "watch", "RATE_LIMITS": "off",
                "DATABASE_REPLICA_URLS": pair.replica.replace(f":{pair.standby.port}/", f":{port}/")}  # fmt: skip
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, late.stop)
        stack.callback(balancer.close)
        node = await asyncio.to_thread(serve, cwd=tmp_path / "project", DATA_DIR=tmp_path / "three", **settings)
        stack.push_async_callback(asyncio.to_thread, node.stop)
        db = await asyncpg.connect(late.url)
        stack.push_async_callback(db.close)
        await db.execute("select pg_wal_replay_pause()")
        async with httpx2.AsyncClient(headers={"X-API-Key": KEY}, timeout=20) as http:
            for number in range(2):
                made = await http.post(f"{node.url}{NOTES}", json={"resource": [{"id": number, "text": "new"}]})
                assert made.status_code in (200, 201), made.text
                before = (await reads(http, node))["replica"]
                # The address rests after each answer of the late one. Then the other has proved the position already.
                while (await reads(http, node))["replica"] < before + 40:
                    found = await asyncio.gather(*(http.get(f"{node.url}{NOTES}/{number}") for _ in range(6)))
                    assert [one.status_code for one in found] == [200] * 6
            connected = "select count(*) from pg_stat_activity where application_name like 'tableapi%'"
            assert await db.fetchval(connected) > 0, "the balancer led no connection to the late replica"
        await db.execute("select pg_wal_replay_resume()")


async def test_reads_get_503_while_the_primary_address_points_to_a_replica(
    pair: Pair, serve: Serve, http: httpx2.AsyncClient, tmp_path: Path
) -> None:
    """A balancer may still send connections to a former primary that has already become a replica."""
    primary = pair.standby.primary.port
    balancer = Peer(free_port(), primary)
    await balancer.start()
    settings = {"DATABASE_URL": pair.primary.replace(f":{primary}/", f":{balancer.port}/"), "APP_KEYS": KEY,
                "SECRET_KEYS": "s" * 32, "WORKER": "off", "METRICS_TOKEN": "watch", "RATE_LIMITS": "off",
                "DATABASE_REPLICA_URLS": pair.replica}  # fmt: skip
    async with AsyncExitStack() as stack:
        stack.push_async_callback(balancer.stop)
        node = await asyncio.to_thread(serve, cwd=tmp_path / "project", DATA_DIR=tmp_path / "three", **settings)
        stack.push_async_callback(asyncio.to_thread, node.stop)
        notes = f"{node.url}{NOTES}"
        await from_replica(http, node, notes)
        balancer.target = pair.standby.port
        await balancer.be("works")  # cuts every connection
        found: list[httpx2.Response] = []
        end = time.monotonic() + 2.0  # the node reconnects within a second
        while time.monotonic() < end:
            found.append(await http.get(notes))
        assert {(one.status_code, "retry-after" in one.headers) for one in found} <= {(200, False), (503, True)}
        assert found[-1].status_code == 503, "no replica can prove that it is up to date"
        balancer.target = primary
        await balancer.be("works")

        async def recovered() -> bool:
            return (await http.get(notes)).status_code == 200

        await until(recovered, 20)
        await from_replica(http, node, notes)


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
    sink.close()


@pytest.mark.parametrize("privileged", [False, True], ids=["as-owner", "with-pg_read_all_stats"])
async def test_a_replica_ahead_of_the_new_primary_is_not_read(
    tmp_path: Path, serve: Serve, http: httpx2.AsyncClient, privileged: bool
) -> None:
    """A replica may have received what was never acknowledged, and is then further in the log than its new primary."""
    with ExitStack() as stack:
        server = Embedded(tmp_path / "one" / "postgres")
        url = stack.enter_context(server)
        next_, ahead = Standby(tmp_path / "two" / "postgres", server), Standby(tmp_path / "three" / "postgres", server)
        promoted, replica = stack.enter_context(next_), stack.enter_context(ahead)
        both = url.replace(f":{server.port}/", f":{server.port},127.0.0.1:{next_.port}/")
        settings = {"DATABASE_URL": f"{both}?target_session_attrs=read-write", "DATABASE_REPLICA_URLS": replica,
                    "APP_KEYS": KEY, "SECRET_KEYS": "s" * 32, "RATE_LIMITS": "off", "WORKER": "off",
                    "METRICS_TOKEN": "watch"}  # fmt: skip
        node = await asyncio.to_thread(lambda: serve(cwd=_project(tmp_path / "project"), **settings))
        stack.callback(node.stop)
        notes = f"{node.url}{NOTES}"
        if privileged:
            await _as_superuser(server, "grant pg_read_all_stats to current_role_of_url", url)
        assert (await http.post(notes, json={"resource": [{"id": 1, "text": "kept"}]})).status_code == 200
        await caught_up(url, promoted)
        await from_replica(http, node, notes)

        await _as_superuser(next_, "alter system set primary_conninfo = ''", promoted)
        await _as_superuser(next_, "select pg_reload_conf()", promoted)
        writer = await asyncpg.connect(url)
        await writer.execute("insert into note select n, repeat('x', 1000) from generate_series(2, 3000) n")
        await writer.close()
        await caught_up(url, replica)
        await asyncio.to_thread(crash, server)
        await asyncio.to_thread(next_.promote)

        found: list[httpx2.Response] = []

        async def answered() -> bool:
            found.append(await http.get(notes, params={"count_only": "true"}))
            return found[-1].status_code == 200

        for _ in range(20):  # also after a rest of the replica
            await until(answered, 20)
            assert found[-1].json() == 1, "what was never acknowledged is read"
            await asyncio.sleep(0.05)


async def _as_superuser(server: Embedded, sql: str, url: str) -> None:
    """Run a statement as the superuser, in the database of a URL. `current_role_of_url` stands for its user."""
    parts = urlsplit(url)
    connection = await asyncpg.connect(
        host="127.0.0.1", port=server.port, user="postgres", password=server.password, database=parts.path[1:]
    )
    try:
        await connection.execute(sql.replace("current_role_of_url", parts.username or ""))
    finally:
        await connection.close()
