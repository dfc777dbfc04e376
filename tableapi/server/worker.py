"""One worker process of `tableapi serve`: the application and its process-level resources."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import signal
from collections.abc import Callable

from tableapi import threads
from tableapi.app.application import App
from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tableapi.config.settings import Settings
from tableapi.observability import tracing
from tableapi.observability.logging import configure, sink

GC_THRESHOLDS = 50_000, 20, 50
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # parameters of mallopt(3)


class WorkerResources:
    """Logs, traces, signals and memory of a worker process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def starting(self) -> None:
        configure(self._settings.log_level)
        sink.start()
        tracing.start(self._settings)

    def started(self, drain: Callable[[], None], reload: Callable[[], None]) -> None:
        on_signal(signal.SIGUSR1, drain)
        on_signal(signal.SIGUSR2, reload)
        reload()  # the file may have changed since this process started
        tune()

    def stopped(self) -> None:
        tracing.stop()
        sink.close()


def on_signal(number: signal.Signals, callback: Callable[[], None]) -> None:
    """Run `callback` in the running event loop after each signal `number`.

    A worker runs its loop once to start the application and again to serve. A signal between the two runs would reach a
    handler of `add_signal_handler` only with the next signal (docs/explanation/decisions/processes.md).
    """
    loop = asyncio.get_running_loop()

    def schedule(*_: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(callback)

    signal.signal(number, schedule)
    signal.siginterrupt(number, False)


def create_app(settings: Settings, datasets: ServeOptions) -> App:
    """Return the application of one worker process."""
    return application(settings, datasets, WorkerResources(settings))


def tune() -> None:
    """Exclude loaded objects from garbage collection, collect less often, and switch threads sooner.

    A request creates few cycles. With the default thresholds, a collection would occasionally stop all requests for 30
    ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    threads.switch_sooner()
    # glibc raises the size above which memory is returned to the system at once; every thread that hashed a password
    # would then keep 19 MB. Below that size memory stays, because a response of 10 MB spent three quarters of its time
    # on fresh pages.
    with contextlib.suppress(AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, 16 << 20)
        libc.mallopt(_TRIM_THRESHOLD, 64 << 20)
