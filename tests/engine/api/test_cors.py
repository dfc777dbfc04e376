"""CORS_ORIGINS: which web pages of other origins may call the API from a browser."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tableapi import Settings, TableAPI
from tests.helpers.support import NewDatabase, Serve, Server, tableapi

TABLE = """
create table customer (id int primary key, name text);
insert into customer values (1, 'Ada');
create view slow as select pg_sleep(3)::text as nothing
"""
VITE, SHOP = "http://localhost:5173", "https://shop.example.com"
PREFLIGHT = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "content-type, x-api-key"}
ALLOWED = "access-control-allow-origin"


@pytest.fixture(scope="module")
def start(module_database: NewDatabase, module_serve: Serve) -> Callable[..., Server]:
    """start(origins, *words): serve a table to pages of these origins."""
    url = module_database(TABLE)

    def started(origins: str, *words: str, **environment: str) -> Server:
        return module_serve("--dataset", f"shop={url}", "--open", *words, CORS_ORIGINS=origins, **environment)

    return started


@pytest.fixture(scope="module")
def listed(start: Callable[..., Server]) -> str:
    return start(f"{VITE}, https://SHOP.example.com:443/").url + "/api/v2/shop/_table/customer"


def _get(url: str, origin: str | None = None, **headers: str) -> httpx2.Response:
    return httpx2.get(url, headers=({"Origin": origin} if origin else {}) | headers, timeout=20)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost", "http://localhost:51730", f"{VITE}.evil.example",
     "https://localhost:5173", "http://LOCALHOST:5173", "*"],
)  # fmt: skip
def test_other_origins_get_no_permission(listed: str, origin: str) -> None:
    for response in (_get(listed, origin), httpx2.options(listed, headers=PREFLIGHT | {"Origin": origin})):
        assert not [name for name in response.headers if name.startswith("access-control-")]
        assert "Origin" in response.headers["vary"]


@pytest.mark.parametrize("origin", [VITE, SHOP])
def test_a_listed_origin_reads_responses_and_their_headers(listed: str, origin: str) -> None:
    response = _get(listed, origin)
    assert response.json() == {"resource": [{"id": 1, "name": "Ada"}]}
    assert response.headers[ALLOWED] == origin
    assert "Origin" in response.headers["vary"]
    exposed = response.headers["access-control-expose-headers"].lower().split(", ")
    assert {"etag", "x-request-id", "retry-after", "idempotency-replayed", "content-range"} <= set(exposed)
    assert "access-control-allow-credentials" not in response.headers


def test_a_preflight_permits_the_verb_and_the_headers(listed: str) -> None:
    response = httpx2.options(f"{listed}/1", headers=PREFLIGHT | {"Origin": VITE})
    assert (response.status_code, response.headers[ALLOWED]) == (204, VITE)
    assert "PATCH" in response.headers["access-control-allow-methods"]
    assert response.headers["access-control-allow-headers"] == "content-type, x-api-key"
    assert response.headers["access-control-max-age"] == "600"


def test_responses_vary_by_origin_for_caches_even_without_one(listed: str) -> None:
    assert "Origin" in _get(listed).headers["vary"]


@pytest.mark.parametrize(("path", "status"), [("?fields=nme", 400), ("/9", 404), ("?filter=(", 400)])
def test_errors_can_be_read(listed: str, path: str, status: int) -> None:
    response = _get(listed + path, VITE)
    assert (response.status_code, response.headers[ALLOWED]) == (status, VITE)


def test_a_rejected_key_can_be_read(start: Callable[..., Server]) -> None:
    url = start(VITE, "--api-key", "k" * 32).url + "/api/v2/shop/_table/customer"
    assert (_get(url, VITE).status_code, _get(url, VITE).headers[ALLOWED]) == (401, VITE)
    assert _get(url, VITE, **{"X-API-Key": "k" * 32}).status_code == 200


def _served(url: str) -> httpx2.Response:
    """Repeat a request that is rejected because another one occupies the slot."""
    while (response := _get(url)).status_code == 503:
        pass
    return response


def test_a_503_under_overload_can_be_read(start: Callable[..., Server]) -> None:
    server = start(VITE, MAX_IN_FLIGHT="1")
    path = f"{server.url}/api/v2/shop/_table"
    with ThreadPoolExecutor() as pool:  # `slow` occupies the only slot, so another request is rejected unread
        slow = pool.submit(_served, f"{path}/slow")
        while (response := _get(f"{path}/customer", VITE)).status_code != 503:
            assert not slow.done(), "no request was rejected"
        assert slow.result().status_code == 200  # a request that was rejected unread is read when it is sent again
    assert (response.headers[ALLOWED], response.json()["error"]["context"]["reason"]) == (VITE, "busy")


def test_any_origin_under_open_requires_a_key(tmp_path: Path) -> None:
    words = ("serve", "--dataset", "shop=postgresql://127.0.0.1:1/shop", "--open")
    done = tableapi(*words, cwd=tmp_path, CORS_ORIGINS="*")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "CORS_ORIGINS=*" in done.stderr
    with pytest.raises(ValueError, match="CORS_ORIGINS"):
        TableAPI({"shop": "postgresql://127.0.0.1:1/shop"}, open=True, settings=Settings(cors_origins=("*",)))


def test_any_origin_is_allowed_with_a_key(start: Callable[..., Server]) -> None:
    url = start("*", "--api-key", "k" * 32).url + "/api/v2/shop/_table/customer"
    response = _get(url, "https://anything.example", **{"X-API-Key": "k" * 32})
    assert (response.status_code, response.headers[ALLOWED]) == (200, "*")
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize(
    "origins", ["shop.example.com", "https://shop.example.com/app", "https://*.example.com", "null"]
)
def test_an_invalid_origin_prevents_the_start(origins: str, tmp_path: Path) -> None:
    words = ("serve", "--dataset", "shop=postgresql://127.0.0.1:1/shop", "--open")
    done = tableapi(*words, cwd=tmp_path, CORS_ORIGINS=origins)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("tableapi: CORS_ORIGINS:")
