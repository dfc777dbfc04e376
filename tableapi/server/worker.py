"""One worker process of `tableapi serve`: the application, and what belongs to the process."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import signal
import sys
from collections.abc import Callable

from tableapi.app.application import App
from tableapi.app.options import Datasets
from tableapi.config.settings import Settings
from tableapi.observability import tracing
from tableapi.observability.logging import configure, sink

SWITCH_SECONDS = 0.001
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)


class WorkerResources:
    """Logs, traces, signals and memory of a worker process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def starting(self) -> None:
        configure(self._settings.log_level)
        sink.start()
        tracing.start(self._settings)

    def started(self, drain: Callable[[], None], reload: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, drain)
        loop.add_signal_handler(signal.SIGUSR2, reload)
        reload()  # the file may have changed since this process began to start
        tune()

    def stopped(self) -> None:
        tracing.stop()
        sink.close()


def create_app(settings: Settings, datasets: Datasets) -> App:
    """Return the application of one worker process."""
    return App(settings, datasets, WorkerResources(settings))


def tune() -> None:
    """Exempt what is loaded from garbage collection, collect less often, and let the event loop in soon.

    A request makes few cycles. With the default thresholds a collection stops every request for 30 ms now and then.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    sys.setswitchinterval(SWITCH_SECONDS)  # after which a thread beside the event loop lets it run
    # glibc raises by itself the size from which memory goes back to the system at once; then every thread that hashed a
    # password keeps 19 MB.
    with contextlib.suppress(AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, 4 << 20)
        libc.mallopt(_TRIM_THRESHOLD, 16 << 20)
