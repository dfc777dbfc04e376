"""Aggregates, `having` and estimated counts (docs/reference/wire.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, execute
from tests.helpers.table_api import FIXTURE


@pytest.fixture(scope="module")
def database(module_database: NewDatabase) -> str:
    return module_database(FIXTURE)


@pytest.fixture(scope="module")
def http(database: str, module_serve: Serve) -> Iterator[httpx.Client]:
    server = module_serve("--dataset", f"x={database}", "--open")
    with httpx.Client(base_url=f"{server.url}/api/v2/x/_table", timeout=30) as client:
        yield client


def ask(http: httpx.Client, path: str, status: int = 200, **params: Any) -> Any:
    response = http.get(path, params=params)
    assert response.status_code == status, (path, params, response.text)
    return response.json()


def test_having_and_aggregates_without_a_group(http: httpx.Client) -> None:
    fields = "COUNT(*),MIN(amount),MAX(closed_on),SUM(amount)"
    page = ask(http, "/deal", fields=fields, filter="status = won", include_count="true")
    assert page["meta"] == {"count": 1}
    assert page["resource"] == [
        {"count_all": 4, "min_amount": 45.99, "max_closed_on": "2024-05-01", "sum_amount": 2546.24}
    ]
    empty = ask(http, "/deal", fields=fields, filter="status = none")["resource"]
    assert empty[0]["count_all"] == 0
    params: dict[str, Any] = {
        "group": "status",
        "fields": "status,COUNT(*)",
        "having": "COUNT(*) > 2",
        "order": "count_all desc",
    }
    groups = ask(http, "/deal", **params | {"include_count": "true"})
    assert groups["resource"] == [{"status": "open", "count_all": 6}, {"status": "won", "count_all": 4}]
    assert groups["meta"]["count"] == ask(http, "/deal", **params | {"count_only": "true"}) == 2
    for having, count in (("COUNT(*) > 20", 0), ("COUNT(*) > 2 and SUM(amount) > 0", 1)):
        only: dict[str, Any] = {"fields": "COUNT(*)", "having": having}
        assert len(ask(http, "/deal", **only)["resource"]) == count
        assert ask(http, "/deal", **only | {"count_only": "true"}) == count
    for bad in ("title = x", "COUNT(nothing) > 1", "COUNT(*) >", "SUM(*) > 1", "COUNT(*) > many"):
        ask(http, "/deal", 400, **params | {"having": bad})


def test_a_count_may_be_estimated(http: httpx.Client, database: str) -> None:
    execute(database, "analyze deal")
    params: dict[str, Any] = {"include_count": "estimated", "limit": 2}
    page = ask(http, "/deal", **params)
    assert page["meta"] == {"count": 14, "next": 2}
    assert ask(http, "/deal", **params | {"count_only": "true"}) == 14
    filtered = ask(http, "/deal", **params | {"filter": "status = won and amount > 10"})
    assert 1 <= filtered["meta"]["count"] <= 14
    assert ask(http, "/deal", **params | {"cursor": ""})["meta"]["count"] == 14
    grouped = params | {"group": "status", "fields": "status,COUNT(*)"}
    assert ask(http, "/deal", **grouped)["meta"] == {"count": 4, "next": 2}
    assert ask(http, "/deal", **grouped | {"count_only": "true"}) == 4
