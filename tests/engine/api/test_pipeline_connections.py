"""Pipelined connections that are lost, rejected, idle or invalidated: every request gets its own outcome."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tableapi.db.database import Db
from tableapi.db.pipeline.connection import DEPTH
from tests.helpers.pipeline import CUT, SLEEPS, known, pipelines, read, warm
from tests.helpers.support import NewDatabase, until


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database("create table t (id int primary key, n int not null); insert into t values (1, 0)")


@pytest.fixture
async def db(url: str) -> AsyncIterator[Db]:
    made = Db(url, reads=2, writes=2, pipelined=(2, 2), pool=1)
    await made.connect()
    await warm(made)
    yield made
    await made.close()


async def test_ddl_invalidates_prepared_statements_without_an_error(db: Db) -> None:
    for kind in ("bigint", "text", "numeric"):
        rows = await asyncio.gather(*(read(db, "select * from t") for _ in range(12)))
        assert {str(row["n"]) for row in rows} == {"0"}
        await db.execute(f"alter table t alter column n type {kind} using n::{kind}")
    await db.execute("alter table t add column more text default 'x'")
    rows = await asyncio.gather(*(read(db, "select * from t") for _ in range(12)))
    assert {row["more"] for row in rows} == {"x"}


async def test_statements_are_prepared_again_after_deallocation(db: Db) -> None:
    assert (await read(db, "select $1::int + 1 as n", 1))["n"] == 2
    await asyncio.gather(*(read(db, "deallocate all") for _ in range(8)))
    rows = await asyncio.gather(*(read(db, "select $1::int + 1 as n", n) for n in range(20)))
    assert [row["n"] for row in rows] == list(range(1, 21))


async def test_a_lost_connection_fails_requests_in_flight_and_reconnects(db: Db, url: str) -> None:
    known(db, SLEEPS)
    asked = [asyncio.ensure_future(read(db, SLEEPS, str(n), 0.5)) for n in range(2 * DEPTH)]
    await until(lambda: sum(connection.load for connection in pipelines(db)) == 2 * DEPTH)
    admin = await asyncpg.connect(url)
    await admin.execute(CUT.replace("limit 2", ""))
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {asyncpg.ConnectionDoesNotExistError}
    await warm(db)
    await admin.close()


async def test_a_read_only_primary_rejects_each_write_separately(db: Db, url: str) -> None:
    change = "update t set n = $1::int where id = 1"
    await db.writes.fetchrow(change, 1)
    admin = await asyncpg.connect(url)
    name = url.rpartition("/")[2]
    await admin.execute(f"alter database {name} set default_transaction_read_only = on")
    await admin.execute(CUT.replace("limit 2", ""))
    await admin.close()

    async def refused() -> bool:
        outcomes = await asyncio.gather(*(db.writes.fetchrow(change, n) for n in range(12)), return_exceptions=True)
        rejected = {type(outcome) for outcome in outcomes} == {asyncpg.ReadOnlySQLTransactionError}
        return rejected and not db.writes.is_direct(change)

    await until(refused)


async def test_without_prepared_statements_nothing_is_pipelined(url: str) -> None:
    db = Db(f"{url}?statement_cache_size=0", reads=2, writes=2, pipelined=(2, 2), pool=1)
    assert db.reads.is_direct("select 1")


async def test_idle_connections_are_closed_and_reopened(url: str) -> None:
    db = Db(url, reads=1, pipelined=(2, 0), pool=1, idle=0.2)
    await db.connect()
    await warm(db)
    await until(lambda: len(pipelines(db)) == 1)  # the first connection stays open
    assert (await read(db, "select 1 as one"))["one"] == 1
    await warm(db)
    await db.close()
    assert not pipelines(db)


async def test_a_transaction_has_its_own_connection(db: Db) -> None:
    async with db.writes.acquire() as connection, connection.transaction():
        await connection.execute("update t set n = 5")
        rows = await asyncio.gather(*(read(db, "select n from t") for _ in range(20)))
        assert {row["n"] for row in rows} == {0}
    assert (await read(db, "select n from t"))["n"] == 5


async def test_statements_after_close_are_rejected(url: str) -> None:
    db = Db(url, reads=1, pipelined=(1, 0), pool=1)
    await db.connect()
    asked: list[Any] = [asyncio.ensure_future(read(db, "select pg_sleep(1)::text as slept")) for _ in range(3)]
    await asyncio.sleep(0)
    await db.close()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(outcome, Exception) for outcome in outcomes)


async def test_pools_can_be_reopened_after_close(url: str) -> None:
    db = Db(url, reads=1, writes=1, pipelined=(1, 1), pool=1)
    for _ in range(2):
        await db.connect()
        await warm(db, 1)
        assert await db.writes.fetchrow("select 1 as one") is not None
        await db.close()
