"""The checker of histories: what it accepts, and the faults that it finds."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.system.cluster.clients import books, prepare, states, traffic
from tests.system.cluster.history import Kind, Operation, State, problems
from tests.system.cluster.nodes import Cluster, bring_up


def op(kind: Kind, argument: int, start: float, end: float, *answer: Any, done: bool = False) -> Operation:
    return Operation(1, kind, argument, start, end, answer or None, done)


RIGHT = {
    "one after the other": [op("reveal", 7, 0, 1, 1, 9), op("reveal", 7, 2, 3, 0, 9), op("balance", 0, 4, 5, 9)],
    "overlapping, either order": [op("reveal", 7, 0, 9, 1, 8), op("reveal", 8, 0, 9, 1, 9), op("listed", 0, 1, 8, 1)],
    "no answer, took effect": [op("reveal", 7, 0, 1), op("balance", 0, 2, 3, 10), op("balance", 0, 4, 5, 9)],
    "no answer, took none": [op("reveal", 7, 0, 1), op("balance", 0, 2, 3, 10)],
    "answer lost, took effect": [op("change", 5, 0, 1, done=True), op("balance", 0, 2, 3, 15)],
    "too few to take": [op("change", -11, 0, 1, False, None), op("balance", 0, 2, 3, 10)],
}
WRONG = {
    "paid twice": [op("reveal", 7, 0, 1, 1, 9), op("reveal", 7, 2, 3, 1, 8)],
    "paid twice at once": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 7, 0, 9, 1, 8)],
    "one credit spent twice": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 8, 0, 9, 1, 9)],
    "an acknowledged reveal is gone": [op("reveal", 7, 0, 1, 1, 9), op("listed", 0, 2, 3, 0)],
    "an old balance is read": [op("change", 5, 0, 1, True, 15), op("balance", 0, 2, 3, 10)],
    "a change without effect": [op("change", 5, 0, 1, done=True), op("balance", 0, 2, 3, 10)],
    "below zero": [op("change", -11, 0, 1, True, -1)],
    "back in time": [op("reveal", 7, 0, 9), op("balance", 0, 1, 2, 9), op("balance", 0, 3, 4, 10)],
}


@pytest.mark.parametrize("operations", RIGHT.values(), ids=RIGHT.keys())
def test_a_history_that_one_order_explains_is_right(operations: list[Operation]) -> None:
    assert problems(operations, State(10)) == []


@pytest.mark.parametrize("operations", WRONG.values(), ids=WRONG.keys())
def test_a_history_that_no_order_explains_is_found(operations: list[Operation]) -> None:
    assert problems(operations, State(10))


def test_the_end_belongs_to_the_history() -> None:
    operations = [op("reveal", 7, 0, 1, 1, 9), op("reveal", 8, 2, 3)]
    assert problems(operations, State(10), State(9, frozenset({7}))) == []
    assert problems(operations, State(10), State(8, frozenset({7, 8}))) == []
    assert problems(operations, State(10), State(10)), "an acknowledged write is lost"
    assert problems(operations, State(10), State(8, frozenset({7}))), "one value paid twice"


LOCK = "where clientid = p_clientid for update"
SOURCE = "select pg_get_functiondef(oid) from pg_proc where proname = 'reveal_contact'"
UNIQUE = "alter table reveal drop constraint reveal_clientid_personid_kind_key"


async def _found(cluster: Cluster, seconds: float) -> tuple[list[str], list[str]]:
    """Run clients that ask for the same people at once; return what is wrong in their histories, and in the books."""
    url = cluster.settings["DATABASE_URL"]
    first, nodes = await states(url), itertools.cycle(cluster.nodes)
    async with traffic(lambda: next(nodes).url, narrow=True) as clients:
        await asyncio.sleep(seconds)
    return clients.wrong(first, await states(url)), await books(url)


@pytest.mark.slow
async def test_a_build_without_its_lock_is_found(tmp_path: Path) -> None:
    with ExitStack() as stack:
        cluster = await asyncio.to_thread(bring_up, tmp_path, stack, whole=False)
        url = cluster.settings["DATABASE_URL"]
        await prepare(url)
        assert await _found(cluster, 3) == ([], [])

        db = await asyncpg.connect(url)
        source = await db.fetchval(SOURCE)
        assert source.count(LOCK) == 1
        await db.execute(source.replace(LOCK, LOCK.removesuffix(" for update")))
        for _ in range(10):
            _, wrong = await _found(cluster, 2)
            if wrong:
                break
        assert wrong, "two reveals at once book the same balance"

        await db.execute(UNIQUE)  # the constraint that prevents the second payment
        for _ in range(10):
            wrong, _ = await _found(cluster, 2)
            if wrong:
                break
        assert wrong, "one value is paid for twice"
        await db.close()
        await asyncio.to_thread(stack.close)
