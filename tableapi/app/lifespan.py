"""Start and stop the application: databases, rate limits, metrics and pages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Protocol

from tableapi.app.pages import Pages
from tableapi.app.state import AppState
from tableapi.db.errors import UNREACHABLE
from tableapi.http.admission import AdmissionControl
from tableapi.http.request import Receive, Send
from tableapi.log import get_logger
from tableapi.observability import background, metrics
from tableapi.ratelimit import backend, counter

log = get_logger(__name__)
RECONNECT_SECONDS = 0.5


class Process(Protocol):
    """Set up and tear down process-level state, as opposed to that of the application.

    `tableapi serve` passes one (server/worker.py); a host program manages its own process and passes none.
    """

    def starting(self) -> None:
        """Set up logs and traces before anything is opened."""

    def started(self, drain: Callable[[], None], reload: Callable[[], None]) -> None:
        """Install signal handlers.

        `drain` makes the application report that it is about to stop; `reload` re-reads the access file.
        """

    def stopped(self) -> None:
        """Flush logs and traces."""


class NoProcess:
    """The process of a host program, which is left alone."""

    def starting(self) -> None:
        return

    def started(self, drain: Callable[[], None], reload: Callable[[], None]) -> None:
        return

    def stopped(self) -> None:
        return


async def handle_lifespan(
    receive: Receive, send: Send, start: Callable[[], Awaitable[object]], stop: Callable[[], Awaitable[None]]
) -> None:
    """Handle ASGI lifespan messages until shutdown, or until `start` fails."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            try:
                await start()
            except Exception as error:
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await stop()
            await send({"type": "lifespan.shutdown.complete"})
            return


class Lifespan:
    """Open and close the application's resources. `run` handles ASGI lifespan messages."""

    def __init__(
        self, state: AppState, pages: Pages, admission: AdmissionControl, process: Process | None = None
    ) -> None:
        self._state, self._pages, self._admission = state, pages, admission
        self._process = process or NoProcess()
        self._opening: asyncio.Task[None] | None = None

    async def run(self, receive: Receive, send: Send) -> None:
        """Handle lifespan messages from the server until shutdown."""
        await handle_lifespan(receive, send, self._start, self.stop)

    async def _start(self) -> None:
        try:
            await self.start()
        except Exception as error:
            log.error("start_failed", error=f"{type(error).__name__}: {error}")
            self._process.stopped()
            raise

    async def start(self) -> None:
        """Open the databases and start background tasks.

        An unreachable database is retried in the background; other errors of a database are raised.
        """
        self._process.starting()
        backend.start(self._state.limit_settings)
        self._watch()
        for feature in self._state.features:
            feature.start()
        self._admission.start()
        await self._open()
        if self._pages.of_project is not None:
            self._pages.of_project.start()
        self._process.started(self._drain, self._state.reload_access)

    def _drain(self) -> None:
        """Report that the process is about to stop, and end the streams, which would keep it running."""
        self._pages.drain()
        for feature in self._state.features:
            feature.drain()

    def _watch(self) -> None:
        databases = [dataset.db for dataset in self._state.datasets.values()]
        metrics.watch("under_way", lambda: len(self._admission))
        metrics.watch("lanes_free", lambda: sum(db.reads.free + db.writes.free for db in databases))
        metrics.watch("lanes_waiting", lambda: sum(db.reads_waiting for db in databases))
        metrics.watch("pool_waiting", lambda: sum(db.scripts_waiting for db in databases))

    async def stop(self) -> None:
        """Close everything that `start` opened."""
        self._admission.stop()
        if self._opening is not None:
            self._opening.cancel()
        if self._pages.of_project is not None:
            await self._pages.of_project.close()
        await self._state.close()
        await counter.stop()
        for feature in self._state.features:
            feature.stop()
        self._process.stopped()

    async def _open(self) -> None:
        """Open the databases; if one is unreachable, retry in the background (503 until then).

        If the process exited instead, the server would give up after a few restarts.
        """
        try:
            await self._state.open()
        except UNREACHABLE as error:
            log.warning("database_unreachable", error=type(error).__name__)
            self._opening = background.start(self._open_later(), "open")

    async def _open_later(self) -> None:
        while not self._state.is_open:
            await asyncio.sleep(RECONNECT_SECONDS)
            with contextlib.suppress(*UNREACHABLE):
                await self._state.open()
