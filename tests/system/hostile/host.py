"""An application around the engine, or the product, that measures how late its event loop is.

Only the CPU time of this process counts as delay, because the machine runs other processes too.
`GET /lag` returns the longest delay in seconds since the last such request, as on a machine at full speed, because a
shared one may have a fraction of it for minutes. Run by granian; the URL of the database
is in DATABASE_URL, and SECRET_KEYS makes it the product.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import replace
from typing import Any

import orjson

from product.settings import Settings
from tableapi import TableAPI
from tableapi.app.features import application
from tableapi.app.options import of_project
from tableapi.server.worker import tune
from tests.helpers.support import ROOT

STEP = 0.002  # seconds between two measurements
WORK = b"[" + b",".join([b"{}"] * 100_000) + b"]"
WORK_SECONDS = 0.009  # to decode it on a machine at full speed


class Host:
    """An application, and a task that sleeps and notes how late it wakes."""

    def __init__(self, api: Any) -> None:
        self._api = api
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


def _application() -> Any:
    url = os.environ["DATABASE_URL"]
    if "SECRET_KEYS" not in os.environ:
        return TableAPI({"x": url}, open=True)
    return application(Settings(_env_file=None), replace(of_project(ROOT), urls={"leads": url}))


app = Host(_application())
