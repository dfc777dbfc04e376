"""Sessions with two workers: a sign-out that one worker has answered holds on the other, too."""

from __future__ import annotations

import asyncio
import secrets
from urllib.parse import urlsplit

import asyncpg
import httpx2

from tableapi.crypto.vault import token_hash
from tests.helpers.customer import HEADERS, prepare, settings
from tests.helpers.support import NewDatabase, Serve, until
from tests.system.statements.proxy import StatementProxy

WORKERS = 2
LATE = 0.3  # seconds between a notification and its arrival


async def _sign_in(url: str) -> str:
    """Insert a session of the owner, and return its token."""
    token = secrets.token_urlsafe()
    db = await asyncpg.connect(url)
    await db.execute(
        "insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)",
        token_hash(token),
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
