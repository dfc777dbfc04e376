"""Fetch the metadata document of a client, but never from an internal network."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit

import httpx2
import structlog

from tableapi import is_public_address, tls_context

log = structlog.get_logger(__name__)
# The same for a host that is unknown, silent or internal: a caller must not learn what an internal network contains.
_NO_SERVER = "no public server responded"
SECONDS, MAX_BYTES = 5.0, 65_536


class Unreadable(Exception):
    """The document cannot be read. The message says why."""


async def fetch(url: str, *, local: bool = False) -> bytes:
    """Fetch the document at a URL.

    The name is resolved once and the connection uses the address that was checked, so that the name cannot change its
    address in between.

    Args:
        url: https, with a path.
        local: whether http URLs of this machine are allowed, for a server that only this machine can reach.

    Raises:
        Unreadable: the URL is not allowed, leads to an internal network, or does not return a small JSON document.
    """
    try:
        target = httpx2.URL(url)
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except (httpx2.InvalidURL, ValueError):
        raise Unreadable("the client_id is not a valid URL") from None
    host = parts.hostname or ""
    plain = local and parts.scheme == "http" and host in ("127.0.0.1", "localhost")
    if (parts.scheme != "https" and not plain) or not host or parts.path in ("", "/"):
        raise Unreadable("the client_id must be an https URL with a path")
    if parts.username is not None or parts.fragment or "/../" in f"{parts.path}/" or len(url) > 2000:
        raise Unreadable("the URL must not contain a user, a fragment or '..', or be longer than 2,000 characters")
    try:
        async with asyncio.timeout(SECONDS):
            address = await _checked_address(host, port, local=plain)
            return await _read(target.copy_with(host=address), parts.netloc, host)
    except (TimeoutError, OSError, httpx2.HTTPError):
        raise Unreadable(_NO_SERVER) from None


async def _checked_address(host: str, port: int, *, local: bool) -> str:
    """Return an address of a host. Raises Unreadable unless all are public, or loopback if `local`."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    allowed = _is_loopback if local else is_public_address
    if not addresses or not all(map(allowed, addresses)):
        log.info("client_metadata_refused", host=host, addresses=addresses)
        raise Unreadable(_NO_SERVER)
    return addresses[0]


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


async def _read(url: httpx2.URL, netloc: str, host: str) -> bytes:
    content = bytearray()
    async with (
        httpx2.AsyncClient(verify=tls_context(), follow_redirects=False, trust_env=False) as client,
        client.stream(
            "GET", url, headers={"Accept": "application/json", "Host": netloc}, extensions={"sni_hostname": host}
        ) as response,
    ):
        if response.status_code != 200:
            raise Unreadable(f"the server responded with status {response.status_code}")
        async for part in response.aiter_bytes():
            content += part
            if len(content) > MAX_BYTES:
                raise Unreadable("the document is too large")
    return bytes(content)
