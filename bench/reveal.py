"""Measure paid reveals and imports of people on the product, and verify every credit afterwards."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import asyncpg

from bench.contenders import Stage, launch
from bench.load import CONNECTIONS, WrongAnswers
from bench.scenarios import KEY
from tests.helpers.support import ROOT, free_port

SECRET = "bench" * 8
CLIENTS, CREDITS, PEOPLE = 50, 1_000_000, 20_000
ACCOUNTS = f"""
insert into client (clientid, companyname)
    select n, 'Client ' || n from generate_series(1000001, 1000000 + {CLIENTS}) n;
insert into appuser (appuserid, clientid, name, email, isverified)
    select clientid, clientid, companyname, 'owner' || clientid || '@bench.example', 1 from client
    where clientid > 1000000;
insert into usersubscription (clientid, planid, expirydate)
    select clientid, (select max(planid) from subscriptionplan where isaddon = 0), now() + interval '1 year' from client
    where clientid > 1000000;
insert into usercredit (clientid, bus_email_credits, bus_email_credits_bought)
    select clientid, {CREDITS}, {CREDITS} from client where clientid > 1000000;
insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
    select clientid, 'bus_email_credits', {CREDITS}, {CREDITS}, 'bench', 'bench', '1' from client
    where clientid > 1000000;
"""
COUNTS = f"""
select (select count(*) from reveal) as reveals, (select count(*) from creditledger where delta < 0) as spent,
       (select coalesce(-sum(delta), 0) from creditledger where delta < 0) as credits,
       (select count(*) from usercredit c where clientid > 1000000 and bus_email_credits <>
           (select sum(delta) from creditledger l where l.clientid = c.clientid)) as wrong,
       (select {CLIENTS}::bigint * {CREDITS} - sum(bus_email_credits) from usercredit where clientid > 1000000) as gone
"""


def settings(stage: Stage, url: str, **more: str) -> dict[str, str]:
    """Return the server's settings. Rate limits are off, since they would be measured instead."""
    base = {
        "PYTHONPATH": str(ROOT), "DATABASE_URL": url, "APP_KEYS": KEY, "SECRET_KEYS": SECRET, "WORKER": "off",
        "RATE_LIMITS": "off", "DATA_DIR": str(stage.folder / "reveal"), "PATH": os.environ["PATH"],
    }  # fmt: skip
    return base | more


async def fresh(stage: Stage, server: str, name: str = "bench_reveal") -> str:
    """Return the URL of a new database with the product's schema."""
    await drop(server, name)
    connection = await asyncpg.connect(server)
    await connection.execute(f"create database {name}")
    await connection.close()
    url = f"{server.rpartition('/')[0]}/{name}"
    words = [sys.executable, "-m", "tableapi", "init"]
    await asyncio.to_thread(subprocess.run, words, cwd=ROOT, env=settings(stage, url), check=True, capture_output=True)
    return url


async def drop(server: str, name: str) -> None:
    """Drop a database."""
    connection = await asyncpg.connect(server)
    await connection.execute(f"drop database if exists {name} with (force)")
    await connection.close()


def _import(stage: Stage, url: str, count: int) -> float:
    """Return people per second of `tableapi run importpeople`, its start included."""
    file = stage.folder / "people.csv"
    with file.open("w") as out:
        out.write("linkedinurl,full_name,title,company,company_domain,country,personal_emails,business_emails,phones,")
        out.write("city,industry,company_size,seniority\n")
        for n in range(count):
            level, field = ("Senior", "Head of", "VP", "Junior")[n % 4], ("Sales", "Data", "Finance")[n % 3]
            out.write(
                f"https://www.linkedin.com/in/bench-{n},Person {n},{level} {field} {n % 50},Company {n % 999},"
                f"company{n % 999}.example,USA,person{n}@home.example,person{n}@company{n % 999}.example:valid,"
                f"+1202555{n % 10000:04},City {n % 300},Industry {n % 40},51-200,\n"
            )
    command = [sys.executable, "-m", "tableapi"]
    began = time.monotonic()
    words = [*command, "run", "importpeople", f"file={file}"]
    subprocess.run(words, cwd=ROOT, env=settings(stage, url), check=True, capture_output=True)
    return count / (time.monotonic() - began)


async def accounts(url: str) -> None:
    """Create clients with credits and return a session token of each owner."""
    connection = await asyncpg.connect(url)
    await connection.execute(ACCOUNTS)
    tokens = [(hashlib.sha256(f"reveal-{n}".encode()).digest(), 1_000_000 + n) for n in range(1, CLIENTS + 1)]
    await connection.executemany("insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $2)", tokens)
    await connection.close()


async def counts(url: str) -> dict[str, int]:
    """Return what was revealed and spent, and the number of clients with a wrong balance."""
    connection = await asyncpg.connect(url)
    row = await connection.fetchrow(COUNTS)
    await connection.close()
    assert row is not None
    return {name: int(value) for name, value in row.items()}


def _run(url: str, seconds: int, first: int) -> tuple[float, str]:
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "30s"]
    result = subprocess.run(
        [*words, "-s", Path(__file__).parent / "reveal.lua", url], capture_output=True, text=True, check=True,
        env={"PATH": os.environ["PATH"], "B_KEY": KEY, "B_CLIENTS": str(CLIENTS), "B_FIRST": str(first)},
    ).stdout  # fmt: skip
    if bad := re.search(r"Non-2xx or 3xx responses: (\d+)", result):
        raise WrongAnswers(f"reveal: {bad[1]} errors")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", result)
    assert rate is not None
    return float(rate[1]), result


def measure(stage: Stage, server: str, *, rounds: int, seconds: int) -> dict[str, Any]:
    """Measure first and repeated reveals per second, and compare ledger and balance."""
    url = asyncio.run(fresh(stage, server))
    rate = _import(stage, url, PEOPLE)
    asyncio.run(accounts(url))
    port = free_port()
    launch(
        stage, "reveal", [sys.executable, "-m", "tableapi", "serve"], port, ROOT,
        **settings(stage, url, PORT=str(port), WORKERS=str(stage.workers)),
    )  # fmt: skip
    here = f"http://127.0.0.1:{port}"
    paid = [_run(here, seconds, 1000 * n)[0] for n in range(rounds)]
    before = asyncio.run(counts(url))
    free = _run(here, min(seconds, 2), 0)[0]
    after = asyncio.run(counts(url))
    right = after["spent"] == after["credits"] == after["reveals"] == after["gone"] and after["wrong"] == 0
    if not right:
        raise WrongAnswers(f"reveal: the books are wrong: {after}")
    rates = ", ".join(f"{r:,.0f}" for r in paid)
    print(f"reveal: {rates} paid a second, the same again {free:,.0f}; {after['reveals']:,} reveals, each paid once")
    print(f"reveal: import of {PEOPLE:,} people: {rate * 60:,.0f} a minute", flush=True)
    return {"paid": paid, "again": free, "before": before, "after": after, "import_per_minute": rate * 60}


def imported(stage: Stage, server: str, count: int) -> dict[str, Any]:
    """Return people per minute through COPY, with every column of a file."""
    rate = _import(stage, asyncio.run(fresh(stage, server)), count) * 60
    print(f"import: {count:,} people at {rate:,.0f} a minute", flush=True)
    return {"people": count, "per_minute": rate}
