"""A connection with several statements on their way: messages, values, TLS, timing, private names."""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tableapi.db.database import Db
from tableapi.db.pipeline import internals
from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.connection import DEPTH, MAX_PREPARED_STATEMENTS, PipelinedConnection, Request
from tableapi.db.pipeline.messages import Row
from tableapi.db.pipeline.timing import MAX_STATEMENTS, Timings
from tests.helpers.wire import INT4, JSON, POINT, SQL, TEXT, Case, described, error_reply, message, named, reply

REPLIES = reply(*named(1)) + error_reply("22012") + reply(*named(3))


def check(futures: list[asyncio.Future[Row | None]]) -> None:
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    assert isinstance(futures[1].exception(), asyncpg.DivisionByZeroError)
    assert futures[2].result() == {"id": 3, "name": "name 3"}


async def test_replies_split_at_every_position_are_read() -> None:
    for place in range(1, len(REPLIES)):
        case = Case()
        futures = [case.ask(number) for number in (1, 2, 3)]
        case.reply(REPLIES[:place])
        case.reply(REPLIES[place:])
        check(futures)
        assert case.connection.load == 0


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, len(REPLIES)])
async def test_replies_in_chunks_of_every_size_are_read(size: int) -> None:
    case = Case()
    futures = [case.ask(number) for number in (1, 2, 3)]
    for place in range(0, len(REPLIES), size):
        case.reply(REPLIES[place : place + size])
    check(futures)


async def test_a_preparation_split_at_every_position_is_read() -> None:
    replies = described([INT4, TEXT], [("id", INT4), ("name", TEXT)])
    for place in range(1, len(replies)):
        case = Case(prepared=False)
        future = case.ask(5)
        case.reply(replies[:place])
        case.reply(replies[place:] + reply(*named(5)))
        assert future.result() == {"id": 5, "name": "name 5"}


async def test_a_connection_broken_at_any_point_answers_once() -> None:
    first = len(reply(*named(1)))
    second = first + len(error_reply("22012"))
    for place in range(len(REPLIES)):
        case = Case()
        futures = [case.ask(number) for number in (1, 2, 3)]
        case.reply(REPLIES[:place])
        case.connection.connection_lost(None)
        for future, end in zip(futures, (first, second, len(REPLIES)), strict=True):
            lost = isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)
            assert lost == (place < end), place
        assert case.idle._lost == 1
        assert not case.connection.accepts(1)


async def test_corrupted_bytes_never_mix_up_replies() -> None:
    """A byte may be damaged inside a value; but the replies stay in their order, or the connection is closed."""
    replies = reply(*named(1)) + reply(*named(2))
    for place in range(len(replies)):
        for value in (0, 1, 0x44, 0x5A, 0xFF):
            if replies[place] == value:
                continue
            case = Case()
            futures = [case.ask(number) for number in (1, 2)]
            case.reply(replies[:place] + bytes([value]) + replies[place + 1 :])
            if not case.wire.aborted and not all(future.done() for future in futures):
                case.connection.connection_lost(None)
            await asyncio.sleep(0)
            for number, future in enumerate(futures, 1):
                row = None if future.exception() else future.result()
                assert row is None or row.get("name") != f"name {3 - number}", (place, value)


@pytest.mark.parametrize(
    "reply",
    [
        message("Z", b"T"),
        message("Z", b"E"),
        message("G", b"\0\0\0"),
        message("D", b"\0\5"),
        b"Z\0\0\0\0",
        reply(*named(1)) + message("Z", b"I") + message("Z", b"I"),
        reply(b"\0\0\0\1", b"\xff\xfe"),
        message("D", struct.pack(">Hi", 2, 1_000_000)),
    ],
    ids=["in transaction", "failed transaction", "copy", "other columns", "no length", "too many", "no text", "short"],
)
async def test_invalid_replies_close_the_connection(reply: bytes) -> None:
    case = Case()
    futures = [case.ask(1), case.ask(2)]
    case.reply(reply)
    await asyncio.gather(*futures, return_exceptions=True)
    assert case.wire.aborted
    assert isinstance(futures[1].exception(), asyncpg.ConnectionDoesNotExistError)


async def test_a_cancelled_request_keeps_its_place() -> None:
    case = Case()
    futures = [case.ask(number) for number in (1, 2, 3)]
    futures[1].cancel()
    case.reply(reply(*named(1)) + reply(*named(2)) + reply(*named(3)))
    assert (futures[0].result(), futures[2].result()) == (
        {"id": 1, "name": "name 1"}, {"id": 3, "name": "name 3"},
    )  # fmt: skip


async def test_a_request_cancelled_before_its_statement_was_prepared_is_not_sent() -> None:
    case = Case(prepared=False)
    futures = [case.ask(1), case.ask(2)]
    futures[0].cancel()
    case.wire.written = b""
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]))
    assert case.wire.written.count(b"name ") == 1
    case.reply(reply(*named(2)))
    assert futures[1].result() == {"id": 2, "name": "name 2"}
    assert case.connection.load == 0


async def test_an_invalidated_statement_is_reprepared_once() -> None:
    case = Case()
    futures = [case.ask(1), case.ask(2)]
    stale = error_reply("0A000", b"RRevalidateCachedQuery\0")
    case.wire.written = b""
    case.reply(stale + stale)
    assert case.wire.written.count(SQL.encode()) == 1
    assert b"C\0\0\0\x10Stableapi_1\0" in case.wire.written
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + reply(*named(1)))
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    case.reply(stale)
    assert isinstance(futures[1].exception(), asyncpg.InvalidCachedStatementError)


async def test_a_deallocated_statement_is_reprepared() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(error_reply("26000"))
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + reply(*named(1)))
    assert future.result() == {"id": 1, "name": "name 1"}


