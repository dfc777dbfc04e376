"""POST _batch: several requests for tables in one transaction."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

TABLES = """
create table customer (id serial primary key, name text not null, store int, age int check (age < 150));
create table orders (id serial primary key, customer_id int not null references customer deferrable initially deferred,
                     note text, price numeric);
create table order_line (id serial primary key, order_id int not null references orders, product text, amount int);
create table counter (id int primary key, n int not null);
create table secret (id int primary key, body text);
insert into customer (name, store) values ('Ada', 1), ('Bob', 2);
insert into counter select n, 0 from generate_series(1, 6) n;
insert into secret values (1, 'hush')
"""
OWN = [{"name": "store", "operator": "=", "value": "{user.store}"}]
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"store": 1}}},
    "roles": {
        "clerk": {
            "access": [
                {"component": "_table/customer/*", "verb_mask": 1 + 8, "filters": OWN},
                {"component": "_table/orders/*", "verb_mask": 1 + 2},
                {"component": "_table/order_line/*", "verb_mask": 1},
            ]
        }
    },
}
ORDER = {"id": "order", "method": "POST", "path": "_table/orders", "query": {"fields": "*"},
         "body": {"resource": [{"customer_id": 1, "price": 19.5}]}}  # fmt: skip
LINE = {"method": "POST", "path": "_table/order_line",
        "body": {"resource": [{"order_id": {"$ref": "order.resource.0.id"}, "product": "tea"}]}}  # fmt: skip
TABLE_NAMES = ("customer", "orders", "order_line", "counter", "secret")
SERVED = Served(TABLES, ACCESS, dataset="shop", under="")


@pytest.fixture
def send(base: str) -> Callable[..., httpx2.Response]:
    def sent(*steps: Any, key: str = "boss", headers: dict[str, str] | None = None, **more: Any) -> httpx2.Response:
        body = {"requests": list(steps), **more}
        return httpx2.post(f"{base}_batch", json=body, headers={"X-API-Key": key} | (headers or {}), timeout=60)

    return sent


@pytest.fixture
async def db(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


async def _contents(db: asyncpg.Connection) -> list[Any]:
    return [[tuple(row) for row in await db.fetch(f"select * from {name} order by id")] for name in TABLE_NAMES]


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "status", "reason"),
    [
        ([], 422, "invalid"),
        ([ORDER] * 101, 422, "invalid"),
        (["x"], 422, "invalid"),
        ([{"path": "_table/orders", "verb": "GET"}], 422, "invalid"),
        ([{"path": "_table/orders", "method": "QUERY"}], 422, "invalid"),
        ([{"path": "_table/orders?limit=1"}], 422, "invalid"),
        ([{"path": "_schema/orders"}], 422, "invalid"),
        ([{"path": "../_table/orders"}], 422, "invalid"),
        ([{"path": "_table/orders", "id": "a.b"}], 422, "invalid"),
        ([{"path": "_table/orders", "id": "a"}, {"path": "_table/orders", "id": "a"}], 422, "invalid"),
        ([{"path": "_table/orders", "query": "limit=1"}], 422, "invalid"),
        ([ORDER, {**LINE, "body": {"$ref": "later.resource"}}], 400, "bad_reference"),
        ([LINE, ORDER], 400, "bad_reference"),
        ([{**ORDER, "body": {"$ref": "order"}}], 400, "bad_reference"),
        ([ORDER, {**LINE, "body": {"$ref": 1}}], 400, "bad_reference"),
        ([ORDER, {**LINE, "body": {"$ref": "order", "x": 1}}], 400, "bad_reference"),
    ],
)
async def test_a_malformed_batch_is_rejected_before_anything_runs(
    send: Any, db: asyncpg.Connection, steps: list[Any], status: int, reason: str
) -> None:
    before, sequence = await _contents(db), await db.fetchval("select last_value from orders_id_seq")
    response = send(*steps)
    assert response.status_code == status, response.text
    assert response.json()["error"]["context"]["reason"] == reason
    assert await _contents(db) == before
    assert await db.fetchval("select last_value from orders_id_seq") == sequence


def test_other_methods_missing_keys_and_malformed_bodies_are_rejected(base: str) -> None:
    assert httpx2.get(f"{base}_batch", headers={"X-API-Key": "boss"}).status_code == 405
    assert httpx2.post(f"{base}_batch", json={"requests": [ORDER]}).status_code == 401
    for body in (b"", b"[]", b"{", b'"x"', b'{"requests": {}}'):
        response = httpx2.post(f"{base}_batch", content=body, headers={"X-API-Key": "boss"})
        assert response.status_code in (400, 422), response.text
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    assert httpx2.post(
        f"{base}_batch", json={"requests": [{**ORDER, "body": deep}]}, headers={"X-API-Key": "boss"}
    ).json()["error"]["context"]["reason"] == "bad_json"  # fmt: skip


REFERENCE = "bad_reference"
FAILS = [
    ({"method": "POST", "path": "_table/nothing", "body": {"resource": [{}]}}, 404, "unknown_table"),
    ({"method": "POST", "path": "_table/customer", "body": {"resource": [{"name": None}]}}, 400, None),
    ({"method": "POST", "path": "_table/customer", "body": {"resource": [{"name": "Old", "age": 200}]}}, 400, None),
    ({"method": "PATCH", "path": "_table/customer/999", "body": {"name": "x"}}, 404, "not_found"),
    ({"method": "GET", "path": "_table/customer/999"}, 404, "not_found"),
    ({"method": "GET", "path": "_table/customer", "query": {"filter": "(("}}, 400, "bad_filter"),
    ({"method": "GET", "path": "_table/customer", "query": {"limit": {"a": 1}}}, 400, "bad_option"),
    ({"method": "GET", "path": "_table/customer", "query": {"accept": "text/csv"}}, 400, "bad_option"),
    ({"method": "GET", "path": "_table/customer/_changes"}, 400, "bad_identifier"),
    ({"method": "DELETE", "path": "_table/counter", "query": {"ids": {"$ref": "order.resource.7.id"}}}, 400, REFERENCE),
    ({"method": "DELETE", "path": "_table/counter", "query": {"ids": {"$ref": "order.nothing"}}}, 400, REFERENCE),
]  # fmt: skip


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(("step", "status", "reason"), FAILS)
async def test_a_failing_step_rolls_back_the_batch_at_any_position(
    send: Any, db: asyncpg.Connection, step: dict[str, Any], status: int, reason: str | None, place: int
) -> None:
    if "$ref" in str(step) and place == 0:
        place = 1
    before = await _contents(db)
    steps: list[Any] = [ORDER, LINE]
    steps.insert(place, {**step, "id": "failing"})
    response = send(*steps)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (status, "batch_step"), response.text
    assert (error["context"]["index"], error["context"]["id"]) == (place, "failing")
    if reason is not None:
        assert error["context"]["error"]["context"]["reason"] == reason
    assert await _contents(db) == before


async def test_a_deferred_constraint_is_checked_at_the_end(send: Any, db: asyncpg.Connection) -> None:
    before = await _contents(db)
    wrong = {**ORDER, "body": {"resource": [{"customer_id": 424242}]}}
    assert send(wrong).status_code == 409
    assert await _contents(db) == before


# -- rights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "status"),
    [
        ({"method": "GET", "path": "_table/secret"}, 403),
        (LINE, 403),
        ({"method": "DELETE", "path": "_table/orders", "query": {"ids": {"$ref": "order.resource.0.id"}}}, 403),
        ({"method": "PATCH", "path": "_table/customer/2", "body": {"name": "taken"}}, 404),
        ({"method": "POST", "path": "_table/customer", "body": {"resource": [{"name": "x", "store": 1}]}}, 403),
    ],
)  # fmt: skip
async def test_each_step_has_the_rights_of_its_caller(
    send: Any, db: asyncpg.Connection, step: dict[str, Any], status: int
) -> None:
    before = await _contents(db)
    response = send(ORDER, step, key="clerk")
    assert response.status_code == status, response.text
    assert response.json()["error"]["context"]["reason"] == "batch_step"
    assert "hush" not in response.text
    assert await _contents(db) == before


def test_reads_in_a_batch_follow_row_rules(send: Any) -> None:
    responses = send({"path": "_table/customer", "query": {"fields": "store"}}, key="clerk").json()["responses"]
    assert {row["store"] for row in responses[0]["body"]["resource"]} == {1}


def test_references_are_limited_in_number_and_size(send: Any) -> None:
    one = {"id": "one", "path": "_table/customer", "query": {"limit": 1}}
    many = {"method": "POST", "path": "_table/customer", "body": [{"name": {"$ref": "one.resource.0.name"}}] * 10_001}
    assert send(one, many).status_code == 413
    note = {"id": "note", "method": "POST", "path": "_table/orders", "query": {"fields": "note"},
            "body": {"resource": [{"customer_id": 1, "note": "x" * 2_000}]}}  # fmt: skip
    large = {"method": "POST", "path": "_table/orders",
             "body": [{"customer_id": 1, "note": {"$ref": "note.resource.0.note"}}] * 900}  # fmt: skip
    response = send(note, large)
    assert (response.status_code, response.json()["error"]["context"]["index"]) == (413, 1)
    assert response.json()["error"]["context"]["error"]["context"]["reason"] == "too_large"


def test_responses_are_limited_in_size(send: Any) -> None:
    order = {"method": "POST", "path": "_table/orders", "query": {"fields": "note"},
             "body": {"resource": [{"customer_id": 1, "note": "x" * 500_000}]}}  # fmt: skip
    read = {"path": "_table/orders", "query": {"fields": "note", "order": "id desc", "limit": 1}}
    response = send(order, *[read] * 40)
    context = response.json()["error"]["context"]
    assert (response.status_code, context["reason"], context["index"]) == (413, "batch_step", 31)


# -- the story -------------------------------------------------------------------------------------------------------


async def test_later_steps_see_writes_of_earlier_ones(send: Any, db: asyncpg.Connection) -> None:
    read = {"id": "read", "path": "_table/orders", "query": {
        "ids": {"$ref": "order.resource.0.id"}, "related": "order_line_by_order_id"}}  # fmt: skip
    response = send(ORDER, LINE, read, {"method": "PATCH", "path": "_table/customer/1", "body": {"age": 36}})
    order, line, seen, changed = ok(response)["responses"]
    assert [one["status"] for one in (order, line, seen, changed)] == [200, 200, 200, 200]
    assert [one["id"] for one in (order, line, seen, changed)] == ["order", None, "read", None]
    number = order["body"]["resource"][0]["id"]
    assert seen["body"]["resource"][0]["order_line_by_order_id"][0]["product"] == "tea"
    assert changed["body"] == {"id": 1}
    assert await db.fetchval("select count(*) from order_line where order_id = $1", number) == 1


async def test_numbers_keep_every_digit(base: str, db: asyncpg.Connection) -> None:
    body = json.dumps({"requests": [ORDER]}).replace("19.5", "12345678901234567.891")
    response = httpx2.post(f"{base}_batch", content=body, headers={"X-API-Key": "boss"})
    assert "12345678901234567.891" in response.text
    assert await db.fetchval("select count(*) from orders where price = 12345678901234567.891") == 1


async def test_a_dry_run_responds_and_is_rolled_back(send: Any, db: asyncpg.Connection) -> None:
    before = await _contents(db)
    response = send(ORDER, LINE, dry_run=True)
    assert response.headers["dry-run"] == "true"
    assert [one["status"] for one in response.json()["responses"]] == [200, 200]
    assert await _contents(db) == before


async def test_the_same_key_runs_once_and_rejects_another_body(send: Any, db: asyncpg.Connection) -> None:
    count = "select count(*) from orders"
    before = await db.fetchval(count)
    key = {"Idempotency-Key": "batch-1"}
    first, again = send(ORDER, LINE, headers=key), send(ORDER, LINE, headers=key)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert await db.fetchval(count) == before + 1
    assert send(ORDER, headers=key).status_code == 422


async def test_sixty_four_concurrent_batches_on_the_same_rows_report_no_deadlock(
    send: Any, db: asyncpg.Connection
) -> None:
    def one(number: int) -> Any:
        order = random.Random(number).sample(range(1, 7), 6)  # locks in different orders
        return send(*({"method": "PATCH", "path": f"_table/counter/{ident}", "body": {"n": number}} for ident in order))

    with ThreadPoolExecutor(64) as pool:
        responses = list(pool.map(one, range(64)))
    assert {response.status_code for response in responses} == {200}, [
        a.text for a in responses if a.status_code != 200
    ][:1]
    rows = [row["n"] for row in await db.fetch("select n from counter")]
    assert len(set(rows)) == 1  # each batch wrote all rows, or none
