"""Programs of a cluster on one machine, each with its own loopback address, which can be killed and frozen."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.helpers.support import clean_environment, descendants

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])


class Missing(Exception):
    """A program that the cluster needs is not installed, or does not start."""


def program(name: str) -> str:
    """Return the path of an installed program. Raises Missing."""
    path = shutil.which(name, path=PATH)
    if path is None:
        raise Missing(f"{name} is not installed; as root: tools/peers")
    return path


def postgres_programs() -> Path:
    """Return the folder of the newest PostgreSQL of the system with pg_rewind. Raises Missing."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/pg_rewind")]
    if not found:
        raise Missing("PostgreSQL is not installed; as root: tools/peers")
    return max(found, key=lambda path: int(path.parent.name))


class Addresses:
    """Loopback addresses by host name, so that programs keep the ports that they use on separate machines."""

    def __init__(self, names: Sequence[str]) -> None:
        network = f"127.{random.randrange(1, 255)}.{random.randrange(1, 255)}"
        self._by_name = {name: f"{network}.{number}" for number, name in enumerate(names, 10)}

    def __getitem__(self, name: str) -> str:
        return self._by_name[name]

    def put_into(self, text: str) -> str:
        """Replace the host names in a configuration's addresses: `name:port` and `host=name`."""
        for name, address in self._by_name.items():
            for before, after in (
                (f" {name}:", f" {address}:"),
                (f",{name}:", f",{address}:"),
                (f"host={name} ", f"host={address} "),
                (f"listen_addr = {name}\n", f"listen_addr = {address}\n"),
            ):
                text = text.replace(before, after)
        return text


def unprivileged() -> tuple[int, int] | None:
    """Return the user and group for servers that refuse to run as root; None for a normal user."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def listens(address: str, port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex((address, port)) == 0


def wait_for(ready: Callable[[], object], what: str, seconds: float = 60.0) -> None:
    """Poll the condition. Raises Missing after `seconds`."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise Missing(f"{what} is not ready after {seconds:.0f} s")
        time.sleep(0.05)


@dataclass
class Program:
    """One server: its command, a folder that belongs to its user, and its address."""

    name: str
    folder: Path
    command: list[str]
    address: str
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def start(self, *, wait: bool = True) -> Program:
        """Start the server as an unprivileged user, and wait until it listens. Raises Missing."""
        user = unprivileged()
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=clean_environment(PATH=PATH, HOME=self.folder, **self.environment), start_new_session=True,
                user=user and user[0], group=user and user[1], extra_groups=[] if user else None,
            )  # fmt: skip
        if wait:
            self.wait()
        return self

    def wait(self) -> None:
        """Wait until the server listens. Raises Missing when it ended."""

        def ready() -> bool:
            if self.process is not None and self.process.poll() is not None:
                raise Missing(f"{self.name} ended: {self.log.read_text()[-600:]}")
            return listens(self.address, self.port)

        wait_for(ready, self.name)

    def pids(self) -> list[int]:
        """Return the processes of the server."""
        return [self.process.pid, *descendants(self.process.pid)] if self.process else []

    def signal(self, number: int) -> None:
        """Send a signal to every process of the server."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End the server like a power cut."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(20)

    def freeze(self) -> None:
        """Stop every process: connections stay open and nothing answers."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the server in order, or by SIGKILL after 20 s."""
        self.thaw()
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


@dataclass
class Database(Program):
    """A machine with PostgreSQL under Patroni: a fault hits both."""

    data: Path = Path()

    def postmaster(self) -> int | None:
        """Return the process id of PostgreSQL, which Patroni detaches from itself; None if it does not run."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            return pid if (Path("/proc") / str(pid) / "cwd").resolve(strict=True) == self.data else None
        except (OSError, ValueError, IndexError):
            return None

    def pids(self) -> list[int]:
        postmaster = self.postmaster()
        return super().pids() + ([postmaster, *descendants(postmaster)] if postmaster else [])

    def replay(self) -> int:
        """Return the process of a replica that replays the primary's log."""
        for pid in descendants(self.postmaster() or 0):
            if b"startup" in (Path("/proc") / str(pid) / "cmdline").read_bytes():
                return pid
        raise Missing(f"{self.name} replays nothing")

    def kill_postgres(self) -> None:
        """Kill only PostgreSQL."""
        postmaster = self.postmaster()
        for pid in [postmaster, *descendants(postmaster)] if postmaster else []:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def restart_patroni(self) -> None:
        """Kill Patroni and start it again; PostgreSQL keeps running."""
        for pid in super().pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait(20)
        self.start()

    def stop(self) -> None:
        """End Patroni at once and PostgreSQL without a checkpoint, which removes its shared memory."""
        self.thaw()
        postmaster = self.postmaster()
        if self.process is not None and self.process.poll() is None:
            for pid in super().pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(20)
        if postmaster is not None:
            with suppress(ProcessLookupError):
                os.kill(postmaster, signal.SIGQUIT)
                wait_for(lambda: self.postmaster() is None, f"the end of {self.name}", 30)
