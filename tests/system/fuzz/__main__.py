"""python -m tests.system.fuzz [--requests 100000] [--seed 1]: requests that nobody should send, over the whole surface.

Four fifths are mutations of real traffic, one fifth is made by schemathesis from the description. Exits 1 when one
was answered by 5xx (but 503 with Retry-After), slower than the limit or told of the inside, when a row of somebody
else changed, and when the ledger is not the balance. The same seed makes the same requests.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2

from tableapi.server.postgres.server import Embedded
from tests.helpers.support import Server, start
from tests.system.fuzz import described, run, stage


def serve(stack: ExitStack, folder: Path, url: str) -> Server:
    settings: dict[str, Any] = {
        "DATABASE_URL": url, "SECRET_KEYS": stage.SECRET, "APP_KEYS": stage.KEY, "RATE_LIMITS": "off", "DEMO": "1",
        "LOG_LEVEL": "warning", "WORKER": "off",
    }  # fmt: skip
    return start(stack, folder, **settings)


async def fuzz(server: Server, url: str, many: int, seed: int, *, with_schema: bool = True) -> run.Outcome:
    """Everything, and what was wrong."""
    await stage.fill(url)
    async with httpx2.AsyncClient(timeout=30) as http:
        await stage.reveal_for_victim(server.url, http)
    before = await stage.state(url)
    outcome = await run.send(server.port, many * 4 // 5 if with_schema else many, seed, url)
    if with_schema:
        await stage.sign_in(url)
        await asyncio.to_thread(described.send, server.url, many // 5, outcome)
    after = await stage.state(url)
    outcome.wrong += [f"changed: {name}" for name in before if before[name] != after[name]]
    if not after["ledger is balance"]:
        outcome.wrong.append("the ledger is not the balance")
    bugs = [line for line in server.log.read_text().splitlines() if '"bug"' in line]
    outcome.wrong += [f"bug: {line[-1500:]}" for line in bugs[:20]]
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        url = stack.enter_context(Embedded(folder / "postgres", durable=False))
        server = serve(stack, folder, url)
        began = time.monotonic()
        outcome = asyncio.run(fuzz(server, url, args.requests, args.seed))
        seconds = time.monotonic() - began
    print(f"{outcome.count:,} requests in {seconds:,.0f} s, slowest {outcome.slowest:.1f} s")
    print("  ".join(f"{status or 'none'}: {count:,}" for status, count in sorted(outcome.statuses.items())))
    for line in outcome.wrong[:40]:
        print(f"WRONG: {line}", file=sys.stderr)
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
