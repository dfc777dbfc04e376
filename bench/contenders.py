"""Start each measured server as documented, on its own port, and stop it at the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import scenarios
from bench.scenarios import KEY, Ask
from tests.helpers.support import ROOT, free_port

PATIENCE = 60.0


class NotThere(Exception):
    """A contender is not available on this machine."""


@dataclass(frozen=True, slots=True)
class Contender:
    name: str
    url: str
    pid: int
    asks: Mapping[str, Ask]


@dataclass(frozen=True, slots=True)
class Stage:
    """The database, ports and folders that contenders start with."""

    stack: ExitStack
    database: str
    folder: Path  # for logs and installed packages
    workers: int = 1


def launch(
    stage: Stage, name: str, words: Sequence[str | Path], port: int, cwd: Path, **environment: str
) -> subprocess.Popen[bytes]:
    """Start a server and wait until it listens. Raises NotThere with its output."""
    log = stage.folder / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(words), cwd=cwd, stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | environment,
        )  # fmt: skip
    stage.stack.callback(_stop, process)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    raise NotThere(f"{name} does not start: {log.read_text(errors='replace')[-300:].strip()}")


def from_npm(folder: Path, packages: Sequence[str]) -> None:
    """Install npm packages (`name@version`) into a folder unless they are there. Raises NotThere."""
    if all((folder / "node_modules" / package.rpartition("@")[0]).exists() for package in packages):
        return
    if shutil.which("npm") is None:
        raise NotThere("the peers need npm")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private":true}')
    print("Installing the peers ...", flush=True)
    words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *packages]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise NotThere(f"npm could not install the peers: {done.stderr.strip()[-200:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def product(stage: Stage, checkout: Path = ROOT, name: str = "tableapi") -> Contender:
    """Start tableapi with its defaults: key, session, policy, limits, access log and metrics."""
    port = free_port()
    process = launch(
        stage, name, [sys.executable, "-m", "tableapi", "serve"], port, ROOT / "bench" / "project",
        PYTHONPATH=str(checkout), PORT=str(port), WORKERS=str(stage.workers), DATABASE_URL=stage.database,
        WORKER="off", APP_KEYS=KEY, DATASET="leads", SESSION_PER_MINUTE="1000000000",
        DATA_DIR=str(stage.folder / name), LOG_LEVEL="info",
    )  # fmt: skip
    return Contender(name, f"http://127.0.0.1:{port}", process.pid, scenarios.product())


def earlier(commit: str) -> Callable[[Stage], Contender]:
    """Return a starter of tableapi as it was at a commit, with the packages of this checkout."""

    def start(stage: Stage) -> Contender:
        found = subprocess.run(["git", "archive", "--format=tar", commit], cwd=ROOT, capture_output=True)
        if found.returncode:
            raise NotThere(f"{commit}: {found.stderr.decode(errors='replace').strip()}")
        checkout = stage.folder / "earlier" / commit.replace("/", "_")
        shutil.rmtree(checkout, ignore_errors=True)
        checkout.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", checkout], input=found.stdout, check=True)
        return product(stage, checkout, commit)

    return start


def baseline(stage: Stage) -> Contender:
    """Start the hand-written handlers of baseline.py."""
    port = free_port()
    words = [
        *(sys.executable, "-m", "granian", "--interface", "asgi", "--loop", "uvloop", "--http", "1", "--no-ws"),
        *("--workers", str(stage.workers), "--port", str(port), "--log-level", "error", "bench.baseline:app"),
    ]
    process = launch(
        stage, "baseline", words, port, ROOT, PYTHONPATH=str(ROOT), DATABASE_URL=stage.database,
        POOL=str(max(2, 8 // stage.workers)),
    )  # fmt: skip
    return Contender("baseline", f"http://127.0.0.1:{port}", process.pid, scenarios.baseline())


OURS: tuple[Callable[[Stage], Contender], ...] = (product, baseline)
