"""Run the job worker alongside the server: start it, restart it on exit, stop it with the server."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import selectors
import signal
import sys
import threading
import time
from contextlib import ExitStack
from multiprocessing.context import ForkProcess, SpawnProcess
from pathlib import Path
from types import TracebackType

from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings
from tableapi.server.preflight import check_database
from tableapi.server.stored_keys import check_stored

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 4.0  # before a restart; doubles each time
STABLE_SECONDS = 30.0  # a worker that ran this long did not fail at startup, so the pause is reset
GRACE_SECONDS = 10  # for work in progress after the parent has exited
STOP_SECONDS = 15
PR_SET_NAME = 15
_INHERITED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def exit_with_parent(parent: int) -> None:
    """Exit when `parent` exits, for whatever reason, and leave its process group.

    Ctrl-C then reaches only the parent. On Linux, a thread waits for the parent to exit and then sends SIGTERM to this
    process, which must end within GRACE_SECONDS.
    """
    if sys.platform == "linux":
        try:
            watched = os.pidfd_open(parent)
        except ProcessLookupError:
            sys.exit(1)
        if os.getppid() != parent:  # it exited before it could be watched
            sys.exit(1)
        threading.Thread(target=_exit_after, args=(watched,), name="parent", daemon=True).start()
    if os.getpgid(0) == os.getpgid(parent):
        os.setpgid(0, 0)


def _exit_after(parent: int) -> None:
    """Wait for the process with descriptor `parent` to exit, then terminate this one."""
    with selectors.DefaultSelector() as ends:
        ends.register(parent, selectors.EVENT_READ)
        ends.select()
    # Set the alarm first: while a thread hangs with the interpreter's lock, no other runs, and only the kernel can end
    # the process; otherwise the port would stay in use.
    signal.alarm(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def run_jobs(settings: Settings, folder: Path) -> None:
    """Run the jobs of the project in `folder` until SIGTERM or SIGINT. Raises CannotServe."""
    from tableapi.observability import tracing
    from tableapi.observability.logging import configure, sink
    from tableapi.project.queue import work

    with ExitStack() as stack:
        asyncio.run(check_database(settings.direct_url, settings.direct_setting))
        asyncio.run(check_stored(settings, folder))
        configure(settings.log_level)
        tracing.start(settings)
        stack.callback(tracing.stop)
        sink.start()  # writes from a thread: a full pipe must not block the jobs
        stack.callback(sink.close)
        asyncio.run(work(settings, folder))


def _run_with(parent: int, settings: Settings, folder: Path) -> None:
    """Run the jobs in a process of the server."""
    for number in _INHERITED:
        signal.signal(number, signal.SIG_DFL)
    os.setsid()  # Ctrl-C reaches only the parent
    exit_with_parent(parent)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, b"tableapi jobs")  # for `ps -o comm` and top
    try:
        run_jobs(settings, folder)
    except CommandError as error:
        sys.exit(f"tableapi: {error}")


class JobWorker:
    """Run the jobs of a project in a process of their own for the duration of a `with` block.

    It is a fork of this process where the HTTP workers are forks too, so its start imports nothing again.
    """

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._arguments = (os.getpid(), settings, folder)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="worker", daemon=True)

    def __enter__(self) -> JobWorker:
        self._process = self._started()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._process.terminate()
        self._thread.join(STOP_SECONDS)
        self._process.kill()

    def _started(self) -> ForkProcess | SpawnProcess:
        forks = multiprocessing.get_start_method() == "fork"  # as for the HTTP workers
        context = multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
        process = context.Process(target=_run_with, args=self._arguments, name="worker")
        process.start()
        return process

    def _watch(self) -> None:
        pause, started_at = MIN_PAUSE_SECONDS, time.monotonic()
        while True:
            self._process.join()
            if self._stop.wait(pause):
                return
            stable = time.monotonic() - started_at > STABLE_SECONDS
            pause = MIN_PAUSE_SECONDS if stable else min(pause * 2, MAX_PAUSE_SECONDS)
            started_at, self._process = time.monotonic(), self._started()
            if self._stop.is_set():
                self._process.terminate()
