"""Measure look-ups and paid reveals per second with 100,000 and 10,000,000 people."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from bench.contenders import Stage, launch
from bench.load import CONNECTIONS, WrongAnswers
from bench.reveal import CLIENTS, SECRET, accounts, counts, drop, fresh, settings
from bench.scenarios import KEY
from product.people.directory import sealed_fields
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault
from tests.helpers.support import ROOT, free_port

SIZES = (100_000, 10_000_000)
CALLS = ("searchurl", "getcontact")
STEP = 7_654_321  # coprime with both sizes, so that steps of it visit each person once
BLOCK = 1_000_000
MUST_BE = 0.9
# A few hundred sealed values are reused; each has a realistic length and is decrypted like any other.
PEOPLE = """
insert into person (profilekey, full_name, title, company, company_domain, country, personalcipher, businesscipher,
                    phonecipher)
select 'in/bench-' || n, 'Person ' || n, 'Engineer', 'Company ' || n % 999, 'company' || n % 999 || '.example', 'USA',
       ($3::bytea[])[1 + n % $6], ($4::bytea[])[1 + n % $6], ($5::bytea[])[1 + n % $6]
from generate_series($1::bigint, $2::bigint) n
"""


def _name(size: int) -> str:
    return f"bench_directory_{size}"


async def _filled(stage: Stage, server: str, size: int) -> str:
    url, began = await fresh(stage, server, _name(size)), time.monotonic()
    vault, kinds = Vault([SECRET]), []
    for n in range(500):
        person = FoundPerson(
            full_name="", personal_emails=[f"person{n}@home.example"], phones=[f"+1202555{n:04}"],
            business_emails=[f"person{n}@company.example:valid"],
        )  # fmt: skip
        kinds.append(sealed_fields(vault, person)[-3:])
    sealed = [list(column) for column in zip(*kinds, strict=True)]
    connection = await asyncpg.connect(url)
    for first in range(0, size, BLOCK):
        last = min(first + BLOCK, size) - 1
        await connection.execute(PEOPLE, first, last, *sealed, len(kinds))
        print(f"directory: {last + 1:,} of {size:,} people, {time.monotonic() - began:.0f} s", flush=True)
    await connection.execute("vacuum (analyze)")
    await connection.execute("checkpoint")
    room = await connection.fetchval("select pg_size_pretty(pg_database_size(current_database()))")
    await connection.close()
    await accounts(url)
    print(f"directory: {size:,} people take {room}", flush=True)
    return url


def _run(url: str, call: str, size: int, first: int, seconds: int) -> float:
    result = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s",
         "-s", Path(__file__).parent / "directory.lua", url],
        env={"PATH": os.environ["PATH"], "B_KEY": KEY, "B_CLIENTS": str(CLIENTS), "B_PEOPLE": str(size),
             "B_STEP": str(STEP), "B_FIRST": str(first), "B_CALL": call},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    if bad := re.search(r"Non-2xx or 3xx responses: (\d+)", result):
        raise WrongAnswers(f"directory: {bad[1]} errors by {call}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", result)
    assert rate is not None
    return float(rate[1])


async def _right(url: str) -> int:
    """Return the number of reveals. Raises WrongAnswers when ledger or balance differ from it."""
    counted = await counts(url)
    if counted["wrong"] or not 0 < counted["reveals"] == counted["spent"] == counted["credits"] == counted["gone"]:
        raise WrongAnswers(f"directory: the books are wrong: {counted}")
    return counted["reveals"]


def measure(stage: Stage, server: str, *, rounds: int, seconds: int, sizes: tuple[int, int] = SIZES) -> dict[str, Any]:
    """Return the rates of both sizes and the ratio (large / small) of each round, and drop the data."""
    urls, here = {}, {}
    try:
        for size in sizes:
            urls[size], port = asyncio.run(_filled(stage, server, size)), free_port()
            environment = settings(stage, urls[size], PORT=str(port), WORKERS=str(stage.workers))
            launch(stage, _name(size), [sys.executable, "-m", "tableapi", "serve"], port, ROOT, **environment)
            here[size] = f"http://127.0.0.1:{port}"
        results = {call: _rounds(here, call, rounds, seconds) for call in CALLS}
        reveals = {size: asyncio.run(_right(url)) for size, url in urls.items()}
    finally:
        for size in sizes:
            asyncio.run(drop(server, _name(size)))
    print(f"directory: reveals {', '.join(f'{n:,}' for n in reveals.values())}, each paid once", flush=True)
    return results | {"reveals": {str(size): n for size, n in reveals.items()}}


def _rounds(here: dict[int, str], call: str, rounds: int, seconds: int) -> dict[str, Any]:
    small, large = here
    rates: dict[int, list[float]] = {small: [], large: []}
    for size in here:
        _run(here[size], call, size, 0, 1)  # warm
    for number in range(rounds):
        # The second contender of a round profits from warm caches, so the order alternates.
        for size in (small, large) if number % 2 == 0 else (large, small):
            first = (number + 1) * size // (rounds + 1)
            rates[size].append(_run(here[size], call, size, first, seconds))
    ratio = median(b / a for a, b in zip(rates[small], rates[large], strict=True))
    shown = "; ".join(f"{size:,}: {', '.join(f'{rate:,.0f}' for rate in rates[size])}" for size in here)
    print(f"directory: {call} a second at {shown}; ratio {ratio:.2f}", flush=True)
    if ratio < MUST_BE:
        print(f"missed: directory {call}: {ratio:.2f}, must be >= {MUST_BE}")
    return {"rates": {str(size): rates[size] for size in here}, "ratio": round(ratio, 3)}
