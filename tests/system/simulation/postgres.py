"""A model of PostgreSQL: startup, prepared statements, transactions, cancellation and time limits, in its protocol.

The text of a statement determines its effect: its first word is a key of KINDS. Each takes one integer and returns it.
"""

from __future__ import annotations

import asyncio
import random
import struct
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from tests.system.simulation.loop import VirtualLoop
from tests.system.simulation.network import End, connect

INT4, OID = 23, 26  # the pipeline knows the first type, only asyncpg the second
CANCEL, VERSION = 80877102, 196608
STATEMENT_SECONDS = 5.0
# kind -> shortest and longest time, and whether it changes data
KINDS = {
    "read": (0.0002, 0.003), "write": (0.0005, 0.01), "nothing": (0.0002, 0.001), "fail": (0.0002, 0.001),
    "slow": (0.01, 0.4), "stall": (0.5, 8.0), "odd": (0.0002, 0.003),
}  # fmt: skip


def message(kind: str, body: bytes = b"") -> bytes:
    return kind.encode() + struct.pack(">I", len(body) + 4) + body


def error(sqlstate: str, severity: str = "ERROR", more: bytes = b"") -> bytes:
    body = f"S{severity}\0V{severity}\0C{sqlstate}\0Mrefused\0".encode() + more + b"\0"
    return message("E", body)


@dataclass
class Weather:
    """The probability of each fault per statement; all are set to zero before the end of a run."""

    kills: float = 0.0
    cuts: float = 0.0
    stale: float = 0.0
    refuses: float = 0.0  # probability of refusing a connection
    delay: float = 0.001


@dataclass
class Statement:
    sql: str
    stale: bool = False


class Server:
    """All connections, and how often each write was executed."""

    def __init__(self, loop: VirtualLoop, chance: random.Random, weather: Weather) -> None:
        self.loop, self.chance, self.weather = loop, chance, weather
        self.sessions: dict[int, Session] = {}
        self.executed: Counter[int] = Counter()
        self._numbers = 0
        self.most = 0  # maximum concurrent connections
        loop.dial = self.dial

    async def dial(self, factory: Any) -> tuple[Any, Any]:
        """Connect a client."""
        await asyncio.sleep(self.chance.random() * self.weather.delay)
        if self.chance.random() < self.weather.refuses:
            raise ConnectionRefusedError("the server does not listen")
        client, side = connect(self.loop, self.chance, self.weather.delay)
        side.protocol = Session(self, side)
        protocol = client.protocol = factory()
        protocol.connection_made(client)
        return client, protocol

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def change_tables(self) -> None:
        """Invalidate every prepared statement, as DDL does."""
        for session in self.sessions.values():
            for statement in session.statements.values():
                statement.stale = True


@dataclass
class Portal:
    sql: str
    value: int
    wide: list[int] = field(default_factory=list)


