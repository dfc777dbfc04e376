"""Upgrade a project's database to the newest schema.

Upgrades may be repeated, run from several nodes at once, and run while nodes of the previous version are serving. An
empty database gets `schema.sql`; an older one gets the missing files from `migrations/`, in order. Then the tables of
the job queue are created, and the project's internal script `init`, if any, loads data.

Three comment lines in a migration have a meaning:
- `-- outside a transaction`: run the statements one by one, as `create index concurrently` requires; the file must be
  safe to start again.
- `-- needs N`: programs older than schema version N cannot use the result and do not start.
- `-- after older transactions`: before the next statement, wait for all currently open transactions to end (inside a
  transaction: before the file).
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

from tableapi.changes import triggers
from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings
from tableapi.db.session import connect
from tableapi.project import queue
from tableapi.project.files import recorded_tables

LOCK = 0x7461626C65  # advisory lock: "table", one `init` per database
LOCK_TIMEOUT = "2s"  # while DDL waits for a lock, all queries on that table wait behind it
MAX_ATTEMPTS = 15  # LOCK_TIMEOUT each, RETRY_SECONDS apart: about a minute
RETRY_SECONDS = 2
_FILE = re.compile(r"(\d{4})_\w+\.sql")
_ALONE = re.compile(r"^-- outside a transaction$", re.MULTILINE)
_AFTER = re.compile(r"^-- after older transactions$", re.MULTILINE)
_NEEDS = re.compile(r"^-- needs (\d+)$", re.MULTILINE)
_CONCURRENT = re.compile(r"\bindex\s+concurrently\b|^[ \t]*vacuum\b", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"--.*")
_END = re.compile(r";[ \t]*(?:--.*)?$", re.MULTILINE)
_APPLIED = """
    create table if not exists schemaversion (
        version integer primary key, name text not null, needs integer not null,
        appliedon timestamptz not null default now()
    )
"""

REPORT_SECONDS = 2.0  # how long to wait for other transactions before reporting it
# Every transaction locks its own virtual id; a prepared one, which has no process, locks its transaction id.
_OPEN = """
    select array_agg(distinct l.virtualtransaction) from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    where l.granted and l.mode = 'ExclusiveLock' and l.locktype in ('virtualxid', 'transactionid')
      and l.pid is distinct from pg_backend_pid()
      and (a.datname = current_database() and a.backend_type is distinct from 'autovacuum worker'
           or l.pid is null and exists (select 1 from pg_prepared_xacts p where p.database = current_database()
                                        and p.transaction = l.transactionid))
"""
_IS_MADE = "select to_regclass('schemaversion') is not null"
_FOREIGN = """
    select count(*) as tables, min(c.relname) as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'f')
        and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
"""


class BadMigration(CommandError):
    """The schema files cannot be applied."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file, which upgrades the schema from the previous version."""

    version: int
    name: str
    text: str

    @classmethod
    def read(cls, version: int, file: Path) -> Migration:
        """Read a file. Raises BadMigration."""
        try:
            return cls(version, file.name, file.read_text())
        except OSError as error:
            raise BadMigration(f"{file.name} cannot be read: {error.strerror}.") from None

    @property
    def alone(self) -> bool:
        """Whether its statements run outside a transaction."""
        return _ALONE.search(self.text) is not None

    @property
    def after(self) -> bool:
        """Whether it waits for older transactions."""
        return _AFTER.search(self.text) is not None

    @property
    def needs(self) -> int:
        """The minimum schema version of programs that can use the result; 0 for any."""
        match = _NEEDS.search(self.text)
        return int(match[1]) if match else 0

    def statements(self) -> list[str]:
        """Split the file; a statement ends with a semicolon at the end of a line, outside of $$."""
        statements, statement = [], ""
        for part in _END.split(self.text):
            statement += part
            if statement.count("$$") % 2:
                statement += ";"
                continue
            if _COMMENT.sub("", statement).strip():
                statements.append(statement)
            statement = ""
        return statements


