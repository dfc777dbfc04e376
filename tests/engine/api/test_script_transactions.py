"""Transactions of scripts return their connection however they end, and wait for one only so long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tableapi.db import transaction
from tableapi.db.database import Db
from tableapi.errors import Busy
from tests.helpers.support import NewDatabase

SCHEMA = """
    create table t (id int primary key);
    create table late (id int references t deferrable initially deferred);
"""
SIZE = 2


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database(SCHEMA)


@pytest.fixture
async def db(url: str) -> AsyncIterator[Db]:
    made = Db(url, pool=SIZE, wait=0.2)
    await made.connect()
    yield made
    await made.close()


async def test_a_transaction_waiting_too_long_is_rejected(db: Db) -> None:
    entered, ended = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with db.transaction():
            entered.set()
            await ended.wait()

    holding = [asyncio.create_task(hold()) for _ in range(SIZE)]
    await entered.wait()
    with pytest.raises(Busy):
        async with db.transaction():
            pass
    ended.set()
    await asyncio.gather(*holding)
    async with db.transaction():
        assert await db.fetchval("select 1") == 1


async def test_transactions_beyond_the_queue_are_rejected_at_once(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "MAX_WAITING", 0)
    with pytest.raises(Busy):
        async with db.transaction():
            pass


async def test_a_failed_commit_returns_its_connection(db: Db) -> None:
    for _ in range(SIZE + 1):
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with db.transaction():
                await db.execute("insert into late values (7)")
    async with db.transaction():
        assert await db.fetchval("select count(*) from late") == 0


async def test_a_failed_begin_returns_its_connection(db: Db) -> None:
    for _ in range(SIZE + 1):
        with pytest.raises(ValueError, match="isolation"):
            async with db.transaction(isolation="unknown"):
                pass
    async with db.transaction():
        assert await db.fetchval("select 1") == 1


async def test_a_cancelled_transaction_returns_its_connection_without_changes(db: Db) -> None:
    async def change() -> None:
        async with db.transaction():
            await db.execute("insert into t values (1)")
            await db.fetchval("select pg_sleep(5)")

    for delay in (0.0, 0.001, 0.005, 0.02, 0.05):
        task = asyncio.create_task(change())
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await db.fetchval("select count(*) from t") == 0
    async with db.transaction():
        assert await db.fetchval("select 1") == 1


async def test_an_error_is_raised_as_it_is_when_the_connection_is_lost(db: Db) -> None:
    async def change() -> None:
        async with db.transaction():
            await db.execute("insert into t values (1)")
            async with db.connection() as connection:
                connection.terminate()
            raise LookupError

    for _ in range(SIZE + 1):
        with pytest.raises(LookupError):
            await change()
    assert await db.fetchval("select count(*) from t") == 0


async def test_a_nested_transaction_is_a_savepoint(db: Db) -> None:
    async with db.transaction():
        await db.execute("insert into t values (1)")
        with pytest.raises(asyncpg.UniqueViolationError):
            async with db.transaction():
                await db.execute("insert into t values (1)")
        await db.execute("insert into t values (2)")
        # another task is not part of the transaction
        assert await asyncio.create_task(db.fetchval("select count(*) from t")) == 0
    assert await db.fetchval("select count(*) from t") == 2
