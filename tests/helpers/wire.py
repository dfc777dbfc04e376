"""The other end of a pipelined connection: PostgreSQL's replies, in bytes."""

from __future__ import annotations

import asyncio
import struct
from typing import Any

from tableapi.db.pipeline.connection import PipelinedConnection, Request
from tableapi.db.pipeline.messages import Row
from tableapi.db.pipeline.timing import Timings

INT4, TEXT, JSON, POINT = 23, 25, 114, 600
SQL = "select $1::int as id, $2::text as name"


class Wire(asyncio.Transport):
    """The transport of a connection: the bytes written, and whether it was closed."""

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


def reply(*values: bytes | None) -> bytes:
    """Return the replies to a statement that returns one row."""
    parts = [struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value for value in values]
    row = struct.pack(">H", len(values)) + b"".join(parts)
    notice = message("N", b"SNOTICE\0C00000\0\0")
    return message("2") + notice + message("D", row) + message("s") + message("Z", b"I")


def error_reply(sqlstate: str, more: bytes = b"") -> bytes:
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
            self.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + reply(*named(0)))
            assert first.result() == {"id": 0, "name": "name 0"}
            self.wire.written = b""

    def _free(self, _: PipelinedConnection) -> None:
        self.freed += 1

    def ask(self, number: int, sql: str = SQL, *args: Any) -> asyncio.Future[Row | None]:
        timing = Timings()[sql]
        timing.add(0.001)
        future: asyncio.Future[Row | None] = asyncio.get_running_loop().create_future()
        self.connection.send(Request(sql, args or (number, f"name {number}"), timing, future))
        return future

    def reply(self, data: bytes) -> None:
        self.connection.data_received(data)
