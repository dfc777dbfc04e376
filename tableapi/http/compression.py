"""Compress large responses with gzip for clients that accept it."""

from __future__ import annotations

import asyncio
import zlib

from tableapi.http.response import Reply

MIN_BYTES = 32_768  # smaller bodies gain little
THREAD_BYTES = 262_144  # larger ones are compressed beside the event loop
LEVEL = 1  # a third of the time of the default level, for bodies a tenth larger
_KINDS = ("application/json", "application/xml", "text/")


def compressible(response: Reply) -> bool:
    """Return whether the content of a response can be compressed.

    A strong ETag names the bytes of a response, so a response with one is sent as it is.
    """
    return (
        response.stream is None
        and len(response.body) >= MIN_BYTES
        and response.content_type.startswith(_KINDS)
        and not response.headers.keys() & {"Content-Encoding", "Vary"}
        and response.headers.get("ETag", "W/").startswith("W/")
    )


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether `Accept-Encoding` permits gzip, by its name or by `*`."""
    weights: dict[str, str] = {}
    for part in accept_encoding.lower().split(","):
        coding, _, weight = part.partition(";")
        weights[coding.strip()] = weight.strip()
    weight = weights.get("gzip", weights.get("*", "q=0"))
    return weight.removeprefix("q=").strip(" 0.") != "" if weight.startswith("q=") else True


async def gzipped(body: bytes) -> bytes:
    """Return a body in the format of gzip."""
    return await asyncio.to_thread(_gzip, body) if len(body) > THREAD_BYTES else _gzip(body)


def _gzip(body: bytes) -> bytes:
    return zlib.compress(body, LEVEL, wbits=31)
