"""Open a database with pipelined connections, and run statements on them."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg

from tableapi.db.database import Db
from tableapi.db.pipeline.connection import PipelinedConnection
from tableapi.errors import Busy
from tests.helpers.support import until

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
# Statements with rows of several sizes; none of them shares its timing with another.
SHAPES = [f"select $1::text as id, {n} as shape, repeat('x', {n * 900}) as body" for n in range(12)]
SLEEPS = "select $1::text as id, -1 as shape, pg_sleep($2)::text as body"
FAILS = "select $1::text as id, 1 / $2::int as shape"


def pipelines(db: Db) -> list[PipelinedConnection]:
    """Return the connections for reads that are, or were most recently, used for pipelining."""
    return db.reads.pipelines


async def read(db: Db, sql: str, *args: Any) -> Any:
    """Run one statement and return its first row."""
    return await db.reads.fetchrow(sql, *args)


async def warm(db: Db, count: int = 2) -> None:
    """Wait until so many pipelined connections for reads are open."""

    async def opened() -> bool:
        await asyncio.gather(*(read(db, "select 1 as one") for _ in range(20)), return_exceptions=True)
        return len(pipelines(db)) == count

    await until(opened)


def known(db: Db, sql: str) -> None:
    """Make a statement count as fast."""
    timing = db.reads.timings[sql]
    timing.mean, timing.direct = 0.001, False


async def backend(db: Db) -> int:
    row = await read(db, "select pg_backend_pid() as pid")
    return int(row["pid"])
