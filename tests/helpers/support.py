"""Start commands and servers, and run SQL, from tests. Fixtures are in tests/conftest.py."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from tableapi.observability.metrics_folder import SHARED_MEMORY
from tests.helpers.forks import Fork

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
EPHEMERAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST_PORT, HIGHEST_PORT = 10_000, 32_768
TEST_PROCESSES = 16  # maximum per run
PATIENCE = 60.0  # seconds for a start on a busy machine


def execute(url: str, sql: str) -> None:
    """Run SQL from a test without an event loop."""

    async def run() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(sql)
        await connection.close()

    asyncio.run(run())


class SqlClient:
    """A connection for the tests of a module without an event loop: `with SqlClient(url) as db`."""

    def __init__(self, url: str) -> None:
        self._url, self._runner = url, asyncio.Runner()

    def __enter__(self) -> SqlClient:
        self._connection = self._runner.run(self._connect())
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._connection.close())
        self._runner.close()

    async def _connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(self._url)

    def execute(self, sql: str) -> None:
        """Run statements."""
        self._runner.run(self._connection.execute(sql))

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return [tuple(row) for row in self._runner.run(self._connection.fetch(sql))]


def ok(response: httpx2.Response) -> Any:
    """Return the JSON of a response with status 200. Raises AssertionError for another response."""
    assert response.status_code == 200, response.text
    return response.json()


def rejection(response: httpx2.Response) -> tuple[int, Any]:
    """Return the status and the reason of an error. Raises AssertionError for another response."""
    error = response.json()["error"] if response.status_code >= 400 else None
    assert error is not None, response.text
    return response.status_code, error["context"]["reason"]


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Poll the condition, which may be a coroutine function, until it is true.

    Raises TimeoutError after `seconds`.
    """
    async with asyncio.timeout(seconds):
        while True:
            value = condition()
            if await value if isinstance(value, Awaitable) else value:
                return
            await asyncio.sleep(0.02)


def wait_until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Poll the condition from a test without an event loop. Raises AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition stayed false"
        time.sleep(0.02)


def _ports() -> list[int]:
    """Return the ports of this process, in the order in which to try them.

    Ports in the kernel's ephemeral range could be given to connections before a slowly starting server binds them. Each
    process of a test run has its own ports.
    """
    above = int(EPHEMERAL_PORTS.read_text().split()[0]) if EPHEMERAL_PORTS.exists() else 0
    if above < HIGHEST_PORT / 2:  # unknown, or a machine that leaves too few below it
        above = HIGHEST_PORT
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    ports = range(above - 1 - worker, LOWEST_PORT, -TEST_PROCESSES)
    start = random.randrange(len(ports))  # another test run may use the same ports
    return [*ports[start:], *ports[:start]]


_unused_ports = iter(_ports())


def free_port() -> int:
    """Return a port on 127.0.0.1 that nothing listens on, and that no other call has returned."""
    for port in _unused_ports:
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port is left")


def clean_environment(**more: str | Path) -> dict[str, str]:
    """Return an environment with PATH, HOME and the like, and `more`."""
    names = ("PATH", "HOME", "LANG", "TMPDIR", "COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")
    base = {name: os.environ[name] for name in names if name in os.environ}
    return base | {"PYTHONPATH": str(ROOT)} | {name: str(value) for name, value in more.items()}


def tableapi(*words: str, cwd: Path, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """Run one `tableapi` command to its end."""
    variables = clean_environment(**environment)
    if not _forks(variables):
        return subprocess.run(
            [sys.executable, "-m", "tableapi", *words], cwd=cwd, env=variables,
            capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        command = Fork([*words], cwd, variables, output.fileno(), errors.fileno())
        try:
            code = command.wait(PATIENCE)
        finally:
            command.kill()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(list(words), code, output.read(), errors.read())


def _forks(environment: dict[str, str]) -> bool:
    """Return whether a command may be a fork: one with other modules or measured by coverage has its own start."""
    return environment["PYTHONPATH"] == str(ROOT) and not any(name.startswith("COVERAGE") for name in environment)


def descendants(pid: int) -> list[int]:
    """Return the process ids of all descendants of a process; empty if it has ended."""
    children = set()
    # Threads and processes may end while they are listed.
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                children |= {int(child) for child in (task / "children").read_text().split()}
    return sorted(children) + [deeper for child in sorted(children) for deeper in descendants(child)]


@dataclass
class Server:
    """A running `tableapi serve`: its output until it was ready (`told`), and its standard error (`log`)."""

    url: str
    process: subprocess.Popen[str] | Fork
    told: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop the server by SIGTERM or another signal, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()

    def kill(self) -> None:
        """Send SIGKILL to the server and every descendant, like a power cut."""
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


Serve = Callable[..., Server]
NewDatabase = Callable[..., str]  # (sql="") -> the URL of a new database


def _remove_counters(port: int) -> None:
    """Remove the counters in shared memory that a killed server leaves for its next start."""
    for folder in SHARED_MEMORY.glob(f"tableapi-*-{port}"):
        shutil.rmtree(folder, ignore_errors=True)


def start(
    stack: ExitStack, folder: Path, *words: str, cwd: Path | None = None, own: object = False,
    access: object = None, **environment: str | Path,
) -> Server:  # fmt: skip
    """Start `tableapi serve` and wait until it is ready; the stack stops it.

    `access` is the content of its access file. With `own` it is started by its command line instead of as a fork, for
    tests of what /proc shows.
    """
    port = int(str(environment.get("PORT") or free_port()))
    log = folder / f"serve.{port}.log"
    if access is not None:
        (file := folder / f"access.{port}.json").write_text(json.dumps(access))
        words += ("--access", str(file))
    settings: dict[str, str | Path] = {"DATA_DIR": folder / "data", "WORKERS": "1", "PORT": str(port)}
    settings |= environment
    variables = clean_environment(**settings)
    process: subprocess.Popen[str] | Fork
    with log.open("a") as errors:
        output, told_to = os.pipe()
        if own or not _forks(variables):
            process = subprocess.Popen(
                [sys.executable, "-m", "tableapi", "serve", *words], cwd=cwd or ROOT, env=variables,
                stdout=told_to, stderr=errors, stdin=subprocess.DEVNULL, text=True, start_new_session=True,
            )  # fmt: skip
        else:
            process = Fork(["serve", *words], cwd or ROOT, variables, told_to, errors.fileno())
        os.close(told_to)
    too_late = threading.Timer(PATIENCE, process.kill)
    too_late.start()
    lines = stack.enter_context(os.fdopen(output))
    told = ""
    for line in lines:
        told += line
        if line.startswith("Serving"):
            break
    too_late.cancel()
    server = Server(f"http://{environment.get('HOST', '127.0.0.1')}:{port}", process, told, log)
    stack.callback(_remove_counters, port)
    stack.callback(server.stop)
    if not told.rstrip().endswith("Ctrl-C."):
        raise AssertionError(f"tableapi serve {' '.join(words)} did not start:\n{told}{log.read_text()}")
    return server
