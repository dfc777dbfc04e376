"""`tableapi serve` as a process: start, signals, a killed server, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, Server, descendants, execute, free_port, wait_until

NOWHERE = "postgresql://me:hidden@127.0.0.1:1/shop"


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
def test_a_signal_stops_every_started_process(number: int, serve: Serve, project: Path) -> None:
    server = serve(cwd=project, WORKERS="2")
    mine = descendants(server.process.pid)
    database = _embedded_url(_data_dir(server))
    assert len(mine) >= 3  # two workers of HTTP, one of jobs

    assert server.stop(number) == 0

    assert not [pid for pid in mine if _lives(pid)]
    _assert_closed(urlsplit(database).port)
    assert "Traceback" not in server.log.read_text()


def test_ctrl_c_in_a_terminal_stops_all_processes_quickly(serve: Serve, project: Path) -> None:
    server = serve(cwd=project, WORKERS="8")  # so many that some are still starting
    mine = descendants(server.process.pid)

    os.killpg(server.process.pid, signal.SIGINT)

    # Sooner than workers that hang are killed. The database writes to its disk before it stops, which may take longer.
    wait_until(lambda: not [pid for pid in mine if _lives(pid)], 5)
    assert server.process.wait(30) == 0


def test_a_killed_server_leaves_no_workers_and_the_next_one_starts(serve: Serve, project: Path) -> None:
    first = serve(cwd=project)
    data, mine = _data_dir(first), descendants(first.process.pid)
    first.stop(signal.SIGKILL)
    wait_until(lambda: not [pid for pid in mine if _lives(pid)])

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


def test_an_open_server_on_all_addresses_requires_its_key(
    serve: Serve, tmp_path: Path, new_database: NewDatabase
) -> None:
    server = serve(
        "--dataset", f"one={new_database()}", "--open", "--host", "0.0.0.0", "--api-key", "sesame", cwd=tmp_path
    )

    url = f"{server.url}/api/v2/one/_table"
    assert httpx2.get(url).status_code == 401
    assert httpx2.get(url, headers={"X-API-Key": "sesame"}).status_code == 200


def test_hangup_reloads_the_schema(serve: Serve, tmp_path: Path, new_database: NewDatabase) -> None:
    url = new_database()
    server = serve("--dataset", f"one={url}", "--open", cwd=tmp_path)
    execute(url, "create table late (lateid integer primary key)")

    server.process.send_signal(signal.SIGHUP)

    wait_until(lambda: httpx2.get(f"{server.url}/api/v2/one/_table/late").status_code == 200)


def test_a_server_with_full_output_pipes_still_serves(project: Path, new_database: NewDatabase) -> None:
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
            wait_until(lambda: _answers(port))
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
    return server.log.parent / "data"


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
