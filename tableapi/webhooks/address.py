"""Resolve a host, and reject addresses outside the public internet."""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tableapi.http.public_address import is_public_address

MAX_ADDRESSES = 3  # to try per host
SAME_SECONDS = 0.5  # attempts within this time share a look-up


# The same for a host that is unknown or internal: the owner of a webhook must not learn what a network contains.
NOT_PUBLIC = "the host is unknown or not a public address"


class BlockedAddress(Exception):
    """A webhook's address is not public. `advice`: details for the operator, and what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


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
            OSError: the host has no address, and private ones are allowed.
            BlockedAddress: it has no address or one that is not public, and private ones are not allowed.
        """
        if self._found is None or (self._found.done() and time.monotonic() > self._until):
            self._found = asyncio.ensure_future(self._look_up())
            self._found.add_done_callback(_retrieved)
        return await asyncio.shield(self._found)

    async def _look_up(self) -> list[str]:
        ask = partial(socket.getaddrinfo, self._host, self._port, type=socket.SOCK_STREAM)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._thread, ask)
        except socket.gaierror as error:
            if self._private:
                raise
            raise BlockedAddress(NOT_PUBLIC, f"{error}") from None
        finally:
            self._until = time.monotonic() + SAME_SECONDS
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        for address in addresses if not self._private else ():
            if not is_public_address(address):
                raise BlockedAddress(NOT_PUBLIC, f"{address} is internal; set WEBHOOKS_PRIVATE=on to allow it")
        return addresses[:MAX_ADDRESSES]


def _retrieved(found: asyncio.Future[list[str]]) -> None:
    """Mark an error as retrieved, even if every attempt that waited for it has timed out."""
    if not found.cancelled():
        found.exception()
