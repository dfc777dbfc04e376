"""Functions and procedures: only public ones are callable, with bound values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve, rejection, wait_until

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
create table item (id integer primary key);
insert into item select generate_series(1, 15);
create function take(n integer) returns setof item language sql as 'delete from item where id <= n returning *';
create function clear() returns integer language plpgsql as
    'declare n integer; begin delete from item; get diagnostics n = row_count; return n; end';
create procedure empty() language sql as 'delete from item';
create procedure ends() language plpgsql as 'begin delete from item; commit; end';
create function named(dry_run boolean, max_affected integer) returns text language sql as
    'select dry_run::text || max_affected';
create function one_record() returns record language sql as 'select id, id * 2 as double from item where id = 3';
create function no_record() returns record language sql as 'select id, id from item where id = -1';
create function records(n integer) returns setof record language sql as
    'select id, ''x'' || id as name from item where id <= n order by id';
create table typed (id integer primary key, v regtype, c regclass, p regprocedure, r regrole);
insert into typed values (1, 'integer', 'item', 'empty()', 'postgres');
create function levels(a integer, b integer) returns table (level integer, n integer) language sql stable as
    'select g % 2, g from generate_series(a, b) g order by md5(g::text)';
create table pupil (id integer primary key, name text);
insert into pupil values (1, 'a'), (2, 'b');
create table mark (id integer primary key, pupil_id integer references pupil);
insert into mark values (1, 1);
create view pupils as select * from pupil;
create view marks as select id, pupil_id, 1 / (id - id) as broken from mark;
create function twice() returns record language sql as
    'select n.id, n.v, n.id from (values (1, ''a'')) n (id, v)';
create function pairs(n integer) returns setof record language sql as
    'select a.*, b.* from generate_series(1, n) a (id) join generate_series(1, n) b (id) using (id)';
create function joined(n integer) returns setof record language sql as
    'insert into note (v) select ''joined'' from generate_series(1, n); select a.*, b.* from note a, note b';
create function constants() returns record language sql as 'select 1, 2';
create function nulls() returns setof record language sql as
    'select id, v as json from (values (1, null), (null, ''{"a": 1, "a": 2}''::json)) n (id, v)';
create function unnamed(n integer, out integer, inout b integer, out text) returns setof record language sql as
    'select n, b, ''x'' from generate_series(1, n)';
create function clash(out column2 integer, out integer) returns record language sql as 'select 1, 2';
create function clashes(out column2 integer, out integer) returns setof record language sql as 'select 1, 2';
create procedure clashing(out column2 integer, out integer) language plpgsql as
    'begin insert into note (v) values (''clash''); end';
create procedure bump(inout v integer) language plpgsql as 'begin v := v + 1; end';
"""
PUBLIC = (
    "add,many,touch,bump,sales.hello,take,clear,empty,ends,named,one_record,no_record,records,levels"
    ",twice,pairs,joined,constants,nulls,unnamed,clash,clashes,clashing"
)
SERVED = Served(SQL, under="", PUBLIC_ROUTINES=PUBLIC)


def test_a_public_routine_that_does_not_exist_is_logged(new_database: NewDatabase, serve: Serve) -> None:
    server = serve("--dataset", f"x={new_database(SQL)}", "--open", PUBLIC_ROUTINES="*,mnay,add")
    assert httpx.get(f"{server.url}/api/v2/x/_func", timeout=30).json() == {"resource": [{"name": "add"}]}
    wait_until(lambda: server.log.read_text().count("unknown_routine") == 2)
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if "unknown_routine" in line]
    assert [(line["name"], line["hint"]) for line in lines] == [("*", ""), ("mnay", "Did you mean 'many'?")]


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
def test_private_routines_and_invalid_parameters_are_rejected(http: httpx.Client, path: str, status: int) -> None:
    response = http.get(path)
    assert response.status_code == status, response.text
    assert response.json()["error"]["status_code"] == status


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
def test_a_routine_is_called_by_get(http: httpx.Client, path: str, result: Any) -> None:
    response = http.get(path)
    assert (response.status_code, response.json()) == (200, result)


@pytest.mark.parametrize(
    "params",
    [[1, 2], [{"name": "a", "value": 1}, {"name": "b", "value": 2}], {"a": "1", "b": 2}, [{"value": 1}, {"value": 2}]],
)
def test_a_routine_is_called_by_post(http: httpx.Client, params: Any) -> None:
    response = http.post("/_func/add", json={"params": params, "returns": "integer", "wrapper": "sum"})
    assert (response.status_code, response.json()) == (200, {"sum": 3})


