"""One HTTP request, read as far as it was needed: headers, path, body. Raises BadRequest and TooLarge."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from tableapi import limits, observe
from tableapi.auth import NOBODY
from tableapi.errors import BadRequest, TooLarge

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

METHOD_HEADERS = ("x-http-method", "x-http-method-override", "x-method-override")
_REQUEST_ID = re.compile(r"[\w-]{1,64}\Z", re.ASCII)
# Two different values of one of these would let two readers of one request understand it differently.
_ONCE = frozenset(
    (b"x-api-key", b"x-dreamfactory-api-key", b"x-session-token", b"x-dreamfactory-session-token", b"authorization",
     b"content-type", b"content-length", b"if-match", b"idempotency-key", b"host",
     *(name.encode() for name in METHOD_HEADERS))
)  # fmt: skip


class Http:
    def __init__(self, scope: Scope, receive: Receive, proxies: frozenset[str]) -> None:
        self.scope, self.receive = scope, receive
        self.method: str = scope["method"]
        self.headers: dict[str, str] = {}
        self.path = self.raw_path = ""
        self.query_string: bytes = scope.get("query_string") or b""
        self.route = "unknown"
        self.actor = NOBODY
        self.hit: limits.Hit | None = None
        self.id = observe.new_request_id()
        self.ip: str = scope["client"][0] if scope.get("client") else ""
        self._proxies = proxies

    def read(self) -> None:
        """Headers and path. Raises BadRequest for a header sent twice with different values."""
        headers = self.headers
        for name, value in self.scope["headers"]:
            text = value.decode("latin-1")
            key = name.decode("latin-1").lower()
            if key in headers and name.lower() in _ONCE and headers[key] != text:
                raise BadRequest(f"The header '{key}' is there twice.", reason="duplicate_header")
            headers[key] = text
        if "x-request-id" in headers and _REQUEST_ID.match(headers["x-request-id"]):
            self.id = headers["x-request-id"]
        if self._proxies and self.ip in self._proxies and "x-forwarded-for" in headers:
            hops = [hop.strip() for hop in headers["x-forwarded-for"].split(",")]
            self.ip = next((hop for hop in reversed(hops) if hop not in self._proxies), self.ip)
        raw = self.scope.get("raw_path")
        self.raw_path = raw.split(b"?")[0].decode("latin-1") if raw else self.scope["path"]
        self.path = unquoted(self.raw_path) if raw else self.scope["path"]

    async def body(self, most: int, seconds: float = 10.0) -> bytes:
        """The whole body. Raises TooLarge as soon as it is known to be, and BadRequest when it does not come."""
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            await self._drain()
            raise TooLarge.of(most, headers={"Connection": "close"})
        parts, size = [], 0
        try:
            async with asyncio.timeout(seconds):
                while True:
                    message = await self.receive()
                    if message["type"] == "http.disconnect":
                        raise BadRequest("The body did not come.", reason="no_body")
                    size += len(part := message.get("body", b""))
                    if size > most:
                        await self._drain()
                        raise TooLarge.of(most, headers={"Connection": "close"})
                    parts.append(part)
                    if not message.get("more_body"):
                        return b"".join(parts) if len(parts) > 1 else part
        except TimeoutError:
            raise BadRequest("The body came too slowly.", reason="slow_body", status=408) from None

    async def _drain(self, most: int = 16_000_000, seconds: float = 2.0) -> None:
        """Read on for a while: a client that still sends would see its connection reset instead of the answer."""
        size = 0
        try:
            async with asyncio.timeout(seconds):
                while size < most:
                    message = await self.receive()
                    size += len(message.get("body", b""))
                    if message["type"] == "http.disconnect" or not message.get("more_body"):
                        return
        except TimeoutError:
            return

    async def keep_body(self, most: int) -> bytes:
        """The whole body, left in place for who reads it next."""
        body = await self.body(most)

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        self.receive = receive
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
