"""kill -9 in the middle of many reveals: never a charge without its reveal, never a reveal without its charge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx2
import pytest

from tests.api.standing import books, caller, prepare, settings
from tests.support import Serve

ROUNDS, REVEALS = 10, 200


async def _reveal_until_killed(url: str, first: int, kill: Callable[[], object]) -> int:
    """REVEALS parallel reveals; the server is killed when a third of them have been answered."""
    answered = 0

    async def one(http: httpx2.AsyncClient, number: int) -> None:
        nonlocal answered
        body = {"linkedinurl": f"linkedin.com/in/kill-{number}", "type": "directdial", "action": "reveal"}
        try:
            answer = await http.post("getcontact", json=body)
        except httpx2.HTTPError:
            return
        answered += answer.status_code == 200 and answer.json()["charged"]
        if answered == REVEALS // 3:
            kill()

    async with caller(url) as http:
        await asyncio.gather(*(one(http, number) for number in range(first, first + REVEALS)))
    return answered


@pytest.mark.slow
async def test_charges_and_reveals_stay_equal(new_database: Callable[[], str], serve: Serve) -> None:
    # The fixture makes its database outside of an event loop.
    url = await asyncio.to_thread(new_database)
    seen = 0
    for round_ in range(ROUNDS):
        # The schema is there after the first start.
        more = {"INIT": "off"} if round_ else {}
        server = await asyncio.to_thread(serve, **settings(url, **more))
        if round_ == 0:
            await prepare(url, ROUNDS * REVEALS)
        seen += await _reveal_until_killed(server.url, round_ * REVEALS, server.kill)
        reveals, booked, spent = await books(url)
        assert reveals == booked == spent
        assert seen <= reveals <= (round_ + 1) * REVEALS
    assert ROUNDS * REVEALS // 3 <= seen < ROUNDS * REVEALS  # it was killed on the way
