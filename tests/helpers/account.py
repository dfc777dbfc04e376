"""An account with a plan, credits and people to reveal, in a database that real servers use."""

from __future__ import annotations

import hashlib

import asyncpg
import httpx2

from scripts._shared.people.directory import sealed_fields
from scripts._shared.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault

SECRET, KEY, TOKEN = "a secret for tests", "test-app-key", "token-of-the-test"
CLIENT, CREDITS = 900, 10_000
HEADERS = {"X-API-Key": KEY, "X-Session-Token": TOKEN}
_COLUMNS = ("profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
            "businesscipher", "phonecipher")  # fmt: skip


def settings(url: str, **more: str) -> dict[str, str]:
    """The environment of a server on this database."""
    return {"DATABASE_URL": url, "SECRET_KEYS": SECRET, "APP_KEYS": KEY, "RATE_LIMITS": "off", "WORKER": "off"} | more


async def prepare(url: str, people: int) -> None:
    """The account, its owner's session, and people `in/kill-0`, `in/kill-1`, ... with a number each."""
    db = await asyncpg.connect(url)
    await db.execute(f"insert into client (clientid, companyname) values ({CLIENT}, 'Kill Ltd')")
    await db.execute(f"insert into usercredit (clientid, contactcredit, apicallcount) values ({CLIENT}, {CREDITS}, 5)")
    await db.execute(
        "insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
        f" values ({CLIENT}, 'contactcredit', {CREDITS}, {CREDITS}, 'test', 'test', '1')"
    )
    await db.execute(
        f"insert into usersubscription (clientid, planid, expirydate) values ({CLIENT}, 4, now() + interval '1 day')"
    )
    await db.execute(
        "insert into appuser (appuserid, clientid, name, email, isverified)"
        f" values ({CLIENT}, {CLIENT}, 'K', 'k@k.example', 1)"
    )
    hashed = hashlib.sha256(TOKEN.encode()).digest()
    await db.execute(
        f"insert into usersession (tokenhash, appuserid, clientid) values ($1, {CLIENT}, {CLIENT})", hashed
    )
    vault, found = Vault([SECRET]), FoundPerson(full_name="Kim Kill", phones=["+4512345678"])
    rows = [(f"in/kill-{number}", *sealed_fields(vault, found)) for number in range(people)]
    await db.copy_records_to_table("person", records=rows, columns=_COLUMNS)
    await db.close()


async def books(url: str) -> tuple[int, int, int]:
    """(reveals, what the ledger booked, what is gone from the balance), once PostgreSQL has done with dead clients."""
    db = await asyncpg.connect(url)
    try:
        async with db.transaction():
            await db.execute("lock table reveal, creditledger, usercredit in share mode")
            row = await db.fetchrow(
                "select (select count(*) from reveal), (select count(*) from creditledger where delta = -1),"
                f" (select {CREDITS} - contactcredit from usercredit where clientid = {CLIENT})"
            )
    finally:
        await db.close()
    assert row is not None
    return tuple(row)


def caller(url: str, patience: float = 30) -> httpx2.AsyncClient:
    """An HTTP client of the owner."""
    return httpx2.AsyncClient(base_url=f"{url}/api/v2/", headers=HEADERS, timeout=patience)
