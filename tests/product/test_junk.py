"""Hostile requests get a quick response, are rejected if invalid, and leave nothing in memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from product.settings import Settings
from tableapi.app.application import App
from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tests.helpers.product import TABLE, Account, Product
from tests.helpers.support import NewDatabase, execute
from tests.helpers.table_api import FIXTURE

LONG = 1900
SLOW = [
    "(email=" + " " * 330 + "x",
    "(email=" + " " * LONG + "x",
    "(email=a) and (verifytoken=" + " " * LONG,
    "(email=" + "a " * 900 + ") and (verifytoken=b",
    "email='" + "' " * 900,
    "(" * LONG,
    "email = " + "(" * 900 + ")" * 900,
    "email" + " " * LONG + "=",
    "email in (" + "'a'," * 450,
]


@pytest.mark.parametrize("text", SLOW)
@pytest.mark.timing
async def test_a_hostile_filter_is_rejected_quickly(product: Product, text: str) -> None:
    for key in ("filter", "having", "where", "order", "group", "fields", "related"):
        async with product.caller() as client:
            began = time.perf_counter()
            response = await client.get(f"{TABLE}/appuser?{key}={quote(text)}")
            assert time.perf_counter() - began < 2
        assert response.status_code in (400, 401)


async def test_a_mailed_token_is_accepted_in_exactly_one_filter(product: Product, account: Account) -> None:
    async with product.caller() as client:

        async def status(text: str) -> int:
            return int((await client.get(f"{TABLE}/appuser?filter={quote(text)}")).status_code)

        for good in (
            "(email=a@b.example) and (verifytoken=x)", "email=a@b.example and verifytoken=x",
            "(email='a@b.example') AND (verifytoken=\"x\")", "((Email = a@b.example)and(VerifyToken = x))",
        ):  # fmt: skip
            assert await status(good) == 200, good
        for bad in (
            "(email=a@b.example)", "(email=a) or (verifytoken=x)", "(email=a) and not (verifytoken=x)",
            "(email=a) and (verifytoken!=x)", "(email=a) and (verifytoken=x) and (appuserid=1)",
            "(email=a) and (verifytoken=:x)", "(email=a) and (name=x)", "(email in (a)) and (verifytoken=x)",
            "(client_by_clientid.email=a) and (verifytoken=x)",
        ):  # fmt: skip
            assert await status(bad) == 401, bad


@pytest.mark.parametrize(
    "query",
    [
        "filter=" + "x" * 2001,
        "having=" + "x" * 2001,
        "fields=" + "x" * 9000,
        "order=" + "x" * 9000,
        "related=" + "x" * 9000,
        "&".join(f"j{n}=1" for n in range(600)),
    ],
)
async def test_overlong_input_is_rejected(account: Account, query: str) -> None:
    for path in ("/appuser", "/client", "/usercontact"):
        response = await account.owner.http.get(f"{TABLE}{path}?{query}")
        assert response.status_code == 400, response.text[:200]
        assert response.json()["error"]["context"]["reason"] in (
            "bad_filter", "bad_option", "query_too_long", "too_many_options"
        )  # fmt: skip


async def test_a_long_header_is_rejected(account: Account) -> None:
    response = await account.owner.http.get(f"{TABLE}/client", headers={"If-None-Match": "x" * 20_000})
    assert response.status_code == 400


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    address = new_database()
    execute(address, FIXTURE)
    return address


@pytest.fixture
async def app(url: str, tmp_path: Path) -> AsyncIterator[App]:
    """Open an app without rate limits."""
    settings = Settings(
        data_dir=tmp_path, app_keys=("k",), secret_keys=("a secret for tests",), strict_options=False, _env_file=None
    )
    opened = application(settings, ServeOptions(urls={"x": url}))
    await opened.state.open()
    yield opened
    await opened.state.close()


def caller(app: App) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1/api/v2/x/_table")


async def _grown(work: Callable[[int], Awaitable[Any]], count: int) -> int:
    """Return the growth of Python's memory over `count` calls, in bytes."""
    for number in range(50):
        await work(-number)
    gc.collect()
    tracemalloc.start(1)
    before = tracemalloc.get_traced_memory()[0]
    for number in range(count):
        await work(number)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


async def test_junk_requests_do_not_leak_memory(app: App) -> None:
    async with caller(app) as client:

        async def junk(number: int) -> None:
            x = f"{number}{'x' * 1500}"
            kinds = (
                ("GET", f"/tag?junk{number}={x}&limit=1", None, 200),
                ("GET", f"/tag?limit=1&nothing_{number}.fields={x}&nothing_{number}_order={x}", None, 200),
                ("GET", f"/tag?limit=1&filter=label%3D'{x}'", None, 200),
                ("GET", f"/tag?limit=1&filter=junk{number}%3D1", None, 400),
                ("GET", f"/tag?fields=junk{number}", None, 400),
                ("POST", "/tag", {"limit": 1, f"junk{number}": x, f"j{number}.fields": x}, 200),
            )
            method, path, body, status = kinds[number % len(kinds)]
            headers = {"X-HTTP-Method": "GET"} if body else {}
            response = await client.request(method, path, json=body, headers=headers)
            assert response.status_code == status, response.text

        assert await _grown(junk, 1_500) < 1_000_000  # a copy of one parameter in three would be more
    assert app.state.datasets["x"].plan_cache.bytes < 500_000


async def test_the_plan_cache_is_limited_in_bytes(app: App) -> None:
    kept = app.state.datasets["x"].plan_cache
    kept._max_bytes = 300_000
    async with caller(app) as client:
        for number in range(300):
            response = await client.get(f"/tag?limit=1&file=name{number}{'x' * 3000}.csv")
            assert response.status_code == 200
            assert kept.bytes <= 300_000
    assert len(kept) > 1
