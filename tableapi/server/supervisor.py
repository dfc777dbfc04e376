"""The worker beside the server: started, started again when it dies, stopped with the server."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

PAUSE, MOST_PAUSE = 0.5, 4.0  # before a worker that ended is started again: more, the more often it happens
STABLE_SECONDS = 30.0  # a worker that lived so long did not fail at its start
GRACE_SECONDS = 10  # for what is under way when the parent is gone
# A process that is forked while another is being started inherits the pipe by which that one tells that it runs, and
# who started it would wait for ever.
_forking = threading.RLock()
os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forking.release)


def exit_with_parent(parent: int) -> None:
    """Belong to `parent` alone: Ctrl-C in its terminal reaches us through it, and we die when it does, however.

    A thread watches the parent (Linux), asks for an orderly end when it is gone, and sees to it that there is one.
    """
    if sys.platform == "linux":
        try:
            watched = os.pidfd_open(parent)
        except ProcessLookupError:
            sys.exit(1)
        if os.getppid() != parent:  # it died before we could watch
            sys.exit(1)
        threading.Thread(target=_outlive, args=(watched,), name="parent", daemon=True).start()
    if os.getpgid(0) == os.getpgid(parent):
        os.setpgid(0, 0)


def _outlive(parent: int) -> None:
    """Wait for the end of the process behind the descriptor `parent`, then end our own: politely, then not."""
    with selectors.DefaultSelector() as ends:
        ends.register(parent, selectors.EVENT_READ)
        ends.select()
    # First of all the kernel is told to end us. A worker that stops with requests under way may hang with the lock of
    # the interpreter in its hand (granian): no thread of ours runs any more then, and the port would stay taken.
    signal.alarm(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


class WorkerProcess:
    """`with Beside(...):` - `tableapi <words>` runs beside the block, in a session of its own, away from Ctrl-C.

    The command is told its parent by `--with-parent`, to die with it.
    """

    def __init__(self, *words: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "tableapi", *words, "--with-parent", str(os.getpid())]
        self._folder, self._environment = folder, dict(os.environ) | dict(environment)
        self._stop = threading.Event()
        self._running: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, name="beside", daemon=True)

    def __enter__(self) -> WorkerProcess:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        if self._running is not None:
            self._running.terminate()
        self._thread.join(15)
        if self._running is not None and self._running.poll() is None:
            self._running.kill()

    def _watch(self) -> None:
        pause = PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            with _forking:
                self._running = running = subprocess.Popen(
                    self._command, cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )  # fmt: skip
            if self._stop.is_set():
                running.terminate()
            running.wait()
            self._stop.wait(pause)
            pause = PAUSE if time.monotonic() - began > STABLE_SECONDS else min(pause * 2, MOST_PAUSE)
