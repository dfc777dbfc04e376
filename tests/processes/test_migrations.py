"""Migrations: `schema.sql` equals the first release plus every migration; `tableapi init` applies missing ones."""

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
from tests.helpers.support import ROOT, NewDatabase, tableapi

RELEASED = ROOT / "tests" / "data" / "released" / "0000.sql"


def project(folder: Path, schema: str, **migrations: str) -> Path:
    (folder / "migrations").mkdir(parents=True, exist_ok=True)
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "schema.sql").write_text(schema)
    (folder / "policy.py").write_text("POLICY = {}\n")
    for name, text in migrations.items():
        (folder / "migrations" / f"{name}.sql").write_text(text)
    return folder


async def upgrade(url: str, folder: Path) -> list[str]:
    said: list[str] = []
    connection = await asyncpg.connect(url)
    try:
        await migrate.upgrade(connection, folder, said.append)
    finally:
        await connection.close()
    return said


def dumped(url: str) -> list[str]:
    """Return a schema as sorted lines, so that the order of columns and objects does not matter."""
    program = next(path / "pg_dump" for path in binaries() if (path / "pg_dump").exists())
    result = subprocess.run(
        [program, "--schema-only", "--no-owner", "-d", url], capture_output=True, text=True, check=True
    )
    lines = (line.strip().rstrip(",") for line in result.stdout.splitlines())
    return sorted(line for line in lines if line and not line.startswith(("--", "\\")))


async def test_the_schema_is_the_first_release_and_all_migrations(new_database: NewDatabase, tmp_path: Path) -> None:
    fresh, old = [await asyncio.to_thread(new_database) for _ in range(2)]
    await upgrade(fresh, ROOT)
    await upgrade(old, project(tmp_path / "first", RELEASED.read_text()))
    said = await upgrade(old, ROOT)
    files = sorted(path.name for path in (ROOT / "migrations").glob("*.sql"))
    assert said == [f"Database upgraded by {name}." for name in files]
    assert dumped(old) == dumped(fresh)
    connection = await asyncpg.connect(old)
    applied = await connection.fetch("select version, name from schemaversion order by version")
    broken = await connection.fetchval("select count(*) from pg_index where not indisvalid")
    await connection.close()
    assert [tuple(row) for row in applied] == list(enumerate(["schema.sql", *files]))
    assert broken == 0
    assert await upgrade(old, ROOT) == []


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
    await _waiting(reader)
    await reader.execute("set statement_timeout = '4s'")
    await reader.execute("select * from a")  # queued behind the migration until its lock_timeout
    await held.rollback()
    assert await upgrading == ["Database upgraded by 0001_b.sql."]
    await holder.close()
    await reader.close()


async def _waiting(connection: asyncpg.Connection) -> None:
    await _until(connection, "select exists (select 1 from pg_locks where not granted and relation = 'a'::regclass)")


async def _until(connection: asyncpg.Connection, sql: str) -> None:
    async with asyncio.timeout(10):
        while not await connection.fetchval(sql):  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.01)


async def test_a_reveal_by_the_previous_version_may_commit_late(new_database: NewDatabase, tmp_path: Path) -> None:
    """Commit a row by the old function after a migration replaced it and while the next one backfills."""
    url = await asyncio.to_thread(new_database)
    first = project(tmp_path / "first", RELEASED.read_text())
    await upgrade(url, first)
    # This one builds indexes concurrently and would wait for the reveal.
    name = "0001_erasing_and_cleaning"
    await upgrade(url, project(first, "", **{name: (ROOT / "migrations" / f"{name}.sql").read_text()}))
    late, seen = await asyncpg.connect(url), await asyncpg.connect(url)
    await late.execute("""
        insert into client (clientid) values (1);
        insert into appuser (appuserid, clientid, name, email, isverified) values (1, 1, 'A', 'a@b.example', 1);
        insert into usercredit (clientid, contactcredit) values (1, 5);
        insert into subscriptionplan (planid, name, price, validity) values (2, 'Starter', 49, 30);
        insert into usersubscription (clientid, planid, expirydate) values (1, 2, now() + interval '1 day');
        insert into person (personid, profilekey, full_name) values (1, 'in/a', 'Jane Doe');
    """)
    holder = await asyncpg.connect(url)
    held = holder.transaction()
    await held.start()
    await holder.execute("select from usercredit for update")
    reveal = "select reveal_contact(1, 1, 'directdial', 1, null, '', 'Jane Doe', 'u', null, null, null, null, null)"
    revealing = asyncio.create_task(late.fetchval(reveal))  # it waits for the lock inside the function
    await _until(seen, "select exists (select 1 from pg_locks where not granted)")
    said: list[str] = []
    connection = await asyncpg.connect(url)
    upgrading = asyncio.create_task(migrate.upgrade(connection, ROOT, said.append))
    async with asyncio.timeout(60):
        while not any("0003" in line for line in said):  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.05)
    await held.rollback()
    assert '"charged"' in await revealing
    await upgrading
    assert "0003_fill_list_of_my_contacts.sql is waiting for 2 older transactions to end." in said
    listed = await seen.fetch("select searchname from usercontactlink where listedon is not null")
    assert [row["searchname"] for row in listed] == ["jane doe"]
    for open_connection in (late, seen, connection, holder):
        await open_connection.close()


