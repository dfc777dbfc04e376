"""Connections of the server: time-outs, clients that read or send slowly, and memory."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tableapi.config.settings import Settings
from tableapi.server.http1 import BODY_BYTES, Server
from tests.helpers.served import Served
from tests.helpers.support import until

HOST = b"Host: x\r\n"
TABLES = """
create table t (id integer primary key, name text);
insert into t select n, repeat('x', 1000) from generate_series(1, 20000) n;
"""
SERVED = Served(TABLES)


@asynccontextmanager
async def serving(url: str, folder: Path, **seconds: float) -> AsyncIterator[tuple[Server, int]]:
    settings = Settings(data_dir=folder, rate_limits=False, max_limit=20_000)
    app = application(settings, ServeOptions(urls={"x": url}))
    await app.life.start()
    server = Server(app, **seconds)
    accepting = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    try:
        yield server, accepting.sockets[0].getsockname()[1]
    finally:
        accepting.close()
        await server.stop(5)
        await app.life.stop()


async def opened(port: int, sent: bytes, buffer: int = 0) -> socket.socket:
    """Return a connection on which `sent` was sent, with a receive buffer of `buffer` bytes."""
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    await loop.sock_sendall(connection, sent)
    return connection


async def all_of(connection: socket.socket) -> bytes:
    """Return everything until the server closes the connection."""
    received, loop = bytearray(), asyncio.get_running_loop()
    async with asyncio.timeout(20):
        while data := await loop.sock_recv(connection, 65536):
            received += data
    connection.close()
    return bytes(received)


@pytest.mark.parametrize(
    ("sent", "served"),
    [
        (b"", 0),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"X-Slow: ", 0),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 1),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\nGET /heal", 1),
    ],
    ids=["nothing", "half a head", "idle after a request", "half of the next"],
)
async def test_an_idle_connection_is_closed(url: str, tmp_path: Path, sent: bytes, served: int) -> None:
    async with serving(url, tmp_path, idle_seconds=0.3) as (server, port):
        received = await all_of(await opened(port, sent))
        assert received.count(b"HTTP/1.1 200 OK") == served
        await until(lambda: not server.connections)


@pytest.mark.parametrize("drop", [b"a", b"\r\n"], ids=["of a head", "of empty lines"])
async def test_a_head_that_drips_has_its_time_as_a_whole(url: str, tmp_path: Path, drop: bytes) -> None:
    head = b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: " if drop == b"a" else b""
    async with serving(url, tmp_path, idle_seconds=0.5) as (server, port):
        connection, loop = await opened(port, head), asyncio.get_running_loop()
        await until(lambda: bool(server.connections))
        drops = 0
        while server.connections and drops < 100:
            with suppress(ConnectionError):
                await loop.sock_sendall(connection, drop)
            drops += 1
            await asyncio.sleep(0.05)
        connection.close()
        assert drops < 60


async def test_a_client_that_reads_nothing_is_disconnected(url: str, tmp_path: Path) -> None:
    async with serving(url, tmp_path, stalled_seconds=0.5) as (server, port):
        sent = b"GET /api/v2/x/_table/t?limit=20000 HTTP/1.1\r\n" + HOST + b"\r\n"
        stalled = await opened(port, sent, buffer=4096)
        await until(lambda: bool(server.connections))
        await until(lambda: not server.connections)
        stalled.close()


async def test_a_client_that_reads_slowly_gets_everything(url: str, tmp_path: Path) -> None:
    """Its next request is not begun before: the responses of a connection take the memory of one."""
    async with serving(url, tmp_path, stalled_seconds=0.5) as (_, port):
        get = b"GET /api/v2/x/_table/t?limit=2000 HTTP/1.1\r\n" + HOST
        connection = await opened(port, get + b"\r\n" + get + b"Connection: close\r\n\r\n", buffer=4096)
        received, loop = bytearray(), asyncio.get_running_loop()
        while data := await loop.sock_recv(connection, 16_384):
            received += data
            await asyncio.sleep(0.003)  # half a second is not enough for a third of what the kernel holds
        connection.close()
        assert received.count(b"HTTP/1.1 200 OK") == 2
        assert received.count(b'"name"') == 4000


async def test_a_stream_waits_for_its_client(url: str, tmp_path: Path) -> None:
    async with serving(url, tmp_path) as (server, port):
        head = b"GET /api/v2/x/_table/t HTTP/1.1\r\n" + HOST + b"Accept: application/x-ndjson\r\n"
        connection = await opened(port, head + b"Connection: close\r\n\r\n", buffer=4096)
        await until(lambda: any(one.transport.get_write_buffer_size() for one in server.connections))
        held = [one.transport.get_write_buffer_size() for one in server.connections]
        received = await all_of(connection)
        assert max(held) < 4_000_000
        assert received.count(b'"name"') == 20_000
        assert received.endswith(b"0\r\n\r\n")


async def test_a_body_is_read_no_faster_than_it_is_taken(url: str, tmp_path: Path) -> None:
    async with serving(url, tmp_path) as (server, port):
        # Nothing takes the body of a request that waits for an earlier one.
        slow = b"GET /api/v2/x/_table/t?limit=20000 HTTP/1.1\r\n" + HOST + b"\r\n"
        head = b"POST /api/v2/x/_table/t HTTP/1.1\r\n" + HOST + b"Content-Length: 50000000\r\n\r\n"
        connection = await opened(port, slow + head, buffer=4096)
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(loop.sock_sendall(connection, b" " * 50_000_000))
        await until(lambda: bool(server.connections))
        await asyncio.wait([sending], timeout=0.5)
        assert not sending.done()
        waiting = [request for one in server.connections for request in (*one._waiting, one.request) if request]
        assert max(request.held for request in waiting) <= 2 * BODY_BYTES
        sending.cancel()
        connection.close()
        await until(lambda: not server.connections)