class Session(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, server: Server, side: End) -> None:
        self.server, self.side, self.loop = server, side, server.loop
        self.pid = 0
        self.statements: dict[str, Statement] = {}
        self._data = b""
        self._inbox: deque[tuple[str, bytes]] = deque()
        self._out: list[bytes] = []
        self._portal: Portal | None = None
        self._status = "I"
        self._skipping = False  # until Sync, after an error
        self._running: asyncio.TimerHandle | None = None
        self._word = ""  # text of the running command, if it is not a prepared statement
        self._undone: list[int] = []  # writes of an uncommitted transaction
        self._closed = False

    # -- bytes ---------------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._data += data
        while not self._closed:
            if not self.pid:
                if len(self._data) < 8:
                    return
                length, code = struct.unpack_from(">II", self._data)
                if len(self._data) < length:
                    return
                body, self._data = self._data[8:length], self._data[length:]
                self._start(code, body)
                continue
            if len(self._data) < 5:
                break
            (length,) = struct.unpack_from(">I", self._data, 1)
            if len(self._data) < length + 1:
                break
            self._inbox.append((chr(self._data[0]), self._data[5 : length + 1]))
            self._data = self._data[length + 1 :]
        self._work()

    def _start(self, code: int, body: bytes) -> None:
        if code == CANCEL:
            pid, secret = struct.unpack(">II", body)
            target = self.server.sessions.get(pid)
            if target is not None and secret == pid * 7:
                target.interrupt()  # before the client sees that the connection of its request is closed
            self._closed = True
            self.side.close()
            return
        assert code == VERSION, code
        self.pid = self.server.number()
        self.server.sessions[self.pid] = self
        self.server.most = max(self.server.most, len(self.server.sessions))
        settings = b"".join(
            message("S", name + b"\0" + value + b"\0")
            for name, value in ((b"server_version", b"16.1"), (b"client_encoding", b"UTF8"))
        )
        key = message("K", struct.pack(">II", self.pid, self.pid * 7))
        self.side.write(message("R", struct.pack(">I", 0)) + settings + key + message("Z", b"I"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        self.server.sessions.pop(self.pid, None)
        if self._running is not None:
            self._running.cancel()
            self._running = None
            self._settle()

    def _settle(self) -> None:
        """End the statement that ran when the connection was lost: it may have been done or not."""
        if self._portal is not None and self._status == "I" and self.server.chance.random() < 0.5:
            self._apply(self._portal)

    # -- messages ------------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while self._inbox and self._running is None and not self._closed:
            kind, body = self._inbox.popleft()
            if self._skipping and kind != "S":
                continue
            getattr(self, f"_on_{kind}")(body)

    def _flush(self) -> None:
        if self._out and not self._closed:
            self.side.write(b"".join(self._out))
            self._out.clear()

    def _fail(self, sqlstate: str, more: bytes = b"") -> None:
        self._out.append(error(sqlstate, more=more))
        self._skipping = True
        if self._status == "T":
            self._status = "E"

    def _on_P(self, body: bytes) -> None:  # noqa: N802 - the letter of the message
        name, sql, _ = body.split(b"\0", 2)
        self.statements[name.decode()] = Statement(sql.decode())
        self._out.append(message("1"))

    def _on_D(self, body: bytes) -> None:  # noqa: N802
        statement = self.statements[body[1:-1].decode()]
        type_ = OID if statement.sql.startswith("odd") else INT4
        column = b"id\0" + struct.pack(">IHIhih", 0, 0, type_, 4, -1, 0)
        self._out.append(message("t", struct.pack(">HI", 1, INT4)) + message("T", struct.pack(">H", 1) + column))

    def _on_B(self, body: bytes) -> None:  # noqa: N802
        _, name, rest = body.split(b"\0", 2)
        statement = self.statements.get(name.decode())
        if statement is None:
            self._fail("26000")
            return
        if statement.stale:
            self._fail("0A000", b"RRevalidateCachedQuery\0")
            return
        if self._status == "E":
            self._fail("25P02")
            return
        (formats,) = struct.unpack_from(">H", rest)
        count, size, value = struct.unpack_from(">HiI", rest, 2 + 2 * formats)
        assert (count, size) == (1, 4), (count, size)
        self._portal = Portal(statement.sql, value)
        self._out.append(message("2"))

    def _on_E(self, _: bytes) -> None:  # noqa: N802
        assert self._portal is not None
        server, chance = self.server, self.server.chance
        shortest, longest = KINDS[self._portal.sql.partition(" ")[0]]
        seconds = shortest + chance.random() * (longest - shortest)
        fate = chance.random()
        weather = server.weather
        if fate < weather.kills:
            self._running = self.loop.call_later(seconds * chance.random(), self.kill)
        elif fate < weather.kills + weather.cuts:
            self._running = self.loop.call_later(seconds * chance.random(), self._cut)
        elif seconds > STATEMENT_SECONDS:
            self._running = self.loop.call_later(STATEMENT_SECONDS, self.interrupt)
        else:
            if chance.random() < weather.stale:
                server.change_tables()
            self._running = self.loop.call_later(seconds, self._done)

    def _apply(self, portal: Portal) -> None:
        if portal.sql.startswith("write"):
            if self._status == "T":
                self._undone.append(portal.value)
            else:
                self.server.executed[portal.value] += 1

    def _done(self) -> None:
        portal, self._running, self._portal = self._portal, None, None
        assert portal is not None
        if portal.sql.startswith("fail"):
            self._fail("22012")
        else:
            self._apply(portal)
            if portal.sql.startswith("nothing"):
                self._out.append(message("C", b"SELECT 0\0"))
            else:
                self._out.append(message("D", struct.pack(">HiI", 1, 4, portal.value)) + message("C", b"SELECT 1\0"))
        self._work()

    def interrupt(self) -> None:
        """Cancel the running statement, if there is one."""
        if self._running is None or self._closed or self._word == "ROLLBACK":
            return
        self._running.cancel()
        self._running = self._portal = None
        if self._word:
            self._out.append(error("57014"))
            self._end_command("I")
        else:
            self._fail("57014")
            self._work()

    def kill(self) -> None:
        """End the session as an administrator does."""
        self._running = None
        self._settle()
        self._out.append(error("57P01", "FATAL"))
        self._flush()
        self._closed = True
        self.side.close()

    def _cut(self) -> None:
        self._running = None
        self._settle()
        self._closed = True
        self.side.cut(ConnectionResetError("the network is gone") if self.server.chance.random() < 0.5 else None)

    def _on_C(self, body: bytes) -> None:  # noqa: N802
        self.statements.pop(body[1:-1].decode(), None)
        self._out.append(message("3"))

    def _on_S(self, _: bytes) -> None:  # noqa: N802
        self._skipping = False
        self._out.append(message("Z", self._status.encode()))
        self._flush()

    def _on_H(self, _: bytes) -> None:  # noqa: N802
        self._flush()

    def _on_X(self, _: bytes) -> None:  # noqa: N802
        self._closed = True
        self.side.close()

    def _on_Q(self, body: bytes) -> None:  # noqa: N802
        self._word = body.rstrip(b"\0").decode().strip("; ").partition(" ")[0].upper()
        step = self._command
        if self.server.chance.random() < self.server.weather.kills:
            step = self._killed_in_command
        self._running = self.loop.call_later(self.server.chance.random() * 0.002, step)

    def _killed_in_command(self) -> None:
        if self._word == "COMMIT" and self._status == "T" and self.server.chance.random() < 0.5:
            self.server.executed.update(self._undone)
        self.kill()

    def _command(self) -> None:
        if self._word == "COMMIT" and self._status == "T":
            self.server.executed.update(self._undone)
        self._out.append(message("C", self._word.encode() + b"\0"))
        self._end_command("T" if self._word == "BEGIN" else "I")

    def _end_command(self, status: str) -> None:
        self._running, self._word, self._status = None, "", status
        self._undone.clear()
        self._out.append(message("Z", status.encode()))
        self._flush()
        self._work()
