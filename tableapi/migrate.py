"""Brings the database of a project to its newest schema. Safe to repeat, and from several nodes at once.

An empty database gets `schema.sql`; one with an older version gets the files of `migrations/` that it lacks, in order.
Then the queue's tables are made, and the project's internal script `init`, if it has one, loads what must be there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import asyncpg

from tableapi import jobs
from tableapi.settings import Settings
from tableapi.stop import Stop

LOCK = 0x7461626C65  # "table": one `init` at a time per database
_FILE = re.compile(r"(\d{4})_\w+\.sql")


class BadMigration(Stop):
    """The schema files cannot be applied."""


async def init(settings: Settings, folder: Path | None = None, say: Callable[[str], None] = print) -> str | None:
    """Create or upgrade the database, then run the script `init`; what that has to say to the person who starts."""
    folder = folder or Path.cwd()
    connection = await asyncpg.connect(settings.database_url, timeout=10)
    try:
        await connection.execute("select pg_advisory_lock($1)", LOCK)
        await upgrade(connection, folder, say)
        await jobs.install(connection)
        return await _load(settings, folder)
    finally:
        await connection.close(timeout=5)  # gives the lock back


async def upgrade(connection: asyncpg.Connection, folder: Path, say: Callable[[str], None]) -> None:
    """Apply what the database lacks, each file in a transaction of its own."""
    migrations = _migrations(folder)
    newest = max(migrations, default=0)
    if not await connection.fetchval("select to_regclass('schemaversion') is not null"):
        await _apply(connection, folder / "schema.sql", newest)
        say(f"Database created (schema version {newest}).")
        return
    present = await connection.fetchval("select max(version) from schemaversion")
    if present > newest:
        raise BadMigration(f"The database has schema version {present}, this program knows {newest}: upgrade it first.")
    for version in range(present + 1, newest + 1):
        await _apply(connection, migrations[version], version)
        say(f"Database upgraded by {migrations[version].name}.")


async def _apply(connection: asyncpg.Connection, file: Path, version: int) -> None:
    try:
        text = await asyncio.to_thread(file.read_text)
        async with connection.transaction():
            await connection.execute(text)
            await connection.execute(
                "create table if not exists schemaversion"
                " (version integer primary key, appliedon timestamptz not null default now())"
            )
            await connection.execute("insert into schemaversion (version) values ($1)", version)
    except (asyncpg.PostgresError, OSError) as error:
        raise BadMigration(f"{file.name} cannot be applied: {error}".split("\n")[0]) from error


def _migrations(folder: Path) -> dict[int, Path]:
    found = {int(m[1]): file for file in (folder / "migrations").glob("*.sql") if (m := _FILE.fullmatch(file.name))}
    if sorted(found) != list(range(1, len(found) + 1)):
        raise BadMigration("migrations/ must hold 0001_name.sql, 0002_name.sql, ... without a gap.")
    return found


async def _load(settings: Settings, folder: Path) -> str | None:
    """Run the project's own script `init`, on connections of its own. It may return a line to show."""
    from tableapi.db import Db
    from tableapi.scripts import Scripts

    db = Db(str(settings.database_url), lanes=1, pool=1, statement_timeout=600, name="tableapi-init")
    await db.connect()
    scripts = Scripts.load(folder, settings, db)
    try:
        if "init" in scripts.jobs:
            answer = await scripts.run_job("init", {})
            return answer if isinstance(answer, str) else None
        return None
    finally:
        await scripts.close()
        await db.close()
