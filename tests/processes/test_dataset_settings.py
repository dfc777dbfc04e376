"""Databases without a project from the environment: DATASETS, ACCESS_FILE, the process list, `check` and SIGHUP."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tableapi.cli.process_title import masked
from tests.helpers.support import NewDatabase, Serve, Server, descendants, tableapi, wait_until

TABLES = """
create table customer (id int primary key, name text, city text);
create table product (id int primary key, name text);
insert into customer values (1, 'Ada', 'Oslo'), (2, 'Ben', 'Cork');
insert into product values (1, 'Mug')
"""
OLD, NEW = "old-key-" + "a" * 24, "new-key-" + "b" * 24
READ = {"component": "_table/customer/*", "verb_mask": 1}


def access(path: Path, key: str = OLD, **entry: Any) -> Path:
    """Write an access file with one key, which may read customers."""
    path.write_text(json.dumps({"keys": {key: {"role": "reader"}}, "roles": {"reader": {"access": [READ | entry]}}}))
    path.chmod(0o600)
    return path


def status(server: Server, key: str, path: str = "/api/v2/shop/_table/customer") -> int:
    return httpx2.get(server.url + path, headers={"X-API-Key": key}).status_code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({"DATASETS": "postgresql://me:hidden@127.0.0.1:1/shop"}, "DATASETS number 1"),
        (
            {"DATASETS": "shop=postgresql://127.0.0.1:1/a shop=postgresql://127.0.0.1:1/b"},
            "DATASETS shop is given twice",
        ),
        ({"DATASETS": "shop=mysql://me:hidden@127.0.0.1:1/shop"}, "DATASETS shop"),
        ({"DATASETS": "1x=postgresql://me:hidden@127.0.0.1:1/shop"}, "DATASETS number 1"),
        ({"DATASETS": "@missing"}, "DATASETS @missing: No such file"),
        ({"DATASETS": "@."}, "DATASETS @.: Is a directory"),
        ({"DATASETS": "shop=postgresql://127.0.0.1:1/shop"}, "Pass either --open"),
        (
            {"DATASETS": "shop=postgresql://127.0.0.1:1/shop", "ACCESS_FILE": "missing.json"},
            "missing.json: No such file",
        ),
        ({"ACCESS_FILE": "access.json"}, "need a database"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_settings_without_a_target_prevent_the_start(
    command: str, environment: dict[str, str], text: str, folder: Path
) -> None:
    done = tableapi(command, cwd=folder, **environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert text in done.stderr
    assert "hidden" not in done.stderr


def test_an_empty_file_of_databases_prevents_the_start(folder: Path) -> None:
    (folder / "datasets").write_text("# shop=postgresql://127.0.0.1:1/shop\n\n")
    done = tableapi("serve", cwd=folder, DATASETS="@datasets")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "does not name a database" in done.stderr


def test_databases_and_rights_can_be_set_in_the_environment(
    serve: Serve, new_database: NewDatabase, folder: Path
) -> None:
    urls = f"shop={new_database(TABLES)}\n other={new_database(TABLES)}"
    server = serve(cwd=folder, DATASETS=urls, ACCESS_FILE=access(folder / "access.json"))
    assert [status(server, OLD, f"/api/v2/{name}/_table/customer") for name in ("shop", "other")] == [200, 200]
    assert [status(server, "wrong"), status(server, OLD, "/api/v2/shop/_table/product")] == [401, 403]


def test_databases_can_be_listed_in_a_file(serve: Serve, new_database: NewDatabase, folder: Path) -> None:
    (folder / "datasets").write_text(f"# the shop\nshop={new_database(TABLES)}\n")
    server = serve("--open", cwd=folder, DATASETS=f"@{folder / 'datasets'}")
    assert status(server, "") == 200


def test_options_override_the_environment(serve: Serve, new_database: NewDatabase, folder: Path) -> None:
    words = ("--dataset", f"mine={new_database(TABLES)}", "--open")
    server = serve(*words, cwd=folder, DATASETS="shop=postgresql://127.0.0.1:1/shop", ACCESS_FILE="missing.json")
    assert [status(server, "", f"/api/v2/{name}/_table/customer") for name in ("mine", "shop")] == [200, 404]


def _arguments(server: Server) -> str:
    pids = [server.process.pid, *descendants(server.process.pid)]
    return "".join(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() for pid in pids)


def test_no_secret_is_in_the_process_list(serve: Serve, new_database: NewDatabase, folder: Path) -> None:
    url = new_database(TABLES)
    password = urlsplit(url).password
    assert password
    server = serve("--dataset", f"shop={url}", "--open", "--api-key", OLD, cwd=folder, own=True, WORKERS="2")
    assert status(server, OLD) == 200
    shown = _arguments(server)
    assert "--dataset shop=postgresql://" in shown
    assert password not in shown
    assert OLD not in shown
    server.stop()
    server = serve(cwd=folder, own=True, DATASETS=f"shop={url}", ACCESS_FILE=access(folder / "access.json"))
    assert password not in _arguments(server)


@pytest.mark.parametrize(
    ("words", "secret"),
    [
        (["--dataset", "a=postgresql://me:se:c@r-et@host/db"], "se:c@r-et"),
        (["--dataset=a=postgresql://me:secret@host:5432,other/db?sslmode=require"], "secret"),
        (["--dataset", "a=postgresql://host/db?user=me&password=secret"], "secret"),
        (["--open", "--api-key", "secret", "--port", "9000"], "secret"),
        (["--api-key=secret"], "secret"),
        (["--api=secret"], "secret"),
        (["--api", "secret"], "secret"),
        (["mcp", "--session", "secret"], "secret"),
    ],
)
def test_secrets_of_every_spelling_are_masked(words: list[str], secret: str) -> None:
    arguments = b"\0".join(word.encode() for word in ["tableapi", "serve", *words, ""])
    hidden = masked(arguments)
    assert len(hidden) == len(arguments)
    assert secret.encode() not in hidden
    assert hidden == arguments.replace(secret.encode(), b"*" * len(secret))


@pytest.mark.parametrize(
    "words", [["serve", "--port", "9000"], ["--dataset", "a=postgresql://me@host/db", "--access", "a.json"]]
)
def test_arguments_without_secrets_are_not_masked(words: list[str]) -> None:
    arguments = b"\0".join(word.encode() for word in [*words, ""])
    assert masked(arguments) == arguments


def test_check_lists_what_is_missing_for_a_database(new_database: NewDatabase, folder: Path) -> None:
    done = tableapi("check", cwd=folder, DATASETS="shop=postgresql://127.0.0.1:1/shop")
    assert done.returncode == 1
    assert "error: ACCESS_FILE is missing" in done.stdout
    assert "error: DATASETS shop: " in done.stdout
    done = tableapi("check", cwd=folder, DATASETS="nonsense")
    assert (done.returncode, done.stderr) == (1, "")
    short = access(folder / "short.json", key="abc")
    done = tableapi("check", cwd=folder, DATASETS=f"shop={new_database(TABLES)}", ACCESS_FILE=short)
    assert done.returncode == 1
    assert "shorter than 16 characters" in done.stdout
    assert "abc" not in done.stdout


def test_check_accepts_a_database_without_settings_of_a_project(new_database: NewDatabase, folder: Path) -> None:
    file, url = access(folder / "access.json"), new_database(TABLES)
    done = tableapi("check", cwd=folder, DATASETS=f"shop={url}", ACCESS_FILE=file)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("DATABASE_URL", "SECRET_KEYS", "APP_KEYS", "PUBLIC_URL"):
        assert name not in done.stdout


WEBHOOK = {
    "name": "customers", "table": "customer", "url": "http://hooks.example.com/customers",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"webhooks": [WEBHOOK]}, "'customers' sends to http://hooks.example.com/customers, which is not https"),
        (
            {"webhooks": [WEBHOOK | {"table": "custmer", "url": "https://hooks.example.com/"}]},
            "Did you mean 'customer'?",
        ),
        ({"roles": {"reader": {"access": [READ | {"filters": [{"name": "ctiy"}]}]}}}, "ctiy"),
    ],
)
def test_start_and_check_compare_the_access_file_with_the_database(
    changed: dict[str, Any], told: str, new_database: NewDatabase, folder: Path
) -> None:
    file = access(folder / "access.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    settings = {"DATASETS": f"shop={new_database(TABLES)}", "ACCESS_FILE": str(file)}
    refused = tableapi("serve", cwd=folder, **settings)
    assert (refused.returncode, told in refused.stderr) == (2, True), refused.stderr
    checked = tableapi("check", cwd=folder, **settings)
    assert (checked.returncode, told in checked.stdout) == (1, True), checked.stdout


def test_check_warns_of_files_with_passwords_that_every_user_can_read(new_database: NewDatabase, folder: Path) -> None:
    file = access(folder / "access.json")
    (folder / "datasets").write_text(f"shop={new_database(TABLES)}")
    (folder / ".env").write_text("RATE_LIMITS=on\n")
    warnings = []
    for mode in (0o644, 0o640):
        for name in ("access.json", "datasets", ".env"):
            (folder / name).chmod(mode)
        done = tableapi("check", cwd=folder, DATASETS="@datasets", ACCESS_FILE=file)
        assert done.returncode == 0, done.stdout
        warnings.append([line.split()[1] for line in done.stdout.splitlines() if "every user of the machine" in line])
    assert warnings == [["ACCESS_FILE", "DATASETS", ".env"], []]


def test_a_short_key_on_the_network_is_reported_at_start(serve: Serve, new_database: NewDatabase, folder: Path) -> None:
    words = ("--dataset", f"shop={new_database(TABLES)}", "--open", "--api-key")
    short = serve(*words, "SECRET", cwd=folder, HOST="0.0.0.0")
    assert "short_key" in short.log.read_text()
    assert "SECRET" not in short.log.read_text()
    assert "short_key" not in serve(*words, OLD, cwd=folder, HOST="0.0.0.0").log.read_text()


@pytest.fixture
def reloadable(serve: Serve, new_database: NewDatabase, folder: Path) -> Server:
    file = access(folder / "access.json")
    server = serve(cwd=folder, DATASETS=f"shop={new_database(TABLES)}", ACCESS_FILE=file, WORKERS="2")
    workers: set[str] = set()

    def both_answered() -> bool:
        # A worker that starts after a signal has read the file already, and logs nothing.
        workers.add(httpx2.get(f"{server.url}/healthz").headers["x-request-id"][:6])
        return len(workers) == 2

    wait_until(both_answered)
    return server


def _rejected(server: Server) -> int:
    return server.log.read_text().count("access_file_rejected")


@pytest.mark.parametrize("text", ["{", '{"keys": {"k": {"role": "nobody"}}}', "[]", "", "[" * 100_000])
def test_an_invalid_file_is_logged_and_changes_nothing(reloadable: Server, folder: Path, text: str) -> None:
    (folder / "access.json").write_text(text)
    os.kill(reloadable.process.pid, signal.SIGHUP)
    wait_until(lambda: _rejected(reloadable) == 2)  # once in each of the two workers
    assert {status(reloadable, OLD) for _ in range(20)} == {200}
    assert OLD not in reloadable.log.read_text()


def test_a_missing_file_changes_nothing(reloadable: Server, folder: Path) -> None:
    (folder / "access.json").unlink()
    os.kill(reloadable.process.pid, signal.SIGHUP)
    wait_until(lambda: _rejected(reloadable) == 2)
    assert {status(reloadable, OLD) for _ in range(20)} == {200}


def _read(server: Server, times: int) -> None:
    """Send SIGHUP and wait until each of two workers has read the file."""
    os.kill(server.process.pid, signal.SIGHUP)
    wait_until(lambda: server.log.read_text().count('access_file_read"') == times)


def test_sighup_replaces_keys_and_rights_in_all_workers(reloadable: Server, folder: Path) -> None:
    table, spec = "/api/v2/shop/_table/customer", "/api/v2/shop/_spec"
    before = httpx2.get(reloadable.url + spec, headers={"X-API-Key": OLD}).json()
    assert "/api/v2/shop/_table/product" not in before["paths"]
    access(folder / "access.json", key=NEW)
    _read(reloadable, 2)
    assert {(status(reloadable, OLD), status(reloadable, NEW)) for _ in range(20)} == {(401, 200)}
    rows = [{"name": "city", "operator": "=", "value": "Oslo"}]
    access(folder / "access.json", key=NEW, filters=rows)
    _read(reloadable, 4)
    bodies = {httpx2.get(reloadable.url + table, headers={"X-API-Key": NEW}).text for _ in range(20)}
    assert [json.loads(body)["resource"] for body in bodies] == [[{"id": 1, "name": "Ada", "city": "Oslo"}]]
    access(folder / "access.json", key=NEW, component="_table/product/*")
    _read(reloadable, 6)
    assert {status(reloadable, NEW) for _ in range(20)} == {403}
    after = httpx2.get(reloadable.url + spec, headers={"X-API-Key": NEW}).json()
    assert "/api/v2/shop/_table/product" in after["paths"]
    assert table not in after["paths"]


def test_a_worker_that_starts_later_uses_the_last_valid_file(reloadable: Server, folder: Path) -> None:
    access(folder / "access.json", key=NEW)
    _read(reloadable, 2)
    (folder / "access.json").write_text("{")
    workers = [
        pid
        for pid in descendants(reloadable.process.pid)
        if b"tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    for pid in workers:
        os.kill(pid, signal.SIGKILL)

    def restarted() -> bool:
        try:
            return status(reloadable, NEW) == 200
        except httpx2.TransportError:
            return False

    wait_until(restarted)
    assert {status(reloadable, OLD) for _ in range(20)} == {401}
