"""Traffic during a fault: reads, reveals and mailed demo requests, retried as Retry-After says."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx2

CALM = 1.0  # seconds of successful responses that count as recovery
PATIENCE = 40.0
HEALS = 5.0  # seconds after the end of the fault


async def until(done: Callable[[], Any], seconds: float = 30.0) -> float:
    """Wait until the condition is true, and return the seconds it took."""
    began = time.monotonic()
    while not done():
        assert time.monotonic() - began < seconds, "waited in vain"
        await asyncio.sleep(0.05)
    return time.monotonic() - began


@dataclass(frozen=True)
class Answer:
    """The result of one request. Status 0 means no response."""

    at: float
    kind: str
    status: int
    seconds: float
    retry: bool


class Traffic:
    """`async with Traffic(...)`: send requests until the end of the block.

    A write is repeated with the same
    Idempotency-Key until its response is 200."""

    def __init__(self, url: str, headers: dict[str, str], first: int, *, writes: bool = True) -> None:
        self.url, self.headers, self.first, self.writes = url, headers, first, writes
        self.answers: list[Answer] = []
        self.revealed: list[int] = []
        self.mailed: list[str] = []
        self._next = first
        self._stop = False
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Traffic:
        limits = httpx2.Limits(max_connections=20, max_keepalive_connections=20)
        self._http = httpx2.AsyncClient(base_url=f"{self.url}/api/v2/", headers=self.headers, timeout=20, limits=limits)
        work: list[Callable[[], Any]] = [self._read, self._read]
        work += [self._reveal, self._reveal, self._mail] if self.writes else []
        self._tasks = [asyncio.create_task(self._again(step)) for step in work]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._stop = True
        done, late = await asyncio.wait(self._tasks, timeout=PATIENCE)
        for task in late:
            task.cancel()
        await self._http.aclose()
        assert not late, "a request that changes something was never answered"
        for task in done:
            task.result()

    async def _again(self, work: Callable[[], Any]) -> None:
        while not self._stop:
            await work()
            await asyncio.sleep(0.02)

    async def _ask(self, kind: str, method: str, path: str, **options: Any) -> httpx2.Response | None:
        began = time.monotonic()
        try:
            response = await self._http.request(method, path, **options)
        except httpx2.HTTPError:
            response = None
        now = time.monotonic()
        status = response.status_code if response is not None else 0
        retry = response is not None and "retry-after" in response.headers
        self.answers.append(Answer(now, kind, status, now - began, retry))
        return response

    async def _until_done(self, kind: str, path: str, body: dict[str, Any]) -> Any:
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        while True:
            response = await self._ask(kind, "POST", path, json=body, headers=headers)
            if response is not None and (response.status_code == 200 or b'"answer_lost"' in response.content):
                return response.json()  # or it succeeded, and only its response was lost
            await asyncio.sleep(0.1)

    async def _read(self) -> None:
        await self._ask("read", "GET", "leads/_table/usercontact?limit=5&include_count=true")

    async def _reveal(self) -> None:
        number, self._next = self._next, self._next + 1
        body = {"linkedinurl": f"linkedin.com/in/fault-{number}", "type": "directdial", "action": "reveal"}
        response = await self._until_done("reveal", "getcontact", body)
        assert response["contactdata"]
        self.revealed.append(number)

    async def _mail(self) -> None:
        name = f"demo {secrets.token_hex(6)}"
        body = {"name": name, "email": "somebody@buyer-company.example", "query": "Please show it to me"}
        await self._until_done("mail", "scheduledemoemail", body)
        self.mailed.append(name)

    # -- observations --------------------------------------------------------------------------------------------------

    async def flow(self, kinds: tuple[str, ...] = ("read", "reveal", "mail"), many: int = 5) -> None:
        """Wait for `many` more successful responses of each kind."""
        kinds = kinds if self.writes else ("read",)
        since = time.monotonic()
        await self._wait(lambda: all(self._good(kind, since) >= many for kind in kinds))

    def _good(self, kind: str, since: float) -> int:
        return sum(
            response.kind == kind and response.status == 200 and response.at > since for response in self.answers
        )

    async def trouble(self) -> None:
        """Wait for a failed request."""
        since = time.monotonic()
        await self._wait(lambda: any(response.at > since and response.status != 200 for response in self.answers))

    async def calm(self) -> None:
        """Wait until every kind of request has succeeded for CALM seconds."""
        await self.flow(many=2)
        await self._wait(lambda: time.monotonic() - max(self._bad(), default=0.0) > CALM)
        await self.flow(many=2)

    async def _wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            for task in self._tasks:
                if task.done():
                    task.result()
            assert time.monotonic() < end, self.told()
            await asyncio.sleep(0.02)

    def _bad(self) -> list[float]:
        return [response.at for response in self.answers if response.status != 200]

    def healed(self, since: float, most: float = HEALS) -> float:
        """Return the seconds from `since`, the end of the fault, to the last failed request."""
        seconds = max(0.0, max(self._bad(), default=since) - since)
        assert seconds < most, (seconds, self.told())
        return seconds

    def slowest(self) -> float:
        return max(response.seconds for response in self.answers)

    def errors(self) -> Counter[int]:
        return Counter(response.status for response in self.answers if response.status != 200)

    def untold(self) -> int:
        """Return the temporary errors without Retry-After."""
        return sum(response.status in (429, 503) and not response.retry for response in self.answers)

    def told(self) -> str:
        names = {0: "no answer"}
        parts = [f"{count} × {names.get(status, status)}" for status, count in sorted(self.errors().items())]
        return f"{len(self.answers)} requests, " + (", ".join(parts) or "no error")
