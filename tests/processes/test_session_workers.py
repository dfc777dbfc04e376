"""Sessions and key lookups on several workers."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx2

from tableapi.crypto.vault import token_hash
from tests.helpers.customer import HEADERS, caller, prepare, settings
from tests.helpers.support import NewDatabase, Serve, ok, until
from tests.system.statements.proxy import StatementProxy

WORKERS = 2
LATE = 0.3  # seconds between a notification and its arrival


async def _sign_in(url: str) -> str:
    """Insert a session of the owner, and return its token."""
    token = secrets.token_urlsafe()
    db = await asyncpg.connect(url)
    await db.execute(
        "insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)", token_hash(token)
    )
    await db.close()
    return token


async def _on_each_worker(url: str, token: str) -> list[httpx2.AsyncClient]:
    """Return callers with connections to different workers, each of which has cached the session."""
    found: dict[str, httpx2.AsyncClient] = {}
    async with asyncio.timeout(30):
        while len(found) < WORKERS:
            headers = HEADERS | {"X-Session-Token": token}
            http = httpx2.AsyncClient(base_url=f"{url}/api/v2/", headers=headers, timeout=20)
            response = await http.get("leads/_table/client")
            assert response.status_code == 200, response.text
            worker = response.headers["x-request-id"][:6]
            if worker in found:
                await http.aclose()
            else:
                found[worker] = http
                for _ in range(2):  # the connection now knows the caller of these headers
                    assert (await http.get("leads/_table/client")).status_code == 200
    return [found[worker] for worker in sorted(found)]


async def test_a_signed_out_session_gets_401_on_every_worker_at_once(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    relay = StatementProxy(urlsplit(url).port or 5432)
    await relay.start()
    try:
        direct = settings(url, WORKERS=str(WORKERS), DATABASE_DIRECT_URL=relay.url(url))
        server = await asyncio.to_thread(serve, **direct)
        await prepare(url, 1)
        db = await asyncpg.connect(url)
        listening = (
            "select count(*) = $1 from pg_stat_activity where query ~* '^listen' and datname = current_database()"
        )
        await until(lambda: db.fetchval(listening, WORKERS))
        await db.close()
        relay.late, relay.late_only = LATE, relay.connections  # only one of the workers hears late
        for this, other in ((0, 1), (1, 0)):
            token = await _sign_in(url)
            callers = await _on_each_worker(server.url, token)
            assert (await callers[this].delete("user/session")).status_code == 200
            assert (await callers[other].get("leads/_table/client")).status_code == 401
            assert (await callers[this].get("leads/_table/client")).status_code == 401
            for http in callers:
                await http.aclose()
    finally:
        await relay.stop()


PER_MINUTE = 30


def _worker(response: httpx2.Response) -> str:
    """Return the part of the request id that identifies the worker process."""
    return response.headers["x-request-id"][:6]


async def _look(url: str, key: str) -> httpx2.Response:
    """Send a look-up on a new connection, which the kernel assigns to either worker."""
    query = {"linkedinurl": "linkedin.com/in/person-0", "type": "directdials", "apikey": key}
    async with httpx2.AsyncClient(timeout=20) as http:
        return await http.get(f"{url}/api/v2/keylookup", params=query)


async def _until_both(url: str, key: str) -> Counter[tuple[str, int]]:
    """Look up until both workers have responded, and count the statuses of each worker."""
    seen: Counter[tuple[str, int]] = Counter()
    async with asyncio.timeout(30):
        while len({worker for worker, _ in seen}) < 2:
            response = await _look(url, key)
            seen[_worker(response), response.status_code] += 1
    return seen


async def _key(http: httpx2.AsyncClient) -> dict[str, Any]:
    response = await http.post("leads/_table/apikeys", json={"resource": [{"purpose": "CRM"}]})
    return dict(ok(response)["resource"][0])


async def test_a_deleted_key_stops_working_on_every_worker_at_once(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, **settings(url, WORKERS="2"))
    await prepare(url, 1)
    async with caller(server.url) as http:
        record = await _key(http)
        assert {status for _, status in await _until_both(server.url, record["apikey"])} == {200}
        gone = await http.patch("leads/_table/apikeys", json={"resource": [{"keyid": record["keyid"], "isdeleted": 1}]})
        assert gone.status_code == 200, gone.text
        assert {status for _, status in await _until_both(server.url, record["apikey"])} == {401}


async def test_workers_count_one_limit(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, **settings(url, WORKERS="2", RATE_LIMITS="on"))
    await prepare(url, 1)
    async with caller(server.url) as http:
        key = (await _key(http))["apikey"]
        responses: list[httpx2.Response] = []
        async with asyncio.timeout(60):  # of the limit
            while len(responses) <= PER_MINUTE or len({_worker(response) for response in responses}) < 2:
                responses += await asyncio.gather(*(_look(server.url, key) for _ in range(10)))
    assert Counter(response.status_code for response in responses) == {
        200: PER_MINUTE,
        429: len(responses) - PER_MINUTE,
    }
    refused = next(response for response in responses if response.status_code == 429)
    assert int(refused.headers["retry-after"]) <= 60