def test_a_writing_routine_is_called_by_post(http: httpx.Client) -> None:
    assert http.post("/_func/touch").status_code == 200
    assert http.get("/_table/note", params={"count_only": "true"}).json() == 1


def test_public_routines_are_listed_and_described(http: httpx.Client) -> None:
    assert http.get("/_proc").json() == {"resource": [{"name": n} for n in ("bump", "clashing", "empty", "ends")]}
    names = [routine["name"] for routine in http.get("/_func").json()["resource"]]
    assert names == [
        "add", "clash", "clashes", "clear", "constants", "joined", "levels", "many", "named", "no_record", "nulls",
        "one_record", "pairs", "records", "sales.hello", "take", "touch", "twice", "unnamed",
    ]  # fmt: skip
    assert "/api/v2/x/_func/many" in http.get("/_spec").json()["paths"]


def test_a_call_with_an_idempotency_key_runs_once(http: httpx.Client) -> None:
    def notes() -> int:
        return int(http.get("/_table/note?count_only=true").text)

    before = notes()
    responses = [http.post("/_func/touch", json={}, headers={"Idempotency-Key": "touch"}) for _ in range(2)]
    assert [response.json() for response in responses] == [[{"touch": None}]] * 2
    assert responses[1].headers["Idempotency-Replayed"] == "true"
    assert notes() == before + 1
    once = {"Idempotency-Key": "bump"}
    assert http.post("/_proc/bump", json={"params": [1]}, headers=once).json() == [{"v": 2}]
    assert http.post("/_proc/bump", json={"params": [2]}, headers=once).status_code == 422
    assert http.post("/_proc/bump(1)", json={}, headers=once).status_code == 422
    assert http.get("/_proc/bump(7)", headers=once).json() == [{"v": 8}]
    refused = [http.post("/_func/add(1,2,3)", headers={"Idempotency-Key": "bad"}) for _ in range(2)]
    assert [response.status_code for response in refused] == [400, 400]


@pytest.fixture
def items(http: httpx.Client) -> Iterator[httpx.Client]:
    """A client of a test that must keep every item."""

    def kept() -> Any:
        return http.get("/_table/item").json()

    before = kept()
    assert len(before["resource"]) == 15
    yield http
    assert kept() == before


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/_func/take?dry_run=true&n=9", {}),
        ("/_func/take(9)", {"Prefer": "tx=rollback"}),
        ("/_func/take(9)", {"Prefer": "tx=rollback, handling=strict"}),
        ("/_func/take(9)?fields=id&limit=9&dry_run=1", {}),
        ("/_func/take(9)", {"Prefer": "tx=rollback", "Idempotency-Key": "dry"}),
    ],
)
def test_a_dry_run_of_a_function_is_rolled_back(items: httpx.Client, path: str, headers: dict[str, str]) -> None:
    response = items.post(path, headers=headers)
    assert (response.status_code, len(response.json()), response.headers["dry-run"]) == (200, 9, "true"), response.text
    assert response.headers.get("preference-applied", "") == headers.get("Prefer", "")


def test_a_dry_run_of_a_value_or_a_procedure_is_rolled_back(items: httpx.Client) -> None:
    assert items.post("/_func/clear", json={"dry_run": True}).json() == [{"clear": 15}]
    assert items.post("/_func/clear", json={"params": [], "dry_run": "true", "returns": "integer"}).json() == 15
    assert items.post("/_proc/empty?dry_run=true").json() == []
    assert items.post("/_proc/empty", headers={"Prefer": "tx=rollback"}).json() == []
    ended = items.post("/_proc/ends?dry_run=true")
    assert rejection(ended) == (409, "definition_fails")


