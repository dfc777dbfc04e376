"""Cancelled and slow requests end in PostgreSQL too, and slow clients do not block others."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import socket
import time
from collections.abc import AsyncIterator, Awaitable

import asyncpg
import httpx2
import pytest

from tests.helpers.support import NewDatabase, Serve, rejection

TABLES = """
create table t (id integer primary key, name text);
insert into t select n, repeat('x', 1000) from generate_series(1, 1000) n;
create view sleepy as select id, name, pg_sleep(20)::text as slept from t where id <= 2;
create table guarded (id integer primary key);
create function sleeps() returns trigger language plpgsql as $$ begin perform pg_sleep(20); return new; end $$;
create trigger sleeps before insert on guarded for each row execute function sleeps();
"""
WORKING = "select count(*) from pg_stat_activity where state = 'active' and query ~ '(sleepy|guarded)' and pid <> $1"


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database(TABLES)


@pytest.fixture(scope="module")
def served(url: str, module_serve: Serve) -> tuple[str, int]:
    server = module_serve("--dataset", f"x={url}", "--open", STATEMENT_SECONDS="3", REQUEST_SECONDS="5")
    return f"{server.url}/api/v2/x/_table/", server.port


@pytest.fixture
async def db(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


async def working(db: asyncpg.Connection) -> int:
    return int(await db.fetchval(WORKING, db.get_server_pid()))


async def until(db: asyncpg.Connection, count: int, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while await working(db) != count:  # noqa: ASYNC110 - PostgreSQL sends no event
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("method", ["GET", "POST", "QUERY"])
async def test_a_read_ends_when_its_client_disconnects(
    served: tuple[str, int], db: asyncpg.Connection, method: str
) -> None:
    body = None if method == "GET" else {"limit": 2}
    headers = {"X-HTTP-Method": "GET"} if method == "POST" else {}
    async with httpx2.AsyncClient() as http:
        read = http.request(method, served[0] + "sleepy", json=body, headers=headers, timeout=30)
        asking = asyncio.create_task(read)
        await until(db, 1, 5)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    await until(db, 0, 1.5)  # well before the statement time-out


@pytest.mark.timing
async def test_a_statement_past_its_time_limit_is_cancelled(served: tuple[str, int], db: asyncpg.Connection) -> None:
    began = time.monotonic()

    async def check(request: Awaitable[httpx2.Response]) -> None:
        response = await request
        assert rejection(response) == (503, "time_limit")
        assert "retry-after" in response.headers
        assert 2.5 < time.monotonic() - began < 5

    async with httpx2.AsyncClient(base_url=served[0], timeout=30) as http:
        write = http.post("guarded", json={"resource": [{"id": 1}]})
        await asyncio.gather(check(http.get("sleepy")), check(write))
    await until(db, 0, 1)
    assert await db.fetchval("select count(*) from guarded") == 0


@pytest.mark.timing
async def test_reads_do_not_wait_for_blocked_writes(served: tuple[str, int], db: asyncpg.Connection) -> None:
    async with httpx2.AsyncClient(timeout=30) as http:
        async with db.transaction():
            await db.execute("select from t where id = 7 for update")
            blocked = [asyncio.create_task(http.patch(served[0] + "t/7", json={"name": str(n)})) for n in range(40)]
            async with asyncio.timeout(10):
                while await db.fetchval("select count(*) < 4 from pg_locks where not granted"):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            began = time.monotonic()
            for _ in range(10):
                assert (await http.get(served[0] + "t/8")).status_code == 200
            assert time.monotonic() - began < 1
        assert {response.status_code for response in await asyncio.gather(*blocked)} <= {200, 503}


async def test_the_connections_are_free_afterwards(served: tuple[str, int]) -> None:
    async with httpx2.AsyncClient() as http:
        responses = await asyncio.gather(*(http.get(served[0] + "t?limit=1", timeout=10) for _ in range(30)))
    assert {response.status_code for response in responses} == {200}


def _slow(port: int, kind: int) -> socket.socket:
    """Open a connection that stalls in its headers, in its body, or while reading the response."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    if kind == 0:
        connection.sendall(b"GET /api/v2/x/_table/t HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    elif kind == 1:
        head = b"POST /api/v2/x/_table/t HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        connection.sendall(head + b'Content-Length: 500\r\n\r\n{"resource": [')
    else:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.sendall(b"GET /api/v2/x/_table/t?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n")
    return connection


def _wait_for_first_bytes(connections: list[socket.socket], seconds: float) -> None:
    """Wait until each connection has something to read. Raises TimeoutError."""
    ends = time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for connection in connections:
            waiting.register(connection, selectors.EVENT_READ)
        while waiting.get_map():
            if (left := ends - time.monotonic()) < 0:
                raise TimeoutError(f"{len(waiting.get_map())} connections got no response")
            for key, _ in waiting.select(left):
                waiting.unregister(key.fileobj)


def test_600_slow_clients_do_not_stop_the_others(served: tuple[str, int]) -> None:
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(_slow(served[1], number % 3)) for number in range(600)]
        # 200 large responses are requested at once: an overload on a slow machine, which may reject other requests.
        _wait_for_first_bytes(slow[2::3], 30)
        times = []
        with httpx2.Client() as http:
            for _ in range(50):
                began = time.monotonic()
                response = http.get(served[0] + "t?limit=1", timeout=10)
                times.append(time.monotonic() - began)
                assert response.status_code == 200, response.text
        assert max(times) < 2
        # A body that does not arrive times out.
        body = slow[1]
        body.settimeout(15)
        assert body.recv(100).startswith((b"HTTP/1.1 408", b"HTTP/1.1 503"))
