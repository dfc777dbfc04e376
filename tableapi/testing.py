"""Test helpers for projects and host programs: a database, an application, and HTTP clients.

with database(tmp_path) as url:
    async with client(TableAPI({"shop": url}, policy=POLICY), actor=Actor("clerk", {"id": 1})) as http: response = await
        http.get("/api/v2/shop/_table/customer")
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tableapi.app.api import TableAPI
from tableapi.app.application import App
from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tableapi.auth.policy import Actor
from tableapi.http.request import ACTOR
from tableapi.project.files import load_project
from tableapi.server import migrate
from tableapi.server.postgres.server import Embedded

if TYPE_CHECKING:
    import httpx2


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """Run an empty embedded PostgreSQL below `folder`, without durability, and yield its URL.

    Requires the extra `postgres`, or an installed PostgreSQL. Raises NoPostgres.
    """
    with Embedded(folder / "postgres", durable=False) as url:
        yield url


@asynccontextmanager
async def serving(project: Path, url: str, data_dir: Path, **settings: Any) -> AsyncIterator[App]:
    """Serve the project in a folder on the database at `url`, filled by `schema.sql` and `init`.

    Args:
        data_dir: Folder for uploads and secrets.
        settings: Settings in lower case; others come from the environment and `.env`, as with `tableapi serve`.
    """
    overrides = {"database_url": url, "data_dir": data_dir, "rate_limits": False, **settings}
    read = load_project(project).settings_class().read(overrides)
    await migrate.init(read, project)
    app = application(read, ServeOptions(urls={read.dataset: url}, project=project))
    await app.life.start()
    try:
        yield app
    finally:
        await app.life.stop()


@asynccontextmanager
async def client(
    api: TableAPI | App, *, actor: Actor | None = None, headers: Mapping[str, str] | None = None
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield an HTTP client of the application, for paths such as `/api/v2/shop/_table/customer`.

    Needs httpx2. A `TableAPI` is opened, and closed at the end.

    Args:
        actor: The caller of every request, instead of the one identified by `headers`.
        headers: Sent with every request: keys and tokens.
    """
    import httpx2  # needed by tests, not by the engine

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await api({**scope, ACTOR: actor} if actor is not None else scope, receive, send)

    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test", headers=dict(headers or {})) as http:
        if isinstance(api, TableAPI):
            async with api.lifespan():
                yield http
        else:
            yield http
