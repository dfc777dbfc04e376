"""Measure without contenders: growth with the data, far pages, memory, idle connections."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from bench import contenders, cost, data, load
from bench.contenders import Contender, Stage
from bench.scenarios import KEY, Places

IDLE = 1000


def growth(folder: Stage, server: str, scales: list[float], postgres: int, seconds: int) -> dict[str, Any]:
    """Measure S1 to S4 of the product over several sizes of the data."""
    results: dict[str, Any] = {}
    for scale in scales:
        database = data.main(server, scale)
        places, size = Places.of(scale), data.contacts(scale)
        with ExitStack() as stack:
            ours = contenders.product(Stage(stack, database, folder.folder, folder.workers))
            results[str(size)] = {}
            for name in ("S1", "S2", "S3", "S4"):
                ask = ours.asks[name]
                load.check(ours, name, ask, places)
                load.run(ours, ask, places, 1, postgres)
                results[str(size)][name] = result = asdict(load.run(ours, ask, places, seconds, postgres))
                cpu = f"{result['server']:.0f} + {result['postgres']:.0f} us"
                print(f"growth: {size:>10,} contacts, {name}: {result['rate']:,.0f} a second, CPU {cpu}", flush=True)
    return results


def _page(ours: Contender, cursor: str) -> tuple[str, float]:
    url = f"{ours.url}/api/v2/leads/_table/appuser?order=createdon&limit=5&cursor={cursor}"
    request = urllib.request.Request(url, headers={"X-API-Key": KEY, "X-Session-Token": data.STAFF})
    began = time.perf_counter()
    with urllib.request.urlopen(request, timeout=30) as response:
        body = json.load(response)
    return body["meta"].get("next_cursor", ""), (time.perf_counter() - began) * 1000


def pages(stage: Stage, last: int = 4000) -> dict[str, float]:
    """Return the milliseconds of the first and the last hundred of many pages by cursor."""
    ours, times, cursor = contenders.product(stage), [], ""
    for _ in range(last):
        cursor, took = _page(ours, cursor)
        times.append(took)
        if not cursor:
            break
    first, far = sorted(times[5:105])[50], sorted(times[-100:])[50]
    print(f"pages: page 1 takes {first:.2f} ms, page {len(times):,} takes {far:.2f} ms", flush=True)
    return {"first_ms": first, "far_ms": far, "pages": len(times)}


def rest(stage: Stage, places: Places, postgres: int, seconds: int) -> dict[str, Any]:
    """Measure the memory of each process before and after load, and S1 with and without idle connections."""
    ours = contenders.product(stage)
    ask = ours.asks["S1"]
    load.check(ours, "S1", ask, places)
    before = {pid: round(cost.memory(pid)) for pid in cost.children(ours.pid)}
    alone = load.run(ours, ask, places, seconds, postgres)
    address = ("127.0.0.1", int(ours.url.rpartition(":")[2]))
    idle = [socket.create_connection(address) for _ in range(IDLE)]
    beside = load.run(ours, ask, places, seconds, postgres)
    for connection in idle:
        connection.close()
    after = {pid: round(cost.memory(pid)) for pid in cost.children(ours.pid)}
    print(f"rest: MB per process {list(before.values())}, after load {list(after.values())}")
    print(f"rest: S1 {alone.rate:,.0f} a second, beside {IDLE:,} idle connections {beside.rate:,.0f}", flush=True)
    memory = {"mb": list(before.values()), "mb_after": list(after.values())}
    return memory | {"alone": asdict(alone), "idle": asdict(beside)}