async def test_the_least_recently_used_statements_are_closed() -> None:
    case = Case()
    for number in range(MAX_PREPARED_STATEMENTS - 1):
        future = case.ask(0, f"select {number} as n", 1)
        case.reply(described([INT4], [("n", INT4)]) + reply(b"\0\0\0\1"))
        assert future.done()
    case.ask(7)
    case.reply(reply(*named(7)))  # the statement is reused
    case.wire.written = b""
    case.ask(0, "select -1 as n", 1)
    assert case.wire.written.startswith(b"C\0\0\0\x10Stableapi_2\0P")


async def test_types_and_values_for_asyncpg_are_rejected_before_sending() -> None:
    case = Case()
    for args in (("1", "x"), (True, "x"), (2**40, "x"), (1, b"x"), (1, "\ud800"), (1,)):
        case.wire.written = b""
        assert isinstance(case.ask(0, SQL, *args).exception(), Unencodable)
        assert case.wire.written == b""
    for parameters, columns in (([POINT], [("n", INT4)]), ([], [("n", POINT)]), ([], [("n", INT4), ("n", INT4)])):
        future = case.ask(0, f"select {parameters} {columns}", *parameters)
        case.reply(described(parameters, columns))
        assert isinstance(future.exception(), Unencodable)
    assert case.connection.load == 0


async def test_requests_in_flight_are_limited() -> None:
    case = Case()
    for number in range(DEPTH):
        assert case.connection.accepts(1)
        assert case.connection.accepts(DEPTH) == (number == 0)
        case.ask(number)
    assert not case.connection.accepts(1)
    case.reply(reply(*named(0)))
    assert case.freed
    assert case.connection.accepts(1)


async def test_an_idle_connection_is_returned_and_a_busy_one_closed() -> None:
    case = Case()
    case.connection.stop()
    assert case.wire.protocol is case.idle
    case = Case()
    future = case.ask(1)
    case.connection.stop()
    assert case.wire.aborted
    await asyncio.gather(future, return_exceptions=True)
    assert isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)


async def test_the_close_reason_of_the_server_is_kept() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(message("E", b"SFATAL\0C57P01\0Mterminating\0\0"))
    case.connection.connection_lost(None)
    assert isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)
    assert isinstance(getattr(future.exception(), "__cause__", None), asyncpg.AdminShutdownError)


async def test_json_is_passed_through() -> None:
    case = Case()
    future = case.ask(0, "select json", 1)
    body = b'{"a": 1.50}'
    case.reply(described([INT4], [("body", JSON), ("none", JSON)]) + reply(body, None))
    row = future.result()
    assert row == {"body": body, "none": None}
    assert row is not None
    assert list(map(row.__missing__, (0, 1))) == [body, None]


MS = 0.001


@pytest.mark.parametrize(
    ("others", "runs", "direct"),
    [
        ([1 * MS] * 200, [5 * MS] * 20, False),
        ([1 * MS] * 200, [20 * MS] * 20, True),
        ([1 * MS] * 200, [1 * MS, 2 * MS, 200 * MS], True),
        ([1 * MS] * 200, [20 * MS] * 20 + [1 * MS] * 5, True),
        ([1 * MS] * 200, [20 * MS] * 20 + [1 * MS] * 30, False),
        ([10 * MS] * 400, [20 * MS] * 20, False),
        ([10 * MS] * 400, [200 * MS] * 20, True),
        ([10 * MS] * 400, [200 * MS] * 20 + [20 * MS] * 30, False),
        ([], [20 * MS] * 200, False),
    ],
    ids=[
        "short",
        "long",
        "once very long",
        "not yet short",
        "short again",
        "busy",
        "longer than busy",
        "back",
        "alone",
    ],
)
def test_slow_statements_are_classified(others: list[float], runs: list[float], direct: bool) -> None:
    timings = Timings()
    for seconds in others:
        timings["other"].add(seconds)
    for seconds in runs:
        timings["one"].add(seconds)
    assert timings["one"].direct is direct
    assert not timings["other"].direct


def test_a_statement_that_is_most_of_the_load_stays_in_the_pipeline_on_a_busy_machine() -> None:
    """Alone on its connection it would cost more, exactly when there is the least CPU time."""
    timings = Timings()
    for number in range(2000):
        timings["frequent"].add(MS / 2)
        if number % 10 == 0:
            timings["rare"].add(MS)
    for number in range(200):
        timings["frequent"].add(20 * MS)
        assert not timings["frequent"].direct, number


def test_an_unsupported_statement_stays_direct() -> None:
    timing = Timings()["one"]
    timing.unsupported = True
    for _ in range(50):
        timing.add(0.0)
    assert timing.direct


def test_statements_are_dropped_when_there_are_too_many() -> None:
    timings = Timings()
    for number in range(MAX_STATEMENTS + 10):
        timings[str(number)].add(1.0)
    assert len(timings) == 10


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


async def test_a_missing_attribute_is_reported_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internals, "_CONNECTION", ("_transport", "_socket"))
    monkeypatch.setattr(internals, "_PROTOCOL", ("backend_pid", "backend_key"))

    async def cancel(connection: Any) -> None:
        """Has other parameters than asyncpg's function."""

    monkeypatch.setattr("asyncpg.connect_utils._cancel", cancel)
    with pytest.raises(internals.UnsupportedAsyncpg) as raised:
        await Db("postgresql://nowhere").connect()
    assert str(raised.value).startswith(
        f"asyncpg {asyncpg.__version__} has no Connection._socket, no Protocol.backend_key, no connect_utils._cancel("
    )


def test_the_installed_asyncpg_has_all_required_attributes() -> None:
    internals.check()
