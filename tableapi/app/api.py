"""The engine as an ASGI application for other programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tableapi.app.application import App
from tableapi.app.features import application
from tableapi.app.lifespan import handle_lifespan
from tableapi.app.options import ANY_ORIGIN, ServeOptions, of_project
from tableapi.auth.access_file import AccessFile
from tableapi.auth.authenticators import Authenticator
from tableapi.auth.policy import Access, DatabaseRole, Sessions
from tableapi.auth.webhook import Webhook
from tableapi.config.settings import Settings
from tableapi.datasets.declared import BadRights
from tableapi.errors import NotFound
from tableapi.http.request import Receive, Scope, Send
from tableapi.project.files import load_project
from tableapi.project.guard import Run
from tableapi.project.writes import Listener


class TableAPI:
    """Serve the tables of one or more PostgreSQL databases as an ASGI application.

    Mount it under any path. Pass `lifespan` to the host application, or leave it out to open the databases on the first
    request. The host's event loop policy, signals, loggers and garbage collector are not touched, and neither
    environment variables nor `.env` are read.

    Args:
        datasets: Database URLs by name; tables are served at `/api/v2/<name>/_table/<table>`.
        policy: Access rules by table. Anything else does not exist. Without `sessions` or `authenticator` every request
            has the role `anyone`, which only rules for ANYONE cover.
        sessions: How a session token becomes a user (with `policy`). Its lookup runs on the first database.
        database_roles: Roles that run as a PostgreSQL role, under its row-level security (with `policy`).
        authenticator: Turns the headers of a request into an `Actor` (with `policy`); replaces `sessions`.
        project: Folder of a project, with policy.py, schema.sql and scripts/. `tableapi init` fills its database. Its
            settings come from the environment unless `settings` is given.
        scripts: Functions decorated with `@script`, by path below /api/v2/; internal ones by a name for `run_job`.
            `ctx.db` is the first database.
        hooks: Functions decorated with `@hook(table, verb)`, called before or instead of the engine.
        on_write: Called with a `Write` after each commit of a request that wrote records; may be a coroutine function.
            Changes made by scripts and by other programs are not included.
        webhooks: Changes to send to other systems (with `policy`). An access file or a project declares its own.
        access: Path of an access file, with rights by key and role.
        open: Grant full rights to every request or, with `api_key`, to those that send it in `X-API-Key`.
        api_key: The key required by `open`.
        settings: Limits and time-outs; `Settings` with keyword arguments.

    Raises:
        ValueError: Not exactly one of `policy`, `access`, `project` and `open` was given, or the access file, a script
            or a hook cannot be used.
        BadProject: A file of the project cannot be imported.
    """

    def __init__(
        self,
        datasets: Mapping[str, str],
        *,
        policy: Mapping[str, Access] | None = None,
        sessions: Sessions | None = None,
        database_roles: Mapping[str, DatabaseRole] | None = None,
        authenticator: Authenticator | None = None,
        project: str | Path | None = None,
        scripts: Mapping[str, Run] | None = None,
        hooks: Iterable[Run] = (),
        on_write: Listener | None = None,
        webhooks: Iterable[Webhook] = (),
        access: str | Path | None = None,
        open: bool = False,
        api_key: str = "",
        settings: Settings | None = None,
    ) -> None:
        if (policy is not None) + (access is not None) + (project is not None) + bool(open) != 1:
            raise ValueError("Pass exactly one of policy=, access=, project= and open=True.")
        if project is not None and (scripts or hooks or len(datasets) != 1):
            raise ValueError(
                "With project=, pass one database and neither scripts= nor hooks=: a project keeps them as files "
                "below scripts/."
            )
        if policy is None and any(option is not None for option in (sessions, authenticator, database_roles)):
            raise ValueError("sessions=, authenticator= and database_roles= require policy=.")
        if webhooks and policy is None:
            raise ValueError("webhooks= requires policy=.")
        if not datasets:
            raise ValueError("Name at least one database.")
        if open and not api_key and settings is not None and "*" in settings.cors_origins:
            raise ValueError(f"{ANY_ORIGIN} or give api_key=.")
        served = ServeOptions(
            urls=dict(datasets),
            project=of_project(Path(project)).project if project is not None else None,
            scripts=dict(scripts or {}),
            hooks=tuple(hooks),
            on_write=on_write,
            webhooks=tuple(webhooks),
            access=_loaded(Path(access)) if access is not None else None,
            key=api_key,
            policy=policy,
            sessions=sessions,
            database_roles=database_roles or {},
            authenticator=authenticator,
            embedded=True,
        )
        if settings is None:
            settings = (
                load_project(served.project).settings_class().read() if served.project is not None else Settings()
            )
        self._settings, self._served = settings, served
        self._app: App | None = None  # while it is open
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await handle_lifespan(receive, send, self.start, self.stop)  # there is no outer application to do it
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        else:
            await (self._app or await self.start())(scope, receive, send)

    async def start(self) -> App:
        """Open the databases and return the running application; safe to repeat.

        Raises BadRights, a ValueError, if a policy or an access file names something that does not exist.
        """
        async with self._lock:
            if self._app is None:
                app = application(self._settings, self._served)
                try:
                    await app.life.start()
                except BadRights:
                    await app.life.stop()
                    raise
                self._app = app
            return self._app

    async def stop(self) -> None:
        """Close the databases; safe to repeat. A request or `start` opens them again."""
        async with self._lock:
            app, self._app = self._app, None
            if app is not None:
                await app.life.stop()

    async def run_job(self, name: str, **payload: Any) -> Any:
        """Run an `internal` script, and return its result.

        Raises NotFound for another name, Invalid for a payload that does not match its input model.
        """
        app = await self.start()
        if app.state.scripts is None:
            raise NotFound(f"There is no internal script '{name}'.")
        return await app.state.scripts.run_job(name, payload)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncIterator[None]:
        """Open the databases while the host application runs: `Starlette(..., lifespan=api.lifespan)`."""
        await self.start()
        try:
            yield
        finally:
            await self.stop()


def _loaded(path: Path) -> AccessFile:
    try:
        return AccessFile.load(path)
    except OSError as error:
        raise ValueError(f"The access file {path} cannot be read: {error.strerror}.") from None
