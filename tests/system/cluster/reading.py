"""Measure the primary's cost of reads with no replica, with one and with two behind HAProxy's read port."""

from __future__ import annotations

import asyncio
import os
import re
import time
from contextlib import suppress
from pathlib import Path

import httpx2

from tests.helpers.customer import KEY
from tests.helpers.load import Seen, load
from tests.system.cluster.clients import ACCOUNTS, prepare, token, traffic
from tests.system.cluster.faults import Row
from tests.system.cluster.programs import Database
from tests.system.cluster.stack import DATABASES, NODES, Stack

SECONDS, WARM_UP, CLIENTS = 12.0, 3.0, 8  # clients of each node
CONTACTS = "/api/v2/leads/_table/usercontact?limit=25"
TICKS = os.sysconf("SC_CLK_TCK")


def _spent(machine: Database) -> float:
    """Return the CPU seconds of a machine's PostgreSQL processes."""
    total = 0
    for pid in machine.pids() if machine.postmaster() else []:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if b"patroni" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                total += int(fields[11]) + int(fields[12])
    return total / TICKS


async def _by_replicas(stack: Stack) -> tuple[int, int]:
    """Return the reads served by replicas and by the primary since the nodes started."""
    total = {"replica": 0, "primary": 0}
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer watch"}) as http:
        for name in NODES:
            text = (await http.get(f"http://{stack.at[name]}:8000/metrics")).text
            for source, count in re.findall(r'tableapi_reads_total\{source="(\w+)"\} (\S+)', text):
                total[source] += int(float(count))
    return total["replica"], total["primary"]


async def _measured(stack: Stack, replicas: int) -> Row:
    headers = {"X-API-Key": KEY, "X-Session-Token": token(ACCOUNTS[0])}
    primary = stack.database(stack.primary())
    others = [stack.database(name) for name in DATABASES if name != primary.name]
    loads = [
        load(lambda: 8000, lambda _: ("GET", CONTACTS, b""), headers=headers, clients=CLIENTS, host=stack.at[name])
        for name in NODES
    ]
    async with loads[0] as one, loads[1] as two:
        await asyncio.sleep(WARM_UP)
        began, count = time.monotonic(), one.count + two.count
        before, spent = await _by_replicas(stack), [_spent(machine) for machine in (primary, *others)]
        await asyncio.sleep(SECONDS)
        reads, seconds = one.count + two.count - count, time.monotonic() - began
        after = await _by_replicas(stack)
        used = [_spent(machine) - was for machine, was in zip((primary, *others), spent, strict=True)]
    taken, left = (now - was for now, was in zip(after, before, strict=True))
    share = taken / max(1, taken + left)
    row = Row(
        {0: "no replica", 1: "one replica"}.get(replicas, f"{replicas} replicas"), "no request fails",
        f"{share:.1%} from replicas; {reads / seconds:.0f} reads a second; a read costs the primary"
        f" {used[0] / reads * 1e6:.0f} µs, the replicas together {sum(used[1:]) / reads * 1e6:.0f} µs",
    )  # fmt: skip
    row.problems = [str(seen.wrong(200)) for seen in (one, two) if _failed(seen)]
    if (share > 0.9) != (replicas > 0):
        row.problems.append("the share of the replicas is not what it should be")
    return row


def _failed(seen: Seen) -> bool:
    return bool(seen.failures) or seen.answers.keys() > {200}


async def run(stack: Stack) -> list[Row]:
    """Return a row for two replicas, for one, and for none."""
    await prepare(stack.direct)
    async with traffic(lambda: stack.url) as clients:
        await clients.flow(150)  # contacts to read
    rows = [await _measured(stack, 2)]
    last = next(name for name, member in stack.members().items() if member["role"] == "replica")
    await asyncio.to_thread(stack.database(last).kill)
    async with traffic(lambda: stack.url) as clients:
        await clients.calm()
    rows.append(await _measured(stack, 1))
    for name in NODES:
        await asyncio.to_thread(stack.nodes[name].stop)
        await asyncio.to_thread(stack.start_node, name, DATABASE_REPLICA_URLS="")
    rows.append(await _measured(stack, 0))
    return rows
