"""Security headers of pages and of the API, for other origins, and for private data."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from tests.helpers.support import NewDatabase, Serve

KEY, HOME = "test-app-key", "https://app.example.com"


@pytest.fixture(scope="module")
def served(module_database: NewDatabase, module_serve: Serve) -> str:
    url = module_database()
    server = module_serve(DATABASE_URL=url, APP_KEYS=KEY, PUBLIC_URL=HOME, WORKER="off", RATE_LIMITS="off")
    return server.url


def test_a_page_runs_only_its_own_scripts_and_cannot_be_framed(served: str) -> None:
    page = httpx2.get(f"{served}/login", timeout=20)
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
    assert "unsafe" not in rules.get("script-src", rules["default-src"])
    assert rules["frame-ancestors"] == "'none'"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert "permissions-policy" in page.headers
    assert page.headers["strict-transport-security"].startswith("max-age=31536000")


@pytest.mark.parametrize(
    ("path", "status"), [("config", 200), ("leads/_table/client", 401), ("getcontact", 405), ("nope", 404)]
)
def test_responses_of_the_api_are_not_cached(served: str, path: str, status: int) -> None:
    response = httpx2.get(f"{served}/api/v2/{path}", headers={"X-API-Key": KEY}, timeout=20)
    assert response.status_code == status, response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-request-id"]
    assert "set-cookie" not in response.headers
    assert not any(character.isdigit() for character in response.headers.get("server", ""))  # no version


def test_only_the_servers_own_origin_may_read(served: str) -> None:
    url = f"{served}/api/v2/config"
    ours = httpx2.get(url, headers={"Origin": HOME}, timeout=20)
    assert (ours.headers["access-control-allow-origin"], ours.headers["vary"]) == (HOME, "Origin")
    assert "access-control-allow-credentials" not in ours.headers
    for origin in ("https://evil.example", "null", HOME + ".evil.example", "http://app.example.com"):
        other = httpx2.get(url, headers={"Origin": origin}, timeout=20)
        assert "access-control-allow-origin" not in other.headers, origin


def test_a_preflight_from_an_unknown_origin_gets_no_headers(served: str) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key, x-session-token"}
    url = f"{served}/api/v2/getcontact"
    ours = httpx2.options(url, headers=asked | {"Origin": HOME}, timeout=20)
    assert (ours.status_code, ours.headers["access-control-allow-origin"]) == (204, HOME)
    assert ours.headers["access-control-allow-headers"] == "x-api-key, x-session-token"
    other = httpx2.options(url, headers=asked | {"Origin": "https://evil.example"}, timeout=20)
    assert not [name for name in other.headers if name.startswith("access-control-allow")]


def test_responses_to_credentials_in_a_query_are_not_stored_or_referred(served: str) -> None:
    response = httpx2.get(f"{served}/api/v2/user/session?session_token=wrong", headers={"X-API-Key": KEY}, timeout=20)
    assert response.status_code == 401
    assert (response.headers["cache-control"], response.headers["referrer-policy"]) == ("no-store", "no-referrer")


PARTS = ["_func", "_proc", "_func/", "_func/now", "_proc/x(1)", "_func/pg_sleep"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("verb", ["GET", "HEAD", "POST", "PUT", "DELETE"])
def test_routines_of_a_project_are_not_served(served: str, part: str, verb: str) -> None:
    for headers in ({"X-API-Key": KEY}, {"X-API-Key": KEY, "X-HTTP-Method": "GET"}):
        response = httpx2.request(verb, f"{served}/api/v2/leads/{part}", headers=headers, timeout=20)
        assert response.status_code == 404, response.text
        if verb != "HEAD":
            assert response.json()["error"]["context"]["scope"] == "resource"
    names = httpx2.get(f"{served}/api/v2/leads", headers={"X-API-Key": KEY}, timeout=20).json()["resource"]
    assert names == [{"name": "_table"}]


def test_metrics_require_the_token(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    words = ("--dataset", f"x={new_database()}", "--open")
    with_token = serve(*words, cwd=tmp_path, METRICS_TOKEN="watch")
    sent: list[tuple[dict[str, str], int]] = [
        ({}, 404), ({"Authorization": "Bearer wrong"}, 404), ({"Authorization": "Bearer watch"}, 200),
        ({"Authorization": "Bearer watch", "X-Forwarded-For": "203.0.113.9"}, 200),
    ]  # fmt: skip
    for headers, status in sent:
        assert httpx2.get(f"{with_token.url}/metrics", headers=headers, timeout=20).status_code == status
    local = serve(*words, cwd=tmp_path)
    assert httpx2.get(f"{local.url}/metrics", timeout=20).status_code == 200
    for name in ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"):
        assert httpx2.get(f"{local.url}/metrics", headers={name: "127.0.0.1"}, timeout=20).status_code == 404
    keyed = serve(*words, "--api-key", "sesame", cwd=tmp_path)
    assert httpx2.get(f"{keyed.url}/metrics", headers={"X-API-Key": "sesame"}, timeout=20).status_code == 404


def test_metrics_are_off_without_a_token(served: str, serve: Serve, new_database: NewDatabase) -> None:
    for headers in ({}, {"Authorization": "Bearer x"}, {"X-Forwarded-For": "127.0.0.1"}):
        assert httpx2.get(f"{served}/metrics", headers=headers, timeout=20).status_code == 404
