"""One pipelined connection against a server that splits, joins and breaks its bytes at every place."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

import asyncpg
import pytest

from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.connection import MAX_PREPARED_STATEMENTS, PipelinedConnection
from tableapi.db.pipeline.messages import Row
from tableapi.db.pipeline.request import DEPTH, Request
from tableapi.db.pipeline.timing import Timing

INT4, TEXT, JSON, POINT = 23, 25, 114, 600
SQL = "select $1::int as id, $2::text as name"


class Wire(asyncio.Transport):
    """The transport of a connection: what was written, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: Any = None
        self.written = b""
        self.aborted = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        """Close; the loss of the connection is reported later, as by a real transport."""
        if not self.aborted:
            self.aborted = True
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)


class Idle:
    """An idle connection of asyncpg, which counts how often it was lost."""

    def __init__(self) -> None:
        self._transport = Wire()
        self._protocol = self
        self._lost = 0

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost += 1

    def terminate(self) -> None:
        self._transport.abort()


def message(kind: str, body: bytes = b"") -> bytes:
    return kind.encode() + struct.pack(">I", len(body) + 4) + body


def described(parameters: list[int], columns: list[tuple[str, int]]) -> bytes:
    """Return the replies to a statement that is prepared."""
    rows = b"".join(name.encode() + b"\0" + struct.pack(">IHIhih", 0, 0, type_, -1, -1, 0) for name, type_ in columns)
    types = struct.pack(f">H{len(parameters)}I", len(parameters), *parameters)
    described = message("T", struct.pack(">H", len(columns)) + rows) if columns else message("n")
    return message("1") + message("t", types) + described + message("Z", b"I")


def answer(*values: bytes | None) -> bytes:
    """Return the replies to a statement that returns one row."""
    parts = [struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value for value in values]
    row = struct.pack(">H", len(values)) + b"".join(parts)
    notice = message("N", b"SNOTICE\0C00000\0\0")
    return message("2") + notice + message("D", row) + message("s") + message("Z", b"I")


def refusal(sqlstate: str, more: bytes = b"") -> bytes:
    return message("E", b"SERROR\0C" + sqlstate.encode() + b"\0Mrefused\0" + more + b"\0") + message("Z", b"I")


def named(number: int) -> list[bytes]:
    return [struct.pack(">i", number), f"name {number}".encode()]


class Case:
    """A connection with SQL as a prepared statement, and its requests."""

    def __init__(self, *, prepared: bool = True) -> None:
        self.idle = Idle()
        self.wire = self.idle._transport
        self.freed = 0
        self.connection = PipelinedConnection(self.idle, self._free)  # type: ignore[arg-type]
        self.connection.start()
        if prepared:
            first = self.ask(0)
            self.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + answer(*named(0)))
            assert first.result() == {"id": 0, "name": "name 0"}
            self.wire.written = b""

    def _free(self, _: PipelinedConnection) -> None:
        self.freed += 1

    def ask(self, number: int, sql: str = SQL, *args: Any) -> asyncio.Future[Row | None]:
        timing = Timing()
        timing.add(0.001)
        future: asyncio.Future[Row | None] = asyncio.get_running_loop().create_future()
        self.connection.send(Request(sql, args or (number, f"name {number}"), timing, future))
        return future

    def reply(self, data: bytes) -> None:
        self.connection.data_received(data)


REPLIES = answer(*named(1)) + refusal("22012") + answer(*named(3))


def check(futures: list[asyncio.Future[Row | None]]) -> None:
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    assert isinstance(futures[1].exception(), asyncpg.DivisionByZeroError)
    assert futures[2].result() == {"id": 3, "name": "name 3"}


async def test_replies_split_at_every_place() -> None:
    for place in range(1, len(REPLIES)):
        case = Case()
        futures = [case.ask(number) for number in (1, 2, 3)]
        case.reply(REPLIES[:place])
        case.reply(REPLIES[place:])
        check(futures)
        assert case.connection.load == 0


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, len(REPLIES)])
async def test_replies_in_pieces_of_each_size(size: int) -> None:
    case = Case()
    futures = [case.ask(number) for number in (1, 2, 3)]
    for place in range(0, len(REPLIES), size):
        case.reply(REPLIES[place : place + size])
    check(futures)


