"""Tables with hundreds of relations: other requests are not delayed, and caches are bounded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import httpx2 as httpx
import pytest

from tableapi.db.pipeline import messages, timing
from tests.helpers.served import Served
from tests.helpers.support import execute, rejection

RELATIONS, TOO_MANY = 300, 1001
SQL = """
create table hub (id integer primary key);
create table huge (id integer primary key);
create table small (id integer primary key);
insert into hub values (1); insert into huge values (1); insert into small values (1);
"""


def referring(name: str, table: str, first: int, last: int) -> str:
    """Return the SQL of tables that refer to a table."""
    create = f"create table {name}%s (id int primary key, {table} int references {table})"
    return f"do $$ begin for n in {first}..{last} loop execute format('{create}', n); end loop; end $$"


SERVED = Served(SQL)


@pytest.fixture(scope="module")
def url(url: str) -> str:
    for first in range(1, TOO_MANY + 1, 300):  # a transaction cannot lock all of them
        execute(url, referring("g", "huge", first, min(first + 299, TOO_MANY)))
    execute(url, referring("h", "hub", 1, RELATIONS))
    execute(url, "insert into h7 values (1, 1)")
    return url


@pytest.fixture
async def http(base: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        yield client


@pytest.mark.timing
async def test_planning_a_wide_read_delays_no_other_request(http: httpx.AsyncClient) -> None:
    await http.get("/small/1")
    began = time.monotonic()
    wide = asyncio.create_task(http.get("/hub?related=*"))
    longest = 0.0
    while not wide.done():
        sent = time.monotonic()
        assert (await http.get("/small/1")).status_code == 200
        longest = max(longest, time.monotonic() - sent)
    took = time.monotonic() - began
    row = (await wide).json()["resource"][0]
    assert len(row) == RELATIONS + 1
    assert row["h7_by_hub"] == [{"id": 1, "hub": 1}]
    assert longest < took / 2
    again = time.monotonic()
    assert (await http.get("/hub?related=*")).json()["resource"] == [row]
    assert time.monotonic() - again < took


async def test_all_of_too_many_relations_are_rejected_at_once(http: httpx.AsyncClient) -> None:
    for path in ("/huge?related=*", "/huge/1?related=*", "/g1?related=huge_by_huge&huge_by_huge.related=*"):
        refused = await http.get(path)
        assert rejection(refused) == (400, "too_many_relations")
    assert (await http.get("/huge?related=g1_by_huge,g1001_by_huge")).status_code == 200


def test_prepared_statements_are_limited_in_number_and_characters() -> None:
    kept = messages.PreparedStatements[int](3)
    assert [kept.keep(sql, number) for number, sql in enumerate("abcd")] == [[], [], [], [0]]
    assert kept.used("b") == 1
    assert kept.used("a") is None
    assert kept.keep("e", 4) == [2]  # c, because b was used after it
    assert kept.keep("x" * messages.MAX_CHARS, 5) == [3, 1, 4]
    assert kept.keep("y", 6) == [5]
    kept.clear()
    assert kept.keep("z" * messages.MAX_CHARS, 7) == []


def test_timings_are_limited_in_characters() -> None:
    timings = timing.Timings()
    for number in range(100):
        timings[str(number) * 100_000].add(0.1)
    assert sum(map(len, timings)) < 2 * timing.MAX_CHARS
