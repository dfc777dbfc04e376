"""`tableapi serve` as a process: start, signals, a killed server, and nothing left behind."""

from __future__ import annotations

import gzip
import os
import shutil
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


PATIENCE = 60.0


def test_a_changed_policy_is_applied(new_database: NewDatabase, serve: Serve, project: Path) -> None:
    policy = project / "policy.py"
    server = serve("--reload", cwd=project, DATABASE_URL=new_database(), APP_KEYS="app", WORKER="off")
    with httpx2.Client(headers={"X-API-Key": "app"}) as http:

        def becomes(status: int) -> None:
            end, seen = time.monotonic() + PATIENCE, 0
            while seen != status:
                assert time.monotonic() < end, seen
                try:
                    seen = http.get(f"{server.url}/api/v2/data/_table/note").status_code
                except httpx2.HTTPError:
                    seen = 0  # between the old process and the new one
                time.sleep(0.1)

        becomes(200)
        policy.write_text(policy.read_text().replace("read=Rule(), ", ""))
        becomes(401)


def build(dist: Path, name: str) -> None:
    """Replace the folder as `npm run build` does: a page, its script, and a compressed copy of each."""
    shutil.rmtree(dist, ignore_errors=True)
    (dist / "assets").mkdir(parents=True)
    page = f'<script type="module" src="/assets/{name}.js"></script>'.encode()
    for path, content in ((f"assets/{name}.js", name.encode()), ("index.html", page)):
        (dist / path).write_bytes(content)
        (dist / f"{path}.gz").write_bytes(gzip.compress(content))


@pytest.fixture
def dist(project: Path) -> Path:
    return project / "frontend" / "dist"


def test_unknown_paths_serve_the_page_or_404(dist: Path, serve: Serve, new_database: NewDatabase) -> None:
    build(dist, "one")
    (dist.parent / "secret.txt").write_text("not built")
    url = serve(cwd=dist.parent.parent, DATABASE_URL=new_database(), WORKERS="1", WORKER="off").url
    for path in ("/assets/none.js", "/assets/../../secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/secret.txt"):
        assert httpx2.get(url + path, timeout=20).status_code == 404, path
    # RFC 8615. openid-client 6.9.0 looks there first, takes a 200 for the metadata and fails on its content type.
    for path in ("/.well-known/openid-configuration", "/.well-known/any/none"):
        assert httpx2.get(url + path, timeout=20).status_code == 404, path
    page = httpx2.get(f"{url}/any/route", headers={"Accept-Encoding": "gzip"}, timeout=20)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
    assert (page.headers["content-encoding"], page.headers["vary"]) == ("gzip", "Accept-Encoding")
    again = httpx2.get(f"{url}/any/route", headers={"If-None-Match": page.headers["etag"]}, timeout=20)
    assert (again.status_code, again.content) == (304, b"")
    assert "immutable" in httpx2.get(f"{url}/assets/one.js", timeout=20).headers["cache-control"]


def test_a_new_build_is_served_without_a_restart(dist: Path, serve: Serve, new_database: NewDatabase) -> None:
    build(dist, "one")
    url = serve(cwd=dist.parent.parent, DATABASE_URL=new_database(), WORKERS="2", WORKER="off").url
    assert "one.js" in httpx2.get(url, timeout=20).text
    shutil.rmtree(dist)
    assert "one.js" in httpx2.get(url, timeout=20).text, "the old page until there is a new one"
    build(dist, "two")
    for _ in range(8):  # from either worker
        assert httpx2.get(f"{url}/assets/two.js", timeout=20).text == "two"
        assert "two.js" in httpx2.get(url, timeout=20).text
    assert httpx2.get(url, headers={"Accept-Encoding": "gzip"}, timeout=20).headers["content-encoding"] == "gzip"
    assert httpx2.get(f"{url}/assets/one.js", timeout=20).text == "one", "an open tab finds its files"


TABLE = "create table customer (id int primary key, name text)"


@pytest.fixture
def any_database(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> Server:
    """Return a server of `--dataset` that was started in an empty folder."""
    (tmp_path / "empty").mkdir()
    return serve("--dataset", f"shop={new_database(TABLE)}", "--open", cwd=tmp_path / "empty")


def _error(server: Server, path: str = "/api/v2/shop/_table/customer?fields=nme") -> dict[str, str]:
    context: dict[str, str] = httpx2.get(server.url + path).json()["error"]["context"]
    return context


def test_a_clone_serves_the_pages_that_errors_link_to_from_any_folder(any_database: Server) -> None:
    doc = _error(any_database)["doc"]
    path, _, anchor = doc.partition("#")
    page = httpx2.get(any_database.url + path)
    assert (page.status_code, anchor) == (200, "unknown_field")
    assert f'id="{anchor}"' in page.text
    assert httpx2.get(f"{any_database.url}/docs/").status_code == 200
    assert httpx2.get(f"{any_database.url}/api/v2/config").json()["docsurl"] == "/docs/"
    assert f"{any_database.url}/docs/" in any_database.told


def test_a_project_in_another_folder_serves_them_as_well(
    serve: Serve, project: Path, new_database: NewDatabase
) -> None:
    server = serve(cwd=project, DATABASE_URL=new_database(), WORKER="off")
    path = _error(server, "/api/v2/nothing")["doc"].partition("#")[0]
    assert httpx2.get(server.url + path).status_code == 200


def test_without_built_pages_nothing_links_to_them(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("docs_site", "__pycache__")
    shutil.copytree(ROOT / "tableapi", tmp_path / "engine" / "tableapi", ignore=ignored)
    engine, url = tmp_path / "engine", new_database(TABLE)
    server = serve("--dataset", f"shop={url}", "--open", cwd=engine, PYTHONPATH=str(engine))
    assert httpx2.get(f"{server.url}/docs/").status_code == 404
    assert "doc" not in _error(server)
    assert httpx2.get(f"{server.url}/api/v2/config").json()["docsurl"] == ""
    assert "/docs/" not in server.told


def test_a_description_made_by_older_code_is_not_served(
    serve: Serve, new_database: NewDatabase, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "tableapi", tmp_path / "tableapi", ignore=shutil.ignore_patterns("docs_site", "__pycache__"))
    arguments, run = ("--dataset", f"shop={new_database(TABLE)}", "--open"), tmp_path / "data" / "run"
    for tag in ("Batch", "Several"):  # a clone that is updated keeps its version and its data folder
        server = serve(*arguments, cwd=tmp_path, PYTHONPATH=str(tmp_path), DATA_DIR=str(tmp_path / "data"))
        for older in [*run.glob("*/described")]:  # the folder of each port; a service keeps its port
            shutil.copytree(older, run / server.url.rpartition(":")[2] / "described", dirs_exist_ok=True)
        tags = httpx2.get(f"{server.url}/api/v2/shop/_spec").json()["tags"]
        assert tag in [each["name"] for each in tags]
        code = tmp_path / "tableapi" / "openapi" / "batch.py"
        code.write_text(code.read_text().replace('TAG = "Batch"', 'TAG = "Several"'))
