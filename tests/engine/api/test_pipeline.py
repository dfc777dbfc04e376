"""Pipelined statements on PostgreSQL: each request gets its own outcome, also from a lost or rejected connection."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tableapi.db.database import Db
from tableapi.db.pipeline.connection import DEPTH
from tableapi.errors import Busy
from tests.helpers.pipeline import CUT, FAILS, LOST, SHAPES, SLEEPS, backend, known, pipelines, read, warm
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


# -- values ----------------------------------------------------------------------------------------------------------


async def test_a_statement_runs_on_a_pipelined_connection(db: Db) -> None:
    pids = {connection.connection.get_server_pid() for connection in pipelines(db)}
    assert {await backend(db) for _ in range(10)} <= pids


async def test_an_error_fails_only_its_own_request(db: Db) -> None:
    for _ in range(2):
        outcomes = await asyncio.gather(*(read(db, FAILS, str(n), n % 2) for n in range(60)), return_exceptions=True)
        for n, outcome in enumerate(outcomes):
            if n % 2:
                assert isinstance(outcome, dict)
                assert (outcome["id"], outcome[1]) == (str(n), 1)
            else:
                assert isinstance(outcome, asyncpg.DivisionByZeroError)


async def test_no_row_is_none_and_a_statement_without_columns_runs(db: Db) -> None:
    assert await read(db, "select 1 as one where $1::boolean", False) is None
    assert await db.writes.fetchrow("update t set n = n + 1 where id = $1", 1) is None
    assert (await read(db, "select n from t"))["n"] == 1


async def test_large_rows_arrive_completely(db: Db) -> None:
    size = 3_000_000
    rows = await asyncio.gather(*(read(db, f"select repeat($1, {size}) as body", str(n)) for n in range(8)))
    assert [(row["body"][0], len(row["body"])) for row in rows] == [(str(n), size) for n in range(8)]


async def test_types_known_only_to_asyncpg_are_read_by_asyncpg(db: Db) -> None:
    row = await read(db, "select $1::int[] as a, point(1, 2) as p, '1 day'::interval as i", [1, None])
    assert (row["a"], row["p"], row["i"].days) == ([1, None], asyncpg.Point(1, 2), 1)


# -- single requests ---------------------------------------------------------------------------------------------------


async def test_ten_thousand_requests_get_their_own_replies(db: Db, url: str) -> None:
    """Requests are cancelled, fail, sleep, and lose their connections at random."""
    chance = random.Random(20261122)
    outcomes: Counter[str] = Counter()
    admin = await asyncpg.connect(url)
    left = iter(range(10_000))

    async def one(number: int) -> None:
        name = f"{number} {chance.random()}"
        kind = chance.choices(("plain", "fails", "sleeps"), (90, 6, 4))[0]
        shape = chance.randrange(len(SHAPES))
        if kind == "plain":
            asked = read(db, SHAPES[shape], name)
        elif kind == "fails":
            asked = read(db, FAILS, name, 0)
        else:
            asked = read(db, SLEEPS, name, chance.random() * 0.01)
        task = asyncio.ensure_future(asked)
        if chance.random() < 0.15:
            asyncio.get_running_loop().call_later(chance.random() * 0.01, task.cancel)
        try:
            row = await task
        except asyncio.CancelledError:
            outcomes["cancelled"] += 1
        except asyncpg.DivisionByZeroError:
            assert kind == "fails"
            outcomes["failed"] += 1
        except LOST:
            outcomes["lost"] += 1
        else:
            assert row["id"] == name
            assert row["shape"] == (shape if kind == "plain" else -1)
            assert kind != "plain" or len(row["body"]) == shape * 900
            outcomes["answered"] += 1

    async def worker() -> None:
        for number in left:
            await one(number)

    async def cut() -> None:
        while True:
            await admin.execute("select pg_sleep(0.4)")
            await admin.fetch(CUT)

    cutting = asyncio.create_task(cut())
    await asyncio.gather(*(worker() for _ in range(60)))
    cutting.cancel()
    await asyncio.gather(cutting, return_exceptions=True)
    await admin.close()
    assert sum(outcomes.values()) == 10_000
    assert outcomes["answered"] > 5_000, outcomes
    assert min(outcomes[name] for name in ("cancelled", "failed", "lost")) > 0, outcomes
    await warm(db)
    await until(lambda: all(connection.load == 0 for connection in pipelines(db)))


async def test_an_error_during_cancellation_is_not_reported_as_lost(db: Db) -> None:
    lost: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: lost.append(context))
    for delay in range(200):
        asked = asyncio.ensure_future(read(db, FAILS, "x", 0))
        loop.call_later(delay / 50_000, asked.cancel)
        await asyncio.gather(asked, return_exceptions=True)
    del asked
    gc.collect()
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    assert not lost


async def test_a_long_statement_is_cancelled_if_nothing_is_queued_behind_it(db: Db, url: str) -> None:
    admin = await asyncpg.connect(url)
    running = """
        select count(*) from pg_stat_activity
        where state = 'active' and query like '%pg_sleep(4.5)%' and pid <> pg_backend_pid()
    """
    asked = asyncio.ensure_future(read(db, "select pg_sleep(4.5)::text as slept"))
    await until(lambda: _is(admin, running, 1))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    async with asyncio.timeout(3):
        await until(lambda: _is(admin, running, 0))
    await until(lambda: all(connection.accepts(1) for connection in pipelines(db)))
    assert (await read(db, "select 2 as two"))["two"] == 2
    await admin.close()


async def _is(admin: asyncpg.Connection, sql: str, count: int) -> bool:
    return bool(await admin.fetchval(sql) == count)


async def test_nothing_is_sent_behind_a_long_running_statement(db: Db) -> None:
    sleeping = [asyncio.ensure_future(read(db, "select pg_sleep(4)::text as slept"))]
    await until(lambda: any(connection.load for connection in pipelines(db)))
    busy = next(connection for connection in pipelines(db) if connection.load)
    for n in range(10):
        assert (await read(db, "select $1::int as n", n))["n"] == n
    assert busy.load
    assert not sleeping[0].done()
    await asyncio.gather(*sleeping)


async def test_slow_statements_move_to_exclusive_connections_and_back(db: Db) -> None:
    sql = "select pg_sleep($1)::text as slept, pg_backend_pid() as pid"
    db.reads.timings.mean = 0.001  # the mean of the others
    await read(db, sql, 0.05)
    assert db.reads.is_direct(sql)
    asked = asyncio.create_task(read(db, sql, 0.2))
    await asyncio.sleep(0.05)
    shared = {await backend(db) for _ in range(20)} | {
        pipeline.connection.get_server_pid() for pipeline in pipelines(db)
    }
    assert (await asked)["pid"] not in shared
    db.reads.timings.mean = 0.1

    async def fast_again() -> bool:
        await read(db, sql, 0.0)
        return not db.reads.is_direct(sql)

    await until(fast_again)
    pids = {pipeline.connection.get_server_pid() for pipeline in pipelines(db)}
    assert (await read(db, sql, 0.0))["pid"] in pids


async def test_the_queue_is_bounded_and_its_oldest_request_is_served_first(url: str) -> None:
    db = Db(url, reads=1, pipelined=(1, 0), pool=1)
    await db.connect()
    await warm(db, 1)
    known(db, SLEEPS)
    db.reads.statement_queue.limit = 3
    order: list[int] = []

    async def ask(number: int) -> None:
        await read(db, SLEEPS, str(number), 0.05)
        order.append(number)

    asked = [asyncio.create_task(ask(n)) for n in range(DEPTH + 3)]
    await until(lambda: len(db.reads.statement_queue) == 3)
    with pytest.raises(Busy):
        await read(db, SLEEPS, "refused", 0.0)
    asked[DEPTH + 1].cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert order == [n for n in range(DEPTH + 3) if n != DEPTH + 1]
    await db.close()


async def test_a_request_waiting_too_long_is_rejected(db: Db) -> None:
    known(db, SLEEPS)
    await until(lambda: db.reads.statement_queue._timer is None)  # set for the requests before
    db.reads.statement_queue.seconds = 0.05
    sleeping = [asyncio.create_task(read(db, SLEEPS, str(n), 0.4)) for n in range(2 * DEPTH)]
    await until(lambda: sum(connection.load for connection in pipelines(db)) == 2 * DEPTH)
    with pytest.raises(Busy):
        await read(db, SLEEPS, "late", 0.0)
    assert [row["id"] for row in await asyncio.gather(*sleeping)] == [str(n) for n in range(2 * DEPTH)]


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
