"""Replace SECRET_KEYS, APP_KEYS and STRIPE_WEBHOOK_SECRET in two rounds of restarts without a failed request.

In round one every node learns to accept the new keys, in round two it uses them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import asyncpg
import httpx2
import orjson

from sandbox.stripe.deliver import signature
from tableapi.crypto.vault import Vault
from tests.helpers.balancer import Balancer, balancer
from tests.helpers.customer import CONTACTS, KEY, REVEAL, SECRET, SETTINGS, TOKEN, books, prepare, reveal
from tests.helpers.load import Request, Seen, load
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, until

PEOPLE = 20_000
NEW = "the secret that comes after that one"
PHONE = b"+4512345678"
START = {"SECRET_KEYS": SECRET, "APP_KEYS": KEY, "STRIPE_WEBHOOK_SECRET": "whsec_old"}
FIRST = {"SECRET_KEYS": f"{SECRET},{NEW}", "APP_KEYS": f"{KEY},new-key", "STRIPE_WEBHOOK_SECRET": "whsec_old,whsec_new"}
SECOND = {"SECRET_KEYS": f"{NEW},{SECRET}", "APP_KEYS": "new-key", "STRIPE_WEBHOOK_SECRET": "whsec_new"}


def asking(first: int, apikey: str) -> Callable[[int], Request]:
    """Build reveals, look-ups by API key and lists, in turn."""

    def ask(number: int) -> Request:
        person = first + number // 3
        if number % 3 == 0:
            return "POST", REVEAL, reveal(person)
        if number % 3 == 1:
            url = f"linkedin.com/in/person-{person + 3000}"
            return "GET", f"/api/v2/keylookup?linkedinurl={url}&type=directdials&apikey={apikey}", b""
        return "GET", f"{CONTACTS}?limit=20", b""

    return ask


async def webhooks(url: str, ident: str) -> list[int]:
    """Return the statuses of an event signed with the old secret and of one signed with the new."""
    events, now = [], int(time.time())
    async with httpx2.AsyncClient() as http:
        for secret in ("whsec_old", "whsec_new"):
            event = {"id": f"{ident}_{secret}", "type": "invoice.paid", "created": now, "data": {"object": {}}}
            body = orjson.dumps(event)
            headers = {"Stripe-Signature": signature(secret, body, now)}
            response = await http.post(f"{url}/api/v2/webhooks/payment", content=body, headers=headers)
            events.append(response.status_code)
    return events


def check(seen: Seen) -> int:
    """Check that every response is readable, and return the number of charged reveals."""
    assert not seen.wrong(200)
    assert seen.count > 20
    assert all(PHONE in body for (_, path, _), _, body in seen.bodies if "limit=20" not in path)
    return sum(1 for _, _, body in seen.bodies if b'"charged":1' in body)


async def test_keys_are_rotated_without_a_failed_request(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(new_database)
    fixed = SETTINGS | {
        "DATABASE_URL": url, "DRAIN_SECONDS": "1", "WORKER": "off", "STRIPE_SECRET_KEY": "sk_test_x",
        "STRIPE_PUBLISHABLE_KEY": "pk_test_x", "STRIPE_API_BASE": "http://127.0.0.1:1",
    }  # fmt: skip

    async def start(name: str, keys: dict[str, str]) -> Server:
        return await asyncio.to_thread(serve, cwd=ROOT, **(fixed | keys), DATA_DIR=tmp_path / name)

    async def replace(pool: Balancer, nodes: list[Server], keys: dict[str, str]) -> list[Server]:
        started = []
        for number, before in enumerate(nodes):
            started.append(await start(f"{number}", keys))
            await pool.join(started[-1].port)
            assert await asyncio.to_thread(before.stop) in (0, 143)
            pool.nodes.remove(before.port)
        return started

    async with balancer() as pool:
        nodes = [await start("a", START)]
        await prepare(url, PEOPLE)
        nodes.append(await start("b", START))
        for node in nodes:
            await pool.join(node.port)
        async with httpx2.AsyncClient(headers={"X-API-Key": KEY, "X-Session-Token": TOKEN}) as http:
            sent = {"resource": [{"purpose": "CRM"}]}
            created = await http.post(f"{nodes[0].url}/api/v2/leads/_table/apikeys", json=sent)
        apikey = created.json()["resource"][0]["apikey"]
        session = {"X-Session-Token": TOKEN}
        new_app = session | {"X-API-Key": "new-key"}

        def loaded(first: int, headers: dict[str, str]) -> AbstractAsyncContextManager[Seen]:
            ask = asking(first, apikey)
            return load(lambda: pool.port, ask, headers=headers, clients=3, keep=True, pause=0.03)

        async with load(
            lambda: pool.port, asking(0, apikey), headers=session | {"X-API-Key": KEY}, clients=3, keep=True, pause=0.03
        ) as before:
            nodes = await replace(pool, nodes, FIRST)
        assert await webhooks(nodes[0].url, "evt") == [200, 200]
        headers = session | {"X-API-Key": "new-key"}
        async with load(
            lambda: pool.port, asking(10_000, apikey), headers=headers, clients=3, keep=True, pause=0.03
        ) as after:
            nodes = await replace(pool, nodes, SECOND)
            count = after.count
            await until(lambda: after.count > count + 20)
        assert pool.errors == []
        charged = check(before) + check(after)
        totals = await books(url)
        assert totals["fits"]
        assert charged == totals["reveals"] == totals["spent"]
        assert await webhooks(nodes[0].url, "evt2") == [400, 200]
        async with httpx2.AsyncClient(headers=new_app) as http:
            first = await http.get(f"{nodes[1].url}{CONTACTS}?order=contactid&limit=1&filter=contactid%3E0")
            assert PHONE in first.content  # encrypted before the first round
        async with httpx2.AsyncClient(headers=session | {"X-API-Key": KEY}) as http:
            assert (await http.get(f"{nodes[1].url}{CONTACTS}")).status_code == 401
    connection = await asyncpg.connect(url)
    newest = await connection.fetchval("select phone_numbers from usercontact order by contactid desc limit 1")
    await connection.close()
    assert PHONE in Vault([NEW]).open(newest).encode()
