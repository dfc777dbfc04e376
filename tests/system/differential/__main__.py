"""Run `python -m tests.system.differential [--reads 100000] [--writes 4000] [--seed 1]`: random requests and their SQL.

Exits with 1 after a response that differs from PostgreSQL's own, is a 5xx, or rejects a valid request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import asyncpg
import httpx2

from tableapi.server.postgres.server import Embedded
from tests.helpers.support import execute, start
from tests.system.differential import calls
from tests.system.differential import writes as filtered_writes
from tests.system.differential.generate import Generator, Read
from tests.system.differential.models import MODELS
from tests.system.differential.outcome import Outcome

CALLERS = 8
BATCH = 200  # reads of one caller in one model


async def compare(
    http: httpx2.AsyncClient, db: asyncpg.Connection, base: str, name: str, read: Read, outcome: Outcome
) -> None:
    """Compare one read with its SQL."""
    path = f"_func/rows_of_{read.table}" if read.function else f"_table/{read.table}"
    response = await http.get(f"{base}/api/v2/{name}/{path}?{urlencode(read.options)}")
    sql = f"select coalesce(json_agg(r), '[]')::text from ({read.sql}) r"
    expected = json.loads(await db.fetchval(sql))
    outcome.count += 1
    outcome.statuses[response.status_code] += 1
    body = response.json() if response.status_code == 200 else None
    rows = body.get("resource") if isinstance(body, dict) else body
    if read.function and rows is not None:  # there is no key to complete the order
        rows, expected = sorted(rows, key=str), sorted(expected, key=str)
    number = await db.fetchval(read.count) if read.count else None
    if rows == expected and (number is None or (body or {})["meta"]["count"] == number):
        outcome.rows += len(expected)
        return
    found = response.text[:300] if rows is None else f"{len(rows)} rows {str(rows)[:300]}"
    outcome.wrong.append(
        f"{name}/{read.table} {read.options}\n  SQL: {read.sql}\n  expected {expected!s:.300}\n  found {found}"
    )


async def run(base: str, urls: dict[str, str], reads: int, seed: int, outcome: Outcome) -> None:
    """Compare random reads of every model."""

    async def caller(number: int) -> None:
        name = list(MODELS)[number % len(MODELS)]
        generator = Generator(MODELS[name], random.Random(f"{seed} {number}"), newest=True)
        db = await asyncpg.connect(urls[name], server_settings={"timezone": "UTC"})
        async with httpx2.AsyncClient(timeout=60) as http:
            for _ in range(min(BATCH, reads - number * BATCH)):
                await compare(http, db, base, name, generator.read(), outcome)
        await db.close()

    numbers = iter(range((reads + BATCH - 1) // BATCH))

    async def work() -> None:
        for number in numbers:
            await caller(number)

    await asyncio.gather(*(work() for _ in range(CALLERS)))


def differential(stack: ExitStack, folder: Path, url: str, reads: int, writes: int, seed: int) -> Outcome:
    """Create the databases, serve them, and compare."""
    urls = {}
    for name, model in MODELS.items():
        server_url, _, own = url.rpartition("/")
        urls[name] = f"{server_url}/{own}_{name}"
        execute(url, f"create database {own}_{name}")
        stack.callback(execute, url, f"drop database {own}_{name} with (force)")
        execute(urls[name], model.sql)
        # A DELETE is compared without its effects through references from other tables.
        execute(url, f"alter database {own}_{name} set session_replication_role = replica")
        for table in model.tables:
            execute(
                urls[name],
                f"create function rows_of_{table}() returns setof {table} language sql stable"
                f" as 'select * from {table}'",
            )
    overloads = calls.overloads(random.Random(f"{seed} overloads"))
    execute(urls[calls.MODEL], "".join(overload.sql for overload in overloads))
    words = [word for name in MODELS for word in ("--dataset", f"{name}={urls[name]}")]
    public = {overload.name for overload in overloads} | {
        f"rows_of_{table}" for model in MODELS.values() for table in model.tables
    }
    server = start(
        stack, folder, *words, "--open", LOG_LEVEL="warning", MCP_READ_ONLY="off", PUBLIC_ROUTINES=",".join(public)
    )
    outcome = Outcome()
    asyncio.run(run(server.url, urls, reads, seed, outcome))
    asyncio.run(calls.run(server.url, urls[calls.MODEL], overloads, reads // 10, seed, outcome))
    asyncio.run(filtered_writes.run(server.url, urls, writes, seed, outcome))
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.differential", description=__doc__)
    parser.add_argument("--reads", type=int, default=100_000)
    parser.add_argument("--writes", type=int, default=4_000, help="filters, each in every verb")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        url = stack.enter_context(Embedded(folder / "postgres", durable=False))
        began = time.monotonic()
        outcome = differential(stack, folder, url, args.reads, args.writes, args.seed)
        seconds = time.monotonic() - began
    print(f"{outcome.count:,} comparisons of {outcome.rows:,} rows in {seconds:,.0f} s, {len(outcome.wrong)} wrong")
    print("  ".join(f"{status}: {count:,}" for status, count in sorted(outcome.statuses.items())))
    for line in outcome.wrong[:20]:
        print(f"WRONG: {line}", file=sys.stderr)
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
