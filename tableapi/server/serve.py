"""`tableapi serve`: start everything in order, and stop it in reverse order.

The order is: embedded PostgreSQL (without DATABASE_URL), `init`, the job worker, then WORKERS processes that serve
HTTP, each of which builds its own application. Nodes are stateless; the files of a running server are under
DATA_DIR/run.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import asyncpg

from tableapi.app.application import App
from tableapi.app.options import ANY_ORIGIN, BadDatasets, ServeOptions, is_loopback, of_project
from tableapi.config.command_error import CommandError
from tableapi.config.secret_file import kept_secret, private_folder, unusable
from tableapi.config.settings import Settings
from tableapi.db import budget
from tableapi.db.session import connect
from tableapi.http.site import docs_folders
from tableapi.observability import metrics_folder
from tableapi.project.files import check_files, load_project
from tableapi.server.postgres.owner import owned
from tableapi.server.postgres.server import Embedded
from tableapi.server.preflight import CannotServe, check_database, check_extras, check_port, check_secrets
from tableapi.server.stored_keys import check_stored
from tableapi.server.supervisor import JobWorker, exit_with_parent
from tableapi.server.workers import Workers

SCHEMA_CHANNEL = "tableapi_schema"  # on NOTIFY, workers reload the schema


async def _notify(datasets: ServeOptions) -> None:
    for url in datasets.urls.values():
        try:
            connection = await connect(url, timeout=5)
        except (OSError, asyncpg.PostgresError, TimeoutError):
            continue  # workers reload the schema when they reconnect
        await connection.execute(f"notify {SCHEMA_CHANNEL}")
        await connection.close()


@dataclass
class _Loader:
    """Create the application inside a worker process, with the rights that the parent read last."""

    settings: Settings
    datasets: ServeOptions
    parent: int

    def __call__(self) -> App:
        return _load(self.settings, self.datasets, self.parent)

    def reload(self) -> bool:
        """Read the access file again, for workers that start later, and announce a new schema.

        Return whether there is an access file. If it is invalid, each worker logs that.
        """
        if has_access := self.datasets.access_path is not None:
            with suppress(BadDatasets):
                self.datasets = self.datasets.reread()
        asyncio.run(_notify(self.datasets))
        return has_access


def _load(settings: Settings, datasets: ServeOptions, parent: int) -> App:
    """Create the application inside a worker process."""
    exit_with_parent(parent)
    # Shared memory may be emptied while the server runs (RemoveIPC of systemd-logind), but a new worker needs the
    # folder.
    Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(mode=0o700, exist_ok=True)
    from tableapi.server.worker import create_app

    return create_app(settings, datasets)


def reloading_app() -> App:
    """Create the application under `--reload`; the parent passes its settings in the environment."""
    try:
        settings = load_project(Path.cwd()).settings_class().read()
        datasets = with_database(of_project(Path.cwd()), settings)
        return _load(settings, datasets, os.getppid())
    except CommandError as error:  # the parent restarts after the next file change
        sys.exit(f"tableapi: {error}")


def with_database(datasets: ServeOptions, settings: Settings) -> ServeOptions:
    """Return a project's datasets with the URL of its database."""
    return replace(
        datasets, urls={settings.dataset: str(settings.database_url)}, replicas=settings.database_replica_urls
    )


def with_postgres(settings: Settings, stack: ExitStack) -> Settings:
    """Return settings with a database: DATABASE_URL, or the embedded one until `stack` is closed."""
    if settings.database_url is None:
        superuser_url = stack.enter_context(Embedded(settings.data_dir / "postgres"))
        url = asyncio.run(owned(superuser_url, kept_secret(settings.data_dir / "secrets" / "database_password")))
        return settings.model_copy(update={"database_url": url})
    return settings


def serve(settings: Settings, datasets: ServeOptions, *, reload: bool = False) -> None:
    """Serve until SIGINT or SIGTERM. Raises CannotServe, BadProject, NoPostgres, BadMigration."""
    if reload and datasets.project is None:
        raise BadDatasets("--reload requires a project and cannot be used with --dataset.")
    reason = load_project(datasets.project).local_only(settings)
    if reason and not is_loopback(settings.host):
        raise BadDatasets(f"{reason}, or serve on 127.0.0.1 and not on {settings.host}.")
    if datasets.open and not datasets.key and "*" in settings.cors_origins:
        raise BadDatasets(f"{ANY_ORIGIN} or give --api-key KEY.")
    if not reason:  # accounts with a well-known password keep nothing secret
        check_secrets(settings, datasets.key)
    check_extras(settings)
    check_port(settings.host, settings.port)
    budget.share(settings, len(datasets.urls), project=datasets.project is not None)
    has_database: Callable[[], bool] | None = None
    with ExitStack() as stack:
        _clean(settings, stack)
        if datasets.project is not None:
            check_files(datasets.project)
            if settings.database_url is None:
                has_database = Embedded(settings.data_dir / "postgres").is_alive
            settings = with_postgres(settings, stack)
            datasets = with_database(datasets, settings)
        for name, url in datasets.urls.items():
            asyncio.run(check_database(url, datasets.setting(name)))
        message = _prepare(settings, datasets.project, stack) if datasets.project is not None else None
        _check_rights(datasets, settings)
        _record_webhooks(datasets)
        announce = partial(_announce, settings, datasets, message)
        if reload:
            _reloading(settings, datasets, announce)
        else:
            loader = _Loader(settings, datasets, os.getpid())
            workers = Workers(loader, loader.reload, announce, has_database, settings.drain_seconds)
            workers.run(settings.host, settings.port, settings.workers)


