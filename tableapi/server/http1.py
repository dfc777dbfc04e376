"""HTTP/1.1 on the event loop: the connections of one worker process, parsed by llhttp.

Request and response stay on one thread and never become ASGI messages, which took more time than the request itself
(docs/explanation/performance.md). A connection serves one request at a time. It is not read while a body or another
request waits, and a stream waits while its client does not read.
"""

from __future__ import annotations

import asyncio
import fcntl
import re
import sys
import termios
import time
from collections import deque
from collections.abc import MutableMapping
from email.utils import formatdate
from functools import cached_property
from http import HTTPStatus
from typing import Any, cast

import httptools

from tableapi.app.application import UNLIMITED, App
from tableapi.auth.authenticators import Headers
from tableapi.errors import ApiError, BadRequest, MethodNotAllowed
from tableapi.http.request import ALLOWED, HttpRequest, Scope, new_request_id
from tableapi.http.response import Response
from tableapi.http.send import BODILESS, send_parts
from tableapi.log import get_logger
from tableapi.observability import tracing

log = get_logger(__name__)
HEAD_BYTES, MAX_HEADERS = 131_072, 100  # of one request; the application has lower limits for its parts
BODY_BYTES = 262_144  # received but not taken yet, above which a connection is not read
COPIED_BYTES = 65_536  # a longer body is sent without being copied behind its head
IDLE_SECONDS, STALLED_SECONDS = 30.0, 60.0
LINGER_SECONDS = 1.0  # for a client that still sends something that will not be read
SWEEP_SECONDS = 2.0  # between checks of these times
MAX_CONNECTIONS = 8192  # per worker, most of them idle; MAX_IN_FLIGHT limits the requests in flight
# Remembered heads: their number, maximum length, and seconds.
MAX_KNOWN, KNOWN_BYTES, KNOWN_SECONDS = 2000, 4096, 60.0
_OF_ONE_REQUEST = frozenset(
    ("x-request-id", "traceparent", "if-match", "if-none-match", "if-modified-since", "range", "idempotency-key")
)
# no control character, space or fragment
_LINE = re.compile(rb"(GET|POST|PUT|PATCH|DELETE) (/[!\"$-~]*) HTTP/1\.1")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_VERSIONS = ("1.0", "1.1")
_METHOD = re.compile(rb"[\w!#$%&'*+.^`|~-]+ [/*]")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}
_CLOSE, _KEEP_ALIVE = b"connection: close\r\n", b"connection: keep-alive\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"
_UNREAD = Headers()