@pytest.mark.parametrize(
    ("path", "headers", "reason"),
    [
        ("/_func/take(9)?max_affected=8", {}, "too_many_affected"),
        ("/_func/take(9)", {"Prefer": "max-affected=8"}, "too_many_affected"),
        ("/_func/take(9)", {"Prefer": "max-affected=8, handling=strict"}, "too_many_affected"),
        ("/_func/take(9)?max_affected=9&limit=1", {}, "bad_option"),
        ("/_func/clear?max_affected=99", {}, "bad_option"),
        ("/_proc/empty?max_affected=99", {}, "bad_option"),
        ("/_func/take(9)?max_affected=x", {}, "bad_option"),
        ("/_func/take(9)?dry_run=perhaps", {}, "bad_option"),
        ("/_func/take?n=9&dryrun=true", {"Prefer": "handling=strict"}, "unknown_option"),
        ("/_func/take(9)", {"Prefer": "resolution=merge-duplicates, handling=strict"}, "unknown_preference"),
        ("/_func/take(9)", {"Prefer": "handling=strict", "Accept": "text/csv"}, "not_acceptable"),
        ("/_func/take(9)", {"Prefer": "handling=strict", "Content-Profile": "sales"}, "header_without_effect"),
    ],
)
def test_a_call_above_max_affected_or_strict_is_rejected(
    items: httpx.Client, path: str, headers: dict[str, str], reason: str
) -> None:
    refused = items.post(path, headers=headers)
    assert refused.json()["error"]["context"]["reason"] == reason, refused.text


def test_an_unknown_parameter_is_rejected_by_strict_handling(items: httpx.Client) -> None:
    sent = {"a": 1, "b": 2, "smthelse": 3}
    assert items.post("/_func/add", json=sent, headers={"Prefer": "handling=lenient"}).json() == [{"add": 3}]
    refused = items.post("/_func/add", json=sent, headers={"Prefer": "handling=strict"})
    context = refused.json()["error"]["context"]
    assert (refused.status_code, context["reason"], context["options"]) == (400, "unknown_option", ["smthelse"])


def test_a_call_within_max_affected_is_committed(http: httpx.Client) -> None:
    count = "/_table/item?count_only=true"
    assert http.get(count).json() == 15
    assert len(http.post("/_func/take(2)?max_affected=2").json()) == 2
    assert http.get(count).json() == 13
    http.post("/_table/item", json={"resource": [{"id": 1}, {"id": 2}]})


def test_a_parameter_named_like_an_option_takes_precedence(http: httpx.Client) -> None:
    response = http.post("/_func/named", json={"dry_run": True, "max_affected": 1})
    assert (response.json(), "dry-run" in response.headers) == ([{"named": "true1"}], False)


def test_rows_of_functions_returning_record_are_returned(http: httpx.Client) -> None:
    assert http.get("/_func/one_record").json() == [{"id": 3, "double": 6}]
    assert http.get("/_func/no_record").json() == []
    assert http.post("/_func/records", json={"n": 2}).json() == [{"id": 1, "name": "x1"}, {"id": 2, "name": "x2"}]
    assert http.get("/_func/records(0)").json() == []


@pytest.mark.parametrize(
    ("verb", "path", "name"),
    [
        ("GET", "/_func/twice", "id"),
        ("POST", "/_func/twice", "id"),
        ("GET", "/_func/twice?returns=integer", "id"),
        ("GET", "/_func/pairs(2)", "id"),
        ("GET", "/_func/constants", "?column?"),
        ("POST", "/_func/joined(2)", "id"),
        ("POST", "/_func/joined(2)?dry_run=true", "id"),
        ("GET", "/_func/clash", "column2"),
        ("GET", "/_func/clashes", "column2"),
        ("GET", "/_func/clashes?limit=1", "column2"),
        ("POST", "/_proc/clashing", "column2"),
    ],
)
def test_duplicate_column_names_are_an_error_and_roll_the_call_back(
    http: httpx.Client, verb: str, path: str, name: str
) -> None:
    """A JSON object would keep one of the two values."""
    response = http.request(verb, path)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (409, "definition_fails"), response.text
    assert f"columns named '{name}'" in error["message"]
    count = http.get("/_table/note", params={"filter": "v in ('joined', 'clash')", "count_only": "true"})
    assert count.json() == 0


def test_rows_without_duplicate_column_names_are_returned(http: httpx.Client) -> None:
    assert http.get("/_func/pairs(0)").json() == []
    assert [row["id"] for row in http.get("/_func/nulls").json()] == [1, None]


def test_unnamed_outputs_are_named_by_position(http: httpx.Client) -> None:
    rows = [{"column1": 2, "b": 7, "column3": "x"}] * 2
    assert http.get("/_func/unnamed(2,7)").json() == rows
    assert http.get("/_func/unnamed(2,7)?limit=1").json() == rows[:1]
    assert http.get("/_func/unnamed?n=2&b=7&fields=column3,b&limit=1").json() == [{"column3": "x", "b": 7}]
    assert http.get("/_func/unnamed?n=2&b=7&filter=column1 = 2&order=b").json() == rows


