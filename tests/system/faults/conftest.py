"""Fixtures: PostgreSQL, a mail server and the product for each test, and the table of results."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from email import message_from_bytes
from email import policy as policy_of_mail
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from aiosmtpd.controller import Controller

from product.people.directory import sealed_fields
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault
from tableapi.server.postgres.server import Embedded
from tests.helpers.support import Server, free_port, start
from tests.system.faults.peer import Peer
from tests.system.faults.traffic import Traffic

SECRET, KEY, TOKEN = "a secret for tests", "test-app-key", "token-of-the-test"
EXPECTED = "503 with Retry-After or no answer; heals in 5 s; each reveal paid once, each mail sent once"
HEADERS = {"X-API-Key": KEY, "X-Session-Token": TOKEN}
CREDITS, PEOPLE = 1_000_000, 20_000
ACCOUNT = f"""
insert into client (clientid, companyname) values (900, 'Fault Ltd');
insert into usercredit (clientid, contactcredit) values (900, {CREDITS});
insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
    values (900, 'contactcredit', {CREDITS}, {CREDITS}, 'test', 'test', '1');
insert into usersubscription (clientid, planid, expirydate) values (900, 4, now() + interval '1 day');
insert into appuser (appuserid, clientid, name, email, isverified) values (900, 900, 'F', 'f@f.example', 1);
"""


SHORT = ("test_a_restarted_server_recovers", "test_the_job_worker_is_killed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select two faults in `make test`; `python -m tests.system.faults` runs all of them."""
    here = str(Path(__file__).parent)
    long = [item for item in items if str(item.path).startswith(here) and item.name not in SHORT]
    if "FAULTS_TABLE" not in os.environ and len(items) > len(long):
        items[:] = [item for item in items if item not in long]
        config.hook.pytest_deselected(items=long)


@pytest.fixture
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str, str], None]:
    """seen(fault, expected, result): add a row to the table of `python -m tests.system.faults`."""
    table = os.environ.get("FAULTS_TABLE")
    path = Path(table) if table else tmp_path_factory.getbasetemp() / "faults.jsonl"

    def keep(fault: str, expected: str, what: str) -> None:
        with path.open("a") as out:
            out.write(json.dumps([fault, expected, what]) + "\n")
        print(f"{fault}: {what}")

    return keep


class Postgres(Embedded):
    """A durable PostgreSQL with processes that can be killed or paused."""

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split("\n")[0])

    def processes(self) -> list[int]:
        """Return the server and its descendants."""
        pid = self.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def signal(self, number: int) -> None:
        for pid in self.processes():
            os.kill(pid, number)

    def halt(self) -> None:
        assert self._control("stop", "-m", "fast", "-t", "30")

    @property
    def lives(self) -> bool:
        return bool(self._running())

    def try_to_start(self) -> None:
        """Try to start once. Raises NoPostgres with the reason."""
        self._running()
        self._launch()

    def go_on(self) -> None:
        """Start again, also after a kill; leftover files are removed first."""
        end = time.monotonic() + 30
        while True:
            try:
                self.try_to_start()
                return
            except Exception:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    async def sql(self, statement: str) -> Any:
        """Run SQL as the superuser of the server."""
        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetch(statement)
        finally:
            await connection.close()


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    server = Postgres(tmp_path_factory.mktemp("faults") / "postgres")
    server.settings = server.settings | {"shared_buffers": "64MB", "fsync": "off"}
    server.start()
    yield server
    server.stop()


class Mails:
    """A mail server that records the name in each request for a demo."""

    def __init__(self) -> None:
        self.port = free_port()
        self.names: list[str] = []
        self.marks: set[tuple[str, str]] = set()  # with the Message-ID
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        message: Any = message_from_bytes(envelope.original_content, policy=policy_of_mail.default)
        text = message.get_body(("plain",)).get_content()
        words = _words(text)
        self.names += words
        self.marks |= {(name, message["Message-ID"]) for name in words}
        return "250 OK"

    @property
    def doubled(self) -> int:
        return len(self.names) - len(set(self.names))

    def start(self) -> None:
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop()


def _words(text: str) -> set[str]:
    parts = text.split("demo ")[1:]
    return {f"demo {part[:12]}" for part in parts if len(part) >= 12 and part[:12].isalnum()}


@pytest.fixture(scope="module")
def mails() -> Iterator[Mails]:
    server = Mails()
    server.start()
    yield server
    server.stop()


