"""Brings the database of a project to its newest schema. Safe to repeat, from several nodes at once, and beside nodes
that still run the version before.

An empty database gets `schema.sql`; one with an older version gets the files of `migrations/` that it lacks, in order.
Then the queue's tables are made, and the project's internal script `init`, if it has one, loads what must be there.

Three comment lines of a migration mean something. `-- outside a transaction`: its statements are run one by one, each
for itself, as `create index concurrently` needs; the file must be safe to begin again. `-- needs N`: programs that know
less than schema version N cannot work on the result, and refuse to start on it. `-- after older transactions`: the
statement that follows (in a transaction: the file) starts when every transaction that is open now has ended.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import asyncpg

from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings
from tableapi.endpoints import jobs

LOCK = 0x7461626C65  # "table": one `init` at a time per database
LOCK_TIMEOUT = "2s"  # while DDL waits for a lock, everybody who wants that table waits behind it
TRIES = 15  # two seconds each, and two between: half a minute of looking for a gap
_FILE = re.compile(r"(\d{4})_\w+\.sql")
_ALONE = re.compile(r"^-- outside a transaction$", re.MULTILINE)
_AFTER = re.compile(r"^-- after older transactions$", re.MULTILINE)
_NEEDS = re.compile(r"^-- needs (\d+)$", re.MULTILINE)
_CONCURRENT = re.compile(r"\bindex\s+concurrently\b|^[ \t]*vacuum\b", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"--.*")
_END = re.compile(r";[ \t]*(?:--.*)?$", re.MULTILINE)


SAY_AFTER = 2.0  # seconds of waiting for other transactions before it is said
# Every transaction holds its own virtual id locked; a prepared one, which no process runs, holds its transaction id.
_OPEN = """
    select array_agg(distinct l.virtualtransaction) from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    where l.granted and l.mode = 'ExclusiveLock' and l.locktype in ('virtualxid', 'transactionid')
      and l.pid is distinct from pg_backend_pid()
      and (a.datname = current_database() and a.backend_type is distinct from 'autovacuum worker'
           or l.pid is null and exists (select 1 from pg_prepared_xacts p where p.database = current_database()
                                        and p.transaction = l.transactionid))
"""


class BadMigration(CommandError):
    """The schema files cannot be applied."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: what it makes of the version before."""

    version: int
    name: str
    text: str

    @classmethod
    def read(cls, version: int, file: Path) -> Migration:
        try:
            return cls(version, file.name, file.read_text())
        except OSError as error:
            raise BadMigration(f"{file.name} cannot be read: {error.strerror}.") from None

    @property
    def alone(self) -> bool:
        return _ALONE.search(self.text) is not None

    @property
    def after(self) -> bool:
        return _AFTER.search(self.text) is not None

    @property
    def needs(self) -> int:
        found = _NEEDS.search(self.text)
        return int(found[1]) if found else 0

    def statements(self) -> list[str]:
        """Of a file outside a transaction: each ends with a semicolon at the end of a line, and outside of $$."""
        found, held = [], ""
        for part in _END.split(self.text):
            held += part
            if held.count("$$") % 2:
                held += ";"
                continue
            if _COMMENT.sub("", held).strip():
                found.append(held)
            held = ""
        return found


async def init(settings: Settings, folder: Path | None = None, say: Callable[[str], None] = print) -> str | None:
    """Create or upgrade the database, then run the script `init`; what that has to say to the person who starts."""
    folder = folder or Path.cwd()
    connection = await asyncpg.connect(settings.database_url, timeout=10)
    try:
        await _lock(connection)
        await upgrade(connection, folder, say)
        await jobs.install(connection)
        return await _load(settings, folder)
    finally:
        await connection.close(timeout=5)  # gives the lock back


async def _lock(connection: asyncpg.Connection) -> None:
    """Asked again and again: a statement that waits would be one that `create index concurrently` waits for."""
    while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.1)


