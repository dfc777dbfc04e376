"""Run the job worker alongside the server: start it, restart it on exit, stop it with the server."""

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

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 4.0  # before a restart; doubles each time
STABLE_SECONDS = 30.0  # a worker that ran this long did not fail at startup, so the pause is reset
GRACE_SECONDS = 10  # for work in progress after the parent has exited
# A process forked while Popen starts another inherits the pipe that Popen reads to the end, and Popen would block for
# the lifetime of that process.
_forking = threading.RLock()
os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forking.release)


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
    # Set the alarm first, because a granian worker that stops with requests in flight may hang while holding the GIL.
    # No Python thread runs then, so only the kernel can end the process; otherwise the port would stay in use.
    signal.alarm(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


class WorkerProcess:
    """Run `tableapi <words>` for the duration of a `with` block, unaffected by Ctrl-C.

    The command gets `--with-parent`, so that it exits with this process.
    """

    def __init__(self, *words: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "tableapi", *words, "--with-parent", str(os.getpid())]
        self._folder, self._environment = folder, dict(os.environ) | dict(environment)
        self._stop = threading.Event()
        self._running: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, name="worker", daemon=True)

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
        pause = MIN_PAUSE_SECONDS
        while not self._stop.is_set():
            started_at = time.monotonic()
            with _forking:
                self._running = running = subprocess.Popen(
                    self._command, cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )  # fmt: skip
            if self._stop.is_set():
                running.terminate()
            running.wait()
            self._stop.wait(pause)
            stable = time.monotonic() - started_at > STABLE_SECONDS
            pause = MIN_PAUSE_SECONDS if stable else min(pause * 2, MAX_PAUSE_SECONDS)
