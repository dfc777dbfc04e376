"""Every type and value gives the same result, or the same error, on a pipelined connection as by asyncpg."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tableapi.db.database import Db
from tableapi.db.pipeline.codecs import DECODERS, ENCODERS
from tests.foreign.values import SAMPLES
from tests.helpers.served import Served
from tests.helpers.support import until

NUMBERS = (0, 1, -1, 2**15, -(2**15), 2**15 - 1, 2**31, 2**31 - 1, -(2**31), 2**63, 2**63 - 1, -(2**63), 2**70)
DECIMALS = tuple(
    Decimal(text)
    for text in (
        *("0", "-0", "0.00", "1.50", "-1.5000", "1E+5", "1E-7", "123456789012345678901234567890.123456789"),
        *("NaN", "Infinity", "-Infinity", "9" * 200, "1E+2000", "1E-2000", "12345.6789E+3"),
    )
)
FLOATS = (0.0, -0.0, 1.5, 0.1, 1e-320, 1e308, 3.4028235e38, 3.5e38, 16777217.0, math.pi, math.inf, -math.inf, math.nan)
TEXTS = ("", "a", "ä€😀", "it's", 'a"b\\c', " x ", "x" * 100_000, "a\0b", "\ud800", "1", "true", "2024-01-31")
TIMES = (
    "2024-01-31", "0044-03-15 BC", "infinity", "-infinity", "9999-12-31", "10000-01-01", "2024-01-31 10:00:00.123456",
    "2024-01-31 10:00:00+02", "4713-01-01 BC", "not a date", "2024-02-30", "290000-01-01",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, False, b"", b"\0\xff", [], [1], ["a"], {"a": 1}, date(2024, 1, 31), datetime(2024, 1, 31, tzinfo=UTC),
    UUID("11111111-1111-4111-8111-111111111111"), "11111111-1111-4111-8111-111111111111", "not a uuid", object(),
)  # fmt: skip
LISTS: tuple[Any, ...] = (
    [1, 2, 3], [2**40, -1], [True, False], [1, None], ["x", "ä€😀", 'a"b\\c', ""], ["a\0b"], [1.5, math.nan],
    [b"", b"\0"],
    [UUID("11111111-1111-4111-8111-111111111111")], [Decimal("1.50")], [[1, 2], [3, 4]], list(range(2000)),
)  # fmt: skip
VALUES: tuple[Any, ...] = (*NUMBERS, *DECIMALS, *FLOATS, *TEXTS, *TIMES, *OTHERS, *LISTS)
TYPES = (
    "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "numeric(12,3)", "text",
    "varchar(5)", "char(5)", "name", "date", "timestamp", "timestamptz", "uuid", "bytea", "json", "jsonb", "time",
    "interval", "inet", "money", "integer[]", "text[]", "point", "xml", "oid", "\"char\"", "bit(3)",
    "boolean[]", "smallint[]", "bigint[]", "real[]", "uuid[]", "bytea[]", "varchar[]", "bpchar[]", "name[]",
    "numeric[]", "double precision[]",
)  # fmt: skip
SERVED = Served()


@pytest.fixture
async def db(url: str) -> AsyncIterator[Db]:
    made = Db(url, reads=1, pipelined=(1, 0), pool=1)
    await made.connect()

    async def opened() -> bool:
        await made.reads.fetchrow("select 1 as one")
        return bool(made.reads.pipelines)

    await until(opened)
    yield made
    await made.close()


async def outcome(fetch: Any, sql: str, *args: Any) -> Any:
    """Return the values of the first row with their types, or the error with its class and code."""
    try:
        row = await fetch(sql, *args)
    except Exception as error:
        message = str(error.args[0]) if isinstance(error, asyncpg.PostgresError) else ""
        return type(error), getattr(error, "sqlstate", ""), message
    return (
        [(name, type(value), re.sub(" at 0x[0-9a-f]+", "", repr(value))) for name, value in dict(row).items()]
        if row is not None
        else None
    )


async def both(db: Db, sql: str, *args: Any) -> Any:
    """Return the outcome on a pipelined connection, which must be the same as by asyncpg."""
    timing = db.reads.timings[sql]
    timing.direct = timing.unsupported
    piped = await outcome(db.reads.fetchrow, sql, *args)
    async with db.reads.acquire() as connection:
        assert piped == await outcome(connection.fetchrow, sql, *args), (sql, args)
    return piped


@pytest.mark.parametrize("type_", TYPES)
async def test_a_parameter_of_each_type_with_each_value(db: Db, type_: str) -> None:
    for value in VALUES:
        await both(db, f"select $1::{type_}::text as text, $1::{type_} as value", value)


async def test_a_column_of_each_type_of_the_catalog(db: Db) -> None:
    async with db.reads.acquire() as connection:
        types = await connection.fetch(
            "select typname, format_type(oid, null) as type from pg_type where typnamespace = 11"
            " and typtype in ('b', 'r', 'm') and typname = any($1) order by 1", list(SAMPLES),
        )  # fmt: skip
    seen = 0
    for row in types:
        for value in SAMPLES[row["typname"]]:
            text = str(value).replace("'", "''")
            await both(db, f"select '{text}'::{row['type']} as value, array['{text}'::{row['type']}] as both")
            seen += await both(db, f"select '{text}'::{row['type']} as value") is not None
    assert seen > 100


async def test_errors_equal_those_of_asyncpg(db: Db) -> None:
    await db.execute("create table t (id int primary key, n int not null check (n > 0), u text unique)")
    await db.execute("insert into t values (1, 1, 'a')")
    for sql, args in (
        ("select * from nothing", ()),
        ("select", ()),
        ("selec 1", ()),
        ("select 1 / $1::int as x", (0,)),
        ("insert into t values ($1, 1, 'b') returning id", (1,)),
        ("insert into t values (2, $1, 'c') returning id", (-1,)),
        ("insert into t values (2, $1, 'c') returning id", (None,)),
        ("insert into t values (3, 1, $1) returning id", ("a",)),
        ("select $1::int as x", ()),
        ("select $1::int as x", (1, 2)),
        ("select id from t for update nowait", ()),
        ("select 1 as a, 2 as a", ()),
        ("do $$begin raise exception using errcode = 'P0001', message = 'own', hint = 'h', detail = 'd'; end$$", ()),
    ):
        await both(db, sql, *args)


async def test_every_encoder_and_decoder_is_tested(db: Db) -> None:
    async with db.reads.acquire() as connection:
        oids = {await connection.fetchval(f"select '{type_}'::regtype::oid::int") for type_ in TYPES}
    assert ENCODERS.keys() | DECODERS.keys() <= oids


async def test_concurrent_statements_are_just_as_exact(db: Db) -> None:
    """Fifty callers, because on a slow machine a longer queue is rejected."""

    async def ask(values: list[Decimal]) -> list[Decimal]:
        rows = [await db.reads.fetchrow("select $1::numeric as n", value) for value in values]
        return [row["n"] for row in rows if row is not None]

    callers = [[Decimal(n) / 7 for n in range(start, start + 10)] for start in range(0, 500, 10)]
    assert await asyncio.gather(*map(ask, callers)) == callers