class ClientRequest(HttpRequest):
    """A request of a connection. Its body may arrive while it is handled."""

    keep_alive: bool  # whether the client may send another request on the connection
    ends: bool  # whether the server closes it nevertheless
    version = "1.1"
    complete: bool  # whether the whole body has arrived
    taken = False  # whether all of it has been passed on
    length: int | None = None  # of its body, if that is known and the head can be sent again
    expects = False  # whether the client waits for permission to send it
    cut = False  # whether the rest of it cannot be read
    error: ApiError | None  # why it cannot be read
    checked = False  # whether its headers were read, and nothing was wrong with them
    block: bytes  # the head without its first line, if another request may have the same
    held = 0  # bytes of the body that have arrived
    waiter: asyncio.Future[None] | None = None

    def __init__(self, connection: ClientConnection, method: str, target: bytes, headers: Headers) -> None:
        path, _, self.query_string = target.partition(b"?")
        self.method, self.raw_path, self.headers = method, path.decode("latin-1"), headers
        self.request_id, self.started_at = new_request_id(), time.perf_counter()
        self.peer = self.ip = connection.peer
        self._proxies = connection.proxies
        self.connection = connection
        self.arrived: list[bytes] = []  # parts of the body
        self.keep_alive = self.complete = True
        self.ends = self.unread = False
        self.error = self.pairs = self.sent_actor = None
        self.path = self._root = ""
        self.block = b""

    @cached_property
    def scope(self) -> Scope:  # type: ignore[override]
        """The request for programs that speak ASGI."""
        pairs = self.pairs or [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers.items()
        ]
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": self.version, "scheme": "http",
            "method": self.method, "path": self.path, "raw_path": self.raw_path.encode("latin-1"), "root_path": "",
            "query_string": self.query_string, "headers": pairs, "client": (self.peer, 0), "server": None,
        }  # fmt: skip

    def read(self) -> None:
        """Check headers and path, as any request does. Raises BadRequest for a request that is not valid HTTP."""
        if self.error is not None:
            raise self.error
        super().read()
        if "host" not in self.headers and self.version == "1.1":
            self.ends = True
            raise BadRequest("Send the header Host (RFC 9112 3.2).", reason="bad_http")
        self.checked = True

    async def source(self) -> MutableMapping[str, Any]:
        """Wait for more of the body or, once it has been passed on, until the client disconnects."""
        connection = self.connection
        while not (connection.lost or self.cut):
            if self.arrived or (self.complete and not self.taken):
                body = b"".join(self.arrived)
                self.arrived.clear()
                self.held = 0
                self.taken = self.complete
                connection.read_on()
                return {"type": "http.request", "body": body, "more_body": not self.complete}
            if self.expects:
                self.expects = False
                connection.transport.write(_CONTINUE)
            self.waiter = asyncio.get_running_loop().create_future()
            await self.waiter
        return {"type": "http.disconnect"}

    def wake(self) -> None:
        """Let `source` look again."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class ClientConnection(asyncio.Protocol):
    """A connection of a client, and the callbacks of its parser."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self.server, self.proxies = server, server.app.proxies
        self.peer = ""
        self.lost = False
        self.request: ClientRequest | None = None  # the one being handled
        self._waiting: deque[ClientRequest] = deque()  # those that were sent before its response
        self._parser = httptools.HttpRequestParser(self)
        self._pairs: list[tuple[bytes, bytes]] | None = None  # of the head that is being parsed
        self._arriving: ClientRequest | None = None  # the request with the body that is being parsed
        self._target, self._size = b"", 0  # of that head
        self._stuck = 0  # bytes parsed since a request or a part of a body came out
        self._paused = self._done = False  # whether it is not read for a while, or never again
        self._unsent: asyncio.Future[None] | None = None  # while the client does not read
        self._quiet, self._left = 0.0, 0  # seconds without progress, and bytes to send at the last check

    # -- of the event loop ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        address = transport.get_extra_info("peername")
        self.peer = address[0] if isinstance(address, tuple) else ""
        self.server.connections.add(self)
        if len(self.server.connections) > MAX_CONNECTIONS:
            self.transport.write(_FULL)
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self.lost = self._done = True
        self.server.connections.discard(self)
        self._waiting.clear()
        self.resume_writing()
        if self.request is not None:
            self.request.wake()

    def pause_writing(self) -> None:
        self._unsent = self.server.loop.create_future()

    def resume_writing(self) -> None:
        if self._unsent is not None and not self._unsent.done():
            self._unsent.set_result(None)
        self._unsent = None

    def data_received(self, data: bytes) -> None:
        if self._done:
            return
        body, end = 0, -1
        if self.request is None and self._pairs is None and self._arriving is None:
            end = data.find(b"\r\n")
            body = data.find(b"\r\n\r\n", end) + 4 if end > 0 else 0
            known = self.server.known.get(data[end:body])  # parsed and checked before
            if (
                known is not None
                and len(data) - body == known[1]
                and (line := _LINE.fullmatch(data, 0, end)) is not None
            ):
                method, target = line.groups()
                request = ClientRequest(self, method.decode(), target, known[0])
                if known[1]:
                    request.arrived, request.held = [data[body:]], known[1]
                self._start(request)
                return
        if end > 0 and not data[:end].isascii():  # some clients send the characters of an address as they were typed
            data = _NOT_ASCII.sub(lambda byte: b"%%%02X" % byte[0][0], data[:end]) + data[end:]
            end = data.find(b"\r\n")
            body = data.find(b"\r\n\r\n", end) + 4
        self._parse(data)
        arrived = self.request
        if body > 4 and arrived is not None and arrived.complete and arrived.length == len(data) - body:
            arrived.block = data[end:body]

    def _parse(self, data: bytes) -> None:
        self._stuck += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # the request is served as any other, and is the last one
            self._done = True
        except httptools.HttpParserError as error:
            if isinstance(error, httptools.HttpParserInvalidMethodError) and _METHOD.match(data):
                self._fail(MethodNotAllowed("Unknown method. See the header Allow.", headers={"Allow": ALLOWED}))
            else:
                self._fail(BadRequest(f"This is not valid HTTP/1.1: {error}."[:200], reason="bad_http"))
        else:
            if self._stuck > HEAD_BYTES:
                self._fail(_too_long())

    # -- of the parser -------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._pairs, self._target, self._size, self._stuck = [], b"", 0, 0
        self._quiet = 0.0  # not at each byte: a head has its time as a whole

    def on_url(self, url: bytes) -> None:
        self._target += url
        self._size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._size += len(name) + len(value)
        if self._pairs is not None:  # else it is a trailer, which nothing reads
            self._pairs.append((name.lower(), value.strip(b" \t")))  # llhttp leaves the blanks at the end

    def on_headers_complete(self) -> None:
        parser, pairs = self._parser, self._pairs
        request = ClientRequest(self, parser.get_method().decode("ascii"), _origin_form(self._target), _UNREAD)
        request.pairs, self._pairs = pairs, None
        request.version, request.complete = parser.get_http_version(), False
        request.keep_alive = parser.should_keep_alive() and not parser.should_upgrade()
        length: int | None = 0
        for name, value in pairs or ():
            if name == b"content-length":
                length = int(value) if length is not None else None
            elif name == b"expect":
                length, request.expects = None, value.lower() == b"100-continue"
            elif name == b"transfer-encoding":
                length = None
                if value.lower() != b"chunked":
                    request.error = BadRequest("Send the body with no transfer coding but chunked.", reason="bad_http")
        request.length = length if request.version == "1.1" else None
        if request.version not in _VERSIONS:
            request.error = BadRequest(f"Send HTTP/1.1, not HTTP/{request.version}.", reason="bad_http")
        if self._size > HEAD_BYTES or len(pairs or ()) > MAX_HEADERS:
            request.error = _too_long()
        request.ends = request.error is not None
        self._arriving, self._size = request, 0
        self._enter(request)

    def on_body(self, part: bytes) -> None:
        self._stuck = 0
        if (request := self._arriving) is not None:
            request.arrived.append(part)
            request.held += len(part)
            request.wake()
            if request.held > BODY_BYTES:
                self._pause()

    def on_message_complete(self) -> None:
        self._stuck = 0
        request, self._arriving = self._arriving, None
        if request is not None:
            request.complete = True
            if self._size > HEAD_BYTES:  # of trailers
                request.cut = request.ends = True
            request.wake()

    # -- requests and responses ----------------------------------------------------------------------------------------

    def _fail(self, error: ApiError) -> None:
        """Respond with `error` to a malformed request, after the responses to earlier ones."""
        self._done = True
        if (request := self._arriving) is not None:  # its body
            request.cut = request.ends = True
            request.wake()
            return
        request = ClientRequest(self, "", b"/", _UNREAD)
        request.error, request.ends = error, True
        self._enter(request)

    def _enter(self, request: ClientRequest) -> None:
        if self.request is None:
            self._start(request)
        else:
            self._waiting.append(request)
            self._pause()

    def _start(self, request: ClientRequest) -> None:
        self.request = request
        # Without a name, a task formats one, which takes longer than making it.
        request.task = asyncio.Task(self._serve(request), loop=self.server.loop, name="request")

    async def _serve(self, request: ClientRequest) -> None:
        app = self.server.app
        try:
            if request.raw_path not in UNLIMITED and app.admission.full():
                _, body, lines = app.shed(request)
                self._send(request, 503, lines, body)
            else:
                respond = app.respond if tracing.tracer is None else app.traced
                response, body, lines = await respond(request)
                if "Connection" in response.headers:
                    request.ends = True
                if response.stream is None:
                    self._send(request, response.status, lines, body)
                else:
                    await self._stream(request, response, lines)
                app.finished(request, response)
            if self._unsent is not None:
                await self._unsent
        except Exception as error:
            log.error("bug", request_id=request.request_id, exc_info=error)
            request.ends = True
        finally:
            self._end(request)

    def _head(self, request: ClientRequest, status: int, lines: bytes, more: bytes = b"") -> tuple[bytes, ...]:
        """Return the parts of the head of a response, and note whether another request may follow."""
        server = self.server
        if server.stopping or not request.complete or (self._done and not self._waiting):
            request.ends = True
        if request.ends or not request.keep_alive:
            more += b"" if b"\r\nconnection: close" in lines else _CLOSE
        elif request.version == "1.0":
            more += _KEEP_ALIVE
        status_line = _STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status
        return status_line, server.date(), lines, more, b"\r\n"

    def _send(self, request: ClientRequest, status: int, lines: bytes, body: bytes) -> None:
        if self.lost:
            return
        head = self._head(request, status, lines)
        if request.method == "HEAD" or status in BODILESS:
            self.transport.write(b"".join(head))
        elif len(body) <= COPIED_BYTES:
            self.transport.write(b"".join((*head, body)))
        else:
            self.transport.writelines((b"".join(head), body))

    async def _stream(self, request: ClientRequest, response: Response, lines: bytes) -> None:
        """Send a body of unknown length in chunks, or to a client of HTTP/1.0 until the connection ends."""
        assert response.stream is not None
        chunked = request.version != "1.0"
        request.ends |= not chunked

        async def send(part: bytes) -> None:
            if part and not self.lost:
                self.transport.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
                if self._unsent is not None:
                    await self._unsent

        try:
            self.transport.write(b"".join(self._head(request, response.status, lines, _CHUNKED if chunked else b"")))
            if request.method != "HEAD":
                await send_parts(send, request, response.stream, response.disconnected)
                if chunked and not self.lost:
                    self.transport.write(b"0\r\n\r\n")
        finally:
            await response.discard()

    def _end(self, request: ClientRequest) -> None:
        """Close the connection after its last response, or begin the next one."""
        self.request, self._quiet = None, 0.0
        if self.lost:
            return
        if request.ends or not request.keep_alive:
            self.close(lingers=request.ends)
            return
        if request.block and request.checked and request.length is not None:
            self.server.remember(request.block, request.headers, request.length)
        if self._waiting:
            self._start(self._waiting.popleft())
        self.read_on()

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def read_on(self) -> None:
        """Resume reading, unless a request waits."""
        if self._paused and not self._waiting and not self.lost:
            self._paused = False
            self.transport.resume_reading()

    def close(self, *, lingers: bool = False) -> None:
        """Close the connection once everything is sent.

        lingers: the client may still be sending. If it were disconnected at once, it could lose the response, so the
        rest is read and ignored for a moment.
        """
        self._done = True
        self._waiting.clear()
        if lingers and self.transport.can_write_eof():
            self._paused = False
            self.transport.resume_reading()
            self.transport.write_eof()
            self.server.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()

    def check(self, elapsed: float) -> None:
        """Close an idle connection, or one with a client that stalls in its head or reads no response."""
        left = self.transport.get_write_buffer_size()
        if left:  # it does not change before a third of the kernel's buffer, often a megabyte, has been read
            left += _unread(self.transport)
        self._quiet = self._quiet + elapsed if left == self._left else 0.0
        self._left = left
        if left and self._quiet > self.server.stalled_seconds:
            self.transport.abort()
        elif self.request is None and not left and self._quiet > self.server.idle_seconds:
            self.close()


