"""A peer that behaves like pgbouncer in transaction mode.

It rejects connection parameters that pgbouncer does not know, and named prepared statements, which end there with the
transaction.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

KNOWN = frozenset(
    (b"user", b"database", b"client_encoding", b"datestyle", b"timezone", b"standard_conforming_strings",
     b"application_name")
)  # fmt: skip
TLS, CANCEL = 80877103, 80877102  # codes sent instead of the protocol version


class _Client(socketserver.StreamRequestHandler):
    server: Pooler

    def handle(self) -> None:
        with suppress(ConnectionError, EOFError, OSError), socket.create_connection(self.server.database) as database:
            begin = self._message(b"")
            if int.from_bytes(begin[4:8]) == TLS:
                self.wfile.write(b"N")
                begin = self._message(b"")
            unknown = _unknown(begin)
            if unknown:
                self._reject("unsupported startup parameter: " + unknown)
                return
            database.sendall(begin)
            threading.Thread(target=self._answers, args=(database,), daemon=True).start()
            while kind := self.rfile.read(1):
                message = self._message(kind)
                if kind == b"P" and message[5]:
                    self._reject("named prepared statements are not kept")
                    return
                database.sendall(message)

    def _message(self, kind: bytes) -> bytes:
        """Return the next message with its length and, after the first one, its kind."""
        size = self.rfile.read(4)
        if len(size) < 4:
            raise EOFError
        return kind + size + self.rfile.read(int.from_bytes(size) - 4)

    def _answers(self, database: socket.socket) -> None:
        with suppress(OSError):
            while data := database.recv(65536):
                self.connection.sendall(data)
            self.connection.shutdown(socket.SHUT_RDWR)

    def _reject(self, text: str) -> None:
        self.server.refused.append(text)
        fields = b"SFATAL\0VFATAL\0C08P01\0M" + text.encode() + b"\0\0"
        self.wfile.write(b"E" + (len(fields) + 4).to_bytes(4) + fields)


def _unknown(begin: bytes) -> str:
    """Return the first parameter of a connection that pgbouncer does not know."""
    if int.from_bytes(begin[4:8]) == CANCEL:
        return ""
    names = begin[8:].split(b"\0")[0:-2:2]
    return next((name.decode() for name in names if name.lower() not in KNOWN), "")


class Pooler(socketserver.ThreadingTCPServer):
    """Connections to one database. refused: why clients were rejected."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.database = (str(parts.hostname), int(parts.port or 5432))
        self.refused: list[str] = []
        super().__init__(("127.0.0.1", 0), _Client)
        user = parts.netloc.rpartition("@")[0]
        self.url = parts._replace(netloc=f"{user}@127.0.0.1:{self.server_address[1]}").geturl()


@contextmanager
def pooler(url: str) -> Iterator[Pooler]:
    """Listen in front of the database of `url`."""
    with Pooler(url) as peer:
        threading.Thread(target=peer.serve_forever, daemon=True).start()
        yield peer
        peer.shutdown()
