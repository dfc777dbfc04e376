"""GET /keylookup with two workers: a deleted key fails on both at once, and both share one rate limit."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import httpx2

from tests.helpers.customer import caller, prepare, settings
from tests.helpers.support import NewDatabase, Serve, ok

PER_MINUTE = 30


def _worker(response: httpx2.Response) -> str:
    """Return the part of the request id that identifies the worker process."""
    return response.headers["x-request-id"][:6]


async def _look(url: str, key: str) -> httpx2.Response:
    """Send a look-up on a new connection, which the kernel assigns to either worker."""
    query = {"linkedinurl": "linkedin.com/in/person-0", "type": "directdials", "apikey": key}
    async with httpx2.AsyncClient(timeout=20) as http:
        return await http.get(f"{url}/api/v2/keylookup", params=query)


async def _until_both(url: str, key: str) -> Counter[tuple[str, int]]:
    """Look up until both workers have responded, and count the statuses of each worker."""
    seen: Counter[tuple[str, int]] = Counter()
    async with asyncio.timeout(30):
        while len({worker for worker, _ in seen}) < 2:
            response = await _look(url, key)
            seen[_worker(response), response.status_code] += 1
    return seen


async def _key(http: httpx2.AsyncClient) -> dict[str, Any]:
    response = await http.post("leads/_table/apikeys", json={"resource": [{"purpose": "CRM"}]})
    return dict(ok(response)["resource"][0])


async def test_a_deleted_key_stops_working_on_every_worker_at_once(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, **settings(url, WORKERS="2"))
    await prepare(url, 1)
    async with caller(server.url) as http:
        record = await _key(http)
        assert {status for _, status in await _until_both(server.url, record["apikey"])} == {200}
        gone = await http.patch("leads/_table/apikeys", json={"resource": [{"keyid": record["keyid"], "isdeleted": 1}]})
        assert gone.status_code == 200, gone.text
        assert {status for _, status in await _until_both(server.url, record["apikey"])} == {401}


async def test_workers_count_one_limit(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, **settings(url, WORKERS="2", RATE_LIMITS="on"))
    await prepare(url, 1)
    async with caller(server.url) as http:
        key = (await _key(http))["apikey"]
        responses: list[httpx2.Response] = []
        async with asyncio.timeout(60):  # of the limit
            while len(responses) <= PER_MINUTE or len({_worker(response) for response in responses}) < 2:
                responses += await asyncio.gather(*(_look(server.url, key) for _ in range(10)))
    assert Counter(response.status_code for response in responses) == {
        200: PER_MINUTE,
        429: len(responses) - PER_MINUTE,
    }
    refused = next(response for response in responses if response.status_code == 429)
    assert int(refused.headers["retry-after"]) <= 60
