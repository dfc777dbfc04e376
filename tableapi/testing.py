"""Serve a project inside a test: `database` starts a PostgreSQL, `serving` applies the project to it.

Requests are sent with an HTTP client for ASGI applications, such as `httpx2.ASGITransport`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from tableapi.app.application import App
from tableapi.app.options import Datasets
from tableapi.project.files import load_project
from tableapi.server import migrate
from tableapi.server.postgres.server import Embedded


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """Run an empty embedded PostgreSQL below `folder`, without durability, and return its URL.

    Needs the extra `postgres`, or a PostgreSQL that is installed on the machine. Raises NoPostgres.
    """
    with Embedded(folder / "postgres", durable=False) as url:
        yield url


@asynccontextmanager
async def serving(project: Path, url: str, data_dir: Path, **settings: Any) -> AsyncIterator[App]:
    """Serve the project in a folder on the database at `url`, filled by `schema.sql` and `init`.

    Args:
        data_dir: For uploads and secrets of the test.
        settings: Settings in lower case; others come from the environment and `.env`, as for `tableapi serve`.
    """
    overrides = {"database_url": url, "data_dir": data_dir, "rate_limits": False, **settings}
    read = load_project(project).settings.read(overrides)
    await migrate.init(read, project)
    app = App(read, Datasets(urls={read.dataset: url}, project=project))
    await app.life.start()
    try:
        yield app
    finally:
        await app.life.stop()
