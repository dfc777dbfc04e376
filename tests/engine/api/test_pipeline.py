"""Pipelined statements on PostgreSQL: each request gets its own answer, whatever happens to its connection."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tableapi.db.database import Db
from tableapi.db.pipeline.pool import PipelinedPool
from tableapi.db.pipeline.request import DEPTH
from tableapi.db.pipeline.routed import RoutedPool
from tableapi.errors import Busy
from tests.helpers.support import NewDatabase, until

CUT = """
    select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity
        where datname = current_database() and application_name = 'tableapi' and pid <> pg_backend_pid()
        order by random() limit 2
    ) one
"""
LOST = (
    asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError, asyncpg.InterfaceError, asyncpg.InternalClientError,
    Busy, OSError,
)  # fmt: skip
# Statements with rows of several sizes, none of which takes the time of another.
SHAPES = [f"select $1::text as id, {n} as shape, repeat('x', {n * 900}) as body" for n in range(12)]
SLEEPS = "select $1::text as id, -1 as shape, pg_sleep($2)::text as body"
FAILS = "select $1::text as id, 1 / $2::int as shape"


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


def pool(db: Db) -> PipelinedPool:
    assert isinstance(db.reads, RoutedPool)
    return db.reads._pipelined


async def warm(db: Db) -> None:
    """Wait until the pipelined connections for reads are open."""

    async def opened() -> bool:
        await asyncio.gather(*(db.reads.fetchrow("select 1 as one") for _ in range(20)))
        return len(pool(db).connections) == 2

    await until(opened)


def known(db: Db, sql: str) -> None:
    """Let a statement count as a fast one."""
    assert isinstance(db.reads, RoutedPool)
    timing = db.reads._timings[sql]
    timing.mean, timing.direct = 0.001, False


async def backend(db: Db) -> int:
    row = await db.reads.fetchrow("select pg_backend_pid() as pid")
    return int(row["pid"])


# -- values ----------------------------------------------------------------------------------------------------------


async def test_a_statement_runs_on_a_pipelined_connection(db: Db) -> None:
    pids = {connection.connection.get_server_pid() for connection in pool(db).connections}
    assert {await backend(db) for _ in range(10)} <= pids


async def test_an_error_ends_its_own_request_alone(db: Db) -> None:
    for _ in range(2):
        outcomes = await asyncio.gather(
            *(db.reads.fetchrow(FAILS, str(n), n % 2) for n in range(60)), return_exceptions=True
        )
        for n, outcome in enumerate(outcomes):
            if n % 2:
                assert isinstance(outcome, dict)
                assert (outcome["id"], outcome[1]) == (str(n), 1)
            else:
                assert isinstance(outcome, asyncpg.DivisionByZeroError)


async def test_no_row_is_none_and_a_statement_without_columns_runs(db: Db) -> None:
    assert await db.reads.fetchrow("select 1 as one where $1::boolean", False) is None
    assert await db.writes.fetchrow("update t set n = n + 1 where id = $1", 1) is None
    assert (await db.reads.fetchrow("select n from t"))["n"] == 1


async def test_large_rows_arrive_whole(db: Db) -> None:
    size = 3_000_000
    rows = await asyncio.gather(*(db.reads.fetchrow(f"select repeat($1, {size}) as body", str(n)) for n in range(8)))
    assert [(row["body"][0], len(row["body"])) for row in rows] == [(str(n), size) for n in range(8)]


async def test_types_that_only_asyncpg_knows_are_read_by_asyncpg(db: Db) -> None:
    row = await db.reads.fetchrow("select $1::int[] as a, point(1, 2) as p, '1 day'::interval as i", [1, None])
    assert (row["a"], row["p"], row["i"].days) == ([1, None], asyncpg.Point(1, 2), 1)


# -- what happens to a request ---------------------------------------------------------------------------------------


async def test_ten_thousand_requests_get_their_own_answers(db: Db, url: str) -> None:
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
            asked = db.reads.fetchrow(SHAPES[shape], name)
        elif kind == "fails":
            asked = db.reads.fetchrow(FAILS, name, 0)
        else:
            asked = db.reads.fetchrow(SLEEPS, name, chance.random() * 0.01)
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
    await until(lambda: all(connection.load == 0 for connection in pool(db).connections))


async def test_a_long_statement_is_cancelled_with_its_request_when_nothing_stands_behind_it(db: Db, url: str) -> None:
    admin = await asyncpg.connect(url)
    running = """
        select count(*) from pg_stat_activity
        where state = 'active' and query like '%pg_sleep(4.5)%' and pid <> pg_backend_pid()
    """
    asked = asyncio.ensure_future(db.reads.fetchrow("select pg_sleep(4.5)::text as slept"))
    await until(lambda: _is(admin, running, 1))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    async with asyncio.timeout(3):
        await until(lambda: _is(admin, running, 0))
    await until(lambda: all(connection.accepts(1) for connection in pool(db).connections))
    assert (await db.reads.fetchrow("select 2 as two"))["two"] == 2
    await admin.close()


async def _is(admin: asyncpg.Connection, sql: str, count: int) -> bool:
    return bool(await admin.fetchval(sql) == count)


async def test_nothing_is_sent_behind_a_statement_that_runs_for_long(db: Db) -> None:
    sleeping = [asyncio.ensure_future(db.reads.fetchrow("select pg_sleep(1)::text as slept"))]
    await until(lambda: any(connection.load for connection in pool(db).connections))
    busy = next(connection for connection in pool(db).connections if connection.load)
    for n in range(30):
        assert (await db.reads.fetchrow("select $1::int as n", n))["n"] == n
    assert busy.load
    assert not sleeping[0].done()
    await asyncio.gather(*sleeping)


async def test_a_slow_statement_moves_to_connections_of_its_own_and_a_fast_one_back(db: Db) -> None:
    sql = "select pg_sleep($1)::text as slept, pg_backend_pid() as pid"
    pids = {connection.connection.get_server_pid() for connection in pool(db).connections}
    assert (await db.reads.fetchrow(sql, 0.05))["pid"] in pids
    assert (await db.reads.fetchrow(sql, 0.05))["pid"] not in pids
    assert db.reads.is_direct(sql)

    async def fast_again() -> bool:
        await db.reads.fetchrow(sql, 0.0)
        return not db.reads.is_direct(sql)

    await until(fast_again)
    assert (await db.reads.fetchrow(sql, 0.0))["pid"] in pids


async def test_the_queue_is_bounded_and_its_oldest_request_is_served_first(db: Db) -> None:
    waiting = pool(db)
    known(db, SLEEPS)
    waiting._queue = 3
    order: list[int] = []

    async def ask(number: int) -> None:
        await db.reads.fetchrow(SLEEPS, str(number), 0.05)
        order.append(number)

    in_flight = [asyncio.create_task(ask(n)) for n in range(2 * DEPTH)]
    queued = [asyncio.create_task(ask(n)) for n in range(100, 103)]
    await until(lambda: waiting.waiting == 3)
    with pytest.raises(Busy):
        await db.reads.fetchrow(SLEEPS, "refused", 0.0)
    queued[1].cancel()
    await asyncio.gather(*in_flight, *queued, return_exceptions=True)
    assert [number for number in order if number >= 100] == [100, 102]


async def test_a_request_that_waits_too_long_is_refused(db: Db) -> None:
    known(db, SLEEPS)
    await until(lambda: pool(db)._timeout is None)  # set for the requests before
    pool(db)._wait = 0.05
    sleeping = [asyncio.create_task(db.reads.fetchrow(SLEEPS, str(n), 0.4)) for n in range(2 * DEPTH)]
    await until(lambda: sum(connection.load for connection in pool(db).connections) == 2 * DEPTH)
    with pytest.raises(Busy):
        await db.reads.fetchrow(SLEEPS, "late", 0.0)
    assert [row["id"] for row in await asyncio.gather(*sleeping)] == [str(n) for n in range(2 * DEPTH)]


# -- what happens to a connection ------------------------------------------------------------------------------------


async def test_ddl_invalidates_prepared_statements_without_an_error(db: Db) -> None:
    for kind in ("bigint", "text", "numeric"):
        rows = await asyncio.gather(*(db.reads.fetchrow("select * from t") for _ in range(12)))
        assert {str(row["n"]) for row in rows} == {"0"}
        await db.execute(f"alter table t alter column n type {kind} using n::{kind}")
    await db.execute("alter table t add column more text default 'x'")
    rows = await asyncio.gather(*(db.reads.fetchrow("select * from t") for _ in range(12)))
    assert {row["more"] for row in rows} == {"x"}


async def test_a_server_that_forgets_its_statements_is_told_them_again(db: Db) -> None:
    assert (await db.reads.fetchrow("select $1::int + 1 as n", 1))["n"] == 2
    await asyncio.gather(*(db.reads.fetchrow("deallocate all") for _ in range(8)))
    rows = await asyncio.gather(*(db.reads.fetchrow("select $1::int + 1 as n", n) for n in range(20)))
    assert [row["n"] for row in rows] == list(range(1, 21))


async def test_a_lost_connection_fails_what_is_in_flight_and_is_opened_again(db: Db, url: str) -> None:
    known(db, SLEEPS)
    asked = [asyncio.ensure_future(db.reads.fetchrow(SLEEPS, str(n), 0.5)) for n in range(2 * DEPTH)]
    await until(lambda: sum(connection.load for connection in pool(db).connections) == 2 * DEPTH)
    admin = await asyncpg.connect(url)
    await admin.execute(CUT.replace("limit 2", ""))
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {asyncpg.ConnectionDoesNotExistError}
    await warm(db)
    await admin.close()


async def test_a_read_only_primary_refuses_each_write_for_itself(db: Db, url: str) -> None:
    change = "update t set n = $1::int where id = 1"
    await db.writes.fetchrow(change, 1)
    admin = await asyncpg.connect(url)
    name = url.rpartition("/")[2]
    await admin.execute(f"alter database {name} set default_transaction_read_only = on")
    await admin.execute(CUT.replace("limit 2", ""))
    await admin.close()

    async def refused() -> bool:
        outcomes = await asyncio.gather(*(db.writes.fetchrow(change, n) for n in range(12)), return_exceptions=True)
        return {type(outcome) for outcome in outcomes} == {asyncpg.ReadOnlySQLTransactionError}

    await until(refused)
    assert isinstance(db.writes, RoutedPool)
    assert db.writes._pipelined.connections


async def test_without_prepared_statements_nothing_is_pipelined(url: str) -> None:
    db = Db(f"{url}?statement_cache_size=0", reads=2, writes=2, pipelined=(2, 2), pool=1)
    assert not isinstance(db.reads, RoutedPool)


async def test_idle_connections_are_closed_and_opened_again(url: str) -> None:
    db = Db(url, reads=1, pipelined=(2, 0), pool=1, idle=0.2)
    await db.connect()
    await warm(db)
    await until(lambda: not pool(db).connections)
    assert (await db.reads.fetchrow("select 1 as one"))["one"] == 1
    await warm(db)
    await db.close()
    assert not pool(db).connections


async def test_a_transaction_has_a_connection_of_its_own(db: Db) -> None:
    async with db.writes.acquire() as connection, connection.transaction():
        await connection.execute("update t set n = 5")
        rows = await asyncio.gather(*(db.reads.fetchrow("select n from t") for _ in range(20)))
        assert {row["n"] for row in rows} == {0}
    assert (await db.reads.fetchrow("select n from t"))["n"] == 5


async def test_statements_after_close_are_refused(url: str) -> None:
    db = Db(url, reads=1, pipelined=(1, 0), pool=1)
    await db.connect()
    asked: list[Any] = [asyncio.ensure_future(db.reads.fetchrow("select pg_sleep(1)::text as slept")) for _ in range(3)]
    await asyncio.sleep(0)
    await db.close()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(outcome, Exception) for outcome in outcomes)
