"""Requests of one shape share a plan; each has its own values, wherever they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tableapi import TableAPI
from tableapi.config.settings import Settings
from tests.helpers.served import Served
from tests.helpers.support import ok

TABLES = """
create table customer (id integer primary key, name text not null);
create table invoice (id integer primary key, customerid integer not null references customer, total integer not null);
insert into customer values (1, 'Ada'), (2, 'Bea');
insert into invoice values (1, 1, 10), (2, 1, 100), (3, 1, 1000), (4, 2, 10), (5, 2, 10);
create function invoices() returns setof invoice stable language sql as 'select * from invoice';
"""
MANY = "invoice_by_customerid"
SERVED = Served(TABLES)


@pytest.fixture
async def http(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    api = TableAPI({"x": url}, open=True, settings=Settings(public_routines=("invoices",), rate_limits=False))
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host/api/v2/x/") as client:
        yield client


def _children(body: Any) -> list[int]:
    record = body["resource"][0] if "resource" in body else body
    return [invoice["total"] for invoice in record[MANY]]


def _groups(body: Any) -> list[int]:
    return [group["customerid"] for group in (body["resource"] if isinstance(body, dict) else body)]


OVER: dict[int, list[int]] = {5: [10, 100, 1000], 50: [100, 1000], 500: [1000]}
LONG: dict[int, list[int]] = {15: [1, 2], 25: [1], 2500: []}
RELATED = {"related": MANY, f"{MANY}.order": "id"}
GROUPED = {"fields": "customerid,sum(total)", "group": "customerid", "order": "customerid"}


@pytest.mark.parametrize("named", [False, True], ids=["literals", "named values"])
@pytest.mark.parametrize(
    ("method", "path", "place"),
    [
        ("GET", "_table/customer", "query"),
        ("GET", "_table/customer/1", "query"),
        ("GET", "_table/customer?ids=1", "query"),
        ("QUERY", "_table/customer", "body"),
        ("QUERY", "_table/customer/1", "body"),
        ("POST", "_table/customer?method=GET", "body"),
        ("PATCH", "_table/customer/1", "write"),
        ("PATCH", "_table/customer", "write of a list"),
    ],
)
async def test_a_condition_of_related_records_is_that_of_the_request(
    http: httpx2.AsyncClient, method: str, path: str, place: str, named: bool
) -> None:
    for least, expected in [*OVER.items(), *reversed(OVER.items())]:
        options = RELATED | {f"{MANY}.filter": "total > :least" if named else f"total > {least}"}
        params = {"params": {"least": least}} if named else {}
        if place == "body":
            response = await http.request(method, path, json=options | params | {"limit": 1, "order": "id"})
        else:
            query = options | ({"params": f'{{"least":{least}}}'} if named else {})
            record = {"name": "Ada"} if place == "write" else {"resource": [{"id": 1, "name": "Ada"}]}
            response = await http.request(
                method, httpx2.URL(path).copy_merge_params(query), json=record if "write" in place else None
            )
        assert (response.status_code, _children(response.json())) == (200, expected), response.text


@pytest.mark.parametrize(
    ("path", "named"), [("_table/invoice", False), ("_table/invoice", True), ("_func/invoices", False)]
)
async def test_a_condition_of_groups_is_that_of_the_request(http: httpx2.AsyncClient, path: str, named: bool) -> None:
    for least, expected in [*LONG.items(), *reversed(LONG.items())]:
        having = "sum(total) > :least" if named else f"sum(total) > {least}"
        query = GROUPED | {"having": having} | ({"params": f'{{"least":{least}}}'} if named else {})
        response = await http.get(path, params=query)
        assert _groups(ok(response)) == expected


async def test_a_value_that_does_not_fit_is_reported_for_each_request(http: httpx2.AsyncClient) -> None:
    for value, status in (("5", 200), ("'x'", 400), ("50", 200), ("'y'", 400)):
        response = await http.get("_table/customer", params=RELATED | {f"{MANY}.filter": f"total > {value}"})
        assert response.status_code == status, response.text
        if status == 400:
            assert response.json()["error"]["context"]["field"] == "total"


async def test_the_limits_of_conditions_apply_to_every_request(http: httpx2.AsyncClient) -> None:
    few, many = ",".join(map(str, range(10))), ",".join(map(str, range(501)))
    for values, status in ((few, 200), (many, 400), (few, 200)):
        response = await http.get("_table/customer", params=RELATED | {f"{MANY}.filter": f"total in ({values})"})
        assert response.status_code == status, response.text
