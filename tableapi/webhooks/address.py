"""Resolve a host, and reject addresses outside the public internet."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Networks that Python considers public: Azure's host address, and protocol assignments with Oracle's metadata service.
_RESERVED = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24")))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
MAX_ADDRESSES = 3  # to try per host
SAME_SECONDS = 0.5  # attempts within this time share a look-up


class BlockedAddress(Exception):
    """A webhook's address is not public."""


class Resolver:
    """The addresses of one host, looked up once for simultaneous attempts.

    Each host has its own thread, so that an unresponsive name server delays nothing else.
    """

    def __init__(self, host: str, port: int, *, private: bool) -> None:
        self._host, self._port, self._private = host, port, private
        self._thread = ThreadPoolExecutor(1, "webhook_dns")
        self._found: asyncio.Future[list[str]] | None = None
        self._until = 0.0

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def addresses(self) -> list[str]:
        """Return the addresses of the host. Connections use one of them, without another look-up.

        Raises:
            OSError: the host has no address.
            BlockedAddress: one of its addresses is not public, and private ones are not allowed.
        """
        if self._found is None or (self._found.done() and time.monotonic() > self._until):
            self._found = asyncio.ensure_future(self._look_up())
            self._found.add_done_callback(_retrieved)
        return await asyncio.shield(self._found)

    async def _look_up(self) -> list[str]:
        ask = partial(socket.getaddrinfo, self._host, self._port, type=socket.SOCK_STREAM)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._thread, ask)
        finally:
            self._until = time.monotonic() + SAME_SECONDS
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        for address in addresses if not self._private else ():
            if not is_public(address):
                raise BlockedAddress(f"{address} is not a public address (WEBHOOKS_PRIVATE=on allows it)")
        return addresses[:MAX_ADDRESSES]


def _retrieved(found: asyncio.Future[list[str]]) -> None:
    """Mark an error as retrieved, even if every attempt that waited for it has timed out."""
    if not found.cancelled():
        found.exception()


def is_public(text: str) -> bool:
    """Return whether an address is on the public internet, including an IPv4 address embedded in IPv6."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(
        part.is_global
        and not (part.is_multicast or part.is_reserved or part.is_unspecified or part.is_loopback or part.is_link_local)
        and not any(part in network for network in _RESERVED)
        for part in (address, *_embedded(address))
        if part not in _NAT64
    )


def _embedded(address: _Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses embedded in an IPv6 address: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) >> 32 == 0:
        inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [part for part in inside if part is not None]
