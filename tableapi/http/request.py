"""One HTTP request, for tables and scripts alike; each part is parsed when it is first needed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, unquote_to_bytes

from tableapi.auth.authenticators import NOBODY, Headers, session_token
from tableapi.auth.policy import VERBS, Actor
from tableapi.config.networks import Networks
from tableapi.errors import BadRequest, MethodNotAllowed, TooLarge, UnsupportedMedia
from tableapi.ratelimit import counter

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Pairs = Iterable[tuple[bytes, bytes]]  # the headers as they were sent, with names in lower case

ALLOWED = ", ".join((*VERBS, "QUERY"))
METHOD_HEADERS = ("x-http-method", "x-http-method-override", "x-method-override")
MAX_QUERY_BYTES, MAX_HEADER_BYTES = 60_000, 16_384
DRAIN_BYTES, DRAIN_SECONDS = 16_000_000, 2.0
_CLOSE = {"Connection": "close"}
_prefix = os.urandom(5).hex()
_numbers = itertools.count(1)
_REQUEST_ID = re.compile(r"[\w-]{1,64}\Z", re.ASCII)
# A proxy and an application may each pick a different one of two values, so duplicates of these are rejected.
_SINGLE_HEADERS = frozenset(
    (b"x-api-key", b"x-dreamfactory-api-key", b"x-session-token", b"x-dreamfactory-session-token", b"authorization",
     b"content-type", b"content-length", b"if-match", b"idempotency-key", b"host",
     *(name.encode() for name in METHOD_HEADERS))
)  # fmt: skip


# Key in the scope of a request for a caller set by the surrounding program (`tableapi.testing`).
ACTOR = "tableapi.actor"


_UNREAD = Headers()


def _renew_prefix() -> None:
    global _prefix
    _prefix = os.urandom(5).hex()


os.register_at_fork(after_in_child=_renew_prefix)  # the workers of a server must not share a prefix


def new_request_id() -> str:
    """Return an id that is unique across nodes and restarts and carries no information."""
    return f"{_prefix}{next(_numbers)}"


class InFlight(Protocol):
    """The part of admission control that requests update (`http/admission.py`)."""

    idle: int  # requests that are blocked on their client


class HttpRequest:
    """One request, with the facts found while it is handled.

    `headers` has lower-case names. `path` is decoded and relative to the mount; `root_path` is the mount as it appears
    in URLs. `route`, `actor` and `hit` are set along the way and used by the log, the metrics and the headers of the
    response.
    """

    # Defaults. As class attributes they cost nothing per request, but reading one takes as long as setting ten others.
    in_flight: InFlight | None = None
    path = raw_path = root_path = _root = ""
    encoded = False  # whether `raw_path` has to be decoded
    lines = ""  # of the head of its response, each with its end of line; they are not checked again
    route = "unknown"  # the pattern of the path, never the path itself
    actor = NOBODY
    sent_actor: Actor | None = None  # the caller, if the surrounding program named it
    task: asyncio.Task[Any] | None = None  # in which it is handled, if its server knows
    hit: counter.Hit | None = None  # the tightest rate limit that the request counted against
    body_wait_since = 0.0  # when reading of the body began; 0 while it is not being read
    time_limit = 0.0  # seconds; 0 for the limit in the settings
    cancellable = False  # a read with a complete body, which may be cancelled when the client disconnects
    cancelled_for = ""  # the reason for which admission control cancelled it
    unread = False  # whether the client may still be sending a body

    def __init__(self, scope: Scope, receive: Receive, proxies: Networks | None = None) -> None:
        self.scope, self.source = scope, receive
        self.method: str = scope["method"]
        self.headers = _UNREAD
        self.pairs: Pairs | None = scope["headers"]
        self.query_string: bytes = scope.get("query_string") or b""
        self.request_id = new_request_id()
        self.started_at = time.perf_counter()
        self.peer: str = scope["client"][0] if scope.get("client") else ""
        self.ip = self.peer
        self._proxies = proxies
        raw: bytes | None = scope.get("raw_path")
        self.raw_path = raw.split(b"?")[0].decode("latin-1") if raw else scope["path"]
        self.path = "" if raw else self.raw_path  # a server without `raw_path` has decoded it
        self._root = scope.get("root_path") or ""
        self.sent_actor = scope.get(ACTOR)

    def read(self) -> None:
        """Check headers and path. Raises BadRequest for oversized or contradictory headers and bad paths."""
        if self.pairs is not None:
            sent = list(self.pairs)
            headers = Headers({name.decode("latin-1"): value.decode("latin-1") for name, value in sent})
            # A client that sent `Expect` waits for permission before it sends a body.
            has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
            self.unread = has_body and "expect" not in headers
            self.headers = headers
            if len(headers) != len(sent):
                _reject_contradictions(sent)
            if max(map(len, headers.values()), default=0) > MAX_HEADER_BYTES:
                raise BadRequest(f"A header is longer than {MAX_HEADER_BYTES} bytes.", reason="header_too_long")
        headers = self.headers
        if len(self.query_string) > MAX_QUERY_BYTES:
            raise query_too_long()
        if "x-request-id" in headers and _REQUEST_ID.match(headers["x-request-id"]):
            self.request_id = headers["x-request-id"]
        if (proxies := self._proxies) is not None and self.peer in proxies and "x-forwarded-for" in headers:
            hops = [hop.strip() for hop in headers["x-forwarded-for"].split(",")]
            self.ip = next((hop for hop in reversed(hops) if hop not in proxies), self.peer)
        self.encoded = "%" in self.raw_path or not self.raw_path.isascii()
        if not self.path:
            self.path = unquoted(self.raw_path) if self.encoded else self.raw_path
        if self._root:  # mounted in another application
            self.root_path = quote(self._root)
            self.path, self.raw_path = self.path.removeprefix(self._root), self.raw_path.removeprefix(self.root_path)

    # -- for scripts ---------------------------------------------------------------------------------------------------

    @cached_property
    def query(self) -> Mapping[str, str]:
        """The query parameters by name; the last of several with the same name wins."""
        return dict(parse_qsl(self.query_string.decode("latin-1"), keep_blank_values=True))

    @cached_property
    def session_token(self) -> str:
        """The session token as sent by the client; empty if there is none. Only its hash is stored."""
        return session_token(self.headers)

    @property
    def network(self) -> str:
        """The client address used for rate limits: for IPv6, the /64 prefix."""
        return counter.network(self.ip)

    # -- body ----------------------------------------------------------------------------------------------------------

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message from the client."""
        message = await self.source()
        self.unread = bool(message.get("more_body"))
        return message

    async def body(self, limit: int) -> bytes:
        """Read the whole body, up to `limit` bytes.

        Requests blocked on a slow client do not count towards the in-flight limit.

        Raises:
            TooLarge: raised as soon as the size is known to exceed the limit (413).
            UnsupportedMedia: the body is compressed (415).
            BadRequest: the client disconnected before the end of the body.
        """
        length = self.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else -1
        if "content-encoding" in self.headers or size > limit:
            self._check_head(limit)
        self.unread = True
        self.body_wait_since = time.perf_counter()  # admission control limits this wait
        in_flight = self.in_flight
        if in_flight is not None:
            in_flight.idle += 1
        try:
            message = await self.source()
            body: bytes = message.get("body", b"")
            # An ASGI server may send the whole body with `more_body`, and then an empty part, which is not waited for.
            if len(body) != size or not body:
                body = await self._joined(message, limit)
        finally:
            if in_flight is not None:
                in_flight.idle -= 1
        self.unread, self.body_wait_since = False, 0.0
        return body

    async def _joined(self, message: MutableMapping[str, Any], limit: int) -> bytes:
        """Return the whole body, of which `message` is the first part."""
        parts, size = [], 0
        while True:
            self.unread = bool(message.get("more_body"))
            if message["type"] == "http.disconnect":
                raise BadRequest("The connection ended before the body was complete.", reason="no_body")
            size += len(part := message.get("body", b""))
            if size > limit:
                raise TooLarge.of(limit, headers=_CLOSE)
            parts.append(part)
            if not self.unread:
                return b"".join(parts)
            message = await self.source()

    def _check_head(self, limit: int) -> None:
        """Reject a body that is too large or compressed before reading it."""
        length, coding = self.headers.get("content-length", ""), self.headers.get("content-encoding", "")
        if length.isdecimal() and int(length) > limit:
            raise TooLarge.of(limit, headers=_CLOSE)
        if coding.strip().lower() not in ("", "identity"):
            message = f"The body is compressed with '{coding[:40]}'. Send it uncompressed."
            raise UnsupportedMedia(message, headers={"Accept-Encoding": "identity"})

    async def parts(self, limit: int) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, up to `limit` bytes. Each part has its own time limit.

        Raises the same errors as `body`.
        """
        self._check_head(limit)
        size, self.unread = 0, True
        while self.unread:
            self.body_wait_since = time.perf_counter()
            if self.in_flight is not None:
                self.in_flight.idle += 1
            try:
                message = await self.receive()
            finally:
                self.body_wait_since = 0.0
                if self.in_flight is not None:
                    self.in_flight.idle -= 1
            if message["type"] == "http.disconnect":
                raise BadRequest("The connection ended before the body was complete.", reason="no_body")
            size += len(part := message.get("body", b""))
            if size > limit:
                raise TooLarge.of(limit, headers=_CLOSE)
            yield part

    async def peek_body(self, limit: int) -> bytes:
        """Return the whole body, leaving it in place for the next reader. Raises the same errors as `body`."""
        body = await self.body(limit)

        async def repeat() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        self.source = repeat
        return body

    def forget(self) -> None:
        """Release everything that the response does not need, because a stream may last for hours."""
        self.scope, self.pairs = {}, None

    async def drain(self) -> None:
        """Read the rest of the body for a while, because a client that is still sending would see a reset."""
        size = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                while size < DRAIN_BYTES and self.unread:
                    size += len((await self.receive()).get("body", b""))


def query_too_long() -> BadRequest:
    """Build the error for a query of more than MAX_QUERY_BYTES."""
    message = f"The query is longer than {MAX_QUERY_BYTES} bytes. POST its options as JSON with X-HTTP-Method: GET."
    return BadRequest(message, reason="query_too_long")


def _reject_contradictions(pairs: Pairs) -> None:
    first: dict[bytes, bytes] = {}
    for name, value in pairs:
        if name == b"host" and name in first:  # RFC 9112 3.2: even with the same value
            raise BadRequest(
                "The header 'host' was sent twice. Send it once.", reason="duplicate_header", headers=_CLOSE
            )
        if first.setdefault(name, value) != value and name in _SINGLE_HEADERS:
            raise BadRequest(
                f"The header '{name.decode()}' was sent twice with different values. Send it once.",
                reason="duplicate_header",
                headers=_CLOSE,
            )


async def _no_body() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


def no_request() -> HttpRequest:
    """Return the empty request used by jobs."""
    request = HttpRequest({"method": "", "path": "", "headers": ()}, _no_body)
    request.request_id = ""
    return request


def unquoted(text: str) -> str:
    """Decode a path. Raises BadRequest for bytes that are not UTF-8 and for NUL."""
    if "%" not in text and text.isascii():
        return text
    try:
        path = unquote_to_bytes(text.encode("latin-1")).decode()
    except UnicodeError:
        raise BadRequest("The path is not valid UTF-8.", reason="bad_encoding") from None
    if "\x00" in path:
        raise BadRequest("The path contains a NUL character.", reason="bad_path")
    return path


def effective_verb(request: HttpRequest, query: Mapping[str, str]) -> str:
    """Return the verb to carry out, which a POST may override with a header or the option `method`."""
    verb = request.method
    if verb != "POST":
        verb = {"HEAD": "GET", "QUERY": "GET", "MERGE": "PATCH"}.get(verb, verb)
        if verb not in VERBS:
            message = f"The method '{verb[:20]}' is not supported here. Use one of {ALLOWED}."
            raise MethodNotAllowed(message, headers={"Allow": ALLOWED})
        return verb
    for name in METHOD_HEADERS:
        if name in request.headers:
            verb = request.headers[name]
            break
    else:
        verb = query.get("method") or query.get("_method") or ""
    verb = verb.strip().upper() or "POST"
    verb = "PATCH" if verb == "MERGE" else verb
    if verb not in VERBS:
        raise MethodNotAllowed(f"Unknown method '{verb[:20]}'. Send GET, POST, PUT, PATCH, MERGE or DELETE.")
    return verb
