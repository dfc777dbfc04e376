"""`tableapi serve`: start everything in order, and stop it in reverse order.

The order is: embedded PostgreSQL (without DATABASE_URL), `init`, the job worker, then granian with WORKERS processes,
each of which builds its own application. Nodes are stateless; the files of a running server are under DATA_DIR/run.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import shutil
import signal
import socket
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import asyncpg
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from tableapi.app.options import ANY_ORIGIN, BadDatasets, ServeOptions, is_loopback, of_project
from tableapi.config.command_error import CommandError
from tableapi.config.secret_file import kept_secret, private_folder
from tableapi.config.settings import Settings
from tableapi.db import budget
from tableapi.db.session import connect
from tableapi.http.site import docs_folders
from tableapi.observability import metrics_folder
from tableapi.project.files import check_files, load_project
from tableapi.server.interrupt import Interrupt
from tableapi.server.postgres.owner import owned
from tableapi.server.postgres.server import Embedded
from tableapi.server.preflight import CannotServe, check_database, check_extras, check_port, check_secrets, port_in_use
from tableapi.server.stored_keys import check_stored
from tableapi.server.supervisor import JobWorker, exit_with_parent

SCHEMA_CHANNEL = "tableapi_schema"  # on NOTIFY, workers reload the schema
HEADER_SECONDS = 30  # for the headers of a request, and for an idle connection
MAX_CONNECTIONS = 8192  # per worker, most of them idle; MAX_IN_FLIGHT limits the requests in flight
STOP_SECONDS = 8  # for requests in flight
NEXT_SIGNAL_SECONDS = 0.5  # after SIGTERM
WATCH_SECONDS = 2.0  # between looks for the embedded database
# A worker that died is restarted at once, then after 0.5, 1.5, 3.5 and 7.5 seconds.
MAX_DEATHS, DEATHS_SECONDS, FIRST_DELAY = 5, 60.0, 0.5


class _Server(MPServer):
    """A granian server that announces when it accepts connections.

    On SIGHUP its workers reload the schema and the access file.
    """

    loader: _Loader
    announce: Callable[[], None]
    drain_seconds: float
    has_database: Callable[[], bool] | None  # of the embedded database, which nothing else restarts
    failure = ""  # why the server ends by itself

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deaths: dict[int, list[float]] = defaultdict(list)  # of workers, by their number

    def startup(self, spawn_target: Any, target_loader: Any) -> None:
        try:
            super().startup(spawn_target, target_loader)  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            # The port was taken after it was checked, since creating a database takes seconds. Another check here could
            # fail by itself, because a process forked by the job worker's thread keeps the probe's socket open for a
            # moment.
            if os.strerror(errno.EADDRINUSE) in str(error):
                raise port_in_use(self.bind_addr, self.bind_port) from None
            raise
        while not self.main_loop_interrupt.wait(0.02):
            if _answers(self.bind_addr, self.bind_port):
                self.announce()
                break
        if self.has_database is not None:
            threading.Thread(
                target=self._watch_database, args=(self.has_database,), name="database", daemon=True
            ).start()

    def _watch_database(self, has_database: Callable[[], bool]) -> None:
        """End the server once its embedded database is gone, so that a supervisor restarts both."""
        while has_database():
            time.sleep(WATCH_SECONDS)
        self._fail("The embedded PostgreSQL has ended. Start tableapi again; its data is kept.")

    def _fail(self, reason: str) -> None:
        self.failure = reason
        self.interrupt_signal = True
        self.main_loop_interrupt.set()

    def _respawn_workers(self, workers: list[int], *words: Any, **options: Any) -> None:
        """Restart workers that died, each later than before; end the server if one dies again and again.

        granian would end the server at the second death within 5.5 seconds.
        """
        now, delay = time.monotonic(), 0.0
        for worker in workers:
            deaths = self._deaths[worker] = [at for at in self._deaths[worker] if at > now - DEATHS_SECONDS] + [now]
            if len(deaths) > MAX_DEATHS:
                self._fail(f"A worker died {len(deaths)} times within {DEATHS_SECONDS:.0f} s. See the log before this.")
                return
            delay = max(delay, FIRST_DELAY * (2 ** (len(deaths) - 1) - 1))
        self.main_loop_interrupt.wait(delay)
        super()._respawn_workers(workers, *words, **options)
        self.respawned_wrks.clear()

    def shutdown(self, exit_code: int = 0) -> None:
        """Drain before stopping, so that load balancers and clients move away; a second signal skips the wait.

        Change streams end at once, because a worker does not stop before its last response ends.
        """
        self._drain_workers()
        if self.drain_seconds:
            self.main_loop_interrupt.clear()
            self.main_loop_interrupt.wait(self.drain_seconds)
        if self.failure:
            print(f"tableapi: {self.failure}", file=sys.stderr, flush=True)
        super().shutdown(int(bool(self.failure)) or exit_code)  # type: ignore[no-untyped-call]

    def _stop_workers(self) -> None:
        """Stop the workers, and kill those still running after STOP_SECONDS.

        SIGTERM may arrive between two iterations of the event loop of a worker that is starting. uvloop then keeps it
        until the next signal, so SIGUSR1 is sent as well (docs/explanation/decisions/processes.md).
        """
        for worker in self.wrks:
            worker.terminate()  # type: ignore[no-untyped-call]
        running = {worker.inner.sentinel for worker in self.wrks}
        end = time.monotonic() + STOP_SECONDS
        while running and time.monotonic() < end:
            ended = wait(running, NEXT_SIGNAL_SECONDS)
            running.difference_update(ended)
            if not ended:
                self._drain_workers()
        for worker in self.wrks:
            worker.kill()  # type: ignore[no-untyped-call]
        super()._stop_workers()  # type: ignore[no-untyped-call]

    def _drain_workers(self) -> None:
        self._signal_workers(signal.SIGUSR1)

    def _signal_workers(self, number: int) -> None:
        for worker in self.wrks:
            with suppress(ProcessLookupError):
                os.kill(worker._id(), number)  # type: ignore[no-untyped-call]

    def _reload(self, spawn_target: Any, target_loader: Any) -> None:
        self.reload_signal = False
        self.main_loop_interrupt.clear()
        if self.loader.datasets.access_path is not None:
            self.loader.read_access()
            self._signal_workers(signal.SIGUSR2)
        asyncio.run(_notify(self.loader.datasets))


def _answers(host: str, port: int) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - a wildcard address cannot be a target
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


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

    def __call__(self) -> Any:
        return _load(self.settings, self.datasets, self.parent)

    def read_access(self) -> None:
        """Re-read the access file for workers that start later. If it is invalid, each worker logs that."""
        with suppress(BadDatasets):
            self.datasets = self.datasets.reread()


def _load(settings: Settings, datasets: ServeOptions, parent: int) -> Any:
    """Create the application inside a worker process."""
    exit_with_parent(parent)
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)  # until the application handles it
    # Shared memory may be emptied while the server runs (RemoveIPC of systemd-logind), but a new worker needs the
    # folder.
    Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(mode=0o700, exist_ok=True)
    from tableapi.server.worker import create_app

    return create_app(settings, datasets)


def reloading_app() -> Any:
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
        for url in datasets.urls.values():
            asyncio.run(check_database(url))
        message = _prepare(settings, datasets.project, stack) if datasets.project is not None else None
        _check_rights(datasets, settings)
        _record_webhooks(datasets)
        announce = partial(_announce, settings, datasets, message)
        if reload:
            _reloading(settings, datasets, announce)
        else:
            _granian(settings, datasets, announce, has_database)


def _check_rights(datasets: ServeOptions, settings: Settings) -> None:
    """Check the policy or the access file against the databases. Raises BadDatasets."""
    from tableapi.app.declared import check_rights
    from tableapi.app.features.declared_webhooks import check_declared
    from tableapi.datasets.declared import BadRights

    try:
        asyncio.run(check_rights(datasets, settings))
        asyncio.run(check_declared(datasets))
    except BadRights as error:
        raise BadDatasets(str(error)) from None


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
        raise CannotServe(f"DATA_DIR {settings.data_dir} cannot be written: {error.strerror}.") from None
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


def _granian(
    settings: Settings,
    datasets: ServeOptions,
    announce: Callable[[], None],
    has_database: Callable[[], bool] | None,
) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # raise the soft limit to the hard one
        resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else 65536, most))
    server = _Server(
        "tableapi.server.worker",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        workers=settings.workers,
        loop=Loops.uvloop,
        http=HTTPModes.http1,
        websockets=False,
        backlog=2048,
        log_level=LogLevels.error,
        respawn_failed_workers=True,
        backpressure=MAX_CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_SECONDS * 1000),
        workers_kill_timeout=STOP_SECONDS,
    )
    server.main_loop_interrupt = Interrupt()
    server.loader = _Loader(settings, datasets, os.getpid())
    server.announce = announce
    server.has_database = has_database
    server.drain_seconds = settings.drain_seconds
    server.serve(target_loader=server.loader, wrap_loader=False)


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