async def init(settings: Settings, folder: Path | None = None, say: Callable[[str], None] = print) -> str | None:
    """Create or upgrade the database, then run the script `init` and return its message."""
    folder = folder or Path.cwd()
    connection = await connect(settings.direct_url, timeout=10)
    try:
        await _lock(connection)
        await upgrade(connection, folder, say)
        await queue.install(connection)
        await _record_changes(connection, folder, say)
        return await _load(settings, folder)
    finally:
        await connection.close(timeout=5)  # releases the lock


async def difference(settings: Settings, folder: Path) -> tuple[bool, str] | None:
    """Return whether a difference between the schemas of database and project is fatal, and its text.

    Raises:
        BadMigration, OSError, PostgresError: the files or the database cannot be read.
    """
    newest = len(await asyncio.to_thread(_migrations, folder))
    connection = await connect(settings.direct_url, timeout=10)
    try:
        if not await connection.fetchval(_IS_MADE):
            await _check_empty(connection)
            return not settings.init, "DATABASE_URL: the database is empty. `tableapi init` creates the schema."
        present, needed = await _versions(connection)
    except BadMigration as error:
        return True, f"DATABASE_URL: {error}"
    finally:
        await connection.close(timeout=5)
    if needed > newest:
        return True, f"DATABASE_URL: {_too_new(present, newest)}"
    if present >= newest:
        return None
    return not settings.init, f"DATABASE_URL: schema version {present}. `tableapi init` upgrades it to {newest}."


async def _versions(connection: asyncpg.Connection) -> tuple[int, int]:
    """Return the schema version of the database, and the lowest that a program must know."""
    row = await connection.fetchrow("select max(version) as present, max(needs) as needed from schemaversion")
    assert row is not None
    return row["present"], row["needed"]


def _too_new(present: int, newest: int) -> BadMigration:
    return BadMigration(
        f"The database has schema version {present}, and this program knows only {newest}. Install a newer version of "
        "the program."
    )


async def _check_empty(connection: asyncpg.Connection) -> None:
    """Raise BadMigration if the database has tables of another program."""
    row = await connection.fetchrow(_FOREIGN)
    if row is not None and row["tables"]:
        raise BadMigration(
            f"The database has {row['tables']} tables that this project did not create, such as '{row['name']}'. Use "
            "an empty database or, to serve those tables, `tableapi serve --dataset`."
        )


async def _record_changes(connection: asyncpg.Connection, folder: Path, say: Callable[[str], None]) -> None:
    """Record the changes of tables that the policy marks; the project works without the triggers."""
    tables = await asyncio.to_thread(recorded_tables, folder)
    try:
        if tables or await triggers.recorded(connection):
            await triggers.install(connection, tables, say, only=True)
    except triggers.CannotRecord as error:
        say(f"Changes are not recorded: {error}")


async def _lock(connection: asyncpg.Connection) -> None:
    """Poll for the lock: `create index concurrently` would wait for a statement that blocks on it."""
    while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):  # noqa: ASYNC110 - no notification
        await asyncio.sleep(0.1)


async def upgrade(connection: asyncpg.Connection, folder: Path, say: Callable[[str], None]) -> None:
    """Apply the migrations missing from the database. Raises BadMigration."""
    migrations = await asyncio.to_thread(_migrations, folder)
    newest = len(migrations)
    if not await connection.fetchval(_IS_MADE):
        await _check_empty(connection)
        schema = await asyncio.to_thread(Migration.read, newest, folder / "schema.sql")
        await _apply(connection, schema, max((migration.needs for migration in migrations), default=0), say)
        say(f"Database created (schema version {newest}).")
        return
    present, needed = await _versions(connection)
    if needed > newest:
        raise _too_new(present, newest)
    if present > newest:
        say(f"The database has schema version {present}, newer than this program's {newest}, and compatible with it.")
    for migration in migrations[present:]:
        await _apply(connection, migration, migration.needs, say)
        say(f"Database upgraded by {migration.name}.")


