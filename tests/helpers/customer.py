"""A customer of the product for tests that start real servers: an account with credits, and people to reveal."""

from __future__ import annotations

import hashlib
from typing import Any

import asyncpg
import orjson

from scripts._shared.people.directory import sealed_fields
from scripts._shared.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault

SECRET, KEY, TOKEN = "a secret of the tests that is long enough", "test-app-key", "token-of-the-test"
HEADERS = {"X-API-Key": KEY, "X-Session-Token": TOKEN}
SETTINGS = {"SECRET_KEYS": SECRET, "APP_KEYS": KEY, "RATE_LIMITS": "off", "LOG_LEVEL": "warning"}
CLIENT, CREDITS = 900, 1_000_000
CONTACTS, REVEAL = "/api/v2/leads/_table/usercontact", "/api/v2/getcontact"


async def prepare(url: str, people: int, secret: str = SECRET) -> None:
    """Client 900 with a plan, CREDITS of one kind and a session; people in/person-0, in/person-1, ..."""
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
    sealed = sealed_fields(Vault([secret]), FoundPerson(full_name="Lou Load", phones=["+4512345678"]))
    rows = [(f"in/person-{number}", *sealed) for number in range(first, first + count)]
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    await db.copy_records_to_table("person", records=rows, columns=columns)


def reveal(number: int) -> bytes:
    """The body that reveals the number of a person."""
    return orjson.dumps({"linkedinurl": f"linkedin.com/in/person-{number}", "type": "directdial", "action": "reveal"})


async def books(url: str) -> dict[str, Any]:
    """What was revealed, booked and spent; and whether the ledger fits the balance."""
    db = await asyncpg.connect(url)
    try:
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
