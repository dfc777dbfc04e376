"""The embedded PostgreSQL: creation, sharing, stop, and recovery from the files of a killed server."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tableapi.server.postgres import privileges
from tableapi.server.postgres import server as embedded
from tableapi.server.postgres.server import Embedded, NoPostgres
from tests.helpers.support import PATIENCE, ROOT, Serve, clean_environment, execute


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a stopped database once, since initdb is slow."""
    folder = tmp_path_factory.mktemp("made") / "postgres"
    with Embedded(folder, durable=False) as url:
        execute(url, "create table kept (n integer); insert into kept values (1)")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Copy the stopped database and its password for one test."""
    subprocess.run(["cp", "-a", made.parent, tmp_path / "data"], check=True)
    return tmp_path / "data" / "postgres"


def _pid(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text().split("\n")[0])


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_missing_binaries_are_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "binaries", lambda: iter([tmp_path]))

    with pytest.raises(NoPostgres, match="PostgreSQL 15 or newer was not found"):
        Embedded(tmp_path / "postgres").start()


def test_data_of_another_version_is_reported_in_one_line(folder: Path) -> None:
    (folder / "data" / "PG_VERSION").write_text("12\n")

    with pytest.raises(NoPostgres, match="was created by PostgreSQL 12"):
        Embedded(folder).start()


def test_a_full_disk_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = subprocess.CompletedProcess([], 1, stdout="initdb: error: could not write: No space left on device\n")
    monkeypatch.setattr(privileges.UnprivilegedUser, "run", lambda self, command, **options: full)

    with pytest.raises(NoPostgres, match=r"The disk that contains .*postgres is full"):
        Embedded(tmp_path / "postgres").start()
    assert not (tmp_path / "postgres" / "data").exists()


def test_an_unwritable_folder_is_reported_in_one_line() -> None:
    with pytest.raises(NoPostgres, match="cannot use /proc/nothing"):
        Embedded(Path("/proc/nothing/postgres")).start()


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a folder that every user may enter, as the parents of `tmp_path` are closed."""
    folder = Path(tempfile.mkdtemp(prefix="tableapi-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def _without_namespaces(run: Callable[[], str]) -> str:
    """Return the result of a function that runs as a root that may not create user namespaces."""
    libc = ctypes.CDLL(None, use_errno=True)
    (mapped, map_it), (output, told) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        try:
            assert not libc.unshare(privileges.CLONE_NEWUSER)
            os.write(told, b"unshared")
            os.read(mapped, 1)
            Path("/proc/sys/user/max_user_namespaces").write_text("0")
            os.write(told, run().encode())
        finally:
            os._exit(0)
    assert os.read(output, 8) == b"unshared"
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{child}/{name}").write_text("0 0 65536")
    os.write(map_it, b"x")
    os.close(told)
    try:
        with os.fdopen(output) as lines:
            return lines.read()
    finally:
        os.waitpid(child, 0)
        os.close(mapped)
        os.close(map_it)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its server to somebody else")
@pytest.mark.parametrize(
    ("closed", "data", "remedy"), [("a", "a/b/data", "Set DATA_DIR"), ("bin", "b/data", "Move the installation")]
)
def test_root_without_namespaces_gets_the_name_of_the_closed_folder(
    closed: str, data: str, remedy: str, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = public / "bin" / "programs"
    programs.parent.mkdir()
    programs.symlink_to(next(iter(embedded.binaries())))
    (public / closed).mkdir(exist_ok=True)
    (public / closed).chmod(0o700)
    monkeypatch.setattr(embedded, "binaries", lambda: iter([programs]))

    def start() -> str:
        try:
            Embedded(public / data / "postgres").start()
        except NoPostgres as error:
            return str(error)
        return "started"

    told = _without_namespaces(start)
    assert f"may not enter {public / closed}, which contains its {'data' if closed == 'a' else 'programs'}." in told
    assert remedy in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its server to somebody else")
def test_root_without_namespaces_keeps_the_data_of_a_start_with_them(public: Path) -> None:
    folder = public / "data" / "postgres"
    folder.parent.mkdir(mode=0o700)
    with Embedded(folder, durable=False) as url:
        execute(url, "create table kept (n integer)")
        assert folder.stat().st_uid == 0

    def start() -> str:
        with Embedded(folder, durable=False) as url:
            execute(url, "select n from kept")
            return str(folder.stat().st_uid)

    assert _without_namespaces(start) == str(pwd.getpwnam("nobody").pw_uid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its server to somebody else")
def test_make_run_checks_the_folder_before_installing(public: Path) -> None:
    closed = public / "closed"
    closed.mkdir(mode=0o700)
    shutil.copy(ROOT / "Makefile", closed)
    (closed / ".venv" / "bin").mkdir(parents=True)
    (closed / ".venv" / "bin" / "python").symlink_to(sys.executable)

    def place(**environment: str) -> str:
        done = subprocess.run(
            ["make", "place"], cwd=closed, env=clean_environment(**environment), capture_output=True, text=True,
            check=False, timeout=PATIENCE,
        )  # fmt: skip
        return f"{done.returncode} {[line for line in done.stderr.splitlines() if 'PostgreSQL' in line]}"

    told = _without_namespaces(place)
    assert told.startswith("2 ")
    assert f"may not enter {closed}, which contains its programs. Move the installation" in told
    assert _without_namespaces(lambda: place(DATABASE_URL="postgresql://db/app")) == "0 []"
    assert place() == "0 []"


def test_a_relative_folder_keeps_its_data_and_its_port(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    with Embedded(Path("postgres"), durable=False) as first:
        execute(first, "insert into kept values (2)")
    monkeypatch.chdir(tmp_path)

    with Embedded(folder, durable=False) as second:
        assert first == second
        execute(second, "do $$ begin assert (select count(*) from kept) = 2; end $$")
        assert (folder / "data").stat().st_mode & 0o077 == 0


def test_a_connection_without_the_password_is_rejected(folder: Path) -> None:
    with Embedded(folder, durable=False) as url:
        secret = (folder.parent / "secrets" / "postgres_password").read_text().strip()
        assert secret in url
        with pytest.raises(Exception, match="password authentication failed"):
            execute(url.replace(secret, "guess"), "select 1")


def test_the_server_stops_after_its_last_user(folder: Path) -> None:
    first, second = Embedded(folder, durable=False), Embedded(folder, durable=False)
    assert first.start() == second.start()
    pid = _pid(folder)

    first.stop()
    execute(second.url, "select 1")
    second.stop()
    second.stop()

    assert not _alive(pid)


def test_a_port_that_was_taken_meanwhile_is_replaced(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (folder / "port").write_text(str(port))
        with Embedded(folder, durable=False) as url:
            assert not url.endswith(f":{port}/tableapi")
            execute(url, "select 1")


@pytest.mark.parametrize("pid", [1, 999_999_999])
def test_the_lock_of_a_dead_server_is_ignored(pid: int, folder: Path) -> None:
    """Ignore the lock, because its process id may belong to another process now, as is common in containers."""
    (folder / "data" / "postmaster.pid").write_text(f"{pid}\n{folder}/data\n0\n5432\n\n127.0.0.1\n\nready   \n")

    with Embedded(folder, durable=False) as url:
        execute(url, "select 1")


def test_a_killed_server_recovers(folder: Path) -> None:
    server = Embedded(folder, durable=False)
    execute(server.start(), "insert into kept values (3)")
    os.kill(_pid(folder), signal.SIGKILL)
    server.stop()

    with Embedded(folder, durable=False) as url:
        execute(url, "select 1")


def test_a_server_of_a_killed_owner_is_taken_over(folder: Path) -> None:
    holding = "import sys, pathlib; from tableapi.server.postgres.server import Embedded\n"
    holding += "Embedded(pathlib.Path(sys.argv[1]), durable=False).start(); print('up', flush=True); sys.stdin.read()"
    owner = subprocess.Popen(
        [sys.executable, "-c", holding, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"up\n"
        owner.kill()
    pid = _pid(folder)

    with Embedded(folder, durable=False) as url:
        execute(url, "select 1")
        assert _pid(folder) == pid

    end = time.monotonic() + PATIENCE
    while _alive(pid):
        assert time.monotonic() < end


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its server to somebody else")
def test_root_runs_it_as_another_user_or_in_a_namespace(tmp_path: Path) -> None:
    """Run in a folder without access for other users; its files stay root's."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with Embedded(closed / "postgres", durable=False) as url:
        execute(url, "create table kept (n integer)")
        assert (closed / "postgres").stat().st_uid == 0

    opened = Path(shutil.move(closed, tmp_path / "opened"))
    with Embedded(opened / "postgres", durable=False) as url:
        execute(url, "select n from kept")


def _as_user(user: pwd.struct_passwd, folder: Path) -> None:
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    with Embedded(folder, durable=False):
        assert (folder / "data").stat().st_uid == user.pw_uid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_normal_user_runs_it_directly() -> None:
    user = pwd.getpwnam("games")
    home = Path(tempfile.mkdtemp(prefix="tableapi-"))
    os.chown(home, user.pw_uid, user.pw_gid)
    # Forked, because that user may be unable to read the Python of these tests.
    running = multiprocessing.get_context("fork").Process(target=_as_user, args=(user, home / "data" / "postgres"))
    try:
        running.start()
        running.join()
        assert running.exitcode == 0
    finally:
        shutil.rmtree(home)


SEEN = """
select string_agg(distinct usename || '@' || datname, ' ') from pg_stat_activity where application_name like 'tableapi%'
"""


async def _ask(url: str, sql: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


@pytest.mark.parametrize("restored", [False, True])
def test_the_server_owns_its_database_but_is_not_a_superuser(
    project: Path, tmp_path: Path, serve: Serve, restored: bool
) -> None:
    data = tmp_path / "data"
    if restored:  # created when the superuser used it, in a frestored open to all
        data.mkdir(mode=0o755)
        data.chmod(0o755)
        text = (project / "schema.sql").read_text()
        with Embedded(data / "postgres", durable=False) as url:
            execute(url, text + "create type colour as enum ('red'); create schema more; create domain d as text;"
                    "create view more.v as select 1; create function f() returns int language sql as 'select 1';"
                    "create table schemaversion (version integer primary key, name text, needs integer);"
                    "insert into schemaversion values (0, 'schema.sql', 0); create sequence s;"
                    "create extension pg_trgm")  # fmt: skip
    for first in (True, False):
        server = serve(cwd=project, DATA_DIR=data, WORKER="off", APP_KEYS="k")
        note = f"{server.url}/api/v2/data/_table/note"
        response = httpx2.post(note, json={"resource": [{"noteid": 1}]}, headers={"X-API-Key": "k"}, timeout=20)
        assert response.status_code in (200, 400)  # the second time it exists
        secret = (data / "secrets" / "postgres_password").read_text().strip()
        port = (data / "postgres" / "port").read_text()
        whole = f"postgresql://postgres:{secret}@127.0.0.1:{port}/tableapi"
        assert asyncio.run(_ask(whole, SEEN)) == "tableapi@tableapi"
        assert asyncio.run(_ask(whole, "select rolsuper or rolcreaterole or rolcreatedb or rolreplication"
                                       " from pg_roles where rolname = 'tableapi'")) is False  # fmt: skip
        owners = "select count(*) from pg_class where oid >= 16384 and relowner <> 'tableapi'::regrole"
        owners += " and relnamespace <> 'pg_toast'::regnamespace"
        assert asyncio.run(_ask(whole, owners)) == 0
        assert data.stat().st_mode & 0o077 == 0
        server.stop()
        if first:
            assert ("data_dir_closed" in server.log.read_text() + server.told) == restored
    with Embedded(data / "postgres", durable=False) as url:
        mine = (data / "secrets" / "database_password").read_text().strip()
        execute(url.replace(f"postgres:{secret}", f"tableapi:{mine}"), "drop extension if exists pg_trgm")
