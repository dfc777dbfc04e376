"""deploy/citus.sql: each table can be distributed, or the file gives the reason why not."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tests.helpers.support import ROOT, NewDatabase

FILE = (ROOT / "deploy" / "citus.sql").read_text()
PLAIN, WITH_CITUS = FILE.split("\n-- with Citus\n")
UNIQUE = """
    select c.conname as name, r.relname as place, array_agg(a.attname::text order by k.n) as columns
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    cross join unnest(c.conkey) with ordinality k (attnum, n)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
    where c.contype in ('p', 'u') and r.relnamespace = 'public'::regnamespace group by 1, 2
"""
KEYS = """
    select r.relname as place, i.relname as name, x.indisprimary as key, array(
        select a.attname::text from unnest(x.indkey::smallint[]) k (attnum)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum) as columns
    from pg_index x join pg_class r on r.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where x.indisunique and r.relnamespace = 'public'::regnamespace
"""
REFERENCES = """
    select f.conname as name, h.relname as here, t.relname as there, array(
        select (a.attname::text, b.attname::text)
        from unnest(f.conkey, f.confkey) k (one, two)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.one
        join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.two) as columns
    from pg_constraint f join pg_class h on h.oid = f.conrelid join pg_class t on t.oid = f.confrelid
    where f.contype = 'f' and h.relnamespace = 'public'::regnamespace
"""
TABLES = """
    select relname::text from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
"""
Before = tuple[dict[str, Any], set[str]]


def named(word: str) -> dict[str, str]:
    """Return the names in the file's comments `-- word name: reason`."""
    return dict(re.findall(rf"^-- {word} (\w+): (\S.+)$", FILE, re.MULTILINE))


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database((ROOT / "schema.sql").read_text())


@pytest.fixture
async def distributed(url: str) -> AsyncIterator[tuple[asyncpg.Connection, Before]]:
    """Return the schema after the part of the file that needs no extension, and the earlier keys and references."""
    db = await asyncpg.connect(url)
    before = {row["name"]: row for row in await db.fetch(UNIQUE)}, {row["name"] for row in await db.fetch(REFERENCES)}
    await db.execute(PLAIN)
    yield db, before
    await db.close()


Distributed = tuple[asyncpg.Connection, Before]


async def places(db: asyncpg.Connection) -> dict[str, str | None]:
    """Return the distribution column by table; None for a copy on each machine. Local tables are absent."""
    return {row["name"]: row["key"] for row in await db.fetch("select name, key from placed where place <> 'local'")}


async def test_every_table_has_a_place(distributed: Distributed) -> None:
    db, _ = distributed
    assert {row[0] for row in await db.fetch(TABLES)} == {row[0] for row in await db.fetch("select name from placed")}
    assert await db.fetch("select name from placed where (place in ('local', 'reference')) <> (key is null)") == []
    nullable = (
        "select name from placed join pg_attribute on attrelid = name::regclass and attname = key and not attnotnull"
    )
    assert await db.fetch(nullable) == [], "a column of distribution is never null"


async def test_every_key_contains_the_distribution_column(distributed: Distributed) -> None:
    db, _ = distributed
    placed = await places(db)
    rows = await db.fetch(KEYS)
    wrong = [row["name"] for row in rows if (by := placed.get(row["place"])) and by not in row["columns"]]
    assert wrong == []
    with_key = {row["place"] for row in rows if row["key"]}
    assert {name for name, by in placed.items() if by} <= with_key


async def test_every_reference_stays_on_one_machine(distributed: Distributed) -> None:
    """A reference leads to a copy, or to the same client's rows; only local tables refer to local ones."""
    db, _ = distributed
    placed = await places(db)
    wrong = []
    for row in await db.fetch(REFERENCES):
        here, there = row["here"], row["there"]
        if there not in placed:
            allowed = here not in placed
        elif placed[there] is None:
            allowed = True
        else:
            by = placed[there]
            allowed = placed.get(here) == by == "clientid" and (by, by) in [tuple(pair) for pair in row["columns"]]
        if not allowed:
            wrong.append(row["name"])
    assert wrong == []


async def test_lost_constraints_are_listed(distributed: Distributed) -> None:
    db, (unique, references) = distributed
    placed = await places(db)
    assert references - {row["name"] for row in await db.fetch(REFERENCES)} == named("dropped").keys()
    changed = {
        row["name"]
        for row in await db.fetch(UNIQUE)
        if row["columns"] != unique[row["name"]]["columns"] and placed.get(row["place"]) == "clientid"
    }
    # A generated number stays unique because of its sequence.
    given = {
        row[0]
        for row in await db.fetch(
            "select relname || '_pkey' from pg_class r join pg_attribute on attrelid = r.oid and attidentity <> ''"
        )
    }
    through = {  # keys that begin with such a number, or are random
        "bulkrow_pkey", "contactmeta_pkey", "feedbackdecision_pkey", "planchange_pkey", "upload_pkey",
        "webhook_pkey", "webhookdelivery_pkey", "bulkjob_pkey",
    }  # fmt: skip
    assert through <= changed
    assert changed - given - through == named("weaker").keys()


def test_statements_of_the_extension_only_distribute() -> None:
    assert set(re.findall(r"create_\w+", WITH_CITUS)) == {"create_reference_table", "create_distributed_table"}
