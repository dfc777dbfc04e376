"""A build of the product without the lock for reveals, to prove that the checks detect this."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import get_args

import asyncpg

from tests.system.cluster.clients import books, prepare, states, traffic
from tests.system.cluster.history import Kind
from tests.system.cluster.nodes import Cluster

WHOLE = 8.0  # seconds of everything
TRIES = 30  # attempts of two seconds, because two reveals overlap only by chance
LOCK = "where clientid = p_clientid for update"
SOURCE = "select pg_get_functiondef(oid) from pg_proc where proname = 'reveal_contact'"
UNIQUE = "alter table reveal drop constraint reveal_clientid_personid_kind_key"


async def _found(cluster: Cluster, seconds: float) -> tuple[list[str], list[str]]:
    """Run clients that reveal the same people concurrently; return the errors in their histories and in the books."""
    url = cluster.settings["DATABASE_URL"]
    first, nodes = await states(url), itertools.cycle(cluster.nodes)
    async with traffic(lambda: next(nodes).url, narrow=True) as clients:
        await asyncio.sleep(seconds)
    return clients.wrong(first, await states(url)), await books(url)


async def finds_a_missing_lock(cluster: Cluster) -> None:
    """Take the lock out of the reveal, and check that the books and the histories show it. Raises AssertionError.

    Before it, everything is bought, granted, revealed and read, and nothing is found.
    """
    url = cluster.settings["DATABASE_URL"]
    await prepare(url)
    first, nodes = await states(url), itertools.cycle(cluster.nodes)
    async with traffic(lambda: next(nodes).url, cluster.provider) as clients:
        await asyncio.sleep(WHOLE)
    assert (clients.wrong(first, await states(url)), await books(url)) == ([], [])
    kinds = Counter(one.kind for one in clients.operations if one.answer is not None or one.done)
    print(", ".join(f"{count} × {kind}" for kind, count in sorted(kinds.items())), flush=True)
    assert kinds.keys() == set(get_args(Kind))
    assert await _found(cluster, 3) == ([], [])

    db = await asyncpg.connect(url)
    source = await db.fetchval(SOURCE)
    assert source.count(LOCK) == 1
    await db.execute(source.replace(LOCK, LOCK.removesuffix(" for update")))
    for _ in range(TRIES):
        _, wrong = await _found(cluster, 2)
        if wrong:
            break
    assert wrong, "two reveals at once book the same balance"

    await db.execute(UNIQUE)  # the constraint that prevents the second payment
    for _ in range(TRIES):
        wrong, _ = await _found(cluster, 2)
        if wrong:
            break
    assert wrong, "one value is paid for twice"
    await db.close()
