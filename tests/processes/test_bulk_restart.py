"""A bulk job of 1,000 lines survives kill -9 of server and worker, and charges each person once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.helpers.customer import CREDITS, caller, charges, prepare, settings
from tests.helpers.support import NewDatabase, Serve

LINES = 1000
CSV = "linkedinurl\n" + "\n".join(f"https://www.linkedin.com/in/person-{number}" for number in range(LINES))


async def _start(http: httpx2.AsyncClient) -> dict[str, Any]:
    query: dict[str, Any] = {"kinds": "directdial", "max_credits": LINES}
    response = await http.post("bulklookup", params=query, files={"files": ("people.csv", CSV.encode())})
    assert response.status_code == 202, response.text
    return dict(response.json())


async def _until(http: httpx2.AsyncClient, jobid: int, ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Poll the job as the app does, until it is ready."""
    async with asyncio.timeout(90):
        while True:
            shown = (await http.get(f"bulklookup/{jobid}")).json()
            if ready(shown):
                return dict(shown)
            await asyncio.sleep(0.1)  # as the app polls


@pytest.mark.slow
async def test_a_restart_neither_loses_nor_repeats_rows(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    first = await asyncio.to_thread(serve, **settings(url, WORKER="on"))
    await prepare(url, LINES)
    async with caller(first.url) as http:
        job = await _start(http)
        assert (job["estimate"], job["total"]) == (LINES, LINES)
        await _until(http, job["jobid"], lambda shown: shown["processed"] >= 50)
    await asyncio.to_thread(first.kill)
    killed_at = (await charges(url))[0]
    assert 50 <= killed_at < LINES

    second = await asyncio.to_thread(serve, **settings(url, WORKER="on", INIT="off"))
    async with caller(second.url) as http:
        done = await _until(http, job["jobid"], lambda shown: shown["status"] == "done")
        assert (done["charged"], done["processed"]) == (LINES, LINES)
        assert {(row["status"], row["charged"]) for row in done["rows"]} == {("done", 1)}
        assert await charges(url) == (LINES, LINES, LINES)

        again = await _start(http)
        assert again["estimate"] == 0
        free = await _until(http, again["jobid"], lambda shown: shown["status"] == "done")
        assert (free["charged"], {row["status"] for row in free["rows"]}) == (0, {"done"})
        left = (await http.get("account/credits")).json()
    assert await charges(url) == (LINES, LINES, LINES)
    assert str(CREDITS - LINES) in str(left)
