"""Restore the product to a point in time with pgBackRest, as in docs/guides/backup.md, and use it afterwards."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg

from tests.helpers.copied_product import product_tests
from tests.helpers.customer import SETTINGS, books, caller, more_people, prepare, reveal
from tests.helpers.product import SECRET
from tests.helpers.support import ROOT, SqlClient, clean_environment, free_port, start
from tests.system.cluster.faults import Row
from tests.system.cluster.programs import PATH, Missing, Program, postgres_programs, program, unprivileged, wait_for

PEOPLE, REVEALS, AT_ONCE = 1_000_000, 2_000, 16
JSON = {"Content-Type": "application/json"}
ARCHIVED = "select last_archived_wal from pg_stat_archiver"  # the newest log file in the repository
POSTGRES = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
archive_mode = on
archive_timeout = 60
archive_command = 'pgbackrest --config={folder}/pgbackrest.conf --stanza=leads archive-push %p'
"""
PGBACKREST = """
[global]
repo1-path={folder}/repository
log-path={folder}/log
lock-path={folder}/lock
spool-path={folder}/spool
process-max=2
start-fast=y
repo1-retention-full=1
log-level-console=warn

[leads]
pg1-path={folder}/postgres
pg1-port={port}
pg1-socket-path={folder}
pg1-user=postgres
"""


class _Machine:
    """One PostgreSQL that archives its log, and pgBackRest beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.data, self.url = folder / "postgres", f"postgresql://postgres@127.0.0.1:{self.port}/leads"
        user = unprivileged()
        if user is not None:
            os.chown(folder, *user)
        self.postgres = Program(
            "server", folder, [str(postgres_programs() / "postgres"), "-D", str(self.data)], "127.0.0.1", self.port
        )

    def run(self, *words: str | Path) -> float:
        """Run a program as the user of PostgreSQL, and return its seconds. Raises Missing with its output."""
        user, began = unprivileged(), time.monotonic()
        done = subprocess.run(
            list(map(str, words)), cwd=self.folder, capture_output=True, text=True, check=False,
            env=clean_environment(PATH=PATH, HOME=self.folder),
            user=user and user[0], group=user and user[1], extra_groups=[] if user else None,
        )  # fmt: skip
        if done.returncode:
            raise Missing(f"{Path(words[0]).name} failed: {(done.stdout + done.stderr)[-800:]}")
        return time.monotonic() - began

    def backrest(self, *words: str) -> float:
        """Run pgBackRest. Raises Missing with its output."""
        return self.run(program("pgbackrest"), f"--config={self.folder}/pgbackrest.conf", "--stanza=leads", *words)

    def bring_up(self) -> None:
        """Start PostgreSQL with an archive and an empty database."""
        self.run(postgres_programs() / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust")
        names = {"folder": self.folder, "port": self.port}
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.write(POSTGRES.format(**names))
        self.run("mkdir", self.folder / "log")
        (self.folder / "pgbackrest.conf").write_text(PGBACKREST.format(**names))
        self.postgres.start()
        self.run(postgres_programs() / "createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "leads")
        self.backrest("stanza-create")

    def accepts_writes(self) -> bool:
        """Return whether the database has been recovered and is no longer read-only."""
        try:
            return not self.value("select pg_is_in_recovery()")
        except (OSError, asyncpg.PostgresError):
            return False

    def value(self, sql: str) -> Any:
        """Return the first value of a query."""
        with SqlClient(self.url) as db:
            return db.fetch(sql)[0][0]


async def _reveals(url: str, first: int, count: int) -> None:
    """Reveal people, several at once. Raises AssertionError for a response without a charge."""
    numbers = iter(range(first, first + count))
    async with caller(url) as http:

        async def work() -> None:
            for number in numbers:
                response = await http.post("getcontact", content=reveal(number), headers=JSON)
                assert response.status_code == 200, response.text
                assert response.json()["charged"] == 1, response.text

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))


async def _disaster(url: str) -> tuple[str, str]:
    """Delete contacts and drop a table, one second after a time. Return the time, and the log file that has it all."""
    db = await asyncpg.connect(url)
    try:
        when = await db.fetchval("select clock_timestamp()::text")
        await asyncio.sleep(1)
        await db.execute("set session_replication_role = replica; delete from usercontact; drop table person cascade")
        return when, await db.fetchval("select pg_walfile_name(pg_switch_wal())")
    finally:
        await db.close()


async def _fill(url: str) -> None:
    await prepare(url, 0, SECRET)
    db = await asyncpg.connect(url)
    try:
        await more_people(db, 0, PEOPLE, SECRET)
    finally:
        await db.close()


def run(folder: Path, exits: ExitStack) -> list[Row]:
    """Back up under load, destroy, restore to the time before, and use the result. Return the rows of the table."""
    machine = _Machine(folder)
    machine.bring_up()
    exits.callback(machine.postgres.stop)
    # The tests run on the restored database, so it is created with their secret key.
    settings = SETTINGS | {"DATABASE_URL": machine.url, "WORKER": "off", "SECRET_KEYS": SECRET}
    with ExitStack() as serving:
        server = start(serving, folder, cwd=ROOT, **settings)
        asyncio.run(_fill(machine.url))
        asyncio.run(_reveals(server.url, 0, REVEALS))
        backup = machine.backrest("--type=full", "backup")
        asyncio.run(_reveals(server.url, REVEALS, REVEALS))  # only in the archived log
        before = asyncio.run(books(machine.url))
        when, last = asyncio.run(_disaster(machine.url))
        wait_for(lambda: (machine.value(ARCHIVED) or "") >= last, "the archive")
    size = sum(path.stat().st_size for path in (folder / "repository").rglob("*") if path.is_file())
    machine.postgres.stop()

    began = time.monotonic()
    files = machine.backrest("--delta", "--type=time", f"--target={when}", "--target-action=promote", "restore")
    machine.postgres.start()
    wait_for(machine.accepts_writes, "the restored database", 300)
    took = time.monotonic() - began

    after, people = asyncio.run(books(machine.url)), machine.value("select count(*) from person")
    problems = [] if (after, people) == (before, PEOPLE) else [f"{before} became {after}; {people:,} people"]
    with ExitStack() as serving:
        server = start(serving, folder, cwd=ROOT, **settings)
        asyncio.run(_reveals(server.url, 2 * REVEALS, 100))
    tests = product_tests(machine.url)
    lines = tests.stdout.strip().splitlines() or [tests.stderr[-200:]]
    told = "; ".join([*(line for line in lines[:-1] if line.startswith(("FAILED", "ERROR"))), lines[-1]])
    return [
        Row("A full backup under the product", "", f"{PEOPLE:,} people, {2 * REVEALS:,} reveals; {backup:.1f} s, "
            f"repository {size / 1e6:.0f} MB"),
        Row("All contacts deleted and a table dropped; restored to one second before", "nothing lost, books right",
            f"files after {files:.1f} s, writes after {took:.1f} s; {after['reveals']:,} reveals, each charged once; "
            f"{people:,} people", problems),
        Row("Tests of the product on the result", "pass", told, [told] if tests.returncode else []),
    ]  # fmt: skip
