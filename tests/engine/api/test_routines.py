"""Functions and procedures: only public ones are callable, with bound values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve

SQL = """
create table note (id serial primary key, v text);
create schema sales;
create function add(a integer, b integer default 10) returns integer language sql as 'select a + b';
create function add(a text) returns text language sql as 'select a || ''!''';
create function many(n integer) returns table (x integer, y text) language sql as
    'select g, ''v'' || g from generate_series(1, n) g';
create function touch() returns void language sql as 'insert into note (v) values (''t'')';
create function sales.hello(who text) returns text language sql as 'select ''hi '' || who';
create function hidden() returns integer language sql as 'select 1';
create procedure bump(inout v integer) language plpgsql as 'begin v := v + 1; end';
"""


@pytest.fixture(scope="module")
def routines(module_database: NewDatabase, module_serve: Serve) -> Iterator[httpx.Client]:
    url = module_database(SQL)
    public = "add,many,touch,bump,sales.hello"
    server = module_serve("--dataset", f"x={url}", "--open", PUBLIC_ROUTINES=public)
    with httpx.Client(base_url=f"{server.url}/api/v2/x", timeout=30) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/_func/hidden", 404),
        ("/_func/pg_sleep(9)", 404),
        ("/_func/nope", 404),
        ("/_proc/add(1,2)", 404),
        ("/_func/add(1,2,3)", 400),
        ("/_func/many(x)", 400),
        ("/_func/many(1", 400),
        ("/_func/many", 400),
        ("/_func/touch", 405),
        ("/_func/many(99999999999)", 400),
        ("/_func/add(1)?returns=shape", 400),
        ("/_func/many(1);drop table note", 400),
        ("/_func/many?params=[", 400),
    ],
)
def test_what_is_not_public_or_does_not_fit_is_refused(routines: httpx.Client, path: str, status: int) -> None:
    answer = routines.get(path)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["status_code"] == status


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("/_func/add(1,2)", [{"add": 3}]),
        ("/_func/ADD(1)", [{"add": 11}]),
        ("/_func/add?b=5&a=1&returns=integer", 6),
        ("/_func/add(1,2)?returns=string&wrapper=sum", {"sum": "3"}),
        ("/_func/many(2)", [{"x": 1, "y": "v1"}, {"x": 2, "y": "v2"}]),
        ("/_func/many(0)", []),
        ("/_func/sales.hello('a, b')", [{"hello": "hi a, b"}]),
        ("/_func/sales.hello(null)?returns=string", None),
        ("/_proc/bump(4)", [{"v": 5}]),
        ('/_func/add?params={"a": 1, "b": 1}', [{"add": 2}]),
    ],
)
def test_a_routine_is_called_by_get(routines: httpx.Client, path: str, result: Any) -> None:
    answer = routines.get(path)
    assert (answer.status_code, answer.json()) == (200, result)


@pytest.mark.parametrize(
    "params",
    [[1, 2], [{"name": "a", "value": 1}, {"name": "b", "value": 2}], {"a": "1", "b": 2}, [{"value": 1}, {"value": 2}]],
)
def test_a_routine_is_called_by_post(routines: httpx.Client, params: Any) -> None:
    answer = routines.post("/_func/add", json={"params": params, "returns": "integer", "wrapper": "sum"})
    assert (answer.status_code, answer.json()) == (200, {"sum": 3})


def test_a_routine_that_writes_is_called_by_post(routines: httpx.Client) -> None:
    assert routines.post("/_func/touch").status_code == 200
    assert routines.get("/_table/note", params={"count_only": "true"}).json() == 1


def test_the_public_ones_are_listed_and_described(routines: httpx.Client) -> None:
    assert routines.get("/_proc").json() == {"resource": [{"name": "bump"}]}
    names = [routine["name"] for routine in routines.get("/_func").json()["resource"]]
    assert names == ["add", "many", "sales.hello", "touch"]
    assert "/api/v2/x/_func/many" in routines.get("/_spec").json()["paths"]


def test_a_call_with_an_idempotency_key_runs_once(routines: httpx.Client) -> None:
    def notes() -> int:
        return int(routines.get("/_table/note?count_only=true").text)

    before = notes()
    answers = [routines.post("/_func/touch", json={}, headers={"Idempotency-Key": "touch"}) for _ in range(2)]
    assert [answer.json() for answer in answers] == [[{"touch": None}]] * 2
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert notes() == before + 1
    once = {"Idempotency-Key": "bump"}
    assert routines.post("/_proc/bump", json={"params": [1]}, headers=once).json() == [{"v": 2}]
    assert routines.post("/_proc/bump", json={"params": [2]}, headers=once).status_code == 422
    assert routines.post("/_proc/bump(1)", json={}, headers=once).status_code == 422
    assert routines.get("/_proc/bump(7)", headers=once).json() == [{"v": 8}]
    refused = [routines.post("/_func/add(1,2,3)", headers={"Idempotency-Key": "bad"}) for _ in range(2)]
    assert [answer.status_code for answer in refused] == [400, 400]