async def _apply(connection: asyncpg.Connection, migration: Migration, needs: int, say: Callable[[str], None]) -> None:
    try:
        if migration.alone:
            for statement in migration.statements():
                if _AFTER.search(statement):
                    await _older_ended(connection, migration, say)
                await _alone(connection, statement)
            await _done(connection, migration, needs)
        else:
            if migration.after:
                await _older_ended(connection, migration, say)
            await _patiently(partial(_together, connection, migration, needs))
    except asyncpg.PostgresError as error:
        place = migration.name + _line(migration.text, error)
        raise BadMigration(f"{place} cannot be applied: {error}".split("\n")[0]) from error


def _line(text: str, error: asyncpg.PostgresError) -> str:
    """Return `, line N` if PostgreSQL reports the position of an error in the file, else ""."""
    start, position = text.find(getattr(error, "query", "\0")), getattr(error, "position", None)
    return f", line {text.count(chr(10), 0, start + int(position) - 1) + 1}" if position and start >= 0 else ""


async def _older_ended(connection: asyncpg.Connection, migration: Migration, say: Callable[[str], None]) -> None:
    """Wait until all currently open transactions have ended.

    A transaction older than the previous statement may still run the functions and defaults that the statement
    replaced, and commit rows in the old form after the migration has converted the existing rows.
    """
    older = set(await connection.fetchval(_OPEN) or ())
    started, reported = time.monotonic(), False
    while older:
        await asyncio.sleep(0.05)
        older &= set(await connection.fetchval(_OPEN) or ())
        if older and not reported and time.monotonic() - started > REPORT_SECONDS:
            say(f"{migration.name} is waiting for {len(older)} older transactions to end.")
            reported = True


async def _together(connection: asyncpg.Connection, migration: Migration, needs: int) -> None:
    async with connection.transaction():
        await connection.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
        await connection.execute(migration.text)
        await _done(connection, migration, needs)


async def _alone(connection: asyncpg.Connection, statement: str) -> None:
    """Run one statement outside a transaction.

    Concurrent index builds may wait indefinitely, because they do not block other queries.
    """
    waits = _CONCURRENT.search(statement) is not None
    await connection.execute(f"set lock_timeout = '{0 if waits else LOCK_TIMEOUT}'")
    try:
        await _patiently(partial(connection.execute, statement))
    finally:
        await connection.execute("reset lock_timeout")


async def _patiently(apply: Callable[[], Awaitable[object]]) -> None:
    """Run `apply`, retrying while it cannot get a lock."""
    for left in reversed(range(MAX_ATTEMPTS)):
        try:
            await apply()
            return
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            if not left:
                raise
            await asyncio.sleep(RETRY_SECONDS)


async def _done(connection: asyncpg.Connection, migration: Migration, needs: int) -> None:
    await connection.execute(_APPLIED)
    sql = "insert into schemaversion (version, name, needs) values ($1, $2, $3)"
    await connection.execute(sql, migration.version, migration.name, needs)
    await connection.execute("notify tableapi_schema")  # running servers reload the schema


def _migrations(folder: Path) -> list[Migration]:
    files = {int(m[1]): file for file in (folder / "migrations").glob("*.sql") if (m := _FILE.fullmatch(file.name))}
    if sorted(files) != list(range(1, len(files) + 1)):
        raise BadMigration("migrations/ must contain 0001_name.sql, 0002_name.sql, ... without gaps.")
    return [Migration.read(version, file) for version, file in sorted(files.items())]


async def _load(settings: Settings, folder: Path) -> str | None:
    """Run the project's script `init` on its own connections; return its message, if any."""
    from tableapi.db.database import Db
    from tableapi.project.registry import Scripts

    db = Db(settings.direct_url, reads=1, pool=1, statement_timeout=600, name="tableapi-init")
    await db.connect()
    scripts = Scripts.load(folder, settings, db)
    try:
        if "init" in scripts.jobs:
            message = await scripts.run_job("init", {})
            return message if isinstance(message, str) else None
        return None
    finally:
        await scripts.close()
        await db.close()
