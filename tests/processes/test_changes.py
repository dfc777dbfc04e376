"""Live streams of real processes: the command, two workers, and the end of the server."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, execute, rejection, tableapi, wait_until

SCHEMA = "create table item (id integer primary key, shop integer, name text);"


@contextmanager
def stream(url: str, query: str = "", key: str = "") -> Iterator[Iterator[str]]:
    """Open a stream and yield its lines after the reset."""
    with (
        httpx.Client(timeout=30, headers={"X-API-Key": key} if key else {}) as client,
        client.stream("GET", f"{url}/api/v2/db/_table/item/_changes{query}") as response,
    ):
        assert response.status_code == 200, response.read()
        lines = response.iter_lines()
        assert next(line for line in lines if line.startswith("event")) == "event: reset"
        next(lines)
        yield lines


def row(lines: Iterator[str]) -> object:
    """Return the data of the next event."""
    return json.loads(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))


def install(url: str, folder: Path, *tables: str) -> None:
    done = tableapi("changes", "install", *tables, "--dataset", f"db={url}", cwd=folder)
    assert done.returncode == 0, done.stderr
    count = "1 table" if len(tables) == 1 else f"{len(tables)} tables"
    assert done.stdout.endswith(f"Changes of {count} are recorded.\n")


def test_the_command_rejects_unsupported_tables(new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database("create table keyless (name text); create table item (id integer primary key)")
    for words, message in (
        ((), "Name the tables"),
        (("keyless",), "'keyless' is not a table with a primary key, so its changes cannot be followed."),
        (("nothing",), "'nothing' does not exist"),
        (("item", "--reader", 'no "role'), "The role 'no \"role' cannot be granted access"),
    ):
        refused = tableapi("changes", "install", *words, "--dataset", f"db={url}", cwd=tmp_path)
        assert refused.returncode != 0
        assert message in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert "is not a project" in tableapi("changes", "install", cwd=tmp_path).stderr


def test_every_worker_sends_the_change(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = new_database(SCHEMA)
    install(url, tmp_path, "item:shop")
    server = serve("--dataset", f"db={url}", "--open", cwd=tmp_path, WORKERS="2")
    with (
        stream(server.url) as first,
        stream(server.url, "?fields=id") as second,
        stream(server.url, "?filter=shop%3D2") as third,
    ):
        execute(url, "insert into item values (1, 1, 'a')")
        assert (row(first), row(second)) == ({"id": 1, "shop": 1, "name": "a"}, {"id": 1})
        execute(url, "insert into item values (2, 2, 'b')")
        assert row(third) == {"id": 2, "shop": 2, "name": "b"}


LIVE = {"component": "_table/item/*", "verb_mask": 1}
SHOP = {**LIVE, "filters": [{"name": "shop", "operator": "=", "value": 2}]}


@pytest.mark.parametrize(
    ("keys", "access", "status"),
    [
        ({}, [LIVE], 401),  # the key is gone
        ({"first-key": {"role": "reader"}}, [], 403),  # its role lost the right
        ({"first-key": {"role": "reader"}}, [SHOP], 200),  # its role reads fewer rows
    ],
)
def test_streams_end_without_another_row_after_their_rights_are_removed(
    new_database: NewDatabase, serve: Serve, tmp_path: Path, keys: dict[str, Any], access: list[Any], status: int
) -> None:
    url, file = new_database(SCHEMA), tmp_path / "access.json"
    install(url, tmp_path, "item:shop")
    before = {"keys": {"first-key": {"role": "reader"}}, "roles": {"reader": {"access": [LIVE]}}}
    file.write_text(json.dumps(before))
    server = serve("--dataset", f"db={url}", "--access", str(file), cwd=tmp_path, WORKERS="2")
    with stream(server.url, key="first-key") as first, stream(server.url, key="first-key") as second:
        execute(url, "insert into item values (1, 1, 'a')")
        assert row(first) == row(second) == {"id": 1, "shop": 1, "name": "a"}
        file.write_text(json.dumps({"keys": keys, "roles": {"reader": {"access": access}}}))
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.log.read_text().count('access_file_read"') == 2)
        execute(url, "insert into item values (2, 1, 'b')")
        assert [line for lines in (first, second) for line in lines if line.startswith("data")] == []
    path = f"{server.url}/api/v2/db/_table/item/_changes"
    with httpx.stream("GET", path, headers={"X-API-Key": "first-key"}) as response:
        assert response.status_code == status


@pytest.mark.timing
def test_a_stream_does_not_delay_the_stop_of_the_server(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = new_database(SCHEMA)
    install(url, tmp_path, "item")
    server = serve("--dataset", f"db={url}", "--open", cwd=tmp_path)
    with stream(server.url) as lines:
        began = time.monotonic()
        assert server.stop() == 0
        assert not any(lines)
        assert time.monotonic() - began < 6  # the limit for requests in flight is 8
    assert "Traceback" not in server.log.read_text()


def test_live_changes_can_be_removed(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = new_database(SCHEMA)
    install(url, tmp_path, "item")
    install(url, tmp_path, "item")
    assert (
        tableapi("changes", "remove", "--dataset", f"db={url}", cwd=tmp_path).stdout
        == "No changes are recorded any longer.\n"
    )
    execute(url, "insert into item values (1, 1, 'a')")
    server = serve("--dataset", f"db={url}", "--open", cwd=tmp_path)
    refused = httpx.get(f"{server.url}/api/v2/db/_table/item/_changes")
    assert rejection(refused) == (409, "no_changes")
