"""An operator's day: the pages of deployment, as far as the tests of the examples cannot run them.

The commands for root run in a folder instead of /: programs that change the machine are recorded and not run. The move
from the embedded database to another server runs as it is written.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tableapi.server.postgres.server import binaries
from tests.docs import pages
from tests.helpers.support import ROOT, NewDatabase, Serve, clean_environment, execute, free_port, tableapi

RECORDED = ("useradd", "systemctl", "journalctl", "git", "make")
DEPLOYMENT, MOVE = "guides/deployment.md", "guides/own-postgresql.md"


def _commands(page: str, heading: str) -> list[str]:
    """Return the commands of a section."""
    section = re.split(r"^## ", pages.read(page).partition(f"## {heading}")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return [fence.text for fence in pages.fences(section) if fence.language == "sh"]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder with the files of a machine, and programs that only note how they were called."""
    for name in ("opt", "etc/systemd/system", "bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in RECORDED:
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/calls\n')
        program.chmod(0o755)
    return tmp_path


def _run(machine: Path, commands: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run commands with /opt, /etc and /var of the machine."""
    here = re.sub(r"(?<![\w./])/(opt|etc|var)/", rf"{machine}/\1/", commands)
    path = f"{machine}/bin:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", here], cwd=cwd, env=clean_environment(PATH=path, **environment),
        capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_product_is_installed_as_a_service(machine: Path) -> None:
    install, start, _ = _commands(DEPLOYMENT, "With systemd")
    checkout = machine / "opt" / "tableapi"
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / "deploy").symlink_to(ROOT / "deploy")
    (checkout / ".venv" / "bin" / "tableapi").write_text(f'#!/bin/sh\necho "check $DATABASE_URL" >> {machine}/calls\n')
    (checkout / ".venv" / "bin" / "tableapi").chmod(0o755)

    done = _run(machine, install, machine)
    assert (done.returncode, done.stderr) == (0, "")
    settings = machine / "etc" / "tableapi.env"
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    settings.write_text("DATABASE_URL=postgresql://tableapi@db/tableapi\n")
    done = _run(machine, start, checkout)
    assert (done.returncode, done.stderr) == (0, "")

    calls = (machine / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == [
        "useradd",
        "git",
        "make",
        "check",
        "systemctl",
        "systemctl",
        "journalctl",
    ]
    assert calls[3] == "check postgresql://tableapi@db/tableapi"
    unit = (machine / "etc" / "systemd" / "system" / "tableapi.service").read_text()
    [user] = re.findall(r"^User=(\w+)$", unit, re.MULTILINE)
    assert calls[0].split()[-1] == user
    for path in re.findall(r"^Exec\w+=(/opt/\S+)", unit, re.MULTILINE):
        assert (machine / path[1:]).exists()
    assert "EnvironmentFile=/etc/tableapi.env" in unit


def test_a_server_for_any_database_is_installed_as_a_service(machine: Path) -> None:
    commands = _commands(DEPLOYMENT, "With systemd")[2]
    assert re.search(r"pip install '(\S+)'", commands)
    commands = re.sub(r"^\S+/pip install .*$", "", commands, flags=re.MULTILINE)  # tests/processes/test_wheel.py
    commands = commands.replace("-g tableapi ", "")  # a group that this machine does not have
    (machine / "deploy").symlink_to(ROOT / "deploy")
    for name in ("datasets", "access.json"):
        (machine / name).write_text(name)
    done = _run(machine, commands, machine)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    unit = (machine / "etc" / "systemd" / "system" / "tableapi-dataset.service").read_text()
    for path in re.findall(r"/etc/tableapi/(datasets|access\.json)", unit):
        file = machine / "etc" / "tableapi" / path
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert (machine / "opt" / "tableapi" / ".venv" / "bin" / "python").exists()


def test_a_server_for_any_database_is_configured(new_database: NewDatabase, tmp_path: Path) -> None:
    """The two files of the page, with the address of a database that exists, pass the check."""
    section = pages.read(DEPLOYMENT).partition("## Your own database")[2].partition("### ")[0]
    sql = "create table customer (id int primary key)"
    for fence in pages.fences(section):
        if fence.title == "datasets":
            (tmp_path / fence.title).write_text(f"shop={new_database(sql)}\n")
        elif fence.title:
            (tmp_path / fence.title).write_text(fence.text)
    [commands] = [fence.text for fence in pages.fences(section) if fence.language == "sh"]
    assert "tableapi check && tableapi serve" in commands
    commands = commands.replace("tableapi check && tableapi serve", f"{sys.executable} -m tableapi check")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=clean_environment(), capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "every user of the machine" not in done.stdout


def test_the_embedded_database_is_moved_to_another_server(
    project: Path, serve: Serve, new_database: NewDatabase
) -> None:
    """Step by step: dump, restore into PostgreSQL 18 and, as text, into older ones, and switch."""
    (project / ".venv").symlink_to(ROOT / ".venv")
    programs = str(next(path for path in binaries() if (path / "pg_dump").exists()))
    first = serve(cwd=project, DATA_DIR=project / ".data", WORKER="on")
    port = (project / ".data" / "postgres" / "port").read_text().strip()
    secret = (project / ".data" / "secrets" / "postgres_password").read_text().strip()
    old = f"postgresql://postgres:{secret}@127.0.0.1:{port}/tableapi"
    execute(old, "insert into note values (1, 'kept')")
    first.stop()

    [stop] = _commands(MOVE, "2. Stop writing")
    settings = dict(re.findall(r"([A-Z]+)=(\S+)", stop.partition("tableapi")[0]))
    assert settings == {"WORKER": "off", "INIT": "off"}
    serve(cwd=project, DATA_DIR=project / ".data", **settings)  # the embedded database runs again
    [dump] = _commands(MOVE, "3. Dump")
    restores = _commands(MOVE, "4. Restore")
    for restore in restores:
        new = new_database()
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{dump}\n{restore}"], cwd=project, capture_output=True, text=True,
            env=clean_environment(NEW_URL=new, PATH=f"{programs}:/usr/bin:/bin"), check=False, timeout=120,
        )  # fmt: skip
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), done.stderr
        kept: dict[str, Any] = {"cwd": project, "DATABASE_URL": new, "DATA_DIR": project / ".data"}
        assert "schema" not in tableapi("check", **kept, PORT=str(free_port())).stdout
        moved = serve(**kept, WORKER="off")
        execute(new, "do $$ begin assert (select text from note) = 'kept'; end $$")
        moved.stop()
