"""kill -9 in the middle of many reveals: never a charge without its reveal, never a reveal without its charge."""

from __future__ import annotations

import asyncio
import hashlib
import signal
from collections.abc import Callable
from functools import partial

import asyncpg
import httpx2
import pytest

from scripts._shared.people import sealed_fields
from tableapi.adapters.people import FoundPerson
from tableapi.crypto import Vault
from tests.support import Serve

SECRET, KEY, TOKEN = "a secret for tests", "test-app-key", "token-of-the-test"
ROUNDS, REVEALS = 3, 200


async def _prepare(url: str) -> None:
    """An account with credits, and people to reveal."""
    db = await asyncpg.connect(url)
    await db.execute("insert into client (clientid, companyname) values (900, 'Kill Ltd')")
    await db.execute("insert into usercredit (clientid, contactcredit) values (900, 10000)")
    await db.execute(
        "insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
        " values (900, 'contactcredit', 10000, 10000, 'test', 'test', '1')"
    )
    await db.execute(
        "insert into usersubscription (clientid, planid, expirydate) values (900, 4, now() + interval '1 day')"
    )
    await db.execute(
        "insert into appuser (appuserid, clientid, name, email, isverified) values (900, 900, 'K', 'k@k.example', 1)"
    )
    hashed = hashlib.sha256(TOKEN.encode()).digest()
    await db.execute("insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)", hashed)
    vault = Vault([SECRET])
    found = FoundPerson(full_name="Kim Kill", phones=["+4512345678"])
    rows = [(f"in/kill-{number}", *sealed_fields(vault, found)) for number in range(ROUNDS * REVEALS)]
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    await db.copy_records_to_table("person", records=rows, columns=columns)
    await db.close()


async def _reveal_until_killed(url: str, first: int, kill: Callable[[], object]) -> int:
    """REVEALS parallel reveals; the server is killed when a third of them have been answered."""
    answered = 0
    headers = {"X-API-Key": KEY, "X-Session-Token": TOKEN}

    async def one(http: httpx2.AsyncClient, number: int) -> None:
        nonlocal answered
        body = {"linkedinurl": f"linkedin.com/in/kill-{number}", "type": "directdial", "action": "reveal"}
        try:
            answer = await http.post(f"{url}/api/v2/getcontact", json=body)
        except httpx2.HTTPError:
            return
        answered += answer.status_code == 200 and answer.json()["charged"]
        if answered == REVEALS // 3:
            kill()

    async with httpx2.AsyncClient(headers=headers, timeout=20) as http:
        await asyncio.gather(*(one(http, number) for number in range(first, first + REVEALS)))
    return answered


@pytest.mark.slow
async def test_charges_and_reveals_stay_equal(new_database: Callable[[], str], serve: Serve) -> None:
    # The fixture makes its database outside of an event loop.
    url = await asyncio.to_thread(new_database)
    environment = {"DATABASE_URL": url, "SECRET_KEYS": SECRET, "APP_KEYS": KEY, "RATE_LIMITS": "off", "WORKER": "off"}
    seen = 0
    for round_ in range(ROUNDS):
        server = await asyncio.to_thread(serve, **environment)
        if round_ == 0:
            await _prepare(url)
        seen += await _reveal_until_killed(server.url, round_ * REVEALS, partial(server.stop, signal.SIGKILL))
    db = await asyncpg.connect(url)
    try:
        async with db.transaction():
            # Waits for what PostgreSQL still does for connections whose server is gone.
            await db.execute("lock table reveal, creditledger, usercredit in share mode")
            row = await db.fetchrow(
                "select (select count(*) from reveal), (select count(*) from creditledger where delta = -1),"
                " (select 10000 - contactcredit from usercredit where clientid = 900)"
            )
    finally:
        await db.close()
    reveals, booked, spent = row or (0, 0, 0)
    assert reveals == booked == spent
    assert seen <= reveals <= ROUNDS * REVEALS
