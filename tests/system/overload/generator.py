"""An open-loop load generator: send requests when they are due, whether or not earlier ones have responses.

A closed loop (wrk) waits for responses, so it never offers more than the capacity. Latency counts from the time at
which a request was due, so that a queue in the generator is not hidden.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

MOST_LINES = 2000
TICK = 0.002
PATIENCE = 20.0  # time to wait for the last responses
MAX_IDLE = 25.0  # the server closes an idle connection after 30 seconds, perhaps while a request is on its way
Request = tuple[str, bytes]  # its kind, and its bytes


@dataclass
class Seen:
    """The responses. Status 0 is a lost connection."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)

    def add(self, kind: str, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        if status == 200:
            self.times.setdefault(kind, []).append(seconds)

    def accepted(self) -> list[float]:
        return sorted(seconds for times in self.times.values() for seconds in times)

    def percentile(self, part: float, kind: str = "") -> float:
        times = sorted(self.times.get(kind, ())) if kind else self.accepted()
        return times[min(len(times) - 1, int(len(times) * part))] if times else 0.0

    @property
    def rate(self) -> float:
        return self.statuses[200] / self.seconds


class _Line(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self, free: Callable[[_Line], None], seen: Seen) -> None:
        self._free, self._seen = free, seen
        self._transport: asyncio.Transport | None = None
        self._got, self._kind, self._due, self._ended = b"", "", 0.0, time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transport is not a subclass

    @property
    def alive(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def fresh(self) -> bool:
        return self.alive and time.monotonic() - self._ended < MAX_IDLE

    def send(self, kind: str, data: bytes, due: float) -> None:
        assert self._transport is not None
        self._kind, self._due, self._got = kind, due, b""
        self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        self._got += data
        end = self._got.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._got[:end].lower()
        at = head.find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._got) < end + 4 + length:
            return
        self._done(int(self._got[9:12]))
        if b"connection: close" in head and self._transport is not None:
            self._transport.close()
        self._free(self)

    def _done(self, status: int) -> None:
        kind, self._kind, self._ended = self._kind, "", time.monotonic()
        if kind:
            self._seen.add(kind, status, self._ended - self._due)

    def connection_lost(self, exc: Exception | None) -> None:
        self._done(0)
        self._transport = None
        self._free(self)

    def close(self) -> None:
        if self._transport is not None:
            self._kind = ""
            self._transport.abort()


class Generator:
    """Requests of a mix against one server."""

    def __init__(self, host: str, port: int, requests: Iterator[Request]) -> None:
        self._host, self._port, self._requests = host, port, requests

    async def open_loop(self, rate: float, seconds: float) -> Seen:
        """Send `rate` requests a second for `seconds`."""
        seen, free, lines = Seen(seconds), list[_Line](), set[_Line]()
        waiting: deque[tuple[float, Request]] = deque()
        opening: set[asyncio.Task[None]] = set()

        def freed(line: _Line) -> None:
            if waiting and line.alive:
                due, (kind, data) = waiting.popleft()
                line.send(kind, data, due)
            elif line.alive:
                free.append(line)
            else:
                lines.discard(line)
                if waiting:
                    open_one()

        def open_one() -> None:
            if len(lines) + len(opening) < MOST_LINES:
                task = asyncio.create_task(more())
                opening.add(task)
                task.add_done_callback(opening.discard)

        async def more() -> None:
            try:
                line = _Line(freed, seen)
                await asyncio.get_running_loop().create_connection(lambda: line, self._host, self._port)
            except OSError:
                seen.statuses[0] += 1
                if waiting:
                    waiting.popleft()
                return
            lines.add(line)
            freed(line)

        begin = time.monotonic()
        sent = 0
        while (now := time.monotonic()) < begin + seconds:
            while sent < (now - begin) * rate:
                due, request = begin + sent / rate, next(self._requests)
                sent += 1
                while free and not free[-1].fresh:
                    line = free.pop()
                    lines.discard(line)
                    line.close()
                if free:
                    free.pop().send(*request, due)
                    continue
                waiting.append((due, request))
                open_one()
            await asyncio.sleep(TICK)
        for _ in range(int(PATIENCE / 0.02)):
            if sum(seen.statuses.values()) >= sent:
                break
            await asyncio.sleep(0.02)
        seen.statuses[0] += sent - sum(seen.statuses.values())  # no response
        waiting.clear()
        for line in list(lines):
            line.close()
        return seen

    async def closed_loop(self, lines: int, seconds: float) -> Seen:
        """Measure the capacity: `lines` callers, each with one request at a time."""
        seen, end = Seen(seconds), time.monotonic() + seconds
        connected: list[_Line] = []

        def freed(line: _Line) -> None:
            if time.monotonic() < end and line.alive:
                kind, data = next(self._requests)
                line.send(kind, data, time.monotonic())

        for _ in range(lines):
            line = _Line(freed, seen)
            await asyncio.get_running_loop().create_connection(lambda line=line: line, self._host, self._port)  # type: ignore[misc]
            connected.append(line)
            freed(line)
        await asyncio.sleep(seconds + 0.5)
        for line in connected:
            line.close()
        return seen


def mixed(parts: dict[str, tuple[int, Callable[[random.Random], bytes]]], seed: int = 1) -> Iterator[Request]:
    """Yield requests of several kinds by weight."""
    dice = random.Random(seed)
    kinds, weights = list(parts), [weight for weight, _ in parts.values()]
    while True:
        for kind in dice.choices(kinds, weights, k=100):
            yield kind, parts[kind][1](dice)
