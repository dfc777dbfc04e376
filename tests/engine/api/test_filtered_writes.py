"""A filter through relations selects the same records in PATCH, PUT and DELETE as in GET, over HTTP and MCP.

Keys have the same names on both sides of every reference, as in many databases: a lost join then matches every row.
"""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from tests.helpers.agents import agent
from tests.helpers.rental import ROWS, SQL
from tests.helpers.served import Served
from tests.helpers.support import Server, SqlClient, execute, ok, rejection

NODES = """
create table node (node_id integer primary key, up integer references node, name text not null);
insert into node select n, nullif(n / 3, 0), 'node ' || n from generate_series(1, 30) n;
create table t1 (t1_id integer primary key, node_id integer references node, name text not null);
insert into t1 select n, n, 'row ' || n from generate_series(1, 10) n;
"""
CLERK = {
    "access": [
        {"component": "_table/customer/*", "verb_mask": 31, "filters": ROWS},
        {"component": "_table/rental/*", "verb_mask": 31},
        {"component": "_table/inventory/*", "verb_mask": 31, "filters": ROWS},
        {"component": "_table/film/*", "verb_mask": 1},
    ]
}
ACCESS = {"keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"store": 1}}}, "roles": {"clerk": CLERK}}
# Table, its key, a field to change, a filter of the API, and the same condition on the alias `t` in SQL.
CASES = {
    "parent": (
        "rental", "rental_id", "customer_by_customer_id.store_id = 2",
        "exists (select from customer c where c.customer_id = t.customer_id and c.store_id = 2)",
    ),
    "two parents": (
        "payment", "payment_id", "rental_by_rental_id.inventory_by_inventory_id.film_id < 9",
        "exists (select from rental r join inventory i using (inventory_id)"
        " where r.rental_id = t.rental_id and i.film_id < 9)",
    ),
    "children": (
        "customer", "customer_id", "rental_by_customer_id.inventory_id < 30",
        "exists (select from rental r where r.customer_id = t.customer_id and r.inventory_id < 30)",
    ),
    "count of children": (
        "film", "film_id", "film_actor_by_film_id.COUNT(*) > 1",
        "(select count(*) from film_actor a where a.film_id = t.film_id) > 1",
    ),
    "no children": (
        "node", "node_id", "node_by_up.COUNT(*) = 0", "not exists (select from node c where c.up = t.node_id)",
    ),
    "sum through a parent": (
        "inventory", "inventory_id", "film_by_film_id.inventory_by_film_id.MAX(inventory_id) > 250",
        "(select max(i.inventory_id) from film f join inventory i using (film_id) where f.film_id = t.film_id) > 250",
    ),
    "junction": (
        "actor", "actor_id", "film_by_film_actor.rating = 'R'",
        "exists (select from film f join film_actor a using (film_id)"
        " where a.actor_id = t.actor_id and f.rating = 'R')",
    ),
    "self, parent": (
        "node", "node_id", "node_by_up_parent.name = 'node 3'",
        "exists (select from node p where p.node_id = t.up and p.name = 'node 3')",
    ),
    "self, children": (
        "node", "node_id", "node_by_up.name contains 2",
        "exists (select from node c where c.up = t.node_id and c.name like '%2%')",
    ),
    "not": (
        "rental", "rental_id", "NOT (customer_by_customer_id.store_id = 2)",
        "not exists (select from customer c where c.customer_id = t.customer_id and c.store_id = 2)",
    ),
    "and, or": (
        "rental", "rental_id",
        "(customer_by_customer_id.active = false AND staff_by_staff_id.staff_id = 1)"
        " OR payment_by_rental_id.amount > 9",
        "(exists (select from customer c where c.customer_id = t.customer_id and not c.active)"
        " and exists (select from staff s where s.staff_id = t.staff_id and s.staff_id = 1)"
        " or exists (select from payment p where p.rental_id = t.rental_id and p.amount > 9))",
    ),
    "a table named as an alias might be": (
        "t1", "t1_id", "node_by_node_id.name contains 1",
        "exists (select from node n where n.node_id = t.node_id and n.name like '%1%')",
    ),
}  # fmt: skip
CHANGES: dict[str, dict[str, Any]] = {
    "rental": {"return_date": "2027-01-01T00:00:00Z"}, "payment": {"amount": 77}, "customer": {"note": "changed"},
    "film": {"description": "changed"}, "inventory": {"store_id": 7}, "actor": {"first_name": "changed"},
    "node": {"name": "changed"}, "t1": {"name": "changed"},
}  # fmt: skip
SERVED = Served(SQL + NODES, ACCESS)


@pytest.fixture(scope="module")
def url(url: str) -> str:
    """Return the URL of a database where a DELETE is not stopped by references, so that its records can be compared."""
    execute(url, f"alter database {url.rpartition('/')[2]} set session_replication_role = replica")
    return url


def send(server: Server, verb: str, table: str, key: str = "boss", **options: Any) -> httpx2.Response:
    url = f"{server.url}/api/v2/x/_table/{table}"
    body = {"resource": [CHANGES[table]]} if verb in ("PATCH", "PUT") else None
    return httpx2.request(verb, url, params=options, json=body, headers={"X-API-Key": key}, timeout=30)


def contents(db: SqlClient, table: str, key: str) -> dict[Any, str]:
    return dict(db.fetch(f"select t.{key}, t::text from {table} t order by 1"))


@pytest.mark.parametrize("verb", ["PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("case", CASES)
def test_only_records_matching_the_filter_are_written(db: SqlClient, server: Server, verb: str, case: str) -> None:
    table, key, condition, sql = CASES[case]
    expected = [row[0] for row in db.fetch(f"select t.{key} from {table} t where {sql} order by 1")]
    before = contents(db, table, key)
    assert 0 < len(expected) < len(before)

    read = send(server, "GET", table, filter=condition, fields=key, order=key)
    assert [row[key] for row in read.json()["resource"]] == expected
    dry = send(server, verb, table, filter=condition, fields=key, dry_run=True)
    assert sorted(row[key] for row in ok(dry)["resource"]) == expected
    assert contents(db, table, key) == before
    ceiling = send(server, verb, table, filter=condition, fields=key, max_affected=len(expected) - 1)
    assert ceiling.json()["error"]["context"]["reason"] == "too_many_affected"
    assert contents(db, table, key) == before

    db.execute(f"create table kept as select * from {table}")
    try:
        written = send(server, verb, table, filter=condition, fields=key)
        assert sorted(row[key] for row in written.json()["resource"]) == expected
        after = contents(db, table, key)
        assert [ident for ident in before if after.get(ident) != before[ident]] == expected
    finally:
        db.execute(f"delete from {table}; insert into {table} select * from kept; drop table kept")


@pytest.mark.parametrize("verb", ["PATCH", "PUT"])
def test_a_key_in_the_record_of_a_filter_is_ignored(db: SqlClient, server: Server, verb: str) -> None:
    before = contents(db, "node", "node_id")
    url = f"{server.url}/api/v2/x/_table/node?filter=node_id = 7&fields=*"
    alone, changed = (
        httpx2.request(verb, url, json={"resource": [record]}, headers={"X-API-Key": "boss"})
        for record in ({"node_id": 999}, {"node_id": 999, "name": "node 7"})
    )
    assert alone.status_code == 400, alone.text
    assert changed.json() == {"resource": [{"node_id": 7, "up": 2, "name": "node 7"}]}
    assert contents(db, "node", "node_id") == before


@pytest.mark.parametrize("verb", ["PATCH", "PUT", "DELETE"])
def test_a_row_rule_applies_with_a_filter_through_a_relation(db: SqlClient, server: Server, verb: str) -> None:
    condition = "rental_by_customer_id.inventory_by_inventory_id.film_by_film_id.film_id < 4"
    sql = (
        "t.store_id = 1 and exists (select from rental r join inventory i using (inventory_id)"
        " where r.customer_id = t.customer_id and i.store_id = 1 and i.film_id < 4)"
    )
    expected = [row[0] for row in db.fetch(f"select t.customer_id from customer t where {sql} order by 1")]
    assert 0 < len(expected) < 30
    response = send(server, verb, "customer", "clerk", filter=condition, fields="customer_id", dry_run=True)
    assert sorted(row["customer_id"] for row in response.json()["resource"]) == expected


@pytest.mark.parametrize("case", CASES)
def test_tools_write_the_records_matching_a_filter(db: SqlClient, server: Server, case: str) -> None:
    table, _, condition, sql = CASES[case]
    ((expected,),) = db.fetch(f"select count(*) from {table} t where {sql}")

    async def call_tools() -> None:
        async with agent(f"{server.url}/mcp", X_API_Key="boss") as client:
            write: dict[str, Any] = {"table": table, "filter": condition, "dry_run": True}
            for tool, more in (("update_records", {"change": CHANGES[table]}), ("delete_records", {})):
                response = await client.result(tool, **write, **more, max_affected=expected)
                assert response["count"] == expected
                assert "too_many_affected" in await client.error(tool, **write, **more, max_affected=expected - 1)

    asyncio.run(call_tools())


# -- options that change which records a read returns --------------------------------------------------------------

NARROWED = "film_actor_by_film_id.COUNT(*) = 1", {"film_actor_by_film_id.filter": "actor_id < 6"}


@pytest.mark.parametrize("more", [{}, {"related": "inventory_by_film_id"}, {"max_affected": "1000"}])
@pytest.mark.parametrize("in_body", [False, True])
@pytest.mark.parametrize("verb", ["PATCH", "PUT", "DELETE"])
def test_a_write_uses_the_filters_of_relations(
    db: SqlClient, server: Server, verb: str, in_body: bool, more: dict[str, str]
) -> None:
    condition, narrow = NARROWED
    count = "(select count(*) from film_actor a where a.film_id = t.film_id{})"
    rows = [
        [row[0] for row in db.fetch(f"select film_id from film t where {count.format(text)} = 1 order by 1")]
        for text in (" and a.actor_id < 6", " and a.actor_id < 3", "")
    ]
    assert rows[0] not in (rows[1], rows[2], [])
    options = {"fields": "film_id", "dry_run": "true", **more}
    read = send(server, "GET", "film", filter=condition, fields="film_id", order="film_id", **narrow)
    assert [row["film_id"] for row in read.json()["resource"]] == rows[0]
    for expected, own in zip(rows, (narrow, {"film_actor_by_film_id.filter": "actor_id < :a"}, {}), strict=True):
        selecting = {"filter": condition, **own} | ({"params": '{"a": 3}'} if ":a" in str(own) else {})
        body: Any = {"resource": [CHANGES["film"]]} if verb != "DELETE" else {}
        query = options if in_body else options | selecting
        body |= selecting if in_body else {}
        url = f"{server.url}/api/v2/x/_table/film"
        response = httpx2.request(verb, url, params=query, json=body, headers={"X-API-Key": "boss"})
        assert sorted(row["film_id"] for row in ok(response)["resource"]) == expected


@pytest.mark.parametrize("handling", ["strict", "lenient"])
@pytest.mark.parametrize(
    "option",
    [
        {"limit": "1"}, {"top": "1"}, {"offset": "1"}, {"skip": "1"}, {"cursor": ""}, {"group": "up"},
        {"group_by": "up"}, {"having": "COUNT(*) > 1"}, {"timezone": "Asia/Tokyo"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["PATCH", "PUT", "DELETE"])
def test_options_that_select_records_of_a_read_are_rejected(
    db: SqlClient, server: Server, verb: str, option: dict[str, str], handling: str
) -> None:
    before = contents(db, "node", "node_id")
    url = f"{server.url}/api/v2/x/_table/node"
    headers = {"X-API-Key": "boss", "Prefer": f"handling={handling}"}
    ways = [{"filter": "node_id > 3"}] + ([{"force": "true"}] if verb == "DELETE" else [])
    body = {"resource": [CHANGES["node"]]} if verb != "DELETE" else {}
    for selecting in ways:
        for query, beside in ((selecting | option, {}), (selecting, option)):
            response = httpx2.request(verb, url, params=query, json=body | beside, headers=headers)
            assert response.status_code == 400, response.text
            context = response.json()["error"]["context"]
            assert (context["reason"], context["option"]) == ("bad_option", next(iter(option)))
    assert contents(db, "node", "node_id") == before


def test_a_range_of_records_is_rejected_in_a_write(db: SqlClient, server: Server) -> None:
    before = contents(db, "node", "node_id")
    url = f"{server.url}/api/v2/x/_table/node?filter=node_id > 3"
    for verb, body in (("PATCH", {"resource": [CHANGES["node"]]}), ("DELETE", None)):
        response = httpx2.request(verb, url, json=body, headers={"X-API-Key": "boss", "Range": "items=0-1"})
        assert rejection(response) == (400, "bad_option")
    assert contents(db, "node", "node_id") == before


@pytest.mark.parametrize("verb", ["PATCH", "DELETE"])
def test_steps_of_a_batch_use_the_filters_of_relations(db: SqlClient, server: Server, verb: str) -> None:
    condition, narrow = NARROWED
    sql = "(select count(*) from film_actor a where a.film_id = t.film_id and a.actor_id < 6) = 1"
    expected = [row[0] for row in db.fetch(f"select film_id from film t where {sql} order by 1")]
    body = {"resource": [CHANGES["film"]]} if verb == "PATCH" else None
    query = {"filter": condition, **narrow}
    step = {"method": verb, "path": "_table/film", "query": query, "body": body}
    cut = {**step, "query": query | {"limit": "1"}}
    url, headers = f"{server.url}/api/v2/x/_batch", {"X-API-Key": "boss", "Prefer": "handling=lenient"}
    response = httpx2.post(url, json={"requests": [step], "dry_run": True}, headers=headers)
    assert sorted(row["film_id"] for row in response.json()["responses"][0]["body"]["resource"]) == expected
    rejected = httpx2.post(url, json={"requests": [cut]}, headers=headers)
    assert rejected.json()["error"]["context"]["error"]["context"]["reason"] == "bad_option"
