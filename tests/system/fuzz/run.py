"""Send mutations over many connections, each with its own random generator, and check every response."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.system.fuzz.mutate import mutated, wire
from tests.system.fuzz.stage import CALLERS, sign_in

SLOWEST = 16.0  # REQUEST_SECONDS and one more second
CONNECTIONS = 8
LEAKS = (b"Traceback", b"asyncpg", b"SELECT ", b"select (", b"/tableapi/", b"/site-packages/")
HEAL = 200  # requests between renewals of the sessions


@dataclass
class Outcome:
    """Counts of responses, and the problems."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.statuses.values())


async def _respond(reader: asyncio.StreamReader, method: str) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    status = int(first.split(" ")[1])
    if method == "HEAD" or status in (204, 304):
        return status, headers, b""
    if "content-length" in headers:
        return status, headers, await reader.readexactly(int(headers["content-length"]))
    return status, headers, b""


def checked(status: int, headers: dict[str, str], body: bytes) -> str:
    """Return the problem of a response, or an empty string."""
    if status >= 500 and not (status == 503 and "retry-after" in headers):
        # A sandbox or vendor without configuration responds with 501 or 503.
        if status not in (502, 503):
            return f"status {status}"
        return "" if b'"reason"' in body else f"status {status}"
    if any(leak in body for leak in LEAKS) and "json" in headers.get("content-type", "") and b'"openapi"' not in body:
        return "a message tells of the inside"
    if "json" in headers.get("content-type", ""):
        try:
            document = json.loads(body) if body else {}
        except ValueError:
            return "not JSON"
        if status >= 400 and not (isinstance(document, dict) and document.get("error", {"message": ""}).get("message")):
            return "an error without a message"
    return ""


def _hang_up(writer: asyncio.StreamWriter | None) -> None:
    if writer is not None:
        writer.transport.abort()


async def _one(port: int, seed: int, many: int, outcome: Outcome, url: str) -> None:
    dice = random.Random(seed)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None
    callers = list(CALLERS)
    for number in range(many):
        if seed % CONNECTIONS == 0 and number % (HEAL // CONNECTIONS) == 0:
            await sign_in(url)
        sent = mutated(dice)
        caller = dice.choices(callers, [1, 2, 6, 3])[0]
        data = wire(sent, CALLERS[caller])
        began = time.monotonic()
        try:
            for last in (False, True):
                if fresh := writer is None or writer.is_closing():
                    _hang_up(writer)
                    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=8_000_000)
                assert reader is not None
                assert writer is not None
                try:
                    async with asyncio.timeout(SLOWEST):
                        writer.write(data)
                        await writer.drain()
                        status, headers, body = await _respond(reader, sent.method)
                    break
                except (OSError, asyncio.IncompleteReadError) as error:
                    # The server may close a kept connection at any time: retry once on a new one.
                    if last or fresh or isinstance(error, TimeoutError):
                        raise
                    _hang_up(writer)
                    writer = None
            wrong = checked(status, headers, body) if sent.method != "HEAD" or status >= 500 else ""
            outcome.statuses[status] += 1
            if headers.get("connection", "").lower() == "close":
                _hang_up(writer)
                writer = None
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            outcome.statuses[0] += 1
            wrong = "no answer in time" if isinstance(error, TimeoutError) else f"no answer: {type(error).__name__}"
            body = b""
            _hang_up(writer)
            writer = None
        outcome.slowest = max(outcome.slowest, time.monotonic() - began)
        if wrong:
            outcome.wrong.append(f"{wrong}, for {caller}, seed {seed} #{number}: {data[:600]!r} -> {body[:300]!r}")
    _hang_up(writer)


async def send(port: int, many: int, seed: int, url: str) -> Outcome:
    """Send `many` requests to the server on `port` with the database `url`."""
    outcome = Outcome()
    each = many // CONNECTIONS
    await asyncio.gather(*(_one(port, seed * CONNECTIONS + n, each, outcome, url) for n in range(CONNECTIONS)))
    return outcome
