"""QUERY (RFC 10008): reads with their options in the body."""

from __future__ import annotations

import subprocess
from urllib.parse import urlencode

import httpx2
import pytest

from tests.helpers.served import Served

TABLES = """
create table customer (id int primary key, name text, city text);
insert into customer
  select n, 'Name ' || n, (array['Oslo', 'Bergen', 'Turku'])[1 + n % 3] from generate_series(1, 5000) n;
create table purchase (id int primary key, customer_id int references customer, amount int);
insert into purchase select n, 1 + n % 50, n from generate_series(1, 200) n
"""
PAGE = "https://shop.example.com"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SERVED = Served(TABLES, dataset="shop", under="_table/customer", CORS_ORIGINS=PAGE)


def _query(url: str, **sent: object) -> httpx2.Response:
    return httpx2.request("QUERY", url, json=sent, timeout=20)


@pytest.mark.parametrize(
    ("headers", "body", "status", "reason"),
    [
        ({}, b'{"limit": 1}', 415, "unsupported_media_type"),
        ({"Content-Type": "text/csv"}, b"limit", 415, "unsupported_media_type"),
        (JSON, b"[1]", 400, "bad_json"),
        (JSON, b'{"limit": ', 400, "bad_json"),
        (JSON, b'{"limit": "many"}', 400, "bad_option"),
        (JSON, b'{"limit": {"a": 1}}', 400, "bad_option"),
        (JSON, b'{"feilds": "id"}', 400, "unknown_option"),
        (JSON, b'{"resource": [{"id": 1}]}', 400, "bad_option"),
        (JSON, b'{"filter": "nothing = 1"}', 400, "unknown_field"),
        (JSON, b'{"filter": 5}', 400, None),
        (JSON, b'{"method": "DELETE", "filter": "id = 1"}', 200, None),
        (FORM, b"limit=%ff", 400, "bad_encoding"),
        (FORM, b"filter=((", 400, None),
    ],
)  # fmt: skip
def test_broken_bodies_are_rejected_and_nothing_is_written(
    base: str, headers: dict[str, str], body: bytes, status: int, reason: str | None
) -> None:
    response = httpx2.request("QUERY", base, headers=headers, content=body)
    assert response.status_code == status, response.text
    if reason:
        assert response.json()["error"]["context"]["reason"] == reason
    if status == 415:
        assert response.headers["accept-query"] == "application/json, application/x-www-form-urlencoded"
    assert httpx2.get(base, params={"filter": "id = 1", "count_only": "true"}).json() == 1


def test_json_and_forms_return_the_same_as_get(base: str) -> None:
    options = {
        "filter": "city = Oslo", "fields": "id,name", "related": "purchase_by_customer_id", "order": "id desc",
        "limit": 3, "include_count": True, "purchase_by_customer_id.limit": 2,
    }  # fmt: skip
    flat = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    expected = httpx2.get(base, params=flat)
    assert expected.status_code == 200
    for response in (
        _query(base, **options),
        _query(base, **options | {"fields": ["id", "name"]}),
        httpx2.request("QUERY", base, content=urlencode(flat).encode(), headers=FORM),
    ):
        assert response.json() == expected.json()
        assert response.headers["etag"] == expected.headers["etag"]
    assert expected.headers["accept-query"] == "application/json, application/x-www-form-urlencoded"


def test_options_of_the_url_come_first_and_an_empty_object_is_a_plain_read(base: str) -> None:
    both = httpx2.request("QUERY", f"{base}?limit=1", json={"limit": 5, "ids": None})
    assert len(both.json()["resource"]) == 1
    assert _query(base).json() == httpx2.get(base).json()


def test_a_query_of_one_record_and_an_etag_match_are_supported(base: str) -> None:
    one = _query(f"{base}/7", fields="id,city")
    assert one.json() == {"id": 7, "city": "Bergen"}
    again = httpx2.request(
        "QUERY", base, json={"limit": 2}, headers={"If-None-Match": _query(base, limit=2).headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_three_thousand_identifiers_in_one_filter(base: str) -> None:
    listed = ", ".join(map(str, range(2, 9002, 3)))
    response = _query(base, filter=f"id in ({listed})", fields="id", limit=1000, include_count=True)
    assert response.json()["meta"]["count"] == 1667
    assert _query(base, filter=f"id in ({listed}, {listed})").status_code == 400
    assert httpx2.get(base, params={"filter": f"id in ({listed})"}).status_code == 400


def test_curl_can_send_query_requests(base: str) -> None:
    command = [
        "curl",
        "-s",
        "-X",
        "QUERY",
        base,
        "-H",
        "Content-Type: application/json",
        "-d",
        '{"ids": [3, 1], "fields": "id"}',
    ]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout == '{"resource":[{"id":3},{"id":1}]}'
    )


def test_only_listed_origins_may_send_query_requests(base: str) -> None:
    ask = {"Access-Control-Request-Method": "QUERY", "Access-Control-Request-Headers": "content-type"}
    allowed = httpx2.options(base, headers=ask | {"Origin": PAGE})
    assert "QUERY" in allowed.headers["access-control-allow-methods"].split(", ")
    sent = httpx2.request("QUERY", base, json={"limit": 1}, headers={"Origin": PAGE, "Sec-Fetch-Site": "cross-site"})
    assert (sent.status_code, sent.headers["access-control-allow-origin"]) == (200, PAGE)
    other = httpx2.options(base, headers=ask | {"Origin": "https://evil.example"})
    assert "access-control-allow-methods" not in other.headers


def test_other_resources_list_their_allowed_methods(base: str) -> None:
    for path in ("", "_schema", "_table"):
        response = httpx2.request("QUERY", base.rpartition("_table")[0] + path, json={})
        assert response.status_code == 405
        assert response.headers["allow"]
