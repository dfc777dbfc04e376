"""A round-robin balancer that polls each node's /readyz ten times a second and sends requests to ready nodes.

Only a refused connection is retried on the next node, since that node received no request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.helpers.support import until


class Balancer:
    def __init__(self) -> None:
        self.nodes: list[int] = []  # ports
        self.ready: list[int] = []
        self.port = 0
        self.errors: list[str] = []
        self._turn = 0
        self._open: set[asyncio.Task[None]] = set()

    async def join(self, port: int) -> None:
        """Add a node and wait until it receives requests."""
        self.nodes.append(port)
        await until(lambda: port in self.ready)

    async def watch(self) -> None:
        while True:
            states = await asyncio.gather(*(_is_ready(port) for port in self.nodes))
            self.ready = [port for port, ready in zip(self.nodes, states, strict=False) if ready]
            await asyncio.sleep(0.1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with suppress(EOFError, OSError, asyncio.CancelledError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    body = await reader.readexactly(_length(head))
                    writer.write(await self._forward(head, body))
        finally:
            self._open.discard(task)
            writer.close()

    async def _forward(self, head: bytes, body: bytes) -> bytes:
        self._turn += 1
        first = self._turn % max(1, len(self.ready))
        for port in self.ready[first:] + self.ready[:first]:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            try:
                writer.write(head[:-2] + b"Connection: close\r\n\r\n" + body)
                response = await reader.readuntil(b"\r\n\r\n")
                rest = await reader.readexactly(_length(response))
                lines = [line for line in response.split(b"\r\n") if not line.lower().startswith(b"connection:")]
                return b"\r\n".join(lines) + rest
            except (OSError, EOFError) as error:
                self.errors.append(repr(error))
                return b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
            finally:
                writer.close()
        return b"HTTP/1.1 504 No Node\r\nContent-Length: 0\r\n\r\n"

    async def close(self) -> None:
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def _is_ready(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: balancer\r\nConnection: close\r\n\r\n")
        return b" 200 " in await asyncio.wait_for(reader.readline(), 2)
    except (OSError, TimeoutError):
        return False
    finally:
        writer.close()


@asynccontextmanager
async def balancer() -> AsyncIterator[Balancer]:
    """Run a balancer inside the block; `nodes` may change at any time."""
    balancer = Balancer()
    server = await asyncio.start_server(balancer.serve, "127.0.0.1", 0)
    balancer.port = server.sockets[0].getsockname()[1]
    watching = asyncio.create_task(balancer.watch())
    try:
        yield balancer
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        server.close()
        await balancer.close()