@pytest.mark.parametrize("value", [True, 1e300, "a b c", "(", "integer[", "'", "%", "1", "setof integer", ""])
@pytest.mark.parametrize("name", ["v", "c", "p", "r"])
def test_text_sent_for_a_regtype_column_causes_no_server_error(http: httpx.Client, name: str, value: Any) -> None:
    quoted = "'" + str(value).replace("'", "''") + "'"
    refused = [
        http.patch("/_table/typed/1", json={name: value}),
        http.get("/_table/typed", params={"filter": f"{name} = {quoted}"}),
    ]
    for response in refused:
        assert response.status_code < 500, (name, value, response.text)


def test_explain_is_rejected_for_a_write(items: httpx.Client) -> None:
    for method, path in (
        ("PATCH", "/_table/item?filter=id=1"), ("DELETE", "/_table/item/1"), ("POST", "/_table/item"),
        ("PUT", "/_table/item/1"), ("DELETE", "/_table/item?force=true"), ("POST", "/_table/item?method=DELETE&ids=1"),
    ):  # fmt: skip
        body = {"resource": [{"id": 99}]}
        for headers in ({}, {"Prefer": "handling=strict"}):
            url = f"{path}{'&' if '?' in path else '?'}explain=true"
            refused = items.request(method, url, json=body, headers=headers)
            context = refused.json()["error"]["context"]
            assert (refused.status_code, context["reason"], context["option"]) == (400, "bad_option", "explain")


def test_an_unknown_parameter_is_an_error(http: httpx.Client) -> None:
    for path, body in (
        ("/_func/add?a=1&smthelse=3", None),
        ("/_func/add", {"a": 1, "smthelse": 3}),
        ("/_func/add", {"params": {"a": 1, "smthelse": 3}}),
        ("/_func/add", {"params": [{"name": "a", "value": 1}, {"name": "smthelse", "value": 3}]}),
        ("/_func/levels?a=1&b=2&smthelse=3&order=n", None),
        ("/_proc/bump", {"v": 1, "smthelse": 3}),
    ):
        response = http.get(path) if body is None else http.post(path, json=body)
        assert response.status_code == 400, (path, response.text)
        assert response.json()["error"]["context"]["options"] == ["smthelse"]
        lenient = {"Prefer": "handling=lenient"}
        response = http.request("GET" if body is None else "POST", path, json=body, headers=lenient)
        assert response.status_code == 200, (path, response.text)
    assert http.get("/_func/add?A=1&returns=integer").json() == 11
    assert http.get("/_func/levels?a=1&b=2&order=n&limit=1&wrapper=rows").json()["rows"][0]["n"] == 1


def test_pages_of_rows_of_a_function_do_not_overlap(http: httpx.Client) -> None:
    def page(offset: int) -> list[int]:
        query = f"a=1&b=60&order=level desc&limit=7&offset={offset}"
        return [row["n"] for row in http.get(f"/_func/levels?{query}").json()]

    ns = [n for offset in range(0, 60, 7) for n in page(offset)]
    assert ns == [*range(1, 61, 2), *range(2, 61, 2)]
    assert http.get("/_func/levels?a=1&b=60&fields=n").json() != [{"n": n} for n in range(1, 61)]


def test_related_star_of_a_view_omits_views(http: httpx.Client) -> None:
    response = http.get("/_table/pupils?filter=id=1&related=*")
    assert response.json()["resource"] == [{"id": 1, "name": "a", "mark_by_pupil_id": [{"id": 1, "pupil_id": 1}]}]
    assert http.get("/_table/pupils?related=marks_by_pupil_id").status_code in (400, 409)
    assert http.get("/_table/pupils?related=pupils_by_pupil_id").status_code == 400


@pytest.mark.parametrize("verb", ["PATCH", "DELETE"])
@pytest.mark.parametrize("option", ["order=id", "include_count=true", "count_only=true"])
def test_an_option_of_reads_is_an_error_in_a_write_by_filter(http: httpx.Client, verb: str, option: str) -> None:
    path, body = f"/_table/pupil?filter=id>0&dry_run=true&{option}", [{"name": "c"}]
    sent = body if verb == "PATCH" else None
    response = http.request(verb, path, json=sent)
    assert response.status_code == 400, response.text
    assert response.json()["error"]["context"]["option"] == option.split("=")[0]
    lenient = http.request(verb, path, json=sent, headers={"Prefer": "handling=lenient"})
    assert lenient.status_code == (200 if verb == "PATCH" else 409)  # another table refers to a record