async def test_the_preparation_split_at_every_place() -> None:
    replies = described([INT4, TEXT], [("id", INT4), ("name", TEXT)])
    for place in range(1, len(replies)):
        case = Case(prepared=False)
        future = case.ask(5)
        case.reply(replies[:place])
        case.reply(replies[place:] + answer(*named(5)))
        assert future.result() == {"id": 5, "name": "name 5"}


async def test_a_connection_that_breaks_at_every_place_answers_nothing_twice() -> None:
    first = len(answer(*named(1)))
    second = first + len(refusal("22012"))
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


async def test_each_byte_changed_gives_no_request_the_answer_of_another() -> None:
    """A byte may be damaged inside a value; but the replies stay in their order, or the connection is closed."""
    replies = answer(*named(1)) + answer(*named(2))
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
        answer(*named(1)) + message("Z", b"I") + message("Z", b"I"),
        answer(b"\0\0\0\1", b"\xff\xfe"),
        message("D", struct.pack(">Hi", 2, 1_000_000)),
    ],
    ids=["in transaction", "failed transaction", "copy", "other columns", "no length", "too many", "no text", "short"],
)
async def test_what_is_no_reply_closes_the_connection(reply: bytes) -> None:
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
    case.reply(answer(*named(1)) + answer(*named(2)) + answer(*named(3)))
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
    case.reply(answer(*named(2)))
    assert futures[1].result() == {"id": 2, "name": "name 2"}
    assert case.connection.load == 0


async def test_an_invalidated_statement_is_prepared_again_once() -> None:
    case = Case()
    futures = [case.ask(1), case.ask(2)]
    stale = refusal("0A000", b"RRevalidateCachedQuery\0")
    case.wire.written = b""
    case.reply(stale + stale)
    assert case.wire.written.count(SQL.encode()) == 1
    assert b"C\0\0\0\x10Stableapi_1\0" in case.wire.written
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + answer(*named(1)))
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    case.reply(stale)
    assert isinstance(futures[1].exception(), asyncpg.InvalidCachedStatementError)


async def test_a_statement_that_the_server_forgot_is_prepared_again() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(refusal("26000"))
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + answer(*named(1)))
    assert future.result() == {"id": 1, "name": "name 1"}


async def test_the_least_recently_used_statements_are_closed() -> None:
    case = Case()
    for number in range(MAX_PREPARED_STATEMENTS - 1):
        future = case.ask(0, f"select {number} as n", 1)
        case.reply(described([INT4], [("n", INT4)]) + answer(b"\0\0\0\1"))
        assert future.done()
    case.ask(7)
    case.reply(answer(*named(7)))  # used again
    case.wire.written = b""
    case.ask(0, "select -1 as n", 1)
    assert case.wire.written.startswith(b"C\0\0\0\x10Stableapi_2\0P")


async def test_types_and_values_that_only_asyncpg_knows_are_refused_before_they_are_sent() -> None:
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


async def test_at_most_so_many_are_in_flight() -> None:
    case = Case()
    for number in range(DEPTH):
        assert case.connection.accepts(1)
        assert case.connection.accepts(DEPTH) == (number == 0)
        case.ask(number)
    assert not case.connection.accepts(1)
    case.reply(answer(*named(0)))
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


async def test_the_reason_why_the_server_closes_is_kept() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(message("E", b"SFATAL\0C57P01\0Mterminating\0\0"))
    case.connection.connection_lost(None)
    assert isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)
    assert isinstance(getattr(future.exception(), "__cause__", None), asyncpg.AdminShutdownError)


async def test_json_is_handed_over_as_it_came() -> None:
    case = Case()
    future = case.ask(0, "select json", 1)
    body = b'{"a": 1.50}'
    case.reply(described([INT4], [("body", JSON), ("none", JSON)]) + answer(body, None))
    row = future.result()
    assert row == {"body": body, "none": None}
    assert row is not None
    assert list(map(row.__missing__, (0, 1))) == [body, None]
