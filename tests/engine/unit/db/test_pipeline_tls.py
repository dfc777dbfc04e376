"""A pipelined connection takes over the transport that asyncpg opened, with and without TLS, on both event loops."""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tableapi.db.pipeline.connection import PipelinedConnection, Request
from tableapi.db.pipeline.messages import Row
from tableapi.db.pipeline.timing import Timings
from tests.helpers.wire import INT4, SQL, TEXT, described, message, named, reply

SSL_REQUEST = 80877103


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """Return the server's side of TLS, with a certificate of its own."""
    folder: Path = tmp_path_factory.mktemp("tls")
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return made


async def _statements(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each Sync: the first with the description of SQL, the others with a row."""
    for number in range(100):
        while (kind := await reader.readexactly(1)) != b"S":
            (length,) = struct.unpack(">I", await reader.readexactly(4))
            await reader.readexactly(length - 4)
            if kind == b"X":
                return
        await reader.readexactly(4)
        columns = [("id", INT4), ("name", TEXT)]
        writer.write(reply(*named(number)) if number else described([INT4, TEXT], columns))
        await writer.drain()


def server(context: ssl.SSLContext | None) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """Return a server that accepts every user, with TLS on request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                length, code = struct.unpack(">II", await reader.readexactly(8))
                await reader.readexactly(length - 8)
                if code != SSL_REQUEST:
                    break
                writer.write(b"S" if context else b"N")
                if context:
                    await writer.start_tls(context)
            version = message("S", b"server_version\x0015.0\0") + message("S", b"client_encoding\0UTF8\0")
            writer.write(message("R", struct.pack(">I", 0)) + version + message("K", struct.pack(">II", 7, 9)))
            writer.write(message("Z", b"I"))
            await _statements(reader, writer)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    return serve


async def _try(context: ssl.SSLContext | None) -> None:
    listening = await asyncio.start_server(server(context), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    connection = await asyncpg.connect(
        f"postgresql://u:p@127.0.0.1:{port}/d?sslmode={'require' if context else 'disable'}"
    )
    freed: list[PipelinedConnection] = []
    pipelined = PipelinedConnection(connection, freed.append)
    assert (pipelined.transport.get_extra_info("ssl_object") is not None) == (context is not None)
    pipelined.start()
    loop, timing = asyncio.get_running_loop(), Timings()[SQL]
    futures: list[asyncio.Future[Row | None]] = []
    for number in range(1, 20):
        futures.append(loop.create_future())
        pipelined.send(Request(SQL, (number, f"name {number}"), timing, futures[-1]))
    async with asyncio.timeout(20):
        rows = await asyncio.gather(*futures)
    assert rows == [{"id": number, "name": f"name {number}"} for number in range(1, 20)]
    assert freed
    pipelined.stop()
    await connection.close(timeout=5)
    listening.close()
    await listening.wait_closed()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_the_transport_is_taken_over(
    context: ssl.SSLContext, new_loop: Callable[[], asyncio.AbstractEventLoop], tls: bool
) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_try(context if tls else None))
