"""Find the addresses of a host, and reject those that are not on the public internet."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Networks that Python takes for public: the address of Azure's host, and protocol assignments with Oracle's metadata.
_RESERVED = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24")))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
MAX_ADDRESSES = 3  # of one host to try
SAME_SECONDS = 0.5  # in which attempts share a look-up


class BlockedAddress(Exception):
    """The address of a webhook is not public."""


class Resolver:
    """The addresses of one host, looked up once for attempts at the same time.

    Each host has a thread of its own, so that a name server that does not answer delays nothing else.
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
        """Return the addresses of the host. A connection goes to one of them, without another look-up.

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
    """Mark an error as seen, also where every attempt that waited for it has timed out."""
    if not found.cancelled():
        found.exception()


def is_public(text: str) -> bool:
    """Return whether an address is on the public internet, and so is an IPv4 address inside an IPv6 one."""
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
    """Return the IPv4 addresses that an IPv6 address stands for: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) >> 32 == 0:
        inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [part for part in inside if part is not None]
