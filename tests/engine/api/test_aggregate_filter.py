"""Aggregates with FILTER, medians and percentiles: results, errors, and values that must not be disclosed."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok, rejection

SQL = """
create table customer (id integer primary key, name text, company integer);
create table orders (id integer primary key, customer_id integer references customer, status text, total numeric,
    company integer, secret integer, doc jsonb);
insert into customer values (1, 'Ada', 1), (2, 'Ben', 1), (3, 'Zoe', 2);
insert into orders values
    (1, 1, 'open', 10, 1, 7, '{"n": 1}'), (2, 1, 'done', 20, 1, 7, '{"n": 5}'), (3, 1, 'it''s)', 40, 1, 8, null),
    (4, 2, 'open', 80, 1, 8, '{"n": "x"}'), (5, 3, 'open', 1000, 2, 9, null);
"""
OWN = [{"name": "company", "operator": "=", "value": "{user.company}"}]
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"company": 1}}},
    "roles": {"clerk": {"access": [{"component": "_table/orders/*", "verb_mask": 1, "filters": OWN}]}},
}
SERVED = Served(SQL, ACCESS, key="boss")


def read(http: httpx2.Client, table: str = "orders", key: str = "boss", **options: str) -> Any:
    response = http.get(table, params=options, headers={"X-API-Key": key})
    return ok(response)["resource"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("COUNT(*) FILTER (WHERE status = 'open') AS v", 3),
        ("count(*) filter(status = 'open') AS v", 3),
        ("COUNT(*) FILTER (WHERE (status = 'open') AND total IN (10, 80)) AS v", 2),
        ("COUNT(*) FILTER (WHERE status = 'it''s)') AS v", 1),
        ("COUNT(*) FILTER (WHERE status = 'none') AS v", 0),
        ("COUNT(DISTINCT customer_id) FILTER (WHERE total < 100) AS v", 2),
        ("SUM(total) FILTER (WHERE status != 'open') AS v", 60),
        ("SUM(total) FILTER (WHERE status = 'none') AS v", None),
        ("MIN(total) FILTER (WHERE total > 15) AS v", 20),
        ("MAX(CAST(total AS integer)) FILTER (WHERE status = 'open') AS v", 1000),
        ("AVG(total) FILTER (WHERE customer_by_customer_id.name = 'Ada' AND status IN ('open', 'done')) AS v", 15),
        ("SUM(doc.n) FILTER (WHERE id < 4) AS v", 6),
        ("PERCENTILE(total, 0.5) AS v", 40),
        ("PERCENTILE(total, 0) AS v", 10),
        ("percentile( total , 1 ) AS v", 1000),
        ("PERCENTILE(total, 0.25) FILTER (WHERE total < 1000) AS v", 17.5),
        ("PERCENTILE(doc.n, 0.5) AS v", 3),
    ],
)
def test_all_rows_have_filtered_aggregates(http: httpx2.Client, field: str, value: Any) -> None:
    assert read(http, fields=field) == [{"v": value}]


def test_groups_order_and_having_by_the_alias(http: httpx2.Client) -> None:
    options = {
        "group": "customer_id",
        "fields": "customer_id,COUNT(*) FILTER (WHERE status = 'open') AS open,PERCENTILE(total, 0.5),"
        "PERCENTILE(total, 0.9)",
        "order": "open desc,customer_id",
    }
    rows = read(http, **options)
    assert [row["customer_id"] for row in rows] == [1, 2, 3]
    assert rows[0] == {"customer_id": 1, "open": 1, "p50_total": 20, "p90_total": 36}
    more = options | {"having": "PERCENTILE(total, 0.5) > 100"}
    assert [row["customer_id"] for row in read(http, **more)] == [3]


def test_related_rows_have_filtered_aggregates(http: httpx2.Client) -> None:
    fields = (
        "name,orders_by_customer_id.COUNT(*) FILTER (WHERE status = 'open') AS n,"
        "orders_by_customer_id.PERCENTILE(total, 0.5) AS m"
    )
    assert read(http, "customer", fields=fields, order="id") == [
        {"name": "Ada", "n": 1, "m": 20}, {"name": "Ben", "n": 1, "m": 80}, {"name": "Zoe", "n": 1, "m": 1000},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("COUNT(*) FILTER (WHERE status = 'open')", "bad_alias"),
        ("COUNT(*) FILTER () AS n", "bad_aggregate"),
        ("COUNT(*) FILTER (WHERE ) AS n", "bad_aggregate"),
        ("COUNT(*) FILTER (WHERE status = 'open' AS n", "bad_aggregate"),
        ("COUNT(*) FILTER (WHERE status ==) AS n", "bad_filter"),
        ("COUNT(*) FILTER (WHERE stauts = 1) AS n", "unknown_field"),
        ("COUNT(*) FILTER (WHERE total = 'x') AS n", "bad_value"),
        ("PERCENTILE(total) AS n", "bad_aggregate"),
        ("PERCENTILE(total, 90) AS n", "bad_aggregate"),
        ("PERCENTILE(status, 0.5) AS n", "bad_type"),
        ("PERCENTILE(*, 0.5) AS n", "unknown_field"),
        ("MEDIAN(total) AS n", "unknown_function"),
    ],
)
def test_invalid_expressions_are_rejected(http: httpx2.Client, field: str, reason: str) -> None:
    response = http.get("orders", params={"fields": field})
    assert rejection(response) == (400, reason), response.text


def test_a_filter_sees_the_rows_and_relations_of_the_caller_only(http: httpx2.Client) -> None:
    fields = "COUNT(*) FILTER (WHERE total > 0) AS n,PERCENTILE(total, 0.5) AS m"
    assert read(http, key="clerk", fields=fields) == [{"n": 4, "m": 30}]
    asked = {"fields": "COUNT(*) FILTER (WHERE customer_by_customer_id.name = 'Zoe') AS n"}
    response = http.get("orders", params=asked, headers={"X-API-Key": "clerk"})
    assert response.status_code == 403
    # A cast that fails for a row of another company must not be disclosed.
    http.patch("orders/5", json={"status": "hidden"})
    fails = {"fields": "COUNT(*) FILTER (WHERE CAST(company AS integer) = 1) AS n", "filter": "company = 1"}
    assert http.get("orders", params=fails, headers={"X-API-Key": "clerk"}).status_code == 200
    http.patch("orders/5", json={"status": "open"})


def test_the_fields_of_a_write_may_have_a_filter(http: httpx2.Client) -> None:
    fields = "orders_by_customer_id.COUNT(*) FILTER (WHERE total > 0) AS n"
    response = http.patch("customer/1", params={"fields": fields}, json={"name": "Ada"})
    assert (response.status_code, response.json()) == (200, {"n": 3})
