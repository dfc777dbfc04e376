"""Migrations of a small project: `tableapi init` applies the missing ones, while older programs are running."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path

import asyncpg
import pytest

from tableapi.server import migrate
from tableapi.server.migrate import BadMigration
from tableapi.server.postgres.server import binaries
from tests.docs import pages
from tests.helpers.support import NewDatabase, tableapi


def project(folder: Path, schema: str, **migrations: str) -> Path:
    (folder / "migrations").mkdir(parents=True, exist_ok=True)
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "schema.sql").write_text(schema)
    (folder / "policy.py").write_text("POLICY = {}\n")
    for name, text in migrations.items():
        (folder / "migrations" / f"{name}.sql").write_text(text)
    return folder


async def upgrade(url: str, folder: Path, said: list[str] | None = None) -> list[str]:
    said = [] if said is None else said
    connection = await asyncpg.connect(url)
    try:
        await migrate.upgrade(connection, folder, said.append)
    finally:
        await connection.close()
    return said


async def applied(url: str) -> list[str]:
    """Return the files that a database was made by, in order."""
    connection = await asyncpg.connect(url)
    rows = await connection.fetch("select version, name from schemaversion order by version")
    await connection.close()
    assert [row["version"] for row in rows] == list(range(len(rows)))
    return [row["name"] for row in rows]


def dumped(url: str) -> list[str]:
    """Return a schema as sorted lines, so that the order of columns and objects does not matter."""
    program = next(path / "pg_dump" for path in binaries() if (path / "pg_dump").exists())
    result = subprocess.run(
        [program, "--schema-only", "--no-owner", "-d", url], capture_output=True, text=True, check=True
    )
    lines = (line.strip().rstrip(",") for line in result.stdout.splitlines())
    return sorted(line for line in lines if line and not line.startswith(("--", "\\")))


@pytest.mark.parametrize("folder_exists", [False, True])
async def test_a_project_begins_without_migrations(
    new_database: NewDatabase, tmp_path: Path, folder_exists: bool
) -> None:
    url, folder = await asyncio.to_thread(new_database), project(tmp_path / "p", "create table a (id int);")
    if not folder_exists:
        (folder / "migrations").rmdir()
    assert await upgrade(url, folder) == ["Database created (schema version 0)."]
    assert await upgrade(url, folder) == []
    project(folder, "", **{"0001_b": "alter table a add b int;"})
    assert await upgrade(url, folder) == ["Database upgraded by 0001_b.sql."]
    assert await applied(url) == ["schema.sql", "0001_b.sql"]


async def test_the_example_of_the_guide_ends_as_the_new_schema(new_database: NewDatabase, tmp_path: Path) -> None:
    """Also for rows of an older program, one of which is not committed when the migration begins."""
    fresh, url = [await asyncio.to_thread(new_database) for _ in range(2)]
    files = [fence for fence in pages.fences(pages.read("guides/upgrading.md")) if fence.title.endswith(".sql")]
    old, new, migration = (fence.text for fence in files)
    name = Path(files[2].title).stem
    await upgrade(fresh, project(tmp_path / "fresh", new))
    folder = project(tmp_path / "p", old)
    await upgrade(url, folder)
    writer, reader = await asyncpg.connect(url), await asyncpg.connect(url)
    insert = "insert into customer (name) select 'Customer ' || n from generate_series(1, $1::int) n"
    await writer.execute(insert, 6000)
    held = writer.transaction()
    await held.start()
    await writer.execute(insert, 1)
    upgrading = asyncio.create_task(upgrade(url, project(folder, new, **{name: migration})))
    await _waiting(reader, "customer")
    await held.commit()
    assert await upgrading == [f"Database upgraded by {name}.sql."]
    await writer.execute(insert, 1)
    wrong = "select count(*) from customer where searchname is distinct from lower(name)"
    assert await reader.fetchval(wrong) == 0
    assert await reader.fetchval("select count(*) from customer") == 6002
    assert await reader.fetchval("select count(*) from pg_index where not indisvalid") == 0
    assert dumped(url) == dumped(fresh)
    assert await applied(url) == ["schema.sql", f"{name}.sql"]
    # Restarted after its last statement, it ends in the same state.
    await reader.execute("delete from schemaversion where version = 1")
    assert await upgrade(url, folder) == [f"Database upgraded by {name}.sql."]
    assert dumped(url) == dumped(fresh)
    await writer.close()
    await reader.close()


async def test_a_call_of_a_replaced_function_may_commit_late(new_database: NewDatabase, tmp_path: Path) -> None:
    """The old function has begun before the migration replaces it, and inserts a row when the migration continues."""
    url = await asyncio.to_thread(new_database)
    function = """create or replace function add() returns void language plpgsql as $$
        begin update counter set n = n + 1; insert into a ({}) values ({}); end $$;\n"""
    folder = project(
        tmp_path / "p",
        "create table a (id int, double int); create table counter (n int); insert into counter values (0);"
        + function.format("id", "1"),
    )
    await upgrade(url, folder)
    late, holder, seen = [await asyncpg.connect(url) for _ in range(3)]
    held = holder.transaction()
    await held.start()
    await holder.execute("select from counter for update")
    adding = asyncio.create_task(late.execute("select add()"))  # it waits for the lock inside the function
    await _until(seen, "select exists (select 1 from pg_locks where not granted)")
    text = f"""-- outside a transaction
{function.format("id, double", "1, 2")}-- after older transactions
update a set double = 2 * id where double is null;
alter table a alter column double set not null;
"""
    said: list[str] = []
    upgrading = asyncio.create_task(upgrade(url, project(folder, "", **{"0001_double": text}), said))
    async with asyncio.timeout(30):
        while not said:  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.05)
    await held.rollback()
    await adding
    await upgrading
    assert said[0] == "0001_double.sql is waiting for 2 older transactions to end."
    assert [tuple(row) for row in await seen.fetch("select id, double from a")] == [(1, 2)]
    for connection in (late, holder, seen):
        await connection.close()


async def test_servers_are_notified_of_each_migration(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    told: asyncio.Queue[str] = asyncio.Queue()
    connection = await asyncpg.connect(url)
    await connection.add_listener("tableapi_schema", lambda *message: told.put_nowait(message[2]))
    try:
        folder = project(tmp_path / "p", "create table a (id int primary key);")
        await upgrade(url, folder)
        assert await asyncio.wait_for(told.get(), 10) == "tableapi_schema"
        project(folder, "", **{"0001_more": "alter table a add b int;"})
        await upgrade(url, folder)
        assert await asyncio.wait_for(told.get(), 10) == "tableapi_schema"
    finally:
        await connection.close()


async def test_a_failing_migration_is_rolled_back_and_reported(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    first = project(tmp_path / "p", "create table a (id int primary key);")
    await upgrade(url, first)
    project(first, "", **{"0001_good": "alter table a add b int;", "0002_bad": "create table c (); select 1/0;"})
    with pytest.raises(BadMigration, match=r"0002_bad\.sql cannot be applied: division by zero"):
        await upgrade(url, first)
    connection = await asyncpg.connect(url)
    assert await connection.fetchval("select to_regclass('c') is null")
    assert await connection.fetchval("select max(version) from schemaversion") == 1
    await connection.close()
    project(first, "", **{"0002_bad": "create table c ();"})
    assert await upgrade(url, first) == ["Database upgraded by 0002_bad.sql."]


async def test_a_gap_in_the_numbers_is_rejected(new_database: NewDatabase, tmp_path: Path) -> None:
    folder = project(tmp_path / "p", "create table a ();", **{"0002_x": "select 1;"})
    with pytest.raises(BadMigration, match="without gaps"):
        await upgrade(await asyncio.to_thread(new_database), folder)


async def test_a_waiting_migration_does_not_block_reads(new_database: NewDatabase, tmp_path: Path) -> None:
    """While a long transaction locks the table, reads continue, and the migration runs when it ends."""
    url = await asyncio.to_thread(new_database)
    folder = project(tmp_path / "p", "create table a (id int);")
    await upgrade(url, folder)
    project(folder, "", **{"0001_b": "alter table a add b int;"})
    holder, reader = await asyncpg.connect(url), await asyncpg.connect(url)
    held = holder.transaction()
    await held.start()
    await holder.execute("select * from a")
    upgrading = asyncio.create_task(upgrade(url, folder))
    await _waiting(reader, "a")
    await reader.execute("set statement_timeout = '4s'")
    await reader.execute("select * from a")  # queued behind the migration until its lock_timeout
    await held.rollback()
    assert await upgrading == ["Database upgraded by 0001_b.sql."]
    await holder.close()
    await reader.close()


async def _waiting(connection: asyncpg.Connection, table: str) -> None:
    where = f"not granted and relation = '{table}'::regclass"
    await _until(connection, f"select exists (select 1 from pg_locks where {where})")


async def _until(connection: asyncpg.Connection, sql: str) -> None:
    async with asyncio.timeout(10):
        while not await connection.fetchval(sql):  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.01)


async def test_a_transactional_file_waits_and_is_retried(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    folder = project(tmp_path / "p", "create table a (id int);")
    await upgrade(url, folder)
    text = "-- after older transactions\nalter table a add constraint small check (id < 5);"
    project(folder, "", **{"0001_small": text})
    older, other = await asyncpg.connect(url), await asyncpg.connect(url)
    held = older.transaction()
    await held.start()
    await older.execute("select 1")  # it has no lock and no transaction id
    upgrading = asyncio.create_task(upgrade(url, folder))
    await other.execute("insert into a values (7)")
    finished, _ = await asyncio.wait({upgrading}, timeout=1)
    assert not finished
    await held.rollback()
    with pytest.raises(BadMigration, match="small"):
        await upgrading
    await other.execute("delete from a")
    assert await upgrade(url, folder) == ["Database upgraded by 0001_small.sql."]
    await older.close()
    await other.close()


async def test_several_nodes_can_upgrade_concurrently_even_with_concurrent_indexes(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    """A node that waits for the lock has no snapshot, since `create index concurrently` would wait for it."""
    url = await asyncio.to_thread(new_database)
    folder = project(tmp_path / "p", "create table a (id int);")
    await upgrade(url, folder)
    text = (
        "-- outside a transaction\n-- a comment; with a semicolon in it\ndrop index concurrently if exists a_id;\n"
        "create index concurrently a_id\n  on a (id);  -- the end\n"
    )
    project(folder, "", **{"0001_index": text})
    runs = [
        asyncio.to_thread(tableapi, "init", cwd=folder, DATABASE_URL=url, DATA_DIR=tmp_path / f"d{n}") for n in range(3)
    ]
    done = await asyncio.gather(*runs)
    assert [run.returncode for run in done] == [0, 0, 0], [run.stderr for run in done]
    assert sum(run.stdout.count("upgraded by 0001_index.sql") for run in done) == 1
    connection = await asyncpg.connect(url)
    assert await connection.fetchval("select indisvalid from pg_index where indexrelid = 'a_id'::regclass")
    await connection.close()


async def test_an_older_program_works_until_a_migration_forbids_it(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    old = project(tmp_path / "old", "create table a (id int);")
    new = project(tmp_path / "new", "", **{"0001_b": "alter table a add b int;"})
    await upgrade(url, old)
    await upgrade(url, new)
    [said] = await upgrade(url, old)
    assert re.search("schema version 1, newer than this program's 0", said)
    project(new, "", **{"0002_c": "-- needs 1\nalter table a drop column id;"})
    await upgrade(url, new)
    with pytest.raises(BadMigration, match=r"version 2, and this program knows only 0\. Install a newer version"):
        await upgrade(url, old)


async def test_the_tables_of_another_program_are_left_alone(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database, "create table customer (id int); create table orders (id int)")
    with pytest.raises(BadMigration, match="2 tables that this project did not create, such as 'customer'"):
        await upgrade(url, project(tmp_path, "create table a (id int);"))
    connection = await asyncpg.connect(url)
    tables = await connection.fetch("select relname from pg_class where relnamespace = 'public'::regnamespace")
    await connection.close()
    assert sorted(row["relname"] for row in tables) == ["customer", "orders"]


@pytest.mark.parametrize(
    ("sql", "init", "code", "said"),
    [
        ("", "on", 0, "note: DATABASE_URL: the database is empty. `tableapi init` creates the schema."),
        ("", "off", 1, "error: DATABASE_URL: the database is empty."),
        ("create table customer (id int)", "on", 1, "error: DATABASE_URL: The database has 1 tables that this"),
        ("made", "on", 0, "note: DATABASE_URL: schema version 0. `tableapi init` upgrades it to 1."),
        ("made", "off", 1, "error: DATABASE_URL: schema version 0."),
    ],
)
async def test_check_compares_the_schema(
    new_database: NewDatabase, tmp_path: Path, sql: str, init: str, code: int, said: str
) -> None:
    url = await asyncio.to_thread(new_database, "" if sql == "made" else sql)
    folder = project(tmp_path, "create table a (id int);")
    (folder / "policy.py").write_text(
        "from tableapi import Sessions\nPOLICY = {}\n"
        "SESSIONS = Sessions(lookup=\"select 'user' as role where $1 = ''\")\n"
    )
    if sql == "made":
        await upgrade(url, folder)
        (folder / "migrations" / "0001_b.sql").write_text("alter table a add b int;")
    settings = {
        "DATABASE_URL": url, "INIT": init, "DATA_DIR": str(tmp_path / "data"), "PUBLIC_URL": "https://a.example.com",
        "SECRET_KEYS": "k" * 32, "APP_KEYS": "a" * 32,
    }  # fmt: skip
    checked = await asyncio.to_thread(lambda: tableapi("check", cwd=folder, **settings))
    assert said in checked.stdout, checked.stdout + checked.stderr
    assert checked.returncode == code, checked.stdout
