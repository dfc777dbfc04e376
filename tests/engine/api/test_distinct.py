"""Option `distinct`: of records that are equal in some fields, the first one in the order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import SqlClient, rejection

SCHEMA = """
create table customer (id int primary key, name text);
create table visit (
    id int primary key, customer_id int references customer, place text, spent numeric, info jsonb, at timestamptz
);
insert into customer select n, 'customer ' || n from generate_series(1, 9) n;
insert into visit select n, nullif(n * 7 % 10, 0), 'place ' || n % 3, n * 13 % 50,
    jsonb_build_object('kind', 'k' || n % 4), '2026-01-01'::timestamptz + n * 37 % 100 * interval '1 day'
from generate_series(1, 100) n;
"""
SERVED = Served(SCHEMA, dataset="shop", under="_table/")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"distinct": "nothing"}, "unknown_field"),
        ({"distinct": "customer_id", "order": "at desc"}, "bad_order"),
        ({"distinct": "customer_id,place", "order": "customer_id, at"}, "bad_order"),
        ({"distinct": "customer_id", "group": "customer_id", "fields": "customer_id,COUNT(*)"}, "bad_option"),
        ({"distinct": "customer_id", "cursor": ""}, "bad_option"),
        ({"distinct": "COUNT(*)"}, "bad_order"),
        ({"distinct": "customer_id sideways"}, "bad_order"),
    ],
)
def test_an_invalid_distinct_is_rejected(base: str, query: dict[str, str], reason: str) -> None:
    response = httpx2.get(f"{base}visit", params=query)
    assert rejection(response) == (400, reason), response.text


def test_a_write_has_no_distinct(base: str) -> None:
    response = httpx2.patch(f"{base}visit", params={"distinct": "customer_id", "filter": "id < 0"},
                            json={"resource": [{"place": "x"}]})  # fmt: skip
    assert response.status_code == 400, response.text


@pytest.mark.parametrize("form", ["query", "body", "QUERY"])
@pytest.mark.parametrize(
    ("query", "sql"),
    [
        ({"distinct": "customer_id"}, "select distinct on (customer_id) id from visit order by customer_id, id"),
        (
            {"distinct": "customer_id", "order": "customer_id desc nulls last, at desc"},
            "select distinct on (customer_id) id from visit order by customer_id desc nulls last, at desc, id",
        ),
        (
            {"distinct": "customer_id,place", "order": "place", "filter": "spent > 10"},
            "select distinct on (place, customer_id) id from visit where spent > 10 order by place, customer_id, id",
        ),
        (
            {"distinct": "place", "order": "place desc, spent desc", "limit": "2", "offset": "1"},
            "select distinct on (place) id from visit order by place desc, spent desc, id limit 2 offset 1",
        ),
        (
            {"distinct": "info.kind", "order": "info.kind desc, at"},
            "select distinct on (info->'kind') id from visit order by info->'kind' desc, at, id",
        ),
        (
            {"distinct": "customer_by_customer_id.name", "filter": "customer_id > 3"},
            "select distinct on (c.name) v.id from visit v join customer c on c.id = v.customer_id"
            " where v.customer_id > 3 order by c.name, v.id",
        ),
    ],
)
def test_the_first_record_of_each_value_is_read_and_counted(
    base: str, db_of: Callable[[str], list[Any]], query: dict[str, str], sql: str, form: str
) -> None:
    query = query | {"fields": "id", "include_count": "true"}
    if form == "query":
        response = httpx2.get(f"{base}visit", params=query)
    elif form == "body":
        response = httpx2.post(f"{base}visit", json=query, headers={"X-HTTP-Method": "GET"})
    else:
        response = httpx2.request("QUERY", f"{base}visit", json=query)
    assert response.status_code == 200, response.text
    assert [row["id"] for row in response.json()["resource"]] == db_of(sql)
    whole = sql.partition(" limit ")[0]
    assert response.json()["meta"]["count"] == len(db_of(whole))
    counted = httpx2.get(f"{base}visit", params=query | {"count_only": "true"})
    assert counted.json() == len(db_of(whole))


@pytest.fixture
def db_of(url: str) -> Iterator[Callable[[str], list[Any]]]:
    """Return the values of a query's first column."""
    with SqlClient(url) as client:
        yield lambda sql: [row[0] for row in client.fetch(sql)]


def test_random_reads_equal_sql(base: str, db_of: Callable[[str], list[Any]]) -> None:
    source = random.Random(11)
    for _ in range(150):
        fields = source.sample(["customer_id", "place", "spent"], source.randint(1, 2))
        order = [f"{name} {source.choice(['asc', 'desc'])}" for name in fields]
        order += source.sample(["at desc", "id desc"], source.randint(0, 2))
        limit, offset = source.randint(1, 20), source.randint(0, 5)
        query = {"distinct": ",".join(fields), "order": ",".join(order), "limit": str(limit), "offset": str(offset)}
        sql = f"select distinct on ({', '.join(fields)}) id from visit order by {', '.join([*order, 'id'])}"
        response = httpx2.get(f"{base}visit", params=query | {"fields": "id"})
        expected = db_of(f"{sql} limit {limit} offset {offset}")
        assert [row["id"] for row in response.json()["resource"]] == expected, query
