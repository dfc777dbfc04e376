"""The response has the format that `Accept` prefers, and HEAD works wherever GET does."""

from __future__ import annotations

import httpx2 as httpx
import pytest

from tests.helpers.served import Served

JSON, CSV, XML, LINES = "application/json", "text/csv", "application/xml", "application/x-ndjson"
SERVED = Served("create table city (id integer primary key); insert into city values (1), (2)", under="/")


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (f"{CSV}", CSV), (f"{CSV};q=0.1, {JSON}", JSON), (f"{JSON};q=0.2,{CSV};q=0.9", CSV), (f"{JSON}, {CSV}", JSON),
        (f"{CSV}, {JSON}", CSV), (f"{XML};q=0.5, {JSON};q=0.6", JSON), (f"{JSON};q=0.5, {XML};charset=utf-8", XML),
        (f"{JSON}, {LINES};q=0.5", JSON), (f"{LINES}, {JSON}", LINES), (f"{JSON};q=0, {LINES}", LINES),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", JSON), ("", JSON), (",", JSON),
        ("*/*", JSON), (f"{JSON};q=x, {CSV};q=0.1", CSV),
    ],
)  # fmt: skip
def test_the_preferred_format_is_sent(http: httpx.Client, accept: str, form: str) -> None:
    response = http.get("/api/v2/x/_table/city", headers={"Accept": accept})
    assert response.status_code == 200
    assert response.headers["content-type"].partition(";")[0] == form


@pytest.mark.parametrize(
    "path",
    ["/api/v2", "/api/v2/_spec", "/api/docs", "/api/v2/system/service", "/api/v2/system/service/x", "/api/v2/x",
     "/api/v2/x/_spec", "/api/v2/x/_schema/city", "/api/v2/x/_table", "/api/v2/x/_table/city",
     "/api/v2/x/_table/city/1", "/api/v2/x/_table/city/9", "/studio/", "/", "/healthz", "/readyz",
     "/nothing", "/api/v2/nothing"],
)  # fmt: skip
def test_head_responds_like_get_without_a_body(http: httpx.Client, path: str) -> None:
    read, head = http.get(path), http.head(path)
    assert (head.status_code, head.content) == (read.status_code, b"")
    assert head.headers.get("content-type") == read.headers.get("content-type")
    assert head.headers.get("etag") == read.headers.get("etag")
