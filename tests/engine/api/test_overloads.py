"""Functions of one name: chosen as PostgreSQL chooses, whatever the form of the call."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import Server, rejection

SQL = """
create table item (id integer primary key);
create function total(a integer) returns text language sql immutable as $$ select 'one:' || a $$;
create function total(a integer, b integer) returns text language sql immutable as $$ select 'two:' || a || ',' || b $$;
create function back(a integer, b integer) returns text language sql immutable as $$ select 'two:' || a || ',' || b $$;
create function back(a integer) returns text language sql immutable as $$ select 'one:' || a $$;
create function kind(v integer) returns text language sql immutable as $$ select 'integer' $$;
create function kind(v numeric) returns text language sql immutable as $$ select 'numeric' $$;
create function kind(v boolean) returns text language sql immutable as $$ select 'boolean' $$;
create function kind(v text) returns text language sql immutable as $$ select 'text' $$;
create function kind(v date) returns text language sql immutable as $$ select 'date' $$;
create function kind(v jsonb) returns text language sql immutable as $$ select 'jsonb' $$;
create function kind(v integer[]) returns text language sql immutable as $$ select 'integer[]' $$;
create function kind(v text[]) returns text language sql immutable as $$ select 'text[]' $$;
create function wide(v bigint) returns text language sql immutable as $$ select 'bigint' $$;
create function wide(v float8) returns text language sql immutable as $$ select 'float8' $$;
create function clash(v bigint) returns text language sql immutable as $$ select 'bigint' $$;
create function clash(v numeric) returns text language sql immutable as $$ select 'numeric' $$;
create function moment(v timestamp) returns text language sql immutable as $$ select 'timestamp' $$;
create function moment(v timestamptz) returns text language sql immutable as $$ select 'timestamptz' $$;
create function moment(v uuid) returns text language sql immutable as $$ select 'uuid' $$;
create function more(a integer) returns text language sql immutable as $$ select 'a' $$;
create function more(a integer, b integer default 2) returns text language sql immutable as $$ select 'a,b=' || b $$;
create function more(a integer, b integer, variadic c integer[]) returns text language sql immutable as
    $$ select 'rest:' || c::text $$;
create function open(a integer, b integer default 2) returns text language sql immutable as $$ select 'b' || b $$;
create function open(a integer, c text default 'c') returns text language sql immutable as $$ select 'c' || c $$;
create function apart(x integer, a text default '') returns text language sql immutable as $$ select 'x' || x $$;
create function apart(y integer, b date default null) returns text language sql immutable as $$ select 'y' || y $$;
create function gap(a integer default 1, b integer default 2, c integer default 3) returns text language sql immutable
    as $$ select concat(a, b, c) $$;
create function least_of(variadic v integer[]) returns integer language sql immutable as
    $$ select min(i) from unnest(v) i $$;
create function least_of(v text) returns text language sql immutable as $$ select v $$;
create function same(v anyelement) returns anyelement language sql immutable as $$ select v $$;
create function pair(a anycompatible, b anycompatible) returns anycompatiblearray language sql immutable as
    $$ select array[a, b] $$;
create function items(v anyarray) returns setof anyelement language sql immutable as $$ select unnest(v) $$;
create function first_of(variadic v anyarray) returns anyelement language sql immutable as $$ select v[1] $$;
create function special(v text) returns text language sql immutable as $$ select 'text' $$;
create function special(v anyelement) returns text language sql immutable as $$ select 'any' $$;
create function through(inout a integer, in b integer, out c integer) language sql immutable as
    $$ select a + 1, a * b $$;
