"""Measure webhooks under 1,000 changes a second, with and without a slow receiver."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import median
from typing import Any

import httpx2

from bench.contenders import Stage, launch
from bench.load import WrongAnswers
from bench.programs import new_database
from bench.reveal import drop
from tests.helpers.support import ROOT, descendants, free_port, until
from tests.helpers.webhook_load import SCHEMA, Changes, part
from tests.helpers.webhooks import SECRET, Received, Receiver, receiver

PER_SECOND, RECORDS, SLOW_SECONDS, PATIENCE = 1_000, 5_000, 1.0, 600.0
NAME = "bench_webhooks"


def _serve(stage: Stage, url: str, number: int) -> tuple[subprocess.Popen[bytes], int]:
    port, name = free_port(), f"{NAME}_{number}"
    words = [sys.executable, "-m", "tableapi", "serve", "--dataset", f"x={url}", "--access", f"{NAME}.json"]
    process = launch(
        stage, name, [*words, "--port", str(port)], port, stage.folder, PYTHONPATH=str(ROOT),
        DATA_DIR=str(stage.folder / name), WORKERS="1", LOG_LEVEL="info", WEBHOOKS_PRIVATE="on",
    )  # fmt: skip
    return process, port


async def _reads(port: int, found: list[float], until_done: asyncio.Event) -> None:
    """Read a record ten times a second, and note how long each read takes."""
    async with httpx2.AsyncClient(headers={"X-API-Key": "reader-key-of-the-bench"}) as http:
        while not until_done.is_set():
            began = time.perf_counter()
            response = await http.get(f"http://127.0.0.1:{port}/api/v2/x/_table/orders?limit=20")
            found.append(time.perf_counter() - began)
            if response.status_code != 200:
                raise WrongAnswers(f"webhooks: {response.status_code} {response.text[:200]}")
            await asyncio.sleep(0.1)


async def _run(stage: Stage, server: str, *, seconds: int, slow: bool, kill: bool) -> dict[str, Any]:
    """Make changes for some seconds, and compare what each receiver got with what was committed."""
    url = await new_database(server, NAME, SCHEMA)
    async with AsyncExitStack() as stack:
        receivers: list[Receiver] = [await stack.enter_async_context(receiver()) for _ in range(2)]
        patience = SLOW_SECONDS if slow else 0.0

        async def answer_late(_: Received) -> tuple[int, dict[str, str]]:
            await asyncio.sleep(patience)
            return 204, {}

        receivers[0].respond = answer_late
        hooks = [
            {"name": f"hook{number}", "table": "orders", "url": target.url, "secret": SECRET}
            for number, target in enumerate(receivers)
        ]
        access = {"keys": {"reader-key-of-the-bench": {"role": "*"}}, "webhooks": hooks}
        (stage.folder / f"{NAME}.json").write_text(json.dumps(access))
        sending, port = await asyncio.to_thread(_serve, stage, url, 0)
        log = stage.folder / f"{NAME}_0.log"
        await until(lambda: log.read_text().count("webhook_taken") == len(hooks))
        other = sending
        if kill:
            other, port = await asyncio.to_thread(_serve, stage, url, 1)
        changes, reads, done = Changes(), list[float](), asyncio.Event()
        reading = asyncio.create_task(_reads(port, reads, done))
        making = asyncio.create_task(changes.make(url, records=RECORDS, per_second=PER_SECOND, seconds=seconds))
        if kill:
            await asyncio.sleep(seconds / 2)
            for process in [sending.pid, *descendants(sending.pid)]:
                os.kill(process, signal.SIGKILL)
        await making
        made = time.monotonic()
        total = len(changes.committed)
        await receivers[1].gets(total, PATIENCE)
        behind, lagged = time.monotonic() - made, total - len(receivers[0].delivered)
        done.set()
        await reading
        patience, began = 0.0, time.monotonic()
        await receivers[0].gets(total, PATIENCE)
        caught_up = time.monotonic() - began
        await until(lambda: all(changes.complete(target) for target in receivers), PATIENCE)
        other.terminate()
        await asyncio.to_thread(other.wait, 20)
        await drop(server, NAME)
        return {
            "changes": total,
            "changes_per_second": round(total / changes.seconds),
            "commit_ms": _ms(changes.commit_seconds),
            "read_ms": _ms(reads),
            "quick_ms": _ms(changes.waited(receivers[1])),
            "quick_done_after_s": round(behind, 1),
            "slow_behind_by": lagged,
            "slow_caught_up_s": round(caught_up, 1),
            "repeated": [len(target.delivered) - total for target in receivers],
        }


def _ms(seconds: Sequence[float]) -> str:
    """Return median, 95th percentile and maximum in milliseconds."""
    return ", ".join(f"{1000 * value:.1f}" for value in (median(seconds), part(seconds, 0.95), max(seconds)))


def measure(stage: Stage, server: str, *, seconds: int = 60) -> dict[str, Any]:
    """Measure two quick receivers, a slow and a quick one, and the same with the sending node killed."""
    result = {
        "two quick": asyncio.run(_run(stage, server, seconds=seconds, slow=False, kill=False)),
        "one slow": asyncio.run(_run(stage, server, seconds=seconds, slow=True, kill=False)),
        "one slow, node killed": asyncio.run(_run(stage, server, seconds=seconds, slow=True, kill=True)),
    }
    print(f"webhooks: {json.dumps(result, indent=1)}", flush=True)
    return result
