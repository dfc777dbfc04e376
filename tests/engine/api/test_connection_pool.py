"""The connection pool on PostgreSQL: waits are bounded, connections return, and DDL invalidates prepared statements."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest

from tableapi.auth.rights import FullRights
from tableapi.datasets.dataset import ServedDataset
from tableapi.db.database import Db
from tableapi.db.session import MAX_PREPARED_STATEMENTS, Connection
from tableapi.errors import Busy
from tests.helpers.support import NewDatabase


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database()


@pytest.fixture
async def db(url: str) -> AsyncIterator[Db]:
    database = Db(url, reads=1, pool=1)
    await database.connect()
    yield database
    await database.close()


async def test_a_request_waiting_too_long_is_rejected_and_the_connection_kept(db: Db) -> None:
    db.reads.lease_queue.seconds = 0.05
    async with db.reads.acquire():
        with pytest.raises(Busy):
            await db.reads.take()
        late = await asyncio.gather(*(db.reads.take() for _ in range(3)), return_exceptions=True)
        assert all(isinstance(error, Busy) for error in late)
    assert await db.reads.fetchrow("select 1 as one") is not None


async def test_requests_beyond_the_queue_are_rejected_at_once(db: Db) -> None:
    db.reads.lease_queue.limit = 0
    async with db.reads.acquire():
        with pytest.raises(Busy):
            await db.reads.take()


async def test_a_connection_handed_to_a_cancelled_request_is_not_lost(db: Db) -> None:
    held = await db.reads.take()
    waiting = asyncio.create_task(db.reads.take())
    await asyncio.sleep(0)
    db.reads.give_back(held)  # handed over, but the task has not run since
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await asyncio.wait_for(db.reads.take(), 10) is held


async def test_a_cancelled_request_leaves_the_queue(db: Db) -> None:
    held = await db.reads.take()
    waiting = asyncio.create_task(db.reads.take())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not db.reads.waiting
    db.reads.give_back(held)


async def test_a_known_statement_survives_ddl(db: Db) -> None:
    await db.execute("create table t (a integer)")
    await db.execute("insert into t values (7)")
    for kind in ("bigint", "text", "numeric"):
        row = await db.reads.fetchrow("select * from t")
        assert row is not None
        assert str(row["a"]) == "7"
        await db.execute(f"alter table t alter column a type {kind} using a::{kind}")
    await db.execute("alter table t add column b text default 'x'")
    row = await db.reads.fetchrow("select * from t")
    assert row is not None
    assert (str(row["a"]), row["b"]) == ("7", "x")


async def test_more_statements_than_a_connection_keeps(db: Db) -> None:
    for n in range(MAX_PREPARED_STATEMENTS + 20):
        row = await db.reads.fetchrow(f"select {n} as n, $1::int as m", n)
        assert row is not None
        assert (row["n"], row["m"]) == (n, n)
    async with db.reads.acquire() as lane:
        assert isinstance(lane, Connection)
        assert len(lane._prepared) == MAX_PREPARED_STATEMENTS
        kept = await lane.fetchval("select count(*) from pg_prepared_statements")
        assert kept <= MAX_PREPARED_STATEMENTS + 2


async def test_a_failed_unawaited_check_is_logged(url: str) -> None:
    dataset = ServedDataset("x", Db(url, reads=1, pool=0), lambda role, name: FullRights(), poll=60)
    await dataset.open()
    lost: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: lost.append(context))
    held = await dataset.db.reads.take()
    dataset.db.reads.lease_queue.seconds = 0.05
    try:
        asking = asyncio.create_task(dataset.look())
        while dataset.db.reads.waiting == 0:  # noqa: ASYNC110 - a task of the dataset
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        while dataset.db.reads.waiting:  # noqa: ASYNC110 - a task of the dataset
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)
        assert not lost
    finally:
        loop.set_exception_handler(None)
        dataset.db.reads.give_back(held)
    await dataset.look()
    await dataset.close()


async def test_a_transaction_left_open_by_a_lease_is_rolled_back(db: Db) -> None:
    await db.execute("create table t (a integer)")
    async with db.reads.acquire() as connection:
        await connection.execute("begin")
        await connection.execute("insert into t values (1)")
    async with db.reads.acquire() as again:
        assert again is connection
        assert not again.is_in_transaction()
        async with again.transaction():
            assert await again.fetchval("select count(*) from t") == 0


async def test_a_lease_waits_for_the_previously_cancelled_statement(db: Db) -> None:
    async with db.reads.acquire() as connection:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await connection.fetchrow("select pg_sleep(4)")
    row = await asyncio.wait_for(db.reads.fetchrow("select 1 as one"), 3.5)
    assert row["one"] == 1


async def test_a_connection_serves_a_lease_and_statements_in_flight_by_turns(url: str) -> None:
    database = Db(url, reads=1, pipelined=(1, 0), pool=0)
    await database.connect()
    lane = database.reads
    for _ in range(3):
        first = await lane.fetchrow("select pg_backend_pid() as pid")
        async with lane.acquire() as connection:
            assert await connection.fetchval("select pg_backend_pid()") == first["pid"]
    await database.close()
