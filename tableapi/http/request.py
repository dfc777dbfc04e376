"""One HTTP request, read as far as it was needed (headers, path, body), and its answer. Raises BadRequest, TooLarge."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol
from urllib.parse import quote, unquote_to_bytes

from tableapi.auth.authenticators import NOBODY
from tableapi.auth.policy import VERBS
from tableapi.errors import BadRequest, MethodNotAllowed, TooLarge
from tableapi.http.response import Reply
from tableapi.observability.logging import new_request_id
from tableapi.ratelimit import counter

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

METHOD_HEADERS = ("x-http-method", "x-http-method-override", "x-method-override")
MOST_QUERY, MOST_HEADER = 60_000, 16_384  # bytes
_REQUEST_ID = re.compile(r"[\w-]{1,64}\Z", re.ASCII)
_NO_HEADER_NAME = re.compile(r"[^\w, -]")
# Two different values of one of these would let two readers of one request understand it differently.
_ONCE = frozenset(
    (b"x-api-key", b"x-dreamfactory-api-key", b"x-session-token", b"x-dreamfactory-session-token", b"authorization",
     b"content-type", b"content-length", b"if-match", b"idempotency-key", b"host",
     *(name.encode() for name in METHOD_HEADERS))
)  # fmt: skip

_API_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
_LIMITED = {"X-RateLimit-Limit", "X-Ratelimit-Limit"}  # a refusal, and a kept answer, say their own limit
_UNKEPT = [*_API_HEADERS, (b"cache-control", b"no-store")]


class Meter(Protocol):
    """What counts requests (underway.py): those of them that wait for their client."""

    idle: int


class HttpRequest:
    def __init__(self, scope: Scope, receive: Receive, proxies: frozenset[str]) -> None:
        self.scope, self.source = scope, receive
        self.meter: Meter | None = None
        self._left = True  # whether parts of the body may still come
        self.method: str = scope["method"]
        self.headers: dict[str, str] = {}
        self.path = self.raw_path = ""
        self.query_string: bytes = scope.get("query_string") or b""
        self.route = "unknown"
        self.actor = NOBODY
        self.hit: counter.Hit | None = None
        self.id = new_request_id()
        self.began = time.perf_counter()
        self.waits = 0.0  # since when for more of its body
        self.seconds = 0.0  # that it may take; 0 for what the settings say
        self.reads = False  # nothing is changed, and its body has been read: it may end when its client goes
        self.ended = ""  # why it was cut short (underway.py)
        self.ip: str = scope["client"][0] if scope.get("client") else ""
        self._proxies = proxies

    async def receive(self) -> MutableMapping[str, Any]:
        """The next part of the body. Who waits for a slow client takes no place from those who work."""
        if self.meter is None:
            message = await self.source()
        else:
            self.meter.idle += 1
            try:
                message = await self.source()
            finally:
                self.meter.idle -= 1
        self._left = bool(message.get("more_body"))
        return message

    def read(self) -> None:
        """Headers and path. Raises BadRequest for what is too long, or a header sent twice with different values."""
        given = self.scope["headers"]
        headers = self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in given}
        if len(headers) != len(given):
            self._refuse_two(given)
        if len(self.query_string) > MOST_QUERY:
            raise BadRequest(
                f"The query is longer than {MOST_QUERY} bytes. POST its options as JSON with X-HTTP-Method: GET.",
                reason="query_too_long",
            )
        if max(map(len, headers.values()), default=0) > MOST_HEADER:
            raise BadRequest(f"A header is longer than {MOST_HEADER} bytes.", reason="header_too_long")
        if "x-request-id" in headers and _REQUEST_ID.match(headers["x-request-id"]):
            self.id = headers["x-request-id"]
        if self._proxies and self.ip in self._proxies and "x-forwarded-for" in headers:
            hops = [hop.strip() for hop in headers["x-forwarded-for"].split(",")]
            self.ip = next((hop for hop in reversed(hops) if hop not in self._proxies), self.ip)
        raw = self.scope.get("raw_path")
        self.raw_path = raw.split(b"?")[0].decode("latin-1") if raw else self.scope["path"]
        self.path = unquoted(self.raw_path) if raw else self.scope["path"]
        if root := self.scope.get("root_path"):  # mounted in another application
            self.path, self.raw_path = self.path.removeprefix(root), self.raw_path.removeprefix(quote(root))

    def _refuse_two(self, given: Any) -> None:
        seen: dict[bytes, bytes] = {}
        for name, value in given:
            if seen.setdefault(name, value) != value and name in _ONCE:
                raise BadRequest(f"The header '{name.decode()}' is there twice.", reason="duplicate_header")

    async def body(self, most: int) -> bytes:
        """The whole body. Raises TooLarge as soon as it is known to be, and BadRequest when it does not come."""
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            raise TooLarge.of(most, headers={"Connection": "close"})
        parts, size = [], 0
        self.waits = time.perf_counter()  # underway.py ends a wait that lasts too long
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise BadRequest("The body did not come.", reason="no_body")
            size += len(part := message.get("body", b""))
            if size > most:
                raise TooLarge.of(most, headers={"Connection": "close"})
            parts.append(part)
            if not message.get("more_body"):
                self.waits = 0.0
                return b"".join(parts) if len(parts) > 1 else part

    @property
    def unread(self) -> bool:
        """Whether the client may still be sending a body, and did not ask before (Expect) or gave up."""
        has = self.headers.get("content-length", "0") != "0" or "transfer-encoding" in self.headers
        return has and self._left and not self.ended and "expect" not in self.headers

    async def drain(self, most: int = 16_000_000, seconds: float = 2.0) -> None:
        """Read on for a while: a client that still sends would see its connection reset instead of the answer."""
        size = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while size < most and self._left:
                    size += len((await self.receive()).get("body", b""))

    async def keep_body(self, most: int) -> bytes:
        """The whole body, left in place for who reads it next."""
        body = await self.body(most)

        async def again() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        self.source = again
        return body


def unquoted(text: str) -> str:
    if "%" not in text and text.isascii():
        return text
    try:
        found = unquote_to_bytes(text.encode("latin-1")).decode()
    except UnicodeError:
        raise BadRequest("The path is not valid UTF-8.", reason="bad_encoding") from None
    if "\x00" in found:
        raise BadRequest("The path holds a NUL character.", reason="bad_path")
    return found


def meant_verb(http: HttpRequest, query: dict[str, str]) -> str:
    """The verb meant: a POST may stand for another one (table-api §10)."""
    if http.method != "POST":
        meant = {"HEAD": "GET", "MERGE": "PATCH"}.get(http.method, http.method)
        if meant not in VERBS:
            raise MethodNotAllowed(
                f"The method '{meant[:20]}' is not served here.", headers={"Allow": ", ".join(VERBS)}
            )
        return meant
    for name in METHOD_HEADERS:
        if name in http.headers:
            meant = http.headers[name]
            break
    else:
        meant = query.get("method") or query.get("_method") or ""
    meant = meant.strip().upper() or "POST"
    meant = "PATCH" if meant == "MERGE" else meant
    if meant not in VERBS:
        raise MethodNotAllowed(f"The method '{meant[:20]}' does not exist.")
    return meant


def preflight(http: HttpRequest, origins: frozenset[str]) -> dict[str, str]:
    """The headers that answer the question of a browser before a request from elsewhere."""
    if http.headers.get("origin") not in origins:
        return {"Allow": ", ".join(VERBS)}
    wanted = http.headers.get("access-control-request-headers", "")
    return {
        "Access-Control-Allow-Methods": ", ".join(VERBS),
        "Access-Control-Allow-Headers": _NO_HEADER_NAME.sub("", wanted[:2000])[:500],
        "Access-Control-Max-Age": "600",
    }


async def respond(send: Send, http: HttpRequest, made: Reply, origins: frozenset[str]) -> None:
    """Send an answer with what every answer has."""
    body = made.body
    headers = [
        (b"content-type", made.content_type.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", http.id.encode()),
    ]
    if http.route != "page":
        headers += _API_HEADERS if "Cache-Control" in made.headers else _UNKEPT
    if (hit := http.hit) is not None and not _LIMITED & made.headers.keys():
        headers += (
            (b"x-ratelimit-limit", b"%d" % hit.limit),
            (b"x-ratelimit-remaining", b"%d" % hit.remaining),
            (b"x-ratelimit-reset", b"%d" % hit.reset_epoch),
        )
    if (origin := http.headers.get("origin")) in origins and origin:
        headers += [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]
    headers += [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in made.headers.items()]
    await send({"type": "http.response.start", "status": made.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if http.method == "HEAD" else body})
