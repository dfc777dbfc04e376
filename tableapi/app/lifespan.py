"""Start and stop of one worker: what it needs is opened before it answers, and closed in the opposite order."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import signal

from tableapi.app.meta import Meta
from tableapi.app.state import Services
from tableapi.config.settings import Settings
from tableapi.db.errors import UNREACHABLE
from tableapi.http.admission import AdmissionControl
from tableapi.http.request import Receive, Send
from tableapi.observability import background, metrics, tracing
from tableapi.observability.log import get_logger
from tableapi.observability.logging import configure, sink
from tableapi.ratelimit import counter

log = get_logger(__name__)
RECONNECT_SECONDS = 0.5  # seconds between two tries to reach a database
_MMAP_THRESHOLD = -3  # of mallopt(3)


class Lifespan:
    """ASGI's start and stop messages."""

    def __init__(self, settings: Settings, services: Services, system: Meta, under_way: AdmissionControl) -> None:
        self._settings, self._services, self._system, self._admission = settings, services, system, under_way
        self._opening: asyncio.Task[None] | None = None

    async def run(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except Exception as error:
                    log.error("start_failed", error=f"{type(error).__name__}: {error}")
                    sink.flush()
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        configure(self._settings.log_level)
        sink.start()
        tracing.start(self._settings)
        counter.start(self._services.limit_settings)
        self._watch()
        metrics.start()
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._system.drain)
        self._admission.start()
        await self._open()
        if self._system.pages is not None:
            self._system.pages.start()
        _settle()

    def _watch(self) -> None:
        databases = [dataset.db for dataset in self._services.datasets.values()]
        metrics.watch("under_way", lambda: len(self._admission))
        metrics.watch("lanes_free", lambda: sum(db.reads.free + db.writes.free for db in databases))
        metrics.watch("lanes_waiting", lambda: sum(db.reads_waiting for db in databases))
        metrics.watch("pool_waiting", lambda: sum(db.scripts_waiting for db in databases))

    async def _stop(self) -> None:
        self._admission.stop()
        if self._opening is not None:
            self._opening.cancel()
        if self._system.pages is not None:
            await self._system.pages.close()
        await self._services.close()
        await counter.stop()
        tracing.stop()
        sink.close()

    async def _open(self) -> None:
        """Open the databases. One that cannot be reached is waited for beside: a worker that is started again while it
        is away answers 503 until it is back. If it ended instead, granian would soon give up on the whole server."""
        try:
            await self._services.open()
        except UNREACHABLE as error:
            log.warning("database_unreachable", error=type(error).__name__)
            self._opening = background.start(self._open_later(), "open_later")

    async def _open_later(self) -> None:
        while not self._services.is_open:
            await asyncio.sleep(RECONNECT_SECONDS)
            try:
                await self._services.open()
            except Exception as error:  # whatever it is: the worker would never serve again
                log.warning("database_unreachable", error=type(error).__name__)


def _settle() -> None:
    """What is there now stays: the collector need not walk it again. A request makes few cycles, so that it need not
    look every 700 objects either, and does not stop all requests for 30 ms now and then."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    # glibc raises by itself the size from which memory goes back to the system at once; then every thread that hashed a
    # password keeps 19 MB.
    with contextlib.suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 4 << 20)