class Product:
    """`tableapi serve` on the database that fails, and the ledger that must be right afterwards."""

    def __init__(self, postgres: Postgres, mails: Mails, folder: Path) -> None:
        self.postgres, self.mails, self.folder = postgres, mails, folder
        self.smtp = Peer(free_port(), mails.port)
        self._stack = ExitStack()
        self._used = 0
        self.doubled = 0  # mails sent twice by killed workers, with one Message-ID
        self.others = 0  # reveals outside the traffic
        self.servers: list[Server] = []

    @property
    def url(self) -> str:
        return f"postgresql://app:app@127.0.0.1:{self.postgres.port}/faults"

    def serve(self, **more: str) -> Server:
        environment: dict[str, Any] = {
            "DATABASE_URL": self.url, "SECRET_KEYS": SECRET, "APP_KEYS": KEY, "RATE_LIMITS": "off", "WORKERS": "2",
            "MAIL_URL": f"smtp://127.0.0.1:{self.smtp.port}", "LOG_LEVEL": "warning",
        }  # fmt: skip
        server = start(self._stack, self.folder, **(environment | more))
        self.servers.append(server)
        return server

    async def open(self) -> None:
        await self.postgres.sql("create role app login password 'app'")
        await self.postgres.sql("create database faults owner app")
        await self.smtp.start()
        await asyncio.to_thread(self.serve)
        await _fill(self.url)

    async def close(self) -> None:
        await asyncio.to_thread(self._stack.close)
        await self.smtp.stop()

    async def jobs_under_way(self) -> int:
        db = await asyncpg.connect(self.url)
        try:
            return int(await db.fetchval("select count(*) from pgqueuer where status = 'picked'"))
        finally:
            await db.close()

    @asynccontextmanager
    async def traffic(self, url: str = "", *, writes: bool = True) -> AsyncIterator[Traffic]:
        """Run traffic; afterwards check that nothing was lost or doubled."""
        traffic = Traffic(url or self.servers[0].url, HEADERS, self._used, writes=writes)
        try:
            async with traffic:
                await traffic.flow()
                yield traffic
        finally:
            self._used = traffic._next
        assert not traffic.untold(), "an error without Retry-After"
        bugs = [line for server in self.servers for line in server.log.read_text().splitlines() if '"bug"' in line]
        assert not bugs, bugs[0]
        assert set(traffic.errors()) <= {0, 429, 503, 409}, traffic.told()
        await self.books(traffic)

    async def books(self, traffic: Traffic) -> None:
        """Check that every successful reveal exists and was charged once, and every mail sent once."""
        db = await asyncpg.connect(self.url)
        try:
            row = await db.fetchrow(
                "select (select count(*) from reveal) as reveals, (select count(*) from creditledger where delta = -1),"
                f" (select {CREDITS} - contactcredit from usercredit where clientid = 900) as spent,"
                " (select sum(delta) = (select contactcredit from usercredit where clientid = 900) from creditledger)"
            )
            assert row is not None
            reveals, booked, spent, balanced = row
            assert (reveals, balanced) == (booked, True)
            assert reveals == spent == traffic._next + self.others, (tuple(row), traffic._next)
        finally:
            await db.close()
        async with asyncio.timeout(30):
            while missing := set(traffic.mailed) - set(self.mails.names):
                await asyncio.sleep(0.1)
                assert len(missing) <= len(traffic.mailed)
        assert len(self.mails.marks) == len(set(self.mails.names)), "a mail was made twice"
        assert self.mails.doubled <= self.doubled, "a mail was sent twice"


async def _fill(url: str) -> None:
    db = await asyncpg.connect(url)
    await db.execute(ACCOUNT)
    hashed = hashlib.sha256(TOKEN.encode()).digest()
    await db.execute("insert into usersession (tokenhash, appuserid, clientid) values ($1, 900, 900)", hashed)
    fields = sealed_fields(Vault([SECRET]), FoundPerson(full_name="Fay Fault", phones=["+4512345678"]))
    rows = [(f"in/fault-{number}", *fields) for number in range(PEOPLE)]
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    await db.copy_records_to_table("person", records=rows, columns=columns)
    await db.close()


@pytest.fixture(scope="module")
async def product(postgres: Postgres, mails: Mails, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    process = Product(postgres, mails, tmp_path_factory.mktemp("product"))
    await process.open()
    yield process
    await process.close()
