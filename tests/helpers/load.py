"""Generate load over raw keep-alive HTTP/1.1 connections, check every response, and retry nothing.

A client must not reuse a connection after `Connection: close`, and may repeat a safe request when a connection closes
before the first byte of a response (RFC 9110 9.2.2, RFC 9112 9.3.1). These clients never repeat: a connection that
closes during a request is a failed request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Request = tuple[str, str, bytes]  # method, path, body


@dataclass
class Seen:
    """The responses that the clients of a load received."""

    answers: dict[int, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    bodies: list[tuple[Request, int, bytes]] = field(default_factory=list)
    slowest: float = 0.0

    def wrong(self, *right: int) -> dict[str, int | str] | list[str]:
        """Return every unexpected response."""
        messages = {
            status: body.decode(errors="replace")[:300] for _, status, body in self.bodies if status not in right
        }
        counts = {str(n): count for n, count in self.answers.items() if n not in right}
        return self.failures[:5] or (counts | {f"{n} said": text for n, text in messages.items()})

    @property
    def count(self) -> int:
        return sum(self.answers.values())


class Client:
    """One keep-alive connection, reopened after the server closed it."""

    def __init__(self, port: int, headers: dict[str, str], host: str = "127.0.0.1") -> None:
        self.port, self._host = port, host
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self._host, self.port)
        head = f"{method} {path} HTTP/1.1\r\nHost: test\r\n{self.head}"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.writer.write(head.encode() + b"\r\n" + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        content = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split(" ")[1]), content

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


@asynccontextmanager
async def load(
    port: Callable[[], int],
    request: Callable[[int], Request],
    *,
    headers: dict[str, str],
    clients: int = 8,
    keep: bool = False,
    pause: float = 0.0,
    host: str = "127.0.0.1",
) -> AsyncIterator[Seen]:
    """`async with load(...) as seen:` - run clients, one request at a time each, until the block ends.

    port(): the port of the next connection; request(number): the next request; keep: record requests with responses.
    """
    seen, stop, numbers = Seen(), asyncio.Event(), iter(range(1, 10**9))

    async def run() -> None:
        client = Client(port(), headers, host)
        while not stop.is_set():
            asked = request(next(numbers))
            client.port = port()
            began = time.monotonic()
            try:
                status, body = await asyncio.wait_for(client.ask(*asked), 30)
            except (OSError, EOFError, TimeoutError) as error:
                seen.failures.append(f"{asked[0]} {asked[1]}: {error!r}")
                client.close()
                await asyncio.sleep(0.05)
                continue
            seen.answers[status] = seen.answers.get(status, 0) + 1
            seen.slowest = max(seen.slowest, time.monotonic() - began)
            if keep:
                seen.bodies.append((asked, status, body))
            if pause:
                await asyncio.sleep(pause)
        client.close()

    tasks = [asyncio.create_task(run()) for _ in range(clients)]
    try:
        yield seen
    finally:
        stop.set()
        await asyncio.gather(*tasks)
