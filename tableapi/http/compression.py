"""Compress large responses with brotli or gzip for clients that accept it."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from functools import cache

from tableapi.http.response import Response

MIN_BYTES = 32_768  # smaller bodies gain little
THREAD_BYTES = 262_144  # larger ones are compressed in a thread
LEVEL = 1  # for gzip: a third of the time of the default level, for bodies a tenth larger
QUALITY = 1  # for brotli: half the time of gzip at level 1, for bodies a tenth smaller
_KINDS = ("application/json", "application/xml", "text/")


def compressible(response: Response) -> bool:
    """Return whether the content of a response can be compressed.

    A strong ETag identifies the exact bytes of a response, so a response with one is sent unchanged.
    """
    return (
        response.stream is None
        and len(response.body) >= MIN_BYTES
        and response.content_type.startswith(_KINDS)
        and not response.headers.keys() & {"Content-Encoding", "Vary"}
        and response.headers.get("ETag", "W/").startswith("W/")
    )


def weights(accept: str) -> dict[str, float]:
    """Parse `Accept-Encoding` or `Accept` into weights by lower-case name; 0 forbids one."""
    result: dict[str, float] = {}
    for part in accept.lower().split(","):
        coding, *parameters = part.split(";")
        weight = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        result[coding.strip()] = weight
    return result


def media_type(accept: str) -> str:
    """Return the media type preferred by `Accept`: the first of those with the greatest weight."""
    if "," not in accept:
        return accept.partition(";")[0].strip().lower()
    accepted = weights(accept)
    return max(accepted, key=accepted.__getitem__)


def chosen(accept_encoding: str) -> str:
    """Return `br` or `gzip`, whichever the client prefers (`br` if equal); "" if neither is accepted."""
    accepted = weights(accept_encoding)
    gzip, brotli = accepted.get("gzip", accepted.get("*", 0.0)), accepted.get("br", 0.0)
    if brotli > 0 and brotli >= gzip and _brotli() is not None:
        return "br"
    return "gzip" if gzip > 0 else ""


async def compressed(body: bytes, coding: str) -> bytes:
    """Compress a body with a coding returned by `chosen`."""
    compress = _brotli() if coding == "br" else None
    run = compress or _gzip
    return await asyncio.to_thread(run, body) if len(body) > THREAD_BYTES else run(body)


def _gzip(body: bytes) -> bytes:
    return zlib.compress(body, LEVEL, wbits=31)


@cache
def _brotli() -> Callable[[bytes], bytes] | None:
    """Return brotli's compression function, or None if the extra `brotli` is not installed."""
    try:
        import brotli  # 5 MB, loaded only once a client accepts brotli
    except ImportError:
        return None
    return lambda body: bytes(brotli.compress(body, quality=QUALITY, lgwin=19))