def _unread(transport: asyncio.Transport) -> int:
    """Return how many bytes the kernel still holds for the client; 0 on systems that do not tell."""
    held = bytearray(4)
    try:
        fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, held)
    except OSError:
        return 0
    return int.from_bytes(held, sys.byteorder)


class Server:
    """The connections of a process, and the application that responds to them.

    Args:
        idle_seconds: for the head of a request, and between two requests.
        stalled_seconds: for a client that reads nothing of its response.
    """

    def __init__(self, app: App, idle_seconds: float = IDLE_SECONDS, stalled_seconds: float = STALLED_SECONDS) -> None:
        self.app, self.idle_seconds, self.stalled_seconds = app, idle_seconds, stalled_seconds
        self.loop = asyncio.get_running_loop()
        self.connections: set[ClientConnection] = set()
        # Headers, with the tokens of sessions, and the length of the body, by the bytes between first line and body.
        self.known: dict[bytes, tuple[Headers, int]] = {}
        self._forget_at = self.loop.time() + KNOWN_SECONDS
        self.stopping = False
        self._second, self._date = 0, b""
        self._sweep_seconds = min(SWEEP_SECONDS, idle_seconds / 4, stalled_seconds / 4)
        self._swept_at = self.loop.time()
        self._timer = self.loop.call_later(self._sweep_seconds, self._sweep)

    def __call__(self) -> ClientConnection:
        """Return the protocol of a new connection."""
        return ClientConnection(self)

    def date(self) -> bytes:
        """Return the line of the present time."""
        if (second := int(time.time())) != self._second:
            self._second, self._date = second, f"date: {formatdate(second, usegmt=True)}\r\n".encode()
        return self._date

    def remember(self, block: bytes, headers: Headers, length: int) -> None:
        """Keep what these bytes mean for a while, unless they are of one request only."""
        if len(block) > KNOWN_BYTES or not _OF_ONE_REQUEST.isdisjoint(headers):
            return
        if len(self.known) >= MAX_KNOWN:
            self.known.clear()
        self.known[block] = headers, length

    def _sweep(self) -> None:
        now = self.loop.time()
        # A pause of this process, as of a suspended machine, does not count against its clients.
        elapsed, self._swept_at = min(now - self._swept_at, 2 * self._sweep_seconds), now
        for connection in list(self.connections):
            connection.check(elapsed)
        if now > self._forget_at:
            self.known.clear()
            self._forget_at = now + KNOWN_SECONDS
        self._timer = self.loop.call_later(self._sweep_seconds, self._sweep)

    async def stop(self, seconds: float) -> None:
        """Close idle connections at once, and the others after their response or after `seconds`."""
        self.stopping = True
        self._timer.cancel()
        tasks = [connection.request.task for connection in self.connections if connection.request is not None]
        for connection in list(self.connections):
            if connection.request is None:
                connection.close()
        waiting = {task for task in tasks if task is not None}
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=seconds)
            for task in late:
                task.cancel()
        for connection in list(self.connections):
            connection.transport.abort()


def _origin_form(target: bytes) -> bytes:
    """Return path and query of a request target, which may be a whole address (RFC 9112 3.2.2)."""
    target = target.partition(b"#")[0]
    if target.startswith(b"/") or b"://" not in target:
        return target
    _, slash, path = target.partition(b"://")[2].partition(b"/")
    return slash + path if slash else b"/"


def _too_long() -> ApiError:
    message = f"The request has more than {MAX_HEADERS} headers or {HEAD_BYTES} bytes of them. Send fewer."
    return BadRequest(message, reason="header_too_long", status=431)