async def upgrade(connection: asyncpg.Connection, folder: Path, say: Callable[[str], None]) -> None:
    """Apply what the database lacks. Raises BadMigration."""
    migrations = await asyncio.to_thread(_migrations, folder)
    newest = len(migrations)
    if not await connection.fetchval("select to_regclass('schemaversion') is not null"):
        schema = await asyncio.to_thread(Migration.read, newest, folder / "schema.sql")
        await _apply(connection, schema, max((one.needs for one in migrations), default=0), say)
        say(f"Database created (schema version {newest}).")
        return
    await _record(connection)
    present = await connection.fetchval("select max(version) from schemaversion")
    needed = await connection.fetchval("select max(needs) from schemaversion")
    if needed > newest:
        raise BadMigration(f"The database has schema version {present}, this program knows {newest}: upgrade it first.")
    if present > newest:
        say(f"The database has schema version {present}, newer than this program's {newest}, which can work with it.")
    for one in migrations[present:]:
        await _apply(connection, one, one.needs, say)
        say(f"Database upgraded by {one.name}.")


async def _record(connection: asyncpg.Connection) -> None:
    """Where it is kept what was applied. The first release had no names and no needs."""
    await connection.execute(
        "create table if not exists schemaversion"
        " (version integer primary key, appliedon timestamptz not null default now())"
    )
    named = await connection.fetchval(
        "select count(*) from pg_attribute where attrelid = 'schemaversion'::regclass and attname = 'needs'"
    )
    if not named:
        await connection.execute(
            "alter table schemaversion add column name text not null default '',"
            " add column needs integer not null default 0"
        )


async def _apply(connection: asyncpg.Connection, one: Migration, needs: int, say: Callable[[str], None]) -> None:
    try:
        if one.alone:
            for statement in one.statements():
                if _AFTER.search(statement):
                    await _older_ended(connection, one, say)
                await _alone(connection, statement)
            await _done(connection, one, needs)
        else:
            if one.after:
                await _older_ended(connection, one, say)
            await _patiently(partial(_together, connection, one, needs))
    except asyncpg.PostgresError as error:
        raise BadMigration(f"{one.name} cannot be applied: {error}".split("\n")[0]) from error


async def _older_ended(connection: asyncpg.Connection, one: Migration, say: Callable[[str], None]) -> None:
    """Wait until every transaction that is open now has ended.

    A transaction that began before the statement before this one may still run the functions and defaults that it
    replaced, and commit rows of the old kind after the rows have been looked at.
    """
    older = set(await connection.fetchval(_OPEN) or ())
    started, said = time.monotonic(), False
    while older:
        await asyncio.sleep(0.05)
        older &= set(await connection.fetchval(_OPEN) or ())
        if older and not said and time.monotonic() - started > SAY_AFTER:
            say(f"{one.name} waits for {len(older)} older transactions to end.")
            said = True


async def _together(connection: asyncpg.Connection, one: Migration, needs: int) -> None:
    async with connection.transaction():
        await connection.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
        await connection.execute(one.text)
        await _done(connection, one, needs)


async def _alone(connection: asyncpg.Connection, statement: str) -> None:
    """What is built concurrently waits as long as it must: nobody waits behind it."""
    waits = _CONCURRENT.search(statement) is not None
    await connection.execute(f"set lock_timeout = '{0 if waits else LOCK_TIMEOUT}'")
    try:
        await _patiently(partial(connection.execute, statement))
    finally:
        await connection.execute("reset lock_timeout")


async def _patiently(apply: Callable[[], Awaitable[object]]) -> None:
    """Tried again when it does not get a lock soon."""
    for left in reversed(range(TRIES)):
        try:
            await apply()
            return
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            if not left:
                raise
            await asyncio.sleep(2)


async def _done(connection: asyncpg.Connection, one: Migration, needs: int) -> None:
    await _record(connection)
    sql = "insert into schemaversion (version, name, needs) values ($1, $2, $3)"
    await connection.execute(sql, one.version, one.name, needs)


def _migrations(folder: Path) -> list[Migration]:
    found = {int(m[1]): file for file in (folder / "migrations").glob("*.sql") if (m := _FILE.fullmatch(file.name))}
    if sorted(found) != list(range(1, len(found) + 1)):
        raise BadMigration("migrations/ must hold 0001_name.sql, 0002_name.sql, ... without a gap.")
    return [Migration.read(version, file) for version, file in sorted(found.items())]


async def _load(settings: Settings, folder: Path) -> str | None:
    """Run the project's own script `init`, on connections of its own. It may return a line to show."""
    from tableapi.db.database import Db
    from tableapi.endpoints.registry import Scripts

    db = Db(str(settings.database_url), reads=1, pool=1, statement_timeout=600, name="tableapi-init")
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
