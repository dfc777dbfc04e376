"""A sample shop for people without a database at hand: 30 tables with about 1,000,000 rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import asyncpg

DATASET = "shop"
_PART = "\n-- part "
_LAST = "visit"  # a table of the shop; everything is loaded in one transaction


def parts() -> list[tuple[str, str]]:
    """Return the steps of the load: a name and the SQL of each."""
    text = (Path(__file__).parent / "shop.sql").read_text()
    first, *others = text.split(_PART)
    return [("Tables", first), *((name, sql) for name, _, sql in (part.partition("\n") for part in others))]


async def load(url: str, progress: Callable[[int, int, str], None]) -> bool:
    """Load the shop into an empty database, unless it is there.

    `progress` is called with the number of finished steps, their number, and the name of the next one. Returns whether
    anything was loaded.
    """
    connection = await asyncpg.connect(url, timeout=10)
    try:
        if await connection.fetchval("select to_regclass($1) is not null", f"public.{_LAST}"):
            return False
        steps = parts()
        async with connection.transaction():
            await connection.execute("set local synchronous_commit = off; set local maintenance_work_mem = '256MB'")
            for done, (name, sql) in enumerate(steps):
                progress(done, len(steps), name)
                await connection.execute(sql)
        progress(len(steps), len(steps), "")
        return True
    finally:
        await connection.close()
