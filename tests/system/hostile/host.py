"""An application around the engine that measures how late its event loop is.

Only the CPU time of this process counts as delay, because the machine runs other processes too.
`GET /lag` returns the longest delay in seconds since the last such request, as on a machine at full speed, because a
shared one may have a fraction of it for minutes. Run by granian; the URL of the database is in DATABASE_URL.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any

import orjson

from tableapi import TableAPI
from tableapi.server.worker import tune

STEP = 0.002  # seconds between two measurements
WORK = b"[" + b",".join([b"{}"] * 100_000) + b"]"
WORK_SECONDS = 0.009  # to decode it on a machine at full speed


class Host:
    """The engine under `--open`, and a task that sleeps and notes how late it wakes."""

    def __init__(self, url: str) -> None:
        self._api = TableAPI({"x": url}, open=True)
        self._late = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._task is None:
            tune()
            self._task = asyncio.create_task(self._watch())
        if scope["type"] != "http" or scope["path"] != "/lag":
            await self._api(scope, receive, send)
            return
        late = self._late / _slowness()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(late).encode()})
        self._late = 0.0

    async def _watch(self) -> None:
        while True:
            began, used = time.perf_counter(), time.process_time()
            await asyncio.sleep(STEP)
            late, used = time.perf_counter() - began - STEP, time.process_time() - used
            self._late = max(self._late, min(late, used))


def _slowness() -> float:
    """Return how many times longer WORK takes than on a machine at full speed, at least 1."""
    used = time.process_time()
    orjson.loads(WORK)
    return max(1.0, (time.process_time() - used) / WORK_SECONDS)


app = Host(os.environ["DATABASE_URL"])
