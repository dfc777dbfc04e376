"""Send a response with the headers common to all responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import lru_cache

from tableapi.http.compression import MIN_BYTES, chosen, compressed, compressible
from tableapi.http.cors import Cors
from tableapi.http.request import HttpRequest, Send
from tableapi.http.response import Response

_API_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
_UNCACHED = [*_API_HEADERS, (b"cache-control", b"no-store")]
# Errors and replayed responses have their own.
_LIMIT_HEADERS = frozenset(("X-RateLimit-Limit", "X-Ratelimit-Limit"))


# The same in many responses: a look-up takes a third of the time.
@lru_cache(maxsize=10_000)
def _digits(number: float) -> bytes:
    return b"%d" % number


@lru_cache(maxsize=200)
def _encoded_name(name: str) -> bytes:
    return name.lower().encode()


async def send_response(
    send: Send, request: HttpRequest, response: Response, cors: Cors, *, compress: bool = True
) -> None:
    """Send `response` with the request id, rate limit, security and CORS headers. HEAD gets no body.

    With `compress`, a large body is compressed with brotli or gzip if the client accepts it. An error in the middle of
    a stream closes the connection, so that the client can tell that the response is incomplete.
    """
    body, stream = response.body, response.stream
    headers = [(b"content-type", response.content_type.encode()), (b"x-request-id", request.request_id.encode())]
    if compress and len(body) >= MIN_BYTES and compressible(response):
        headers.append((b"vary", b"Accept-Encoding"))
        if coding := chosen(request.headers.get("accept-encoding", "")):
            body = await compressed(body, coding)
            headers.append((b"content-encoding", coding.encode()))
    if stream is None:  # the length of a stream is not known
        headers.append((b"content-length", _digits(len(body))))
    if request.route != "page":
        headers += _API_HEADERS if "Cache-Control" in response.headers else _UNCACHED
    if (hit := request.hit) is not None and _LIMIT_HEADERS.isdisjoint(response.headers):
        headers += (
            (b"x-ratelimit-limit", _digits(hit.limit)),
            (b"x-ratelimit-remaining", b"%d" % hit.remaining),
            (b"x-ratelimit-reset", _digits(hit.reset_epoch)),
        )
    headers += cors.always if "origin" not in request.headers else cors.headers(request.headers["origin"])
    for name, value in response.headers.items():
        headers.append((_encoded_name(name), value.encode("latin-1", "replace")))
    start = {"type": "http.response.start", "status": response.status, "headers": headers}
    end = {"type": "http.response.body", "body": b"" if request.method == "HEAD" else body}
    if stream is None:
        await send(start)
        await send(end)
        return
    try:
        await send(start)
        if request.method != "HEAD":
            await _send_parts(send, request, stream, response.disconnected)
        await send(end)
    finally:
        await response.discard()


async def _send_parts(
    send: Send, request: HttpRequest, parts: AsyncIterator[bytes], ended: Callable[[], None] | None
) -> None:
    """Send the parts of a body until they end or the client disconnects."""
    disconnected = asyncio.ensure_future(_disconnected(request))
    if ended is not None:
        disconnected.add_done_callback(lambda _: ended())
    try:
        async for part in parts:
            if disconnected.done():
                break
            await send({"type": "http.response.body", "body": part, "more_body": True})
    finally:
        disconnected.cancel()


async def _disconnected(request: HttpRequest) -> None:
    """Wait until the client disconnects."""
    while (await request.source())["type"] != "http.disconnect":
        pass
