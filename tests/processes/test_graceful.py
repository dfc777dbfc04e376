"""Stop and reload under load over keep-alive connections without a failed request."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.helpers.load import Request, load
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, clean_environment, execute, free_port, until

SCHEMA = "create table note (id int primary key, text text not null); insert into note values (1, 'a')"
NOTES = "/api/v2/db/_table/note"


def asked(number: int) -> Request:
    """Build three reads, then one write."""
    if number % 4:
        return "GET", f"{NOTES}/1", b""
    return "POST", NOTES, b'{"resource":[{"id":%d,"text":"x"}]}' % (number + 1)


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    address = new_database()
    execute(address, SCHEMA)
    return address


async def _answers(server: Server, path: str) -> int:
    async with httpx2.AsyncClient() as http:
        return (await http.get(f"{server.url}{path}")).status_code


async def _not_ready(server: Server) -> bool:
    return await _answers(server, "/readyz") != 200


async def _serves(server: Server, path: str) -> bool:
    return await _answers(server, path) == 200


async def test_a_stopping_node_finishes_its_requests(url: str, serve: Serve) -> None:
    """Stop one of two nodes while clients move to the other when their connections close."""
    words = ("--dataset", f"db={url}", "--open")
    nodes = [await asyncio.to_thread(serve, *words, DRAIN_SECONDS="2", WORKERS="2") for _ in range(2)]
    use = [nodes[0]]
    async with load(lambda: use[0].port, asked, headers={}, clients=16, keep=True) as seen:
        await until(lambda: seen.count > 50)
        nodes[0].process.send_signal(signal.SIGTERM)
        await until(partial(_not_ready, nodes[0]), 5)
        assert await _answers(nodes[0], "/healthz") == 200
        before = seen.count
        await until(lambda: seen.count > before + 50, 2)  # a stopping server still serves new connections
        use[0] = nodes[1]  # as a balancer does after /readyz
        assert await asyncio.to_thread(nodes[0].process.wait, 15) in (0, 143)
        moved = seen.count
        await until(lambda: seen.count > moved + 20)
    assert not seen.wrong(200)
    items = [body for asked_, status, body in seen.bodies if asked_[0] == "POST" and status == 200]
    async with httpx2.AsyncClient() as http:
        count = (await http.get(f"{nodes[1].url}{NOTES}?count_only=true")).json()
    assert count == len(items) + 1


async def test_a_request_in_flight_finishes_before_the_stop(url: str, serve: Serve) -> None:
    slow = """
        create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(1.5); return new; end';
        create trigger slow before insert on note for each row execute function slow();
    """
    await asyncio.to_thread(execute, url, slow)
    server = await asyncio.to_thread(serve, "--dataset", f"db={url}", "--open")
    watcher = await asyncpg.connect(url)
    async with httpx2.AsyncClient(timeout=10) as http:
        body = {"resource": [{"id": 9, "text": "slow"}]}
        asked_ = asyncio.create_task(http.post(f"{server.url}{NOTES}", json=body))
        sql = "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        await until(partial(watcher.fetchval, sql), 5)
        server.process.send_signal(signal.SIGTERM)
        assert (await asked_).status_code == 200
    assert await watcher.fetchval("select count(*) from note where id = 9") == 1
    await watcher.close()
    assert await asyncio.to_thread(server.process.wait, 15) in (0, 143)


async def test_a_second_signal_stops_draining(url: str, serve: Serve) -> None:
    server = await asyncio.to_thread(serve, "--dataset", f"db={url}", "--open", DRAIN_SECONDS="60")
    server.process.send_signal(signal.SIGTERM)
    await until(partial(_not_ready, server))
    server.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(server.process.wait, 15) in (0, 143)


async def test_reload_drops_no_request_and_sees_new_tables(url: str, serve: Serve) -> None:
    server = await asyncio.to_thread(serve, "--dataset", f"db={url}", "--open", WORKERS="2")
    async with load(lambda: server.port, asked, headers={}, clients=16) as seen:
        for number in range(5):
            await asyncio.to_thread(execute, url, f"create table fresh{number} (id int primary key)")
            server.process.send_signal(signal.SIGHUP)
            await until(partial(_serves, server, f"/api/v2/db/_table/fresh{number}"), 5)
    assert seen.count > 200
    assert not seen.wrong(200)


def test_a_signal_delivered_to_another_thread_stops_the_server(project: Path, serve: Serve) -> None:
    """The kernel may do so, for example when the process is paused and resumed at that moment."""
    server = serve(cwd=project)
    main = server.process.pid
    others = [int(task.name) for task in Path(f"/proc/{main}/task").iterdir() if int(task.name) != main]
    assert ctypes.CDLL(None).tgkill(main, others[0], signal.SIGTERM) == 0
    assert server.process.wait(15) in (0, 143)


@contextmanager
def _unread(*words: str, **environment: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command with an output that was closed by its reader, as by `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [sys.executable, "-m", "tableapi", *words], env=clean_environment(**environment), cwd=ROOT,
        stdin=subprocess.DEVNULL, stdout=writing, stderr=writing,
    ) as process:  # fmt: skip
        os.close(writing)
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_without_a_reader_of_its_output_stops_on_a_signal(
    url: str, number: signal.Signals, tmp_path: Path
) -> None:
    port = free_port()
    words = ("serve", "--dataset", f"db={url}", "--open", "--port", str(port))
    with _unread(*words, DATA_DIR=tmp_path / "data", WORKERS="2", DRAIN_SECONDS="0") as process:

        async def ready() -> bool:
            with suppress(httpx2.HTTPError):
                async with httpx2.AsyncClient() as http:
                    return (await http.get(f"http://127.0.0.1:{port}{NOTES}/1")).status_code == 200
            return False

        await until(ready)
        process.send_signal(number)
        assert await asyncio.to_thread(process.wait, 30) == 0
        assert not await ready()


@pytest.mark.parametrize(("words", "code"), [(("check",), 1), (("--help",), 0), (("serve", "--prot", "1"), 2)])
def test_a_command_without_a_reader_of_its_output_ends_as_usual(
    words: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    with _unread(*words, DATA_DIR=tmp_path / "data") as process:
        assert process.wait(60) == code
