"""Checks of a cluster. Each one causes one event and returns what it observed."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2

from tableapi.crypto.vault import token_hash
from tests.helpers.customer import CONTACTS, HEADERS, KEY, REVEAL, books, reveal
from tests.helpers.load import Request, Seen, load
from tests.helpers.standby import caught_up, crash
from tests.system.cluster.nodes import Cluster

_people = itertools.count(1)
PLANS = "/api/v2/leads/_table/subscriptionplan"


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    must: str
    seen: str
    ok: bool


def mixed(_: int) -> Request:
    """Build requests: every fourth reveals a new person for a credit, the others read a list."""
    number = next(_people)
    if number % 4:
        return "GET", f"{CONTACTS}?limit=5&order=createdon%20desc&include_count=true", b""
    return "POST", REVEAL, reveal(number)


def _load(
    cluster: Cluster, request: Callable[[int], Request] = mixed, clients: int = 8
) -> AbstractAsyncContextManager[Seen]:
    return load(lambda: cluster.port, request, headers=HEADERS, clients=clients, keep=True, pause=0.005)


def charged(seen: Seen) -> int:
    return sum(1 for request, _, body in seen.bodies if request[1] == REVEAL and b'"charged":1' in body)


def _fit(totals: dict[str, Any]) -> bool:
    return bool(totals["fits"] and totals["reveals"] == totals["booked"] == totals["spent"])


async def _reads(cluster: Cluster) -> dict[str, int]:
    """Return the reads that a replica could serve, by source, over all nodes."""
    total: dict[str, int] = {"replica": 0, "primary": 0}
    async with httpx2.AsyncClient() as http:
        for node in cluster.nodes:
            text = (await http.get(f"{node.url}/metrics", headers={"Authorization": "Bearer watch"})).text
            for name, count in re.findall(r'tableapi_reads_total\{source="(\w+)"\} (\S+)', text):
                total[name] += int(float(count))
    return total


async def replica_reads(cluster: Cluster) -> Row:
    """Read only lists of contacts, from both nodes."""
    await caught_up(cluster.settings["DATABASE_URL"], cluster.settings["DATABASE_REPLICA_URLS"])
    before = await _reads(cluster)
    async with _load(cluster, lambda _: ("GET", f"{CONTACTS}?limit=25", b"")) as seen:
        await asyncio.sleep(5)
    after = await _reads(cluster)
    there, here = (after[name] - before[name] for name in ("replica", "primary"))
    share = there / max(1, there + here)
    result = f"{there} of {there + here} ({share:.1%}), {len(seen.wrong(200))} failed"
    return Row("Reads that allow it, nobody writes", "from the replica", result, share > 0.9 and not seen.wrong(200))


async def replica_reads_beside_writes(cluster: Cluster) -> Row:
    before = await _reads(cluster)
    async with _load(cluster) as seen:
        await asyncio.sleep(5)
    after = await _reads(cluster)
    there, here = (after[name] - before[name] for name in ("replica", "primary"))
    share = there / max(1, there + here)
    result = f"{there} of {there + here} ({share:.1%}) beside {charged(seen)} reveals in 5 s"
    return Row("The same beside reveals", "what is possible", result, not seen.wrong(200))


async def own_writes(cluster: Cluster) -> Row:
    """Reveal, then read the contact from each node at once; every fourth time with a paused replica."""
    missed, count = 0, 200
    replica = await asyncpg.connect(cluster.settings["DATABASE_REPLICA_URLS"])
    async with httpx2.AsyncClient(headers=HEADERS, timeout=20) as http:
        for turn in range(count):
            paused = turn % 4 == 0
            if paused:
                await replica.execute("select pg_wal_replay_pause()")
            number = next(_people)
            body = (await http.post(cluster.url + REVEAL, content=reveal(number), headers=JSON)).json()
            ident = body["contactdata"][0]["contactid"]
            for node in cluster.nodes:
                missed += (await http.get(f"{node.url}{CONTACTS}/{ident}")).status_code != 200
            if paused:
                await replica.execute("select pg_wal_replay_resume()")
    await replica.close()
    result = f"{missed} of {2 * count} missed it (a quarter with the replica paused)"
    return Row("A write, then its row from each node", "always there", result, missed == 0)


JSON = {"Content-Type": "application/json"}


async def sessions(cluster: Cluster) -> Row:
    """A new session is valid on each node, and signing out on one node ends it on all."""
    db = await asyncpg.connect(cluster.settings["DATABASE_URL"])
    times = []
    async with httpx2.AsyncClient(timeout=20) as http:
        for turn in range(20):
            token = f"session-{turn}"
            sql = "insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)"
            await db.execute(sql, token_hash(token))
            headers = {"X-API-Key": KEY, "X-Session-Token": token}
            for node in cluster.nodes:
                assert (await http.get(f"{node.url}{CONTACTS}?limit=1", headers=headers)).status_code == 200
            gone = await http.delete(f"{cluster.nodes[turn % 2].url}/api/v2/user/session", headers=headers)
            assert gone.status_code == 200, gone.text
            began = time.monotonic()
            other = cluster.nodes[1 - turn % 2]
            while (await http.get(f"{other.url}{CONTACTS}?limit=1", headers=headers)).status_code != 401:
                assert time.monotonic() - began < 5
            times.append(time.monotonic() - began)
    await db.close()
    result = f"20 of 20; the slowest after {max(times) * 1000:.0f} ms"
    return Row("Signed out at one node", "refused at the other at once (cached for 30 s)", result, max(times) < 1)


async def shared_limits(cluster: Cluster) -> Row:
    """Two nodes with a shared Redis permit 60 requests a minute in total for one address."""
    nodes = [await asyncio.to_thread(cluster.node, number, RATE_LIMITS="on") for number in (7, 8)]
    responses = []
    async with httpx2.AsyncClient(headers={"X-API-Key": KEY}) as http:
        for turn in range(150):
            responses.append((await http.get(f"{nodes[turn % 2].url}{PLANS}?limit=1")).status_code)
    for node in nodes:
        await asyncio.to_thread(node.stop)
    served = responses.count(200)
    result = f"{served} of 150 served, {responses.count(429)} refused"
    return Row("60 a minute for an address, asked at two nodes", "60", result, 60 <= served <= 62)


async def new_table(cluster: Cluster) -> Row:
    """After DDL on the primary and NOTIFY, each node describes the new column."""
    db = await asyncpg.connect(cluster.settings["DATABASE_URL"])
    await db.execute("alter table usercontact add column clustertest int; notify tableapi_schema")
    began = time.monotonic()
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        for node in cluster.nodes:
            while True:
                rows = (await http.get(f"{node.url}{CONTACTS}?limit=1")).json()["resource"]
                if "clustertest" in rows[0]:
                    break
                assert time.monotonic() - began < 10
    seconds = time.monotonic() - began
    await db.execute("alter table usercontact drop column clustertest")
    await db.close()
    return Row("A new column", "known to all nodes within 2 s", f"after {seconds * 1000:.0f} ms", seconds < 2)


async def node_dies(cluster: Cluster) -> Row:
    """Kill a whole node by SIGKILL under load, and start it again."""
    async with _load(cluster) as seen:
        await asyncio.sleep(1)
        await asyncio.to_thread(cluster.nodes[0].kill)
        await asyncio.sleep(3)
        cluster.nodes[0] = await asyncio.to_thread(cluster.node, 0)
        await asyncio.sleep(2)
    totals = await books(cluster.settings["DATABASE_URL"])
    bad = [(request[0], status) for request, status, _ in seen.bodies if status != 200]
    reads = sum(method == "GET" for method, _ in bad)
    writes = len(bad) - reads + len(seen.failures)
    fits = _fit(totals)
    text = (
        f"of {seen.count}: {reads} reads and {writes} writes in flight failed; books {'fit' if fits else 'DO NOT FIT'}"
    )
    return Row("A node is killed, and comes back", "no read fails, of 8 clients at most 8 writes", text,
               reads == 0 and writes <= 8 and fits)  # fmt: skip


async def node_replaced(cluster: Cluster) -> Row:
    """Stop a node by SIGTERM with DRAIN_SECONDS=2 under load; nginx then sees refused connections."""
    async with _load(cluster) as seen:
        await asyncio.sleep(0.5)
        await asyncio.to_thread(cluster.nodes[0].stop)
        await asyncio.sleep(1)
        cluster.nodes[0] = await asyncio.to_thread(cluster.node, 0)
        await asyncio.sleep(1)
    return Row("A node is stopped and started again", "no request fails", f"{seen.wrong(200) or 0} of {seen.count}",
               not seen.wrong(200))  # fmt: skip


async def replica_dies(cluster: Cluster) -> Row:
    """Stop the replica immediately under load; reads move to the primary, and back after its return."""
    async with _load(cluster) as seen:
        await asyncio.sleep(1)
        await asyncio.to_thread(crash, cluster.standby)
        await asyncio.sleep(2)
        cluster.standby.stop()
        await asyncio.to_thread(cluster.standby.start)
        began, before = time.monotonic(), (await _reads(cluster))["replica"]
        while (await _reads(cluster))["replica"] == before:
            assert time.monotonic() - began < 20
            await asyncio.sleep(0.05)
        back = time.monotonic() - began
    result = f"{seen.wrong(200) or 0} of {seen.count}; used again {back:.1f} s after its return"
    return Row("The replica dies, and comes back", "no request fails; used again within 5 s", result,
               not seen.wrong(200) and back < 5)  # fmt: skip


async def primary_dies(cluster: Cluster) -> Row:
    """Stop the primary immediately under load and promote the replica; commits are synchronous."""
    db = await asyncpg.connect(cluster.settings["DATABASE_URL"])
    before = await books(cluster.settings["DATABASE_URL"])
    await db.execute("alter system set synchronous_standby_names = '*'")
    await db.execute("select pg_reload_conf()")
    await db.close()
    async with _load(cluster) as seen:
        await asyncio.sleep(2)
        await asyncio.to_thread(crash, cluster.primary)
        await asyncio.sleep(1)
        await asyncio.to_thread(cluster.standby.promote)
        promoted = time.monotonic()
        await _writes_again([cluster.url, *(node.url for node in cluster.nodes)])
        recovered = time.monotonic() - promoted
        await asyncio.sleep(2)
    totals = await books(cluster.settings["DATABASE_URL"])
    acknowledged, kept = charged(seen), totals["reveals"] - before["reveals"]
    fits = _fit(totals)
    others = {n: count for n, count in seen.answers.items() if n not in (200, 502, 503)}
    lost = max(0, acknowledged - kept)
    text = (
        f"writes {recovered:.1f} s after the promotion; {lost} of {acknowledged} acknowledged reveals lost, books"
        f" {'fit' if fits else 'DO NOT FIT'}; {seen.answers.get(503, 0)} times 503,"
        f" {seen.answers.get(502, 0)} times 502, {sum(others.values()) + len(seen.failures)} other failures"
    )
    return Row("The primary dies, the replica is promoted", "within 5 s, nothing lost, 503 meanwhile", text,
               recovered < 5 and lost == 0 and fits and not others and not seen.failures)  # fmt: skip


async def _writes_again(urls: list[str]) -> None:
    async with httpx2.AsyncClient(headers=HEADERS | JSON, timeout=20) as http:
        for url in urls:
            while True:
                number = next(_people)
                if (await http.post(url + REVEAL, content=reveal(number))).status_code == 200:
                    break
                await asyncio.sleep(0.02)


ALL: tuple[Callable[[Cluster], Awaitable[Row]], ...] = (
    own_writes, replica_reads, replica_reads_beside_writes, sessions, shared_limits, new_table, node_replaced,
    node_dies, replica_dies, primary_dies,
)  # fmt: skip
