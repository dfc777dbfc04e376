"""Fixtures for all: a PostgreSQL for tests, databases in it, and `tableapi serve` as a person would start it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tableapi.server.postgres.server import Embedded
from tests.helpers.support import Serve, execute, start

pytest_plugins = ["tests.helpers.fixtures"]
_numbers = itertools.count(1)

POLICY = '''"""A project of one table."""
from tableapi.auth.policy import Access, Rule, Sessions
POLICY = {"note": Access(read=Rule(), create=Rule())}
SESSIONS = Sessions(lookup="select 'key' as role where $1::bytea is null")
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the least that one needs."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "schema.sql").write_text("create table note (noteid integer primary key, text text);\n")
    (folder / "policy.py").write_text(POLICY)
    return folder


@pytest.fixture(scope="session")
def pg_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL of this run: TEST_DATABASE_URL, or an embedded one that need not survive."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    with Embedded(tmp_path_factory.mktemp("postgres") / "postgres", durable=False) as url:
        yield url


@pytest.fixture
def new_database(pg_url: str) -> Iterator[Callable[[], str]]:
    """Makes an empty database and gives its address; dropped after the test."""
    made: list[str] = []

    def make() -> str:
        made.append(f"test_{os.getpid()}_{next(_numbers)}")
        execute(pg_url, f"create database {made[-1]}")
        return f"{pg_url.rpartition('/')[0]}/{made[-1]}"

    yield make
    for name in made:
        execute(pg_url, f"drop database {name} with (force)")


@pytest.fixture(scope="session")
def session_serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """As `serve`, for servers that live as long as the run."""
    with ExitStack() as stack:
        yield lambda *words, **options: start(stack, tmp_path_factory.mktemp("serve"), *words, **options)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """serve(*words, cwd=, **environment): starts `tableapi serve` on a free port and waits until it serves."""
    with ExitStack() as stack:
        yield lambda *words, **options: start(stack, tmp_path, *words, **options)
