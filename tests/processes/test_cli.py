"""The command line: errors in one line, started processes, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, Server, descendants, execute, free_port, tableapi

NOWHERE = "postgresql://me:hidden@127.0.0.1:1/shop"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "COMMAND"),
        (["bogus"], 2, "invalid choice"),
        (["serve"], 2, "is no project"),
        (["serve", "--port", "70000"], 2, "PORT: Input should be less than or equal to 65535 (is 70000)."),
        (["serve", "--open"], 2, "need a database"),
        (["serve", "--dataset", "shop", "--open"], 2, "give it as NAME=postgresql://"),
        (["serve", "--dataset", "shop=mysql://x/y", "--open"], 2, "give it as NAME=postgresql://"),
        (["serve", "--dataset", f"a/b={NOWHERE}", "--open"], 2, "give it as NAME=postgresql://"),
        (["serve", "--dataset", f"a={NOWHERE}", "--dataset", f"a={NOWHERE}", "--open"], 2, "given twice"),
        (["serve", "--dataset", f"a={NOWHERE}"], 2, "either --open"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--access", "x.json"], 2, "either --open"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "0.0.0.0"], 2, "add --api-key KEY"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "::"], 2, "add --api-key KEY"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "example.com"], 2, "add --api-key KEY"),
        (
            ["serve", "--dataset", f"a={NOWHERE}", "--open"],
            1,
            "127.0.0.1:1/shop cannot be reached: connection refused.",
        ),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--reload"], 2, "--reload is for a project"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "none.json"], 2, "No such file or directory"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "broken.json"], 2, "broken.json"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "norole.json"], 2, "'sales'"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "norole.json", "--api-key", "x"], 2, "goes with --open"),
        (["worker"], 2, "is no project"),
        (["init"], 2, "is no project"),
        (["run", "anything"], 2, "is no project"),
    ],
)
def test_a_wrong_call_is_one_line(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "norole.json").write_text(json.dumps({"keys": {"K": {"role": "sales"}}}))

    refused = tableapi(*words, cwd=tmp_path, PORT=str(free_port()))

    assert refused.returncode == code, refused.stderr
    assert said in refused.stderr.splitlines()[-1]
    assert "Traceback" not in refused.stderr
    assert "hidden" not in refused.stderr


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "http", "PORT:"),
        ("WORKERS", "0", "WORKERS:"),
        ("DEMO", "maybe", "DEMO:"),
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL: must be a PostgreSQL address"),
        ("DATABASE_URL", NOWHERE, "127.0.0.1:1/shop cannot be reached"),
        ("DATABASE_URL", "postgresql://127.0.0.1:notaport/x", "refuses"),
        ("DATA_DIR", "/proc/nothing", "DATA_DIR /proc/nothing cannot be used"),
        ("MAIL_URL", "http://x", "MAIL_URL: must be smtp://"),
        ("GOOGLE_CLIENT_ID", "x", "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET are needed together"),
        ("HOST", "no.such.host.invalid", "HOST no.such.host.invalid"),
    ],
)
def test_a_wrong_setting_is_one_line(name: str, value: str, said: str, project: Path, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data"), "PORT": str(free_port())} | {name: value}

    refused = tableapi("serve", cwd=project, **settings)

    assert refused.returncode in (1, 2)
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert "hidden" not in refused.stderr


def test_a_port_in_use_is_said_before_anything_starts(project: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = tableapi("serve", cwd=project, PORT=str(port), DATA_DIR=tmp_path / "data")

    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use" in refused.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_port_of_another_server_of_ours_is_in_use_too(
    serve: Serve, project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database()
    first = serve(cwd=project, DATABASE_URL=url)

    refused = tableapi("serve", cwd=project, PORT=str(first.port), DATABASE_URL=url, DATA_DIR=tmp_path / "other")

    assert refused.returncode == 1
    assert "is in use" in refused.stderr
    assert _healthy(first)


@pytest.mark.parametrize("change", ["no such database", "wrong password"])
def test_a_database_that_refuses_is_named_without_its_password(change: str, pg_url: str, tmp_path: Path) -> None:
    parts = urlsplit(pg_url)
    url = f"postgresql://postgres:hidden@127.0.0.1:{parts.port}/tableapi"
    if change == "no such database":
        url = f"{pg_url.rpartition('/')[0]}/nothing_here"

    refused = tableapi("serve", "--dataset", f"a={url}", "--open", cwd=tmp_path, PORT=str(free_port()))

    assert refused.returncode == 1
    assert f"127.0.0.1:{parts.port}/" in refused.stderr
    assert "refuses" in refused.stderr
    assert "hidden" not in refused.stderr


def test_a_schema_that_does_not_apply_is_one_line(project: Path, new_database: NewDatabase, tmp_path: Path) -> None:
    (project / "schema.sql").write_text("create tabel note ();")

    refused = tableapi("init", cwd=project, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")

    assert refused.returncode == 1
    assert "schema.sql cannot be applied" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_an_unknown_script_or_value_is_one_line(project: Path, new_database: NewDatabase, tmp_path: Path) -> None:
    settings = {"DATABASE_URL": new_database(), "DATA_DIR": str(tmp_path / "data")}

    script = tableapi("run", "nothing", cwd=project, **settings)
    value = tableapi("run", "nothing", "file", cwd=project, **settings)

    assert (script.returncode, value.returncode) == (2, 2)
    assert "There is no internal script 'nothing'" in script.stderr
    assert "'file' is not name=value" in value.stderr


def test_every_command_has_help_with_examples(tmp_path: Path) -> None:
    for command in ("serve", "worker", "init", "run", "check"):
        told = tableapi(command, "--help", cwd=tmp_path)
        assert told.returncode == 0
        assert f"tableapi {command}" in told.stdout.partition("example")[2]


def test_check_says_what_is_missing_for_production(tmp_path: Path, pg_url: str) -> None:
    bare = tableapi("check", cwd=tmp_path, DEMO="1")
    whole = tableapi(
        "check", cwd=tmp_path, DATABASE_URL=pg_url, PUBLIC_URL="https://app.example.com", SECRET_KEYS="k" * 32,
        APP_KEYS="a", MAIL_URL="smtp://mail.example.com", MAIL_FROM="App <app@example.org>",
    )  # fmt: skip

    assert bare.returncode == 1
    for name in ("DEMO", "DATABASE_URL", "PUBLIC_URL", "SECRET_KEYS", "MAIL_URL"):
        assert f"error: {name}" in bare.stdout
    assert whole.returncode == 0, whole.stdout
    assert "error" not in whole.stdout
    assert not (tmp_path / ".data").exists()  # a check creates nothing


def test_the_embedded_database_keeps_its_data_and_stops_with_the_server(serve: Serve, project: Path) -> None:
    first = serve(cwd=project, WORKER="off")
    data = Path(_data_dir(first))
    database = _embedded_url(data)
    execute(database, "insert into note values (7, 'kept')")

    assert first.stop(signal.SIGINT) == 0
    _assert_closed(urlsplit(database).port)

    started = time.monotonic()
    second = serve(cwd=project, WORKER="off", DATA_DIR=data)
    assert time.monotonic() - started < 20  # documented as 5 s on an idle machine
    execute(_embedded_url(data), "update note set text = 'still here' where noteid = 7 and text = 'kept'")
    assert _healthy(second)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_everything_that_was_started(number: int, serve: Serve, project: Path) -> None:
    server = serve(cwd=project, WORKERS="2")
    mine = descendants(server.process.pid)
    database = _embedded_url(_data_dir(server))
    assert len(mine) >= 3  # two workers of HTTP, one of jobs

    assert server.stop(number) == 0

    assert not [pid for pid in mine if _lives(pid)]
    _assert_closed(urlsplit(database).port)
    assert "Traceback" not in server.log.read_text()


def test_ctrl_c_in_a_terminal_reaches_all_at_once_and_stops_soon(serve: Serve, project: Path) -> None:
    server = serve(cwd=project, WORKERS="2")
    mine = descendants(server.process.pid)

    os.killpg(server.process.pid, signal.SIGINT)

    assert server.process.wait(5) == 0  # less than the time-out for workers that hang
    assert not [pid for pid in mine if _lives(pid)]


def test_a_killed_server_leaves_no_workers_and_the_next_one_starts(serve: Serve, project: Path) -> None:
    first = serve(cwd=project)
    data, mine = _data_dir(first), descendants(first.process.pid)
    first.stop(signal.SIGKILL)
    _until(lambda: not [pid for pid in mine if _lives(pid)])

    second = serve(cwd=project, DATA_DIR=data)

    assert _healthy(second)
    database = _embedded_url(data)
    assert second.stop() == 0
    _assert_closed(urlsplit(database).port)


def test_two_servers_share_one_embedded_database(serve: Serve, project: Path) -> None:
    first = serve(cwd=project)
    second = serve(cwd=project, DATA_DIR=_data_dir(first))
    assert first.stop() == 0

    execute(_embedded_url(_data_dir(second)), "select 1")
    assert _healthy(second)


def test_any_database_is_served_without_a_project(serve: Serve, tmp_path: Path, new_database: NewDatabase) -> None:
    server = serve("--dataset", f"one={new_database()}", "--dataset", f"two={new_database()}", "--open", cwd=tmp_path)

    assert "/api/v2/one/_table/" in server.told
    assert "/api/v2/two/_table/" in server.told
    assert _healthy(server)
    assert not (_data_dir(server) / "postgres").exists()


def test_open_to_all_addresses_needs_the_key(serve: Serve, tmp_path: Path, new_database: NewDatabase) -> None:
    server = serve(
        "--dataset", f"one={new_database()}", "--open", "--host", "0.0.0.0", "--api-key", "sesame", cwd=tmp_path
    )

    url = f"{server.url}/api/v2/one/_table"
    assert httpx2.get(url).status_code == 401
    assert httpx2.get(url, headers={"X-API-Key": "sesame"}).status_code == 200


def test_hangup_reads_the_schema_again(serve: Serve, tmp_path: Path, new_database: NewDatabase) -> None:
    url = new_database()
    server = serve("--dataset", f"one={url}", "--open", cwd=tmp_path)
    execute(url, "create table late (lateid integer primary key)")

    server.process.send_signal(signal.SIGHUP)

    _until(lambda: httpx2.get(f"{server.url}/api/v2/one/_table/late").status_code == 200)


def test_a_process_that_nobody_listens_to_still_serves(project: Path, new_database: NewDatabase) -> None:
    """A full pipe on standard error must not block responses."""
    port = free_port()
    command = [sys.executable, "-m", "tableapi", "serve"]
    environment = os.environ | {
        "DATABASE_URL": new_database(), "PORT": str(port), "WORKERS": "1", "DATA_DIR": str(project / "d"),
        "PYTHONPATH": str(ROOT), "WORKER": "off", "RATE_LIMITS": "off",
    }  # fmt: skip
    with subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            _until(lambda: _answers(port))
            with httpx2.Client() as client:
                for _ in range(2000):
                    assert client.get(f"http://127.0.0.1:{port}/healthz", timeout=10).status_code == 200
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _answers(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx2.TransportError:
        return False


def _healthy(server: Server) -> bool:
    return httpx2.get(f"{server.url}/healthz").status_code == 200


def _data_dir(server: Server) -> Path:
    environment = Path(f"/proc/{server.process.pid}/environ").read_bytes().split(b"\0")
    return Path(next(line for line in environment if line.startswith(b"DATA_DIR=")).decode().partition("=")[2])


def _embedded_url(data: Path) -> str:
    password = (data / "secrets" / "postgres_password").read_text().strip()
    return f"postgresql://postgres:{password}@127.0.0.1:{(data / 'postgres' / 'port').read_text()}/tableapi"


def _lives(pid: int) -> bool:
    """Return whether a process runs. A zombie that process 1 does not reap counts as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _assert_closed(port: int | None) -> None:
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port or 0), timeout=2):
        pass


def _until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Poll the condition every 20 ms until it is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition stayed false"
        time.sleep(0.02)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_demo_is_not_served_to_others(project: Path, host: str, by: str) -> None:
    words = ("serve", "--host", host) if by == "option" else ("serve",)
    settings = {"DEMO": "1", "PORT": str(free_port()), "DATABASE_URL": NOWHERE} | ({} if words[1:] else {"HOST": host})
    refused = tableapi(*words, cwd=project, **settings)
    assert refused.returncode == 2
    assert f"whoever reaches {host}: unset DEMO, or serve on 127.0.0.1." in refused.stderr
    assert refused.stderr.count("\n") == 1
    anywhere = ("serve", "--dataset", f"x={NOWHERE}", "--open", "--api-key", "k", "--host", host)
    assert tableapi(*anywhere, cwd=project, DEMO="1", PORT=str(free_port())).returncode == 2