create function through(inout a integer, out c text) language sql immutable as $$ select a, 'one' $$;
create function nameless(integer, integer) returns integer language sql immutable as $$ select $1 - $2 $$;
create function "Total"(a integer) returns text language sql immutable as $$ select 'Total' $$;
create function page(a integer, "limit" integer) returns text language sql immutable as $$ select 'limit' || "limit" $$;
create function page(a integer) returns text language sql immutable as $$ select 'page' $$;
create function document(v jsonb, t text default '') returns jsonb language sql immutable as $$ select v $$;
create function far(a integer) returns text language sql immutable as $$ select '1' $$;
create function far(a integer, b integer, c integer) returns text language sql immutable as $$ select '3' $$;
create function twin(c varchar) returns text language sql immutable as $$ select 'c:' || c $$;
create function twin(b varchar, a timestamptz default null) returns text language sql immutable as
    $$ select 'b:' || b $$;
create procedure job(inout a integer) language plpgsql as $$ begin a := a + 1; end $$;
create procedure job(inout a integer, b integer) language plpgsql as $$ begin a := a * b; end $$;
create procedure job(inout a text) language plpgsql as $$ begin a := a || '!'; end $$;
create procedure total(inout c bigint) language plpgsql as $$ begin c := -c; end $$;
"""
NAMES = (
    "total back kind wide clash moment more open apart gap least_of same pair items first_of special through nameless "
    "page document far twin job"
)  # fmt: skip
SERVED = Served(SQL, under="", PUBLIC_ROUTINES=NAMES.replace(" ", ","), MCP_READ_ONLY="off")


LENIENT = {"Prefer": "handling=lenient"}


@pytest.mark.parametrize(
    ("name", "sent", "expected"),
    [
        ("clash", {"v": 1}, "ambiguous_routine"),
        ("open", {"a": 1}, "ambiguous_routine"),
        ("more", {"a": 1}, "ambiguous_routine"),
        ("kind", {"v": None}, "ambiguous_routine"),
        ("total", {"b": 1}, "bad_params"),
        ("far", {"a": 1, "b": 2}, "bad_params"),
        ("least_of", {}, "bad_params"),
        ("moment", {"v": "x"}, "bad_params"),
        ("moment", {"v": [1]}, "bad_params"),
    ],
)
def test_parameters_of_several_or_no_routines_are_rejected(
    http: httpx2.Client, name: str, sent: dict[str, Any], expected: str
) -> None:
    for headers in ({}, LENIENT):
        responses = [
            http.post(f"/_func/{name}", json={"params": sent}, headers=headers),
            http.get(f"/_func/{name}", params={"params": json.dumps(sent)}, headers=headers),
        ]
        for response in responses:
            assert rejection(response) == (400, expected), response.text
            candidates = response.json()["error"]["context"]["candidates"]
            assert all(candidate.startswith(f"{name}(") for candidate in candidates)
            assert len(candidates) > 1


def test_a_call_names_its_candidates(http: httpx2.Client) -> None:
    error = http.get("/_func/open(1)").json()["error"]
    assert error["context"]["candidates"] == ["open(a integer, b integer?)", "open(a integer, c text?)"]
    assert "open(a integer, c text?)" in error["message"]


def test_names_decide_between_overloads_of_the_same_types(http: httpx2.Client) -> None:
    assert rejection(http.get("/_func/twin('x')")) == (400, "ambiguous_routine")
    for name in ("b", "c"):
        for response in (
            http.post("/_func/twin", json={"params": {name: "x"}}),
            http.get("/_func/twin", params={name: "x"}),
        ):
            assert response.json() == [{"twin": f"{name}:x"}], response.text


@pytest.mark.parametrize("name", ["total", "back"])
def test_the_longer_overload_is_called_if_all_its_parameters_are_sent(http: httpx2.Client, name: str) -> None:
    both = {"a": 1, "b": 2}
    named = [{"name": "a", "value": 1}, {"name": "b", "value": 2}]
    for headers in ({}, LENIENT):
        for response in (
            http.get(f"/_func/{name}", params=both, headers=headers),
            http.get(f"/_func/{name}(1,2)", headers=headers),
            http.get(f"/_func/{name}", params={"params": json.dumps(both)}, headers=headers),
            http.get(f"/_func/{name}", params={"params": "[1,2]"}, headers=headers),
            http.post(f"/_func/{name}", json=both, headers=headers),
            http.post(f"/_func/{name}", json={"B": 2, "A": 1}, headers=headers),
            http.post(f"/_func/{name}", json=[1, 2], headers=headers),
            http.post(f"/_func/{name}", json={"params": named}, headers=headers),
            http.post(f"/_func/{name}", json={"params": [1, 2]}, headers=headers),
            http.post(f"/_func/{name}(1,2)", headers=headers),
        ):
            assert (response.status_code, response.json()) == (200, [{name: "two:1,2"}])
        for response in (
            http.get(f"/_func/{name}", params={"a": 1}, headers=headers),
            http.get(f"/_func/{name}(1)", headers=headers),
            http.post(f"/_func/{name}", json={"a": 1}, headers=headers),
        ):
            assert (response.status_code, response.json()) == (200, [{name: "one:1"}])
    assert rejection(http.get(f"/_func/{name}", params={**both, "c": 3})) == (400, "unknown_option")
    assert http.get(f"/_func/{name}", params={**both, "c": 3}, headers=LENIENT).json() == [{name: "two:1,2"}]


@pytest.mark.parametrize(
    ("name", "sent", "expected"),
    [
        ("kind", 1, "integer"),
        ("kind", 1.5, "numeric"),
        ("kind", 12345678901234567890123, "numeric"),
        ("kind", True, "boolean"),
        ("kind", "x", "text"),
        ("kind", "1", "text"),
        ("kind", "2024-01-31", "text"),
        ("kind", {"a": 1}, "jsonb"),
        ("kind", [1, 2], "integer[]"),
        ("kind", ["a"], "text[]"),
        ("kind", [{"a": 1}], "jsonb"),
        ("wide", 1, "float8"),
        ("wide", 3000000000, "bigint"),
        ("moment", "2024-01-31 10:00", "timestamptz"),
        ("moment", "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e", "uuid"),
        ("special", "x", "text"),
        ("special", 1, "any"),
    ],
)
def test_an_overload_is_chosen_by_the_types_of_the_values(
    http: httpx2.Client, name: str, sent: Any, expected: str
) -> None:
    assert http.post(f"/_func/{name}", json={"v": sent}).json() == [{name: expected}]
    assert http.post(f"/_func/{name}", json=[sent]).json() == [{name: expected}]
    assert http.get(f"/_func/{name}", params={"params": json.dumps({"v": sent})}).json() == [{name: expected}]


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("kind?v=1", [{"kind": "integer"}]),
        ("kind?v=1.5", [{"kind": "numeric"}]),
        ("kind?v=true", [{"kind": "boolean"}]),
        ("kind?v=x", [{"kind": "text"}]),
        ("kind(1)", [{"kind": "integer"}]),
        ("kind('1')", [{"kind": "text"}]),
        ("kind('it''s, x')", [{"kind": "text"}]),
        ("kind?v=[1,2]", [{"kind": "integer[]"}]),
        ("more(1,5)", [{"more": "a,b=5"}]),
        ("more(1,2,3,4)", [{"more": "rest:{3,4}"}]),
        ("more(1,2,'{5,6}')", [{"more": "rest:{5,6}"}]),
        ("more?a=1&b=2&c=7", [{"more": "rest:{7}"}]),
        ("more?a=1&b=2&c=[7,8]", [{"more": "rest:{7,8}"}]),
        ("gap?c=9", [{"gap": "129"}]),
        ("gap?b=8&a=7", [{"gap": "783"}]),
        ("open?a=1&c=z", [{"open": "cz"}]),
        ("open?a=1&b=3", [{"open": "b3"}]),
        ("open(1,4)", [{"open": "b4"}]),
        ("apart?x=1", [{"apart": "x1"}]),
        ("apart?y=1", [{"apart": "y1"}]),
        ("open(1,'4')", [{"open": "c4"}]),
        ("least_of(3,1,2)", [{"least_of": 1}]),
        ("least_of(3)", [{"least_of": 3}]),
        ("least_of('3')", [{"least_of": "3"}]),
        ("least_of?params=[[4,2]]", [{"least_of": 2}]),
        ("least_of?v=5", [{"least_of": 5}]),
        ("same(5)", [{"same": 5}]),
        ("same(1.50)", [{"same": 1.5}]),
        ("same('5')", [{"same": "5"}]),
        ("same?v=true", [{"same": True}]),
        ('same?params={"v": {"a": 1}}', [{"same": {"a": 1}}]),
        ("pair(1,2.5)", [{"pair": [1, 2.5]}]),
        ("pair('a','b')", [{"pair": ["a", "b"]}]),
        ("items?v=[3,1,2]&order=items&limit=2", [{"items": 1}, {"items": 2}]),
        ('items?v=["b","a"]', [{"items": "b"}, {"items": "a"}]),
        ("first_of(7,8)", [{"first_of": 7}]),
        ("first_of('x','y')", [{"first_of": "x"}]),
        ("through(2,3)", [{"a": 3, "c": 6}]),
        ("through(2)", [{"a": 2, "c": "one"}]),
        ("through?a=2&b=3", [{"a": 3, "c": 6}]),
        ("nameless(5,3)", [{"nameless": 2}]),
        ("nameless?1=5&2=3", [{"nameless": 2}]),
        ("total(1)", [{"total": "one:1"}]),
        ("Total(1)", [{"Total": "Total"}]),
        ("page?a=1&limit=5", [{"page": "limit5"}]),
        ("page?a=1", [{"page": "page"}]),
        ("page?a=1&offset=1", []),
        ('document?v={"a": [1]}', [{"document": {"a": [1]}}]),
        ("document('x, y')", [{"document": "x, y"}]),
        ("document?v=5&t=7", [{"document": 5}]),
    ],
)
def test_a_call_by_get_finds_its_overload(http: httpx2.Client, path: str, result: Any) -> None:
    for headers in ({}, LENIENT):
        response = http.get(f"/_func/{path}", headers=headers)
        assert (response.status_code, response.json()) == (200, result), response.text


def test_a_procedure_is_chosen_like_a_function(http: httpx2.Client) -> None:
    assert http.post("/_proc/job", json={"a": 2}).json() == [{"a": 3}]
    assert http.post("/_proc/job", json={"a": 2, "b": 5}).json() == [{"a": 10}]
    assert http.post("/_proc/job", json={"a": "x"}).json() == [{"a": "x!"}]
    assert http.post("/_proc/job(2,5)").json() == [{"a": 10}]


def test_a_tool_calls_the_same_overload(server: Server) -> None:
    async def call_tools() -> None:
        async with agent(f"{server.url}/mcp") as http:
            for name, sent, rows in (
                ("total", {"a": 1, "b": 2}, [["two:1,2"]]),
                ("total", {"a": 1}, [["one:1"]]),
                ("total", {"c": 1}, [[-1]]),
                ("kind", {"v": "1"}, [["text"]]),
                ("least_of", {"v": [2, 1]}, [[1]]),
                ("job", {"a": 2, "b": 5}, [[10]]),
            ):
                assert (await http.raw("call_function", name=name, arguments=sent))["rows"] == rows
            error = await http.error("call_function", name="open", arguments={"a": 1})
            assert "ambiguous_routine" in error

    asyncio.run(call_tools())


def test_the_description_has_every_overload(http: httpx2.Client) -> None:
    text = http.get("/_spec").text
    assert text.count('"/api/v2/x/_func/total"') == 1
    paths = http.get("/_spec").json()["paths"]
    get = paths["/api/v2/x/_func/total"]["get"]
    assert [parameter["name"] for parameter in get["parameters"]] == ["a", "b", "returns", "wrapper"]
    assert "total(a integer); total(a integer, b integer)" in get["description"]
    kinds = paths["/api/v2/x/_func/kind"]["get"]["parameters"][0]["schema"]["anyOf"]
    assert {"type": "integer"} in kinds
    assert {"type": "boolean"} in kinds
    assert "/api/v2/x/_proc/total" in paths
