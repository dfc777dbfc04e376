"""The head of a response, with the headers of all responses, and sending it through an ASGI server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import lru_cache

from tableapi.http.compression import chosen, compressed, compressible
from tableapi.http.cors import Cors
from tableapi.http.request import HttpRequest, Send
from tableapi.http.response import Response

BODILESS = (204, 304)  # RFC 9110 8.6: they have no length either
_API_LINES = "x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n"
_UNCACHED_LINES = _API_LINES + "cache-control: no-store\r\n"
# Errors and replayed responses have their own.
_LIMIT_HEADERS = frozenset(("X-RateLimit-Limit", "X-Ratelimit-Limit"))
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


async def encoded(request: HttpRequest, response: Response) -> tuple[bytes, str]:
    """Return a large body, compressed if the client accepts it, and the header lines that say so."""
    body, lines = response.body, ""
    if compressible(response):
        lines = "vary: Accept-Encoding\r\n"
        if coding := chosen(request.headers.get("accept-encoding", "")):
            body = await compressed(body, coding)
            lines += f"content-encoding: {coding}\r\n"
    return body, lines


def head(request: HttpRequest, response: Response, length: int, cors: Cors, more: str = "") -> bytes:
    """Return the header lines of a response with a body of `length` bytes, each with its end of line.

    They are the request id, rate limit, security and CORS headers, those of the response, and the lines `more`.
    """
    headers = response.headers
    lines = f"content-type: {response.content_type}\r\nx-request-id: {request.request_id}\r\n{request.lines}{more}"
    if response.stream is None and response.status not in BODILESS:  # the length of a stream is not known
        lines += f"content-length: {length}\r\n"
    if request.route != "page":
        lines += _API_LINES if "Cache-Control" in headers else _UNCACHED_LINES
    if (hit := request.hit) is not None and _LIMIT_HEADERS.isdisjoint(headers):
        limit, remaining, reset, _ = hit
        lines += (
            f"x-ratelimit-limit: {limit}\r\nx-ratelimit-remaining: {remaining}\r\nx-ratelimit-reset: {int(reset)}\r\n"
        )
    lines += cors.always if "origin" not in request.headers else cors.headers(request.headers["origin"])
    for name, value in headers.items():
        if not value.isprintable():
            value = _CONTROLS.sub(" ", value)
        lines += f"{_lower(name)}: {value}\r\n"
    return lines.encode("latin-1", "replace")


@lru_cache(maxsize=200)
def _lower(name: str) -> str:
    return name.lower()


async def send_response(send: Send, request: HttpRequest, response: Response, body: bytes, lines: bytes) -> None:
    """Send `response` with `body` and the header lines `lines` through an ASGI server. HEAD gets no body.

    An error in the middle of a stream closes the connection, so that the client can tell that the response is
    incomplete.
    """
    headers = [(name, value) for name, _, value in (line.partition(b": ") for line in lines.splitlines())]
    start = {"type": "http.response.start", "status": response.status, "headers": headers}
    end = {"type": "http.response.body", "body": b"" if request.method == "HEAD" else body}
    if response.stream is None:
        await send(start)
        await send(end)
        return

    async def part(body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})

    try:
        await send(start)
        if request.method != "HEAD":
            await send_parts(part, request, response.stream, response.disconnected)
        await send(end)
    finally:
        await response.discard()


async def send_parts(
    send: Callable[[bytes], Awaitable[None]], request: HttpRequest, parts: AsyncIterator[bytes],
    ended: Callable[[], None] | None,
) -> None:  # fmt: skip
    """Send the parts of a body until they end or the client disconnects."""
    disconnected = asyncio.ensure_future(_disconnected(request))
    if ended is not None:
        disconnected.add_done_callback(lambda _: ended())
    try:
        async for part in parts:
            if disconnected.done():
                break
            await send(part)
    finally:
        disconnected.cancel()


async def _disconnected(request: HttpRequest) -> None:
    """Wait until the client disconnects."""
    while (await request.source())["type"] != "http.disconnect":
        pass