def _check_rights(datasets: ServeOptions, settings: Settings) -> None:
    """Check the policy or the access file against the databases. Raises BadDatasets."""
    from tableapi.app.declared import check_rights
    from tableapi.app.features.declared_webhooks import check_declared
    from tableapi.datasets.declared import BadRights

    try:
        asyncio.run(check_rights(datasets, settings))
        asyncio.run(check_declared(datasets, private=settings.webhooks_private))
    except BadRights as error:
        file = f"The access file {datasets.access_path}: " if datasets.access_path else ""
        raise BadDatasets(f"{file}{error}") from None


def _record_webhooks(datasets: ServeOptions) -> None:
    """Start recording changes of the tables with webhooks. Raises MissingExtra."""
    from tableapi.app.features.declared_webhooks import check_webhook_extra, declared_webhooks, record_webhooks

    check_webhook_extra(declared_webhooks(datasets)[0])
    asyncio.run(record_webhooks(datasets, partial(print, flush=True)))


def _clean(settings: Settings, stack: ExitStack) -> None:
    """Remove the files of an earlier run, and create the folder for metrics until `stack` is closed.

    Runs before prometheus_client is imported, which reads PROMETHEUS_MULTIPROC_DIR at import.
    """
    try:
        shutil.rmtree(settings.run_dir, ignore_errors=True)
        private_folder(settings.run_dir)
        folder = metrics_folder.create(settings)
    except OSError as error:
        raise CannotServe(unusable(settings.data_dir, error)) from None
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _prepare(settings: Settings, project: Path, stack: ExitStack) -> str | None:
    """Upgrade the schema and start the job worker; return the message of the project's `init` script."""
    message = None
    asyncio.run(check_stored(settings, project))
    if settings.init:
        from tableapi.server.migrate import init

        message = asyncio.run(init(settings, project))
    if settings.worker:
        stack.enter_context(JobWorker(settings, project))
    return message


def _reloading(settings: Settings, datasets: ServeOptions, announce: Callable[[], None]) -> None:
    import uvicorn
    from uvicorn.supervisors.statreload import StatReload

    assert datasets.project is not None
    policy = datasets.project / "policy.py"

    class Watch(StatReload):
        """Watch policy.py as well."""

        # uvicorn watches whole folders, and the project folder contains .venv and frontend.
        def iter_py_files(self) -> Iterator[Path]:
            yield policy
            yield from super().iter_py_files()

    os.environ["DATABASE_URL"] = str(settings.database_url)
    os.environ |= {"HOST": settings.host, "PORT": str(settings.port)}
    announce()
    folders = [str(Path(__file__).parents[1]), str(datasets.project / "scripts")]
    config = uvicorn.Config(
        "tableapi.server.serve:reloading_app", factory=True, host=settings.host, port=settings.port, reload=True,
        reload_dirs=folders, access_log=False, log_level="warning", timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        Watch(config, target=server.run, sockets=[config.bind_socket()]).run()


def _announce(settings: Settings, datasets: ServeOptions, message: str | None) -> None:
    """Print the addresses and how to sign in."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    here = f"http://{host}:{settings.port}"
    lines = [f"App       {here}/"] if datasets.project else []
    lines += [f"API       {here}/api/v2/{name}/_table/" for name in datasets.urls]
    lines += [f"Studio    {here}/studio/", f"Reference {here}/api/docs"]
    if any((folder / "index.html").is_file() for folder in docs_folders(datasets.project)):
        lines += [f"Docs      {here}/docs/"]
    if datasets.project:
        lines += [f"App key   {settings.app_keys[0]}", *load_project(datasets.project).announcement(settings, here)]
    elif datasets.open:
        clients = "requests with the given X-API-Key" if datasets.key else "every client on this machine"
        lines += [f"Rights    everything, for {clients}"]
    lines += [message] if message else []
    print("\n".join(f"  {line}" for line in lines), flush=True)
    print("Serving. Stop with Ctrl-C.", flush=True)
