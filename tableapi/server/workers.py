"""The HTTP workers of `tableapi serve`: start them, restart them, reload them, and stop them in order.

Each worker has a listening socket of its own, which the main process keeps open, so that the connections of a worker
that dies wait for the next one.
"""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess, SpawnProcess
from multiprocessing.synchronize import Event

import uvloop

from tableapi.app.application import App
from tableapi.server.http1 import Server
from tableapi.server.preflight import CannotServe, port_in_use

STOP_SECONDS = 8.0  # for requests in flight
WATCH_SECONDS = 2.0  # between checks of the embedded database
START_SECONDS = 0.02  # between checks for the first worker that serves
BACKLOG = 2048  # connections of a worker that wait to be accepted
# A worker that died is restarted at once, then after 0.5, 1.5, 3.5 and 7.5 seconds.
MAX_DEATHS, DEATHS_SECONDS, FIRST_DELAY = 5, 60.0, 0.5
_STOPPING = {signal.SIGINT, signal.SIGTERM}
_forks = multiprocessing.get_start_method() == "fork"
_context = multiprocessing.get_context("fork") if _forks else multiprocessing.get_context("spawn")


class _Signals:
    """The signals of the main process, whichever thread the kernel delivers them to."""

    def __init__(self) -> None:
        self._reader, writer = socket.socketpair()
        self._reader.setblocking(False)
        writer.setblocking(False)
        self._writer = writer
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float, sentinels: list[int] | None = None) -> set[int]:
        """Wait for a signal, a sentinel or the end of `seconds`; return the numbers of the signals."""
        wait([self._reader, *(sentinels or [])], seconds)
        with suppress(BlockingIOError):
            return set(self._reader.recv(4096))
        return set()


@dataclass
class _Worker:
    """A place among the workers."""

    listening: socket.socket
    process: ForkProcess | SpawnProcess | None = None
    deaths: list[float] = field(default_factory=list)
    start_at: float = 0.0


class Workers:
    """The worker processes.

    Args:
        load: creates the application inside a worker.
        reload: reads the access file again before the workers do, and announces a new schema.
        announce: called once the first worker serves.
        has_database: whether the embedded database runs, which nothing else restarts; None for another one.
    """

    def __init__(
        self, load: Callable[[], App], reload: Callable[[], bool], announce: Callable[[], None],
        has_database: Callable[[], bool] | None, drain_seconds: float,
    ) -> None:  # fmt: skip
        self._load, self._reload, self._announce = load, reload, announce
        self._has_database, self._drain_seconds = has_database, drain_seconds
        self._workers: list[_Worker] = []
        self._serves = _context.Event()

    def run(self, host: str, port: int, count: int) -> None:
        """Serve until SIGINT or SIGTERM.

        Raises CannotServe for a port in use, a worker that dies again and again, and a database that has ended.
        """
        self._workers = [_Worker(_listen(host, port)) for _ in range(count)]
        signals, failure, announced = _Signals(), "", False
        while True:
            failure = self._start_missing() or self._database_failure()
            sentinels = [worker.process.sentinel for worker in self._workers if worker.process is not None]
            numbers = set() if failure else signals.wait(self._next_look(announced), sentinels)
            if failure or numbers & _STOPPING:
                break
            if not announced and self._serves.is_set():
                announced = True
                self._announce()
            if signal.SIGHUP in numbers and self._reload():
                self._signal(signal.SIGUSR2)
        self._stop(signals)
        if failure:
            raise CannotServe(failure)

    def _start_missing(self) -> str:
        """Start the workers that do not run; return the reason to give up, if there is one."""
        now = time.monotonic()
        for number, worker in enumerate(self._workers):
            if worker.process is not None and not worker.process.is_alive():
                worker.process.close()
                worker.process = None
                worker.deaths = [at for at in worker.deaths if at > now - DEATHS_SECONDS] + [now]
                if len(worker.deaths) > MAX_DEATHS:
                    seconds = f"{DEATHS_SECONDS:.0f} s"
                    return f"A worker died {len(worker.deaths)} times within {seconds}. See the log before this."
                worker.start_at = now + FIRST_DELAY * (2 ** (len(worker.deaths) - 1) - 1)
            if worker.process is None and worker.start_at <= now:
                arguments = (self._load, worker.listening, self._serves)
                worker.process = _context.Process(target=_work, args=arguments, name=f"http {number}", daemon=True)
                worker.process.start()
        return ""

    def _database_failure(self) -> str:
        if self._has_database is None or self._has_database():
            return ""
        return "The embedded PostgreSQL has ended. Start tableapi again; its data is kept."

    def _next_look(self, announced: bool) -> float:
        starts = [worker.start_at - time.monotonic() for worker in self._workers if worker.process is None]
        return max(0.0, min([WATCH_SECONDS if announced else START_SECONDS, *starts]))

    def _signal(self, number: signal.Signals) -> None:
        for process in self._running():
            with suppress(ProcessLookupError):
                os.kill(process.pid or 0, number)

    def _running(self) -> list[ForkProcess | SpawnProcess]:
        processes = [worker.process for worker in self._workers if worker.process is not None]
        return [process for process in processes if process.is_alive()]

    def _stop(self, signals: _Signals) -> None:
        """Drain before stopping, so that load balancers and clients move away; a second signal skips the wait.

        Change streams end at once, because a worker does not stop before its last response ends.
        """
        for worker in self._workers:
            worker.listening.close()  # the workers have copies
        self._signal(signal.SIGUSR1)
        drained_at = time.monotonic() + self._drain_seconds
        while (seconds := drained_at - time.monotonic()) > 0 and not signals.wait(seconds) & _STOPPING:
            pass
        for process in self._running():
            process.terminate()
        end = time.monotonic() + STOP_SECONDS
        while (running := self._running()) and time.monotonic() < end:
            signals.wait(end - time.monotonic(), [process.sentinel for process in running])
        for process in running:
            process.kill()
            process.join()


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens beside those of the other workers.

    Raises CannotServe if the port is in use: it may have been taken since it was checked, because creating a database
    takes seconds.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listening.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise port_in_use(host, port) from None
        raise
    listening.listen(BACKLOG)
    return listening


def raise_file_limit() -> None:
    """Permit as many connections as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else 65536, most))


def _work(load: Callable[[], App], listening: socket.socket, serves: Event) -> None:
    """Run one worker until SIGTERM."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # until it serves, it has nothing to finish
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)  # until the application handles the last two
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            runner.run(_serve(load, listening, serves))
        except Exception:
            sys.exit(1)


async def _serve(load: Callable[[], App], listening: socket.socket, serves: Event) -> None:
    app, loop, stopping = load(), asyncio.get_running_loop(), asyncio.Event()
    await app.life.start()
    loop.add_signal_handler(signal.SIGTERM, stopping.set)
    server = Server(app)
    accepting = await loop.create_server(server, sock=listening, backlog=BACKLOG)
    serves.set()
    await stopping.wait()
    accepting.close()
    await server.stop(STOP_SECONDS - 1)
    await app.life.stop()
