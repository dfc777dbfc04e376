"""Fixtures of all tests: a PostgreSQL server, databases on it, and `tableapi serve` as a process."""

from __future__ import annotations

import gc
import itertools
import os
import re
import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tableapi.server.postgres.server import Embedded
from tableapi.server.worker import GC_THRESHOLDS
from tests.helpers.statements import DESELECTED
from tests.helpers.support import ROOT, NewDatabase, Serve, execute, start

pytest_plugins = ["tests.helpers.fixtures"]
_numbers = itertools.count(1)
# Copying the files of the template takes a third of the CPU time of writing them to the log, on a server without fsync.
STRATEGY = "wal_log" if os.environ.get("TEST_DATABASE_URL") else "file_copy"
# Bytes of memory for the data of each worker's server; most need 200 MB.
MEMORY, IN_MEMORY, ROOM = Path("/dev/shm"), "tableapi_tests_", 6_000_000_000
MAX_WAL_SIZE = "256MB"
AVAILABLE = re.compile(r"^MemAvailable: +(\d+) kB$", re.MULTILINE)
# Folders of long tests. Journeys use all of a CPU, the others wait half of their time, so that the two alternate.
ALTERNATING = ("e2e",), ("system", "processes")
# A minute or longer each, so that none of them begins last.
LONG_FILES = (
    "tests/e2e/test_studio.py", "tests/system/statements/test_statements.py", "tests/processes/test_cli.py",
    "tests/processes/test_clients.py", "tests/product/test_webhooks_payment.py",
    "tests/product/test_policy_matrix.py", "tests/product/test_relation_matrix.py", "tests/product/test_enumeration.py",
    "tests/repository/test_install.py",
)  # fmt: skip
# The first waits for statements of other files; the parts of the second are short and end with the last of the others.
LAST_FILES = ("tests/system/statements/test_citus.py", "tests/system/simulation/test_simulation.py")

POLICY = '''"""A project of one table."""
from tableapi.auth.policy import Access, Rule, Sessions
POLICY = {"note": Access(read=Rule(), create=Rule())}
SESSIONS = Sessions(lookup="select 'key' as role where $1::bytea is null")
'''


# Files with tests that share no fixtures.
SPREAD = ("tests/e2e/test_journeys.py", "tests/system/simulation/test_simulation.py")


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Give each file to one worker, because its tests share fixtures; those of SPREAD go to all workers."""

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid)


def _scope(nodeid: str) -> str:
    path = nodeid.partition("::")[0]
    return nodeid if path in SPREAD else path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest files and their folders, so that all workers end at the same time."""
    places = dict(_alternating({_scope(item.nodeid): item.path.relative_to(ROOT) for item in items}))

    def rank(item: pytest.Item) -> tuple[int, float]:
        path = str(item.path.relative_to(ROOT))
        if path in LONG_FILES:
            return 0, LONG_FILES.index(path)
        if path in LAST_FILES:
            return 3, LAST_FILES.index(path)
        scope = _scope(item.nodeid)
        return (1, places[scope]) if scope in places else (2, 0)

    items.sort(key=rank)


def _alternating(paths: dict[str, Path]) -> Iterator[tuple[str, float]]:
    """Return the scopes of long tests with their places from 0 to 1; each group is evenly spread."""
    for folders in ALTERNATING:
        scopes = [scope for folder in folders for scope, path in paths.items() if path.parts[1] == folder]
        for number, scope in enumerate(scopes):
            yield scope, number / len(scopes)


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note the files of which a run leaves out tests."""
    for item in items:
        item.config.stash.setdefault(DESELECTED, set()).add(str(item.path.relative_to(ROOT)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep modules and items out of garbage collections, which are as rare as in a worker process of the server."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*GC_THRESHOLDS)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    config.option.loadscopereorder = False  # would begin with the files with the most tests, which are the fastest
    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def fast_client() -> Iterator[None]:
    """Do once what every test client and each of its requests would do again.

    Loading the system's certificates takes 45 ms. A request in the process of the test looks on the disk for a package
    that only trio has: two fifths of the client's CPU time.
    """
    context = httpx2.create_ssl_context()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpcore2.default_ssl_context", lambda **options: context)
        patch.setitem(sys.modules, "sniffio", None)
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the folder of a project with one table."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "schema.sql").write_text("create table note (noteid integer primary key, text text);\n")
    (folder / "policy.py").write_text(POLICY)
    return folder


@pytest.fixture(scope="session")
def pg_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of TEST_DATABASE_URL, or of an embedded PostgreSQL without durability for this run."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    with _data_folder(tmp_path_factory) as folder:
        server = Embedded(folder / "postgres", durable=False)
        server.settings = server.settings | {"max_wal_size": MAX_WAL_SIZE}
        with server as url:
            yield url


@contextmanager
def _data_folder(factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder in memory if there is room, because files on a disk cost a third more system time."""
    if not MEMORY.is_dir() or min(shutil.disk_usage(MEMORY).free, _available()) < ROOM:
        yield factory.mktemp("postgres")
        return
    for left in MEMORY.glob(f"{IN_MEMORY}*"):  # by a run that was killed
        if not Path("/proc", left.name.removeprefix(IN_MEMORY)).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = MEMORY / f"{IN_MEMORY}{os.getpid()}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _available() -> int:
    """Return the bytes of memory that processes can still get."""
    found = AVAILABLE.search(Path("/proc/meminfo").read_text())
    return int(found[1]) * 1024 if found else 0


@contextmanager
def _databases(pg_url: str) -> Iterator[NewDatabase]:
    names: list[str] = []

    def create(sql: str = "") -> str:
        names.append(f"test_{os.getpid()}_{next(_numbers)}")
        execute(pg_url, f"create database {names[-1]} strategy {STRATEGY}")
        url = f"{pg_url.rpartition('/')[0]}/{names[-1]}"
        if sql:
            execute(url, sql)
        return url

    yield create
    for name in names:
        execute(pg_url, f"drop database {name} with (force)")


@pytest.fixture
def new_database(pg_url: str) -> Iterator[NewDatabase]:
    """new_database(sql=""): create a database, run the SQL in it and return its URL. Dropped after the test."""
    with _databases(pg_url) as create:
        yield create


@pytest.fixture(scope="module")
def module_database(pg_url: str) -> Iterator[NewDatabase]:
    """Like `new_database`, dropped after the module."""
    with _databases(pg_url) as create:
        yield create


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """serve(*words, cwd=, access=, **environment): start `tableapi serve` and wait until it is ready.

    Stopped after the test.
    """
    with ExitStack() as stack:
        yield lambda *words, **options: start(stack, tmp_path, *words, **options)


@pytest.fixture(scope="module")
def module_serve(tmp_path_factory: pytest.TempPathFactory, module_database: NewDatabase) -> Iterator[Serve]:
    """Like `serve`, stopped after the module and before its databases are dropped."""
    with ExitStack() as stack:
        yield lambda *words, **options: start(stack, tmp_path_factory.mktemp("serve"), *words, **options)
