"""Inject random faults for minutes while clients keep working: the history must remain correct."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

from tests.system.cluster.clients import books, prepare, states, traffic
from tests.system.cluster.faults import (
    FAULTS,
    Row,
    Run,
    bugs,
    impolite,
    lost_and_doubled,
    named,
    settled,
    settled_or_helped,
    watched,
)
from tests.system.cluster.programs import Missing
from tests.system.cluster.stack import Stack

SECONDS, EVERY = 600.0, 30.0
ALWAYS = ("switchover", "update")  # in each run, because people do these


async def run(stack: Stack, seed: int, show: Callable[[Row], None], seconds: float = SECONDS) -> list[Row]:
    """Run the clients for some seconds with the faults of the seed; return a row for each fault and one for all."""
    dice = random.Random(seed)
    names = [*ALWAYS, *dice.choices(list(FAULTS), k=int(seconds / EVERY) - len(ALWAYS))]
    dice.shuffle(names)
    await prepare(stack.direct)
    await settled(stack)
    first, rows = await states(stack.direct), list[Row]()
    whole = Row("**All of them**", "books right, nothing lost or doubled, no 500", "")
    async with traffic(lambda: stack.url, stack.provider) as clients, watched(stack) as health:
        begun = time.monotonic()
        for number, name in enumerate(names):
            if (early := begun + number * EVERY - time.monotonic()) > 0:
                await asyncio.sleep(early)
            since, one = time.monotonic(), Run(stack, clients)
            title, expected, cause, _ = FAULTS[name]
            row = Row(f"{int(since - begun) // 60}:{int(since - begun) % 60:02} {title}", expected, "")
            try:
                await cause(one)
                await clients.calm()
            except (TimeoutError, AssertionError, Missing) as error:
                row.problems.append(f"{type(error).__name__}: {error}")
            row.problems += await settled_or_helped(stack)
            until = time.monotonic()
            writes, reads = (clients.outage(writes=kind, since=since, until=until) for kind in (True, False))
            refused = named(clients.errors(since, until))
            row.seen = "; ".join([f"no write for {writes:.1f} s, no read for {reads:.1f} s", refused, *one.notes])
            rows.append(row)
            show(row)
        spent = time.monotonic() - begun
    last = await states(stack.direct)
    whole.problems = clients.wrong(first, last) + await books(stack.direct) + bugs(stack) + impolite(clients, health)
    lost, doubled = lost_and_doubled(clients, last)
    whole.seen = (
        f"{spent / 60:.0f} minutes, {len(names)} faults, seed {seed}: {len(clients.attempts)} requests,"
        f" {named(clients.errors())}; {clients.acknowledged()} writes acknowledged, {lost} lost, {doubled} doubled"
    )
    rows.append(whole)
    show(whole)
    return rows
