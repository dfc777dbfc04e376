"""The product and the engine on a given Citus, beside plain PostgreSQL: what passes, and its cost.

Both databases have to be empty, and the first one the coordinator's with the extension and its workers. They are filled
and left so; the tests run on them one file after the other.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import httpx2

from tableapi.ratelimit import backend
from tests.helpers.citus_shop import DISTRIBUTED_KEYS, KEYS, PLACED, PLAIN_KEYS, ROWS, SHOP, answers
from tests.helpers.fixtures import open_product
from tests.helpers.product import API, Product, User
from tests.helpers.support import ROOT, clean_environment, start
from tests.system.cluster.programs import Missing, program

FILE = ROOT / "deploy" / "citus.sql"
# What counts calls or reads plans says nothing about answers.
LEFT_OUT = {"test_call_count", "test_citus", "test_corpus", "test_corpus_values", "test_term_bitmaps"}
SECONDS = 600  # for one file of tests
PARALLEL, ROUNDS, AT_ONCE = 64, 4, 100


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: what was tried, and what each database did."""

    area: str
    citus: str
    plain: str


def _psql(url: str) -> None:
    """Distribute the product. Raises Missing if a statement fails."""
    done = subprocess.run(
        [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url, "-f", str(FILE)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise Missing(f"{FILE.name} failed: {done.stderr[-2000:]}")


async def _fill(url: str, folder: Path, *, distributed: bool) -> None:
    """Run `init`, distribute its tables, and make the shop of the engine's requests."""
    words = [sys.executable, "-m", "tableapi", "init"]
    settings = clean_environment(DATABASE_URL=url, APP_KEYS="key", SECRET_KEYS="a secret for tests", DATA_DIR=folder)
    done = await asyncio.to_thread(subprocess.run, words, cwd=ROOT, env=settings, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"tableapi init failed: {done.stderr[-2000:]}")
    if distributed:
        await asyncio.to_thread(_psql, url)
    db = await asyncpg.connect(url)
    try:
        await db.execute(SHOP.format_map(DISTRIBUTED_KEYS if distributed else PLAIN_KEYS))
        for sql in (*(PLACED if distributed else ()), *KEYS):
            await db.execute(sql)
        for sql in filter(str.strip, ROWS.split(";\n")):
            await db.execute(sql)
    finally:
        await db.close()


def _passed(file: Path, product: str, plain: str) -> str:
    """Return `passed of all` for one file of the product's tests on a database."""
    environment = clean_environment(TEST_PRODUCT_URL=product, TEST_DATABASE_URL=plain)
    words = [sys.executable, "-m", "pytest", "-q", "-m", "not timing", "-p", "no:cacheprovider", str(file)]
    try:
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS,
                              check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"not finished in {SECONDS} s"
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?)", done.stdout[-300:])}
    return f"{counts.get('passed', 0)} of {sum(counts.values())}"


async def _engine(folder: Path, exits: ExitStack, urls: tuple[str, str]) -> tuple[Row, list[str]]:
    """Send the same requests to a server on each database; return the equal answers, and what differs."""
    found = []
    for name, url in zip(("citus", "plain"), urls, strict=True):
        server = await asyncio.to_thread(start, exits, folder, "--dataset", f"{name}={url}", "--open")
        async with httpx2.AsyncClient(base_url=f"{server.url}/api/v2/{name}/_table/", timeout=60) as http:
            found.append(await answers(http))
    pairs = list(zip(*found, strict=True))
    wrong = [f"{one[0]}: {one[1]} {one[2]!s:.120} / {two[1]}" for one, two in pairs if one[1:] != two[1:]]
    return Row("requests of the engine", f"{len(pairs) - len(wrong)} of {len(pairs)}", f"{len(pairs)}"), wrong


def _used(servers: list[int], database: str) -> dict[str, float]:
    """Return the CPU seconds of each process that serves a database on servers that other databases may share."""
    seconds = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            title = (path / "cmdline").read_text().replace("\0", " ")
            if parent in servers and f" {database} " in title:
                seconds[path.name] = int((path / "schedstat").read_text().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            continue
    return seconds


async def _postmasters(url: str, *, distributed: bool) -> list[int]:
    """Return the processes of the servers if they run on this machine; else none, and times are taken instead."""
    sql = "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)"
    db = await asyncpg.connect(url)
    try:
        rows = [await db.fetchval(sql)]
        if distributed:
            rows += [row["result"] for row in await db.fetch("select result from run_command_on_workers($1)", sql)]
    finally:
        await db.close()
    pids = [int(row) for row in rows]
    return pids if all(map(_is_server, pids)) else []


def _is_server(pid: int) -> bool:
    comm = Path(f"/proc/{pid}/comm")
    return comm.exists() and "postgres" in comm.read_text()


@dataclass
class _Measured:
    """One database under measurement."""

    product: Product
    owner: User
    database: str
    pids: list[int]
    people: list[str]
    contacts: list[int]

    @classmethod
    async def make(cls, product: Product, database: str, pids: list[int]) -> _Measured:
        account = await product.account()
        await account.set_credits(1_000_000)
        people = [(await product.person()).key for _ in range(AT_ONCE * ROUNDS + 1)]
        one = cls(product, account.owner, database, pids, people, [])
        await one.reveal()
        rows = (await account.owner.table("GET", "usercontact")).json()["resource"]
        one.contacts = [row["contactid"] for row in rows]
        return one

    async def reveal(self) -> httpx2.Response:
        person = self.people.pop()
        return await self.owner.post("getcontact", linkedinurl=f"linkedin.com/{person}", type="directdial",
                                     action="reveal")  # fmt: skip

    async def session(self) -> httpx2.Response:
        async with self.product.caller(
            self.owner.token
        ) as http:  # from an address of its own, because calls are limited
            return await http.get(f"{API}user/session")

    async def cost(self, run: Callable[[], Awaitable[httpx2.Response]], times: int) -> tuple[float, float]:
        """Return seconds of CPU and of time for one call."""
        before, began = _used(self.pids, self.database), time.perf_counter()
        for _ in range(times):
            response = await run()
            assert response.status_code == 200, response.text
        elapsed = time.perf_counter() - began
        # A process that ended meanwhile is left out: connections are kept for longer than a round.
        used = sum(now - before.get(pid, 0) for pid, now in _used(self.pids, self.database).items())
        return used / times, elapsed / times


OPERATIONS: dict[str, Callable[[_Measured], Callable[[], Awaitable[httpx2.Response]]]] = {
    "reveal": lambda one: one.reveal,
    "contact by key": lambda one: lambda: one.owner.table("GET", f"usercontact/{one.contacts[0]}"),
    "page of 25": lambda one: lambda: one.owner.table("GET", "usercontact", limit=25),
    "count": lambda one: lambda: one.owner.table("GET", "usercontact", count_only="true"),
    "session": lambda one: one.session,
}


async def _costs(folder: Path, urls: tuple[str, str]) -> list[Row]:
    """Return for each operation the cost on plain PostgreSQL, and how many times that it costs on Citus."""
    rows = []
    async with AsyncExitStack() as stack:
        both = []
        for url, distributed in zip(urls, (True, False), strict=True):
            product = await stack.enter_async_context(open_product(url, folder / f"{distributed}", rate_limits=False))
            backend.start(product.app.state.limit_settings)
            pids = await _postmasters(url, distributed=distributed)
            database = urlsplit(url).path.removeprefix("/")
            both.append(await _Measured.make(product, database, pids))
        for name, operation in OPERATIONS.items():
            sums = [[0.0, 0.0], [0.0, 0.0]]
            for _ in range(ROUNDS):
                for total, one in zip(sums, both, strict=True):
                    for kind, value in enumerate(await one.cost(operation(one), AT_ONCE)):
                        total[kind] += value / ROUNDS
            (cpu, elapsed), (cpu_plain, elapsed_plain) = sums
            said = f"{cpu / cpu_plain:.1f} times the CPU, " if cpu_plain and both[0].pids else ""
            plain = f"{cpu_plain * 1000:.2f} ms CPU, {elapsed_plain * 1000:.1f} ms"
            rows.append(Row(name, f"{said}{elapsed / elapsed_plain:.1f} times the time", plain))
    return rows


async def _parallel(folder: Path, url: str) -> str:
    """Reveal for PARALLEL clients at once, and return the statuses; the books of each have to agree."""
    async with open_product(url, folder / "parallel", rate_limits=False) as product:
        backend.start(product.app.state.limit_settings)
        accounts = [await product.account() for _ in range(PARALLEL)]
        for account in accounts:
            await account.set_credits(10)
        people = [(await product.person()).key for _ in range(4)]
        statuses: dict[int, int] = {}

        async def reveals(owner: User) -> None:
            for person in people:
                url = f"linkedin.com/{person}"
                response = await owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
                statuses[response.status_code] = statuses.get(response.status_code, 0) + 1

        await asyncio.gather(*(reveals(account.owner) for account in accounts))
        agree = 0
        for account in accounts:
            left = await product.db.fetchval(
                "select contactcredit from usercredit where clientid = $1", account.clientid
            )
            spent = "select count(*) from creditledger where clientid = $1 and reason = 'reveal'"
            agree += 10 - left == await product.db.fetchval(spent, account.clientid)
    counted = ", ".join(f"{number} times {status}" for status, number in sorted(statuses.items()))
    return f"{counted}; {agree} of {PARALLEL} books agree"


def run(folder: Path, exits: ExitStack, url: str, plain: str, only: set[str]) -> bool:
    """Print the table of areas; return whether every test passed on Citus that passes on plain PostgreSQL."""
    urls = url, plain
    asyncio.run(_fill(url, folder / "data", distributed=True))
    asyncio.run(_fill(plain, folder / "data", distributed=False))
    print("| Area | Citus | PostgreSQL |\n| --- | --- | --- |", flush=True)
    row, wrong = asyncio.run(_engine(folder, exits, urls))
    for line in wrong:
        print(f"    {line}", file=sys.stderr, flush=True)
    rows = [row, Row(f"{PARALLEL} clients reveal at once", *(asyncio.run(_parallel(folder / str(number), one))
                                                           for number, one in enumerate(urls)))]  # fmt: skip
    rows += asyncio.run(_costs(folder, urls))
    for row in rows:
        print(f"| {row.area} | {row.citus} | {row.plain} |", flush=True)
    good = not wrong
    for file in sorted((ROOT / "tests" / "product").glob("test_*.py")):
        if file.stem in LEFT_OUT or (only and file.stem.removeprefix("test_") not in only):
            continue
        seen = [_passed(file, one, plain) for one in urls]
        good &= seen[0] == seen[1]
        print(f"| {file.stem.removeprefix('test_').replace('_', ' ')} | {seen[0]} | {seen[1]} |", flush=True)
    return good