async def test_contacts_revealed_by_keys_are_listed_for_the_owner(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    before = sorted((ROOT / "migrations").glob("000[1-5]_*.sql"))
    texts = {path.stem: path.read_text() for path in before}
    folder = project(tmp_path / "before", RELEASED.read_text())
    await upgrade(url, folder)
    await upgrade(url, project(folder, "", **texts))
    connection = await asyncpg.connect(url)
    await connection.execute("""
        insert into client (clientid) values (1), (2);
        insert into appuser (appuserid, clientid, name, email, role, isverified) values
            (1, 1, 'Owner', 'o@b.example', 'client', 1), (2, 1, 'Member', 'm@b.example', 'member', 1),
            (3, 2, 'Other', 'o@c.example', 'client', 1);
        insert into usercredit (clientid, contactcredit, bus_email_credits) values (1, 5, 5), (2, 5, 5);
        insert into subscriptionplan (planid, name, price, validity) values (2, 'Starter', 49, 30);
        insert into usersubscription (clientid, planid, expirydate) values (1, 2, now() + interval '1 day');
        insert into person (personid, profilekey, full_name) values (1, 'in/a', 'By Key'), (2, 'in/b', 'By Member');
        insert into apikeys (keyid, clientid, apikey, keyhash, purpose) values (1, 1, 'x', 'x', 'CRM');
        select reveal_contact(1, 1, 'directdial', null, 1, '', 'By Key', 'u', null, null, null, null, null);
        select reveal_contact(1, 2, 'directdial', 2, null, '', 'By Member', 'u', null, null, null, null, null);
    """)
    await upgrade(url, ROOT)
    rows = await connection.fetch("select appuserid, searchname from usercontactlink order by appuserid")
    assert [tuple(row) for row in rows] == [(1, "by key"), (2, "by member")]
    await connection.close()


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
    with pytest.raises(BadMigration, match="Upgrade the database first"):
        await upgrade(url, old)


async def test_tokens_and_erased_people_of_an_older_version_are_migrated(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    """0005 binds tokens to the addresses they were mailed to, and erases data that removals left in plain text."""
    url = await asyncio.to_thread(new_database)
    files = sorted((ROOT / "migrations").glob("*.sql"))
    older = {path.stem: path.read_text() for path in files if path.name < "0005"}
    folder = project(tmp_path / "older", RELEASED.read_text())
    await upgrade(url, folder)
    await upgrade(url, project(folder, "", **older))
    db = await asyncpg.connect(url)
    await db.execute("insert into client (clientid) values (1)")
    users = "insert into appuser (appuserid, clientid, name, email, role, isverified) values ($1, 1, 'A', $2, $3, 1)"
    await db.execute(users, 1, "Stays@old.example", "client")
    await db.execute(users, 2, "new@old.example", "member")
    token = (
        "insert into onetimetoken (tokenhash, purpose, appuserid, createdon, expireson)"
        " values (sha256($1), 'reset', $2, now() - interval '1 minute', now() + interval '1 hour')"
    )
    await db.execute(token, b"1", 1)
    await db.execute(token, b"2", 2)
    await db.execute("insert into auditlog (clientid, appuserid, event) values (1, 2, 'email_changed')")
    person = "insert into person (personid, profilekey, full_name, businesscipher) values ($1, $2, $3, $4)"
    await db.execute(person, 1, "in/erased", "", None)
    await db.execute(person, 2, "in/alive", "Alive", b"x")
    contact = (
        "insert into usercontact (contactid, clientid, personid, name, linkedinurl, deleted)"
        " values ($1, 1, $1, $2, $3, $4)"
    )
    await db.execute(contact, 1, "Removed", "https://www.linkedin.com/in/erased", 1)
    await db.execute(contact, 2, "Alive", "https://www.linkedin.com/in/alive", 0)
    await upgrade(url, ROOT)

    tokens = await db.fetch("select appuserid, email from onetimetoken")
    assert [tuple(row) for row in tokens] == [(1, "stays@old.example")]
    await db.execute(token, b"3", 2)  # by a version without the column
    assert await db.fetchval("select email from onetimetoken where appuserid = 2") == "new@old.example"
    await db.execute("update appuser set email = 'other@old.example' where appuserid = 2")
    assert await db.fetchval("select count(*) from onetimetoken where appuserid = 2") == 0
    assert await db.fetchval("select sum(passwordproved) from appuser") == 2
    await db.execute(users, 3, "later@old.example", "member")
    assert await db.fetchval("select passwordproved from appuser where appuserid = 3") == 0
    keys = [row["profilekey"] for row in await db.fetch("select profilekey from person order by personid")]
    assert keys == ["removed/1", "in/alive"]
    urls = [row["linkedinurl"] for row in await db.fetch("select linkedinurl from usercontact order by contactid")]
    assert urls == ["", "https://www.linkedin.com/in/alive"]
    # The file can be applied again.
    await db.execute("delete from schemaversion where version >= 5")
    text = await upgrade(url, project(tmp_path / "again", "", **{path.stem: path.read_text() for path in files[:5]}))
    assert text == ["Database upgraded by 0005_tokens_bound_to_addresses.sql."]
    await db.close()
