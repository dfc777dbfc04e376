"""Killed processes of the server, and changes of the clock."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from tests.helpers.support import ROOT, descendants
from tests.system.faults.conftest import HEADERS, Product
from tests.system.faults.traffic import until

Seen = Callable[[str, str, str], None]
pytestmark = pytest.mark.slow
CLOCK = """
import os, time
_real = time.time
def _moved():
    try:
        return _real() + float(open(os.environ["CLOCK"]).read())
    except (OSError, ValueError):
        return _real()
time.time = _moved
"""

JOBS = "tableapi jobs"


def children(pid: int) -> dict[int, str]:
    """Return the descendants of a process with their names and command lines."""
    processes = {}
    for child in descendants(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            name, words = (Path(f"/proc/{child}/{file}").read_text() for file in ("comm", "cmdline"))
            processes[child] = f"{name.strip()}: {words.replace(chr(0), ' ')}"
    return processes


def serving(pid: int) -> list[int]:
    return [child for child, words in children(pid).items() if not words.startswith(JOBS) and "tracker" not in words]


def working(pid: int) -> list[int]:
    return [child for child, words in children(pid).items() if words.startswith(JOBS)]


async def test_a_killed_worker_is_replaced(product: Product, seen: Seen) -> None:
    main = product.servers[0].process.pid
    assert len(serving(main)) == 2
    async with product.traffic() as traffic:
        killed = serving(main)[0]
        os.kill(killed, signal.SIGKILL)
        back = time.monotonic()
        restarted = await until(lambda: len(set(serving(main)) - {killed}) == 2)
        await traffic.calm()
    heal = traffic.healed(back)
    seen("A worker process killed (-9)", "the others go on; a new one is there in 5 s; nothing lost or doubled",
         f"{traffic.told()}; new process after {restarted:.1f} s, last error after {heal:.1f} s")  # fmt: skip


async def test_the_job_worker_is_killed(product: Product, seen: Seen) -> None:
    main = product.servers[0].process.pid
    already = product.mails.doubled
    async with product.traffic() as traffic:
        [old] = working(main)
        os.kill(old, signal.SIGSTOP)
        sending = await product.jobs_under_way()
        product.doubled = already + sending  # see docs/explanation/faults.md
        os.kill(old, signal.SIGKILL)
        back = time.monotonic()
        before = len(traffic.mailed)
        await until(lambda: set(working(main)) - {old})
        await until(lambda: set(traffic.mailed[before:]) & set(product.mails.names))
        first = time.monotonic() - back
        await traffic.calm()
    product.doubled = product.mails.doubled
    seen(
        "The job worker killed (-9)",
        "answers go on; mails wait, none is lost; only those being sent may be repeated, same Message-ID",
        f"{traffic.told()}; first mail after {first:.1f} s; {sending} being sent, {product.doubled - already} repeated",
    )


async def test_a_killed_server_starts_again(product: Product, seen: Seen) -> None:
    node = await asyncio.to_thread(product.serve, WORKERS="1")
    async with product.traffic(node.url) as traffic:
        node.process.kill()
        await traffic.trouble()
        product.servers.remove(node)
        again = await asyncio.to_thread(product.serve, WORKERS="1", PORT=str(node.port))
        back = time.monotonic()
        traffic.url = again.url
        await traffic.calm()
    seen("A whole node killed (-9)", "nothing lost or doubled; a claim of the dead is free after 40 s",
         f"{traffic.told()}; last error {traffic.healed(back, 45):.1f} s after the restart")  # fmt: skip
    await asyncio.to_thread(again.stop)
    product.servers.remove(again)


async def test_the_clock_is_moved(product: Product, seen: Seen, tmp_path: Path) -> None:
    """Limits, sessions and keys survive an hour's jump forth and back, since they use PostgreSQL's clock."""
    (tmp_path / "sitecustomize.py").write_text(CLOCK)
    clock = tmp_path / "clock"
    clock.write_text("0")
    node = await asyncio.to_thread(
        product.serve, WORKERS="1", RATE_LIMITS="on", SESSION_PER_MINUTE="30",
        PYTHONPATH=f"{tmp_path}:{ROOT}", CLOCK=str(clock), DATA_DIR=str(tmp_path / "data"),
    )  # fmt: skip
    url = f"{node.url}/api/v2/leads/_table/usercontact?limit=1"
    statuses = {}
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        for jump in (0, 3600, -3600):
            clock.write_text(str(jump))
            responses = [await http.get(url) for _ in range(31)]
            statuses[jump] = [response.status_code for response in responses]
            resets = int(responses[-1].headers["x-ratelimit-reset"]) - (time.time() + jump)
            assert 0 <= resets <= 62, (jump, resets)
    assert statuses == {jump: [200] * 30 + [429] for jump in statuses}, json.dumps(statuses)
    await asyncio.to_thread(node.stop)
    product.servers.remove(node)
    seen("Clock set an hour forth, then two back", "sessions live on; a full limit opens again at most a minute later",
         "30 × 200, then 429, after each jump; reset within 62 s")  # fmt: skip
