"""A relay in front of PostgreSQL that spoils the n-th statement of a program."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

Fault = Literal["raises", "hangs", "is cut"]
# PostgreSQL rejects this statement while it parses it, with an ordinary error of data.
_BAD = b"select 'x'::integer"
_SSL_REQUEST, _GSS_REQUEST = 80877103, 80877104


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


_PARSE = _message(b"P", b"\0" + _BAD + b"\0\0\0")
_QUERY = _message(b"Q", _BAD + b"\0")


class StatementProxy:
    """Relay connections to PostgreSQL at `port` of this machine, and count statements while armed.

    A statement is an Execute of the extended protocol or a Query of the simple one, on any connection. What the server
    sends arrives `late` seconds later, on every connection or on number `late_only` of `connections`.
    """

    def __init__(self, target: int) -> None:
        self._target, self.late, self.late_only, self.connections = target, 0.0, 0, 0
        self.count = 0
        self.heard: Callable[[str], object] = lambda text: None  # called with the text of each parsed statement
        self.ran: Callable[[str], object] = lambda text: None  # and of each executed one
        self._spoiled, self._fault = 0, ""
        self._armed = False
        self._port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, url: str) -> str:
        """Return the address of a database on the server, through this relay."""
        parts = urlsplit(url)
        return parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{self._port}").geturl()

    async def start(self) -> None:
        """Begin to relay."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close every connection."""
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def arm(self, number: int = 0, fault: Fault | Literal[""] = "") -> None:
        """Start counting, and spoil statement `number`; 0 for none."""
        self.count, self._spoiled, self._fault, self._armed = 0, number, fault, True

    def disarm(self) -> int:
        """Let everything pass, and return the number of statements."""
        self._armed = False
        return self.count

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        server_writer = None
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
            ways = [asyncio.ensure_future(self._to_server(reader, server_writer)),
                    asyncio.ensure_future(self._to_client(server_reader, writer, number))]  # fmt: skip
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except (asyncio.CancelledError, OSError):
            pass  # asyncio's server would log it
        finally:
            self._tasks.discard(task)
            for end in (writer, server_writer):
                if end is not None:
                    end.transport.abort()

    async def _to_server(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay the messages of a client. Returns to cut the connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:  # startup: encryption requests, which a test server declines, and the startup message
                head = await reader.readexactly(8)
                writer.write(head + await reader.readexactly(int.from_bytes(head[:4], "big") - 8))
                if int.from_bytes(head[4:], "big") not in (_SSL_REQUEST, _GSS_REQUEST):
                    break
            texts, portals = dict[bytes, str](), dict[bytes, str]()
            while True:
                head = await reader.readexactly(5)
                message = head + await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
                words = message[5:].split(b"\0", 2)
                if head[:1] == b"P":
                    texts[words[0]] = words[1].decode()
                    self.heard(texts[words[0]])
                elif head[:1] == b"B":
                    portals[words[0]] = texts[words[1]]
                elif head[:1] == b"E":
                    self.ran(portals[words[0]])
                elif head[:1] == b"Q":
                    self.ran(words[0].decode())
                if self._armed and head[:1] in b"EQ":
                    self.count += 1
                    if self.count == self._spoiled:
                        if self._fault == "is cut":
                            return
                        if self._fault == "hangs":
                            await reader.read(-1)  # nothing gets through until the client closes the connection
                            return
                        message = _PARSE if head[:1] == b"E" else _QUERY
                writer.write(message)
                await writer.drain()

    async def _to_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        """Relay what the server sends on connection `number`."""
        sent = asyncio.Queue[tuple[float, bytes]]()

        async def read() -> None:
            ended = False
            while not ended:
                data = b""
                with contextlib.suppress(OSError):
                    data = await reader.read(65536)
                ended = not data
                late = self.late if self.late_only in (0, number) else 0.0
                sent.put_nowait((time.monotonic() + late, data))

        reading = asyncio.ensure_future(read())
        try:
            with contextlib.suppress(OSError):
                while True:  # a message does not wait for the delay of the one before
                    due, data = await sent.get()
                    await asyncio.sleep(due - time.monotonic())
                    if not data:
                        return
                    writer.write(data)
                    await writer.drain()
        finally:
            reading.cancel()
