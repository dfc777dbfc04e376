"""The product under load: one server, 50 clients with people to reveal, and their mix of requests."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
from argon2 import PasswordHasher

from product.people.directory import sealed_fields
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault
from tableapi.server.postgres.server import Embedded
from tests.helpers.support import Server, execute, start

SECRET, KEY, PASSWORD = "a secret for tests", "test-app-key", "Passw0rd"
CLIENTS, CREDITS, PEOPLE, OWN = 50, 1_000_000, 100_000, 10
ACCOUNTS = f"""
insert into client (clientid, companyname) select n, 'Client ' || n from generate_series(1001, 1000 + {CLIENTS}) n;
insert into usersubscription (clientid, planid, expirydate)
    select clientid, 4, now() + interval '1 year' from client where clientid > 1000;
insert into usercredit (clientid, bus_email_credits, bus_email_credits_bought)
    select clientid, {CREDITS}, {CREDITS} from client where clientid > 1000;
insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
    select clientid, 'bus_email_credits', {CREDITS}, {CREDITS}, 'test', 'test', '1' from client where clientid > 1000;
"""
BOOKS = f"""
select (select count(*) from reveal) = (select count(*) from creditledger where delta < 0)
   and not exists (select 1 from usercredit c where clientid > 1000 and bus_email_credits <>
        (select sum(delta) from creditledger l where l.clientid = c.clientid)) as right,
       (select {CLIENTS}::bigint * {CREDITS} - sum(bus_email_credits) from usercredit where clientid > 1000) as spent,
       (select count(*) from reveal) as reveals
"""


async def fill(url: str) -> None:
    db = await asyncpg.connect(url)
    await db.execute(ACCOUNTS)
    word = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1).hash(PASSWORD)
    await db.execute(
        "insert into appuser (appuserid, clientid, name, email, isverified, password)"
        " select clientid, clientid, 'Owner', 'owner' || clientid || '@load-company.example', 1, $1 from client"
        " where clientid > 1000",
        word,
    )
    tokens = [(hashlib.sha256(f"load-{n}".encode()).digest(), 1000 + n) for n in range(1, CLIENTS + 1)]
    await db.executemany("insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $2)", tokens)
    person = FoundPerson(full_name="Lea Load", business_emails=["lea@load.example:valid"], phones=["+4512345678"])
    fields = sealed_fields(Vault([SECRET]), person)
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    rows = [(f"in/load-{number}", *fields) for number in range(PEOPLE)]
    await db.copy_records_to_table("person", records=rows, columns=columns)
    await db.close()


def _bytes(method: str, path: str, client: int, body: dict[str, Any] | None = None) -> bytes:
    data = json.dumps(body).encode() if body is not None else b""
    token = f"X-Session-Token: load-{client}\r\n" if client else ""
    head = f"{method} /api/v2/{path} HTTP/1.1\r\nHost: load\r\nX-API-Key: {KEY}\r\n{token}"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n" if data else ""
    return f"{head}{kind}\r\n".encode() + data


class Stage:
    """`async with Stage(folder) as stage:` - a server with data, and the mix of requests for it."""

    def __init__(self, folder: Path, workers: int = 1) -> None:
        self.folder, self.workers = folder, workers
        self._stack = ExitStack()
        self._people = itertools.count(CLIENTS * OWN)
        self._contacts: dict[int, list[int]] = {}
        self.server: Server
        self.url = ""

    async def __aenter__(self) -> Stage:
        self.url = await asyncio.to_thread(self._stack.enter_context, Embedded(self.folder / "postgres"))
        environment: dict[str, Any] = {
            "DATABASE_URL": self.url, "SECRET_KEYS": SECRET, "APP_KEYS": KEY, "WORKER": "off", "LOG_LEVEL": "warning",
            "RATE_LIMITS": "off", "WORKERS": str(self.workers),
        }  # fmt: skip
        self.server = await asyncio.to_thread(lambda: start(self._stack, self.folder, **environment))
        await fill(self.url)
        await self._reveal_some()
        await asyncio.to_thread(execute, self.url, "analyze")  # autovacuum would run in the first minute of a load
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._stack.close)

    async def _reveal_some(self) -> None:
        async with httpx2.AsyncClient(base_url=f"{self.server.url}/api/v2/", timeout=30) as http:
            for client in range(1, CLIENTS + 1):
                headers = {"X-API-Key": KEY, "X-Session-Token": f"load-{client}"}
                for number in range((client - 1) * OWN, client * OWN):
                    body = self._revealing(number)
                    response = await http.post("getcontact", json=body, headers=headers)
                    contact = response.json()["contactdata"][0]["contactid"]
                    self._contacts.setdefault(client, []).append(contact)

    @staticmethod
    def _revealing(number: int) -> dict[str, Any]:
        url = f"https://www.linkedin.com/in/load-{number % PEOPLE}"
        return {"linkedinurl": url, "type": "businessemail", "action": "reveal"}

    def parts(self) -> dict[str, tuple[int, Callable[[random.Random], bytes]]]:
        """Return the kinds of requests with weights per thousand."""

        def client(dice: random.Random) -> int:
            return dice.randint(1, CLIENTS)

        def one(dice: random.Random) -> bytes:
            who = client(dice)
            return _bytes("GET", f"leads/_table/usercontact/{dice.choice(self._contacts[who])}", who)

        def page(dice: random.Random) -> bytes:
            query = "limit=25&order=createdon%20DESC&filter=(deleted=0)"
            return _bytes("GET", f"leads/_table/usercontact?{query}", client(dice))

        def related(dice: random.Random) -> bytes:
            path = "leads/_table/client?related=usercredit_by_clientid,usersubscription_by_clientid"
            return _bytes("GET", path, client(dice))

        def write(dice: random.Random) -> bytes:
            who = client(dice)
            path = f"leads/_table/usercontact/{dice.choice(self._contacts[who])}"
            return _bytes("PATCH", path, who, {"deleted": 0})

        def reveal(dice: random.Random) -> bytes:
            return _bytes("POST", "getcontact", client(dice), self._revealing(next(self._people)))

        def search(dice: random.Random) -> bytes:
            body = {"linkedinurl": f"linkedin.com/in/load-{dice.randrange(PEOPLE)}", "business": True}
            return _bytes("POST", "searchurl", client(dice), body)

        def signin(dice: random.Random) -> bytes:
            body = {"email": f"owner{1000 + client(dice)}@load-company.example", "password": PASSWORD}
            return _bytes("POST", "user/session", 0, body)

        return {
            "one row": (450, one), "25 rows": (250, page), "related": (60, related), "write": (80, write),
            "reveal": (80, reveal), "search": (75, search), "sign-in": (5, signin),
        }  # fmt: skip

    async def books(self) -> tuple[bool, int, int]:
        """Return whether every reveal was charged once, the spent credits and the reveals."""
        db = await asyncpg.connect(self.url)
        row = await db.fetchrow(BOOKS)
        await db.close()
        assert row is not None
        return row["right"], row["spent"], row["reveals"]

    def memory(self) -> int:
        """Return the memory of all HTTP workers in bytes."""
        total = 0
        main = self.server.process.pid
        for task in Path(f"/proc/{main}/task").iterdir():
            for child in (task / "children").read_text().split():
                pages = Path(f"/proc/{child}/statm").read_text().split()[1]
                total += int(pages) * 4096
        return total
