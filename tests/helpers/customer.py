"""A customer of the product for tests that start real servers: an account with credits, and people to reveal."""

from __future__ import annotations

import hashlib
from typing import Any

import asyncpg
import httpx2
import orjson

from product.people.directory import sealed_fields
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault

SECRET, KEY, TOKEN = "a secret of the tests that is long enough", "test-app-key", "token-of-the-test"
HEADERS = {"X-API-Key": KEY, "X-Session-Token": TOKEN}
SETTINGS = {"SECRET_KEYS": SECRET, "APP_KEYS": KEY, "RATE_LIMITS": "off", "LOG_LEVEL": "warning"}
CLIENT, CREDITS = 900, 1_000_000
CONTACTS, REVEAL = "/api/v2/leads/_table/usercontact", "/api/v2/getcontact"


def settings(url: str, **more: str) -> dict[str, str]:
    """Return the environment of a server on this database, without a job worker unless `more` sets one."""
    return SETTINGS | {"DATABASE_URL": url, "WORKER": "off"} | more


def caller(url: str, timeout: float = 30) -> httpx2.AsyncClient:
    """Return an HTTP client with the session of the account's owner."""
    return httpx2.AsyncClient(base_url=f"{url}/api/v2/", headers=HEADERS, timeout=timeout)


async def prepare(url: str, people: int, secret: str = SECRET) -> None:
    """Insert client 900 with a plan, CREDITS and a session, and people in/person-0, in/person-1, ..."""
    db = await asyncpg.connect(url)
    await db.execute("insert into client (clientid, companyname) values (900, 'Load Ltd')")
    await db.execute("insert into usercredit (clientid, contactcredit, apicallcount) values (900, $1, 5)", CREDITS)
    await db.execute(
        "insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
        " values (900, 'contactcredit', $1, $1, 'test', 'test', '1')",
        CREDITS,
    )
    await db.execute(
        "insert into usersubscription (clientid, planid, expirydate) values (900, 4, now() + interval '1 day')"
    )
    await db.execute(
        "insert into appuser (appuserid, clientid, name, email, isverified) values (900, 900, 'L', 'l@l.example', 1)"
    )
    hashed = hashlib.sha256(TOKEN.encode()).digest()
    await db.execute("insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)", hashed)
    await more_people(db, 0, people, secret)
    await db.close()


async def more_people(db: asyncpg.Connection, first: int, count: int, secret: str = SECRET) -> None:
    """Insert `count` people with one phone number each, numbered from `first`."""
    sealed = sealed_fields(Vault([secret]), FoundPerson(full_name="Lou Load", phones=["+4512345678"]))
    rows = [(f"in/person-{number}", *sealed) for number in range(first, first + count)]
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    await db.copy_records_to_table("person", records=rows, columns=columns)


def reveal(number: int) -> bytes:
    """Return the request body that reveals the phone number of a person."""
    return orjson.dumps({"linkedinurl": f"linkedin.com/in/person-{number}", "type": "directdial", "action": "reveal"})


async def books(url: str) -> dict[str, Any]:
    """Return counts of reveals, contacts, ledger entries and spent credits, and whether ledger and balance agree.

    Waits for open transactions, so that writes of a killed server are either committed or rolled back.
    """
    db = await asyncpg.connect(url)
    try:
        async with db.transaction():
            await db.execute("lock table reveal, usercontact, creditledger, usercredit in share mode")
            row = await db.fetchrow(
                "select (select count(*) from reveal) as reveals, (select count(*) from usercontact) as contacts,"
                " (select count(*) from creditledger where delta = -1) as booked,"
                " (select $1 - contactcredit from usercredit where clientid = 900) as spent,"
                " (select sum(delta) from creditledger)"
                "   = (select sum(contactcredit + emailcredit) from usercredit) as fits",
                CREDITS,
            )
    finally:
        await db.close()
    return dict(row) if row else {}


async def charges(url: str) -> tuple[int, int, int]:
    """Return (reveals, ledger entries, spent credits), which are equal when every reveal was charged once."""
    counts = await books(url)
    return counts["reveals"], counts["booked"], counts["spent"]
