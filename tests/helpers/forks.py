"""Commands of `tableapi` as forks of a process that has imported the engine: a start takes a third of the CPU time.

A fork runs what `python -m tableapi` runs, in its own session, folder and environment. Only the arguments and the
environment that /proc shows are those of the first process.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from tableapi.project.files import check_files

ROOT = Path(__file__).parents[2]
# Everything but prometheus_client, which reads the environment when it is imported.
PRELOADED = (
    "h11", "httpcore2", "starlette.applications", "stripe", "uvicorn", "uvloop", "product.vendors.payments", "sandbox",
    "tableapi.app.application", "tableapi.changes.endpoint", "tableapi.cli.check", "tableapi.cli.main",
    "tableapi.mcp.direct", "tableapi.mcp.resources", "tableapi.mcp.tools", "tableapi.openapi.cache",
    "tableapi.openapi.docs", "tableapi.project.queue", "tableapi.server.migrate", "tableapi.server.serve",
    "tableapi.tables.routines", "tableapi.webhooks.feature",
)  # fmt: skip
# Packages and modules of the product, which other projects have under the same names.
PRODUCT = ("policy", "product", "sandbox", "scripts")
LONGEST = 1 << 17  # bytes of a request


class Fork:
    """A started command with the attributes and methods of `subprocess.Popen` that the tests use."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str], output: int, errors: int) -> None:
        reports, report = os.pipe()
        with Path(os.devnull).open("rb") as nothing:
            request = json.dumps([words, str(folder), environment]).encode()
            socket.send_fds(_channel(), [request], [nothing.fileno(), output, errors, report])
        os.close(report)
        self._reports = os.fdopen(reports, buffering=1)
        self.pid = int(self._reports.readline())
        self.returncode: int | None = None
        self._ended = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        with self._reports:
            self.returncode = os.waitstatus_to_exitcode(int(self._reports.readline()))
        self._ended.set()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code, or the negative number of the signal.

        Raises:
            TimeoutExpired: the command did not end within `timeout` seconds.
        """
        if not self._ended.wait(timeout) or self.returncode is None:
            raise subprocess.TimeoutExpired("tableapi", timeout or 0)
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code, or None while the command runs."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # ended, and not yet reported
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL, unless the command has ended."""
        self.send_signal(signal.SIGKILL)


@cache
def _channel() -> socket.socket:
    """Start the process that forks; it ends with this one."""
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command, environment = [sys.executable, "-m", __name__], os.environ | {"PYTHONPATH": str(ROOT)}
    with its:
        first = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=its.fileno(), start_new_session=True)
    # The last registered is called first.
    atexit.register(first.wait)
    atexit.register(mine.close)
    return mine


def main() -> None:
    """Fork for each request until the tests end; a fork goes on with its command."""
    gc.disable()
    for name in PRELOADED:
        importlib.import_module(name)
    check_files(ROOT)
    assert "prometheus_client" not in sys.modules
    gc.freeze()
    gc.enable()
    channel = socket.socket(fileno=os.dup(0))
    # Parents of commands are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(channel, LONGEST, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    channel.close()
    *files, report = descriptors
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if pid := os.fork():
        _wait_for(pid, files, report)
    os.close(report)
    os.setsid()
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
        os.close(descriptor)
    words, folder, environment = json.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    if Path(folder) != ROOT:
        for name in [name for name in sys.modules if name.partition(".")[0] in PRODUCT]:
            del sys.modules[name]
    sys.argv = ["tableapi", *words]
    runpy.run_module("tableapi", run_name="__main__", alter_sys=True)


def _wait_for(pid: int, files: list[int], report: int) -> None:
    """Report the process id of a command, and its status at the end. It ends with the tests that started it."""
    for descriptor in (0, 1, 2, *files):
        os.close(descriptor)
    os.write(report, b"%d\n" % pid)
    either = select.poll()
    either.register(os.pidfd_open(pid), select.POLLIN)
    either.register(report, 0)  # reports that its reader is gone
    if report in dict(either.poll()):
        os.killpg(pid, signal.SIGTERM)
        os._exit(1)
    os.write(report, b"%d\n" % os.waitpid(pid, 0)[1])
    os._exit(0)


if __name__ == "__main__":
    main()
