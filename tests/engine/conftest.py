"""The database and the server that the tests of a module share, made from its SERVED (tests/helpers/served.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve, Server, SqlClient, execute


def _of(request: pytest.FixtureRequest) -> Served:
    served: Served = request.module.SERVED
    return served


@pytest.fixture(scope="module")
def url(
    request: pytest.FixtureRequest, module_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the URL of the database."""
    served = _of(request)
    if served.postgres is None:
        yield module_database("" if served.policy else served.sql)
        return
    with served.postgres(tmp_path_factory.mktemp("own") / "postgres") as url:
        execute(url, served.sql)
        yield url


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, url: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> Server:
    return _of(request).start(module_serve, url, tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def base(request: pytest.FixtureRequest, server: Server) -> str:
    """Return the address below which the tests send most requests."""
    return server.url + _of(request).path


@pytest.fixture(scope="module")
def http(request: pytest.FixtureRequest, base: str) -> Iterator[httpx2.Client]:
    served = _of(request)
    with httpx2.Client(base_url=base, headers=served.headers, timeout=served.timeout) as client:
        yield client


@pytest.fixture(scope="module")
def db(url: str) -> Iterator[SqlClient]:
    with SqlClient(url) as client:
        yield client


def _agent(key: str) -> Any:
    @pytest.fixture(scope="module")
    async def connected(base: str) -> AsyncIterator[Any]:
        from tests.helpers.agents import agent, in_one_task  # takes two seconds

        async with in_one_task(agent(base, X_API_Key=key)) as client:
            yield client

    return connected


# Agents at `base`, with a key of the access file or without one.
boss, clerk, visitor = map(_agent, ("boss", "clerk", ""))


@pytest.fixture(autouse=True)
def _each(request: pytest.FixtureRequest) -> None:
    """Run the SQL that a module wants before each test."""
    served: Served | None = getattr(request.module, "SERVED", None)
    if served is not None and served.each:
        if served.policy:
            request.getfixturevalue("server")  # creates the tables
        execute(request.getfixturevalue("url"), served.each)
