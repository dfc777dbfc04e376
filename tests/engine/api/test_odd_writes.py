"""Writes to unusual fields and tables: delimiters, nested composites, JSON null, rules and triggers."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

TABLES = """
create type point_of as (x numeric, y numeric);
create domain placed as point_of check ((value).x is not null);
create type shape as (name text, "at" placed, more placed[], r numeric[]);
create domain shaped as shape;
create domain whole as integer[];
create domain places as placed[];
create domain lists_of_places as places[];
create domain some_json as jsonb not null;
create table odd (id serial primary key, boxes box[], boxes2 box[][], s shape, d shaped, ss shape[], ds shaped[],
                  at placed[], p places[], pp lists_of_places, w whole[], r text,
                  jn jsonb not null default '1', jd some_json default '1',
                  jt json not null default '1', j jsonb);
insert into odd (boxes, boxes2, s, d, ss, ds, at, p, pp, w, r, jn, jd, jt, j) values (
    '{(3,3),(0,0);(1,1),(0,0)}', '{{(3,3),(0,0);(1,1),(0,0)}}',
    ('a', (1.25, 2), array[(1, null)::point_of]::placed[], '{1.5,null}'),
    ('a,"b', (1, 2), null, null), array[('x', (1, 2), null, '{}')::shape, null],
    array[('x', (1, 2), array[(1, 1)::point_of]::placed[], null)::shape]::shaped[],
    array[(1, 2.75)::point_of]::placed[],
    '{"{\\"(1,2.75)\\",\\"(3,)\\"}"}', '{"{\\"(1,2)\\"}",null}',
    array['{1,2}'::whole, '{3}'::whole], 'r', 'null', 'null', 'null', 'null');

create table plain (id serial primary key, v text);
create table log (id serial primary key, v text);
create table nothing (id serial primary key, v text);
insert into nothing (v) values ('a');
create rule i as on insert to nothing do instead nothing;
create rule u as on update to nothing do instead nothing;
create rule d as on delete to nothing do instead nothing;
create table moved (id serial primary key, v text);
insert into moved (v) values ('a');
create rule i as on insert to moved do instead insert into plain (v) values (new.v);
create rule u as on update to moved do instead update plain set v = new.v where id = old.id;
create rule d as on delete to moved do instead delete from plain where id = old.id;
create table partly (id serial primary key, v text);
insert into partly (v) values ('a');
create rule i as on insert to partly where new.v = 'x' do instead nothing;
create rule u as on update to partly where new.v = 'x' do instead nothing;
create rule d as on delete to partly where old.v = 'x' do instead nothing;
create table told (id serial primary key, v text);
insert into told (v) values ('a');
create rule i as on insert to told do instead insert into plain (v) values (new.v) returning id, v;
create rule u as on update to told do instead update plain set v = new.v where id = old.id returning id, v;
create rule d as on delete to told do instead delete from plain where id = old.id returning id, v;
create table also (id serial primary key, v text);
create rule i as on insert to also do also insert into log (v) values (new.v);
create table greeted (id serial primary key, v text);
insert into greeted (v) values ('a'), ('b');
create table words (word text primary key);
insert into words values ('Hello ');
create function label(greeted) returns text language sql stable as 'select word || $1.v from words';
create view lost as select id, v from plain;
create function lose() returns trigger language plpgsql as 'begin return null; end';
create trigger lose instead of insert or update or delete on lost for each row execute function lose();
create view grouped as select count(*) as many, v from plain group by v;

create table numbered (id bigint generated always as identity primary key, name text unique, twice text);
insert into numbered (name) values ('a');
create table linked (id integer primary key, next integer references linked deferrable initially deferred);

create table ticket (id serial primary key);
create table counted (id bigint generated always as identity primary key);
create table filled (id serial primary key, a text not null default 'a', on_day date default '2024-01-02');
create table strict (id serial primary key, a text not null);
create table keyed (id integer primary key);
create table bare ();
create table part (id serial primary key, ticket_id integer references ticket);
create view of_filled as select * from filled;
"""
SERVED = Served(TABLES)


def record(http: httpx.Client) -> str:
    return http.get("/odd/1").text


@pytest.mark.parametrize("verb", ["PATCH", "PUT"])
def test_every_odd_field_round_trips(http: httpx.Client, verb: str) -> None:
    before = record(http)
    for _ in range(2):  # the second write uses the prepared statement
        response = http.request(verb, "/odd/1", content=before)
        assert response.status_code == 200, response.text
        assert record(http) == before
    for name, value in http.get("/odd/1").json().items():
        if name != "id":
            response = http.patch("/odd/1", json={name: value})
            assert response.status_code == 200, (name, response.text)
    assert record(http) == before


def test_an_odd_record_can_be_copied(http: httpx.Client) -> None:
    body = http.get("/odd/1").json()
    sent = {name: value for name, value in body.items() if name != "id"}
    response = http.post("/odd", json={"resource": [sent]}, params={"fields": "*"})
    assert ok(response)["resource"][0] | {"id": 1} == body


def test_json_null_is_null_only_if_the_field_can_be_null(http: httpx.Client) -> None:
    assert http.patch("/odd/1", json={"jn": None, "jd": None, "jt": None, "j": None}).status_code == 200
    response = http.get(
        "/odd", params={"filter": "(jn is not null) and (jd is not null) and (j is null)", "fields": "id"}
    )
    assert {"id": 1} in response.json()["resource"]


@pytest.mark.parametrize(
    "sent",
    [
        {"boxes": ["(1,1)"]}, {"boxes": [["x"]]}, {"s": {"at": {"y": 1}}}, {"s": {"at": 5}}, {"ss": [5]},
        {"ss": {"name": "x"}}, {"at": [{"y": 1}]}, {"w": [[1, [2]]]}, {"w": ["x"]}, {"ds": [{"r": "x"}]}, {"d": "x"},
        {"p": ["{broken"]}, {"p": [5]}, {"p": ["{\"(,1)\"}"]}, {"pp": "x"},
    ],
)  # fmt: skip
def test_an_invalid_value_of_an_odd_field_is_rejected(http: httpx.Client, sent: dict[str, Any]) -> None:
    before = record(http)
    assert http.patch("/odd/1", json=sent).status_code == 400
    assert record(http) == before


@pytest.mark.parametrize("table", ["nothing", "moved", "partly"])
@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "", {"resource": [{"v": "x"}]}),
        ("POST", "", {"resource": [{"v": "x"}, {"v": "y"}]}),
        ("POST", "?upsert=true", {"resource": [{"id": 1, "v": "x"}]}),
        ("PATCH", "/1", {"v": "b"}),
        ("PUT", "", {"resource": [{"id": 1, "v": "b"}]}),
        ("PATCH", "?filter=v='a'", {"resource": [{"v": "b"}]}),
        ("PATCH", "?ids=1", {"resource": [{"v": "b"}]}),
        ("DELETE", "/1", None),
        ("DELETE", "?ids=1", None),
        ("DELETE", "?filter=v='a'", None),
        ("DELETE", "?force=true", None),
    ],
)
def test_a_write_replaced_by_a_rule_without_returning_is_rejected(
    http: httpx.Client, table: str, verb: str, path: str, body: Any
) -> None:
    plain = http.get("/plain").text
    response = http.request(verb, f"/{table}{path}", json=body)
    assert response.status_code == 400, response.text
    assert "A rule of the database replaces this write" in response.text
    assert http.get(f"/{table}").json() == {"resource": [{"id": 1, "v": "a"}]}
    assert http.get("/plain").text == plain


def test_a_rule_with_returning_can_be_written(http: httpx.Client) -> None:
    response = http.post("/told", json={"resource": [{"v": "new"}]}, params={"fields": "*"})
    assert response.status_code == 200, response.text
    assert response.json()["resource"][0]["v"] == "new"
    ident = response.json()["resource"][0]["id"]
    assert http.get(f"/plain/{ident}").json() == {"id": ident, "v": "new"}
    assert http.post("/told", json={"resource": [{"v": "n"}, {"v": "m"}]}).status_code == 200
    assert http.post("/told?upsert=true", json={"resource": [{"id": 1, "v": "n"}]}).status_code == 400
    assert http.patch("/told/1", json={"v": "b"}).status_code == 200
    assert http.get("/plain/1").json()["v"] == "b"
    assert http.get("/told/1").headers["etag"]
    assert http.delete("/told/1").status_code == 200
    assert http.get("/plain/1").status_code == 404


def test_an_additional_rule_does_not_change_the_response(http: httpx.Client) -> None:
    response = http.post("/also", json={"resource": [{"v": "new"}]})
    assert response.status_code == 200, response.text
    assert http.get("/log").json()["resource"][-1]["v"] == "new"


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "/lost", {"resource": [{"v": "x"}]}),
        ("PATCH", "/lost?filter=id>0", {"resource": [{"v": "x"}]}),
        ("DELETE", "/lost?filter=id>0", None),
        ("POST", "/grouped", {"resource": [{"v": "x"}]}),
        ("PATCH", "/grouped?filter=many>0", {"resource": [{"v": "x"}]}),
        ("DELETE", "/grouped?force=true", None),
    ],
)
def test_a_view_that_discards_a_write_is_not_a_server_error(
    http: httpx.Client, verb: str, path: str, body: Any
) -> None:
    response = http.request(verb, path, json=body)
    assert response.status_code in (200, 400, 403), response.text
    if response.status_code == 200:
        assert response.json() == {"resource": []}


def test_an_upsert_does_not_create_a_record_under_a_number_of_the_database(http: httpx.Client) -> None:
    refused = http.post("numbered?upsert=true", json=[{"id": 1, "name": "b"}]).json()["error"]["context"]
    assert refused["resource"][0]["context"] == {"reason": "generated", "scope": "resource", "field": "id"}
    assert http.post("numbered?upsert=ignore", json=[{"ID": 1, "name": "b"}]).status_code == 400
    assert http.put("numbered/1?upsert=true", json={"name": "b"}).status_code == 400
    assert http.post("numbered?upsert=true&id_field=name", json=[{"id": 9, "name": "a", "twice": "x"}]).json() == {
        "resource": [{"name": "a"}]
    }
    assert http.post("numbered?upsert=true", json=[{"name": "new"}]).status_code == 200
    assert [row["name"] for row in http.get("numbered").json()["resource"]] == ["a", "new"]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "linked"}])
def test_a_deferred_constraint_rejects_one_record_with_continue(http: httpx.Client, headers: dict[str, str]) -> None:
    http.delete("linked?force=true")
    records = [{"id": 1}, {"id": 2, "next": 77}, {"id": 3, "next": 1}]
    error = http.post("linked?continue=true", json=records, headers=headers).json()["error"]["context"]
    assert (error["error"], [entry.get("id") for entry in error["resource"]]) == ([1], [1, None, 3])
    assert http.get("linked?fields=id").json() == {"resource": [{"id": 1}, {"id": 3}]}
    changes = [{"id": 1, "next": 3}, {"id": 3, "next": 78}]
    error = http.patch("linked?continue=true", json=changes).json()["error"]["context"]
    assert error["error"] == [1]
    assert http.get("linked").json()["resource"] == [{"id": 1, "next": 3}, {"id": 3, "next": 1}]
    both = [{"id": 5, "next": 6}, {"id": 6, "next": 5}]
    assert http.post("linked", json=both).status_code == 200


@pytest.mark.parametrize(
    ("request_line", "options", "ignored"),
    [
        ("POST plain", {"json": {"resource": [{"v": "new", "vv": 1}, {"v": "new", "ctiy": "Rome"}]}}, "vv, ctiy"),
        ("POST plain?upsert=true", {"json": {"resource": [{"id": 901, "v": "new", "vv": 1}]}}, "vv"),
        ("POST plain", {"content": "v,vv\nnew,2\n", "headers": {"Content-Type": "text/csv"}}, "vv"),
        ("PATCH plain/900", {"json": {"vv": "a"}}, "vv"),
        ("PUT plain/900", {"json": {"v": "first", "vv": "a"}}, "vv"),
        ("PATCH plain/900", {"json": {"resource": {"v": "first", "vv": "a"}}}, "vv"),
        ("PATCH plain", {"json": {"resource": [{"id": 900, "v": "first", "vv": "a"}]}}, "vv"),
        ("PATCH plain?ids=900", {"json": {"resource": [{"v": "first", "vv": "a"}]}}, "vv"),
        ("PATCH plain?filter=id=900", {"json": {"resource": [{"v": "first", "vv": "a"}]}}, "vv"),
    ],
)
def test_an_unknown_field_is_named_in_a_header_and_rejected_by_a_strict_client(
    http: httpx.Client, request_line: str, options: dict[str, Any], ignored: str
) -> None:
    verb, path = request_line.split(" ")
    _ = http.post("plain?upsert=true", json={"resource": [{"id": 900, "v": "first"}]}).raise_for_status()
    before = http.get("plain?order=id").json()
    strict = options.get("headers", {}) | {"Prefer": "handling=strict"}
    refused = http.request(verb, f"/{path}", **options | {"headers": strict})
    first = ignored.partition(",")[0]
    error = refused.json()["error"]
    assert (refused.status_code, error["context"]["reason"], first in error["message"]) == (400, "unknown_field", True)
    assert http.get("plain?order=id").json() == before
    lenient = http.request(verb, f"/{path}", **options)
    assert (lenient.status_code, lenient.headers.get("X-Ignored-Fields")) == (200, ignored), lenient.text


def test_a_write_of_known_fields_has_no_header_of_ignored_ones(http: httpx.Client) -> None:
    response = http.post("plain", json={"resource": [{"v": "new"}]})
    assert (response.status_code, "X-Ignored-Fields" in response.headers) == (200, False)


def test_a_record_of_unknown_or_missing_fields_is_rejected(http: httpx.Client) -> None:
    for verb, path, body, message in (
        ("POST", "filled", [{"aa": 1}], "does not contain a field of 'filled'"),
        ("POST", "counted", [{"id": 5}], "does not contain a field of 'counted'"),
        ("POST", "part", [{"ticket_id": None, "ticket_by_ticket_id": {}}], "does not contain a field of 'ticket'"),
        ("POST", "strict", [{}], "'a'"),
        ("POST", "keyed", [{}], "'id'"),
        ("POST", "filled", [], "The list of records is empty"),
        ("PATCH", "filled/1", {}, "Send the record itself"),
        ("PUT", "filled/1", {}, "Send the record itself"),
    ):
        response = http.request(verb, path, json=body)
        assert (response.status_code, message in response.text) == (400, True), (path, response.text)


def test_an_empty_record_creates_a_row_of_defaults(http: httpx.Client) -> None:
    def made(path: str, body: Any, **options: Any) -> Any:
        response = http.post(path, json=body, **options)
        assert response.status_code == 200, (path, response.text)
        return response.json()["resource"]

    assert made("ticket", {"resource": [{}]}) == [{"id": 1}]
    assert made("ticket", {"resource": [{}]}) == [{"id": 2}]
    assert made("ticket", [{}, {"id": 9}, {}]) == [{"id": 3}, {"id": 9}, {"id": 4}]
    assert made("ticket?dry_run=true", [{}]) == [{"id": 5}]
    assert made("ticket?upsert=true", [{}]) == [{"id": 6}]
    assert made("ticket?upsert=true", [{"id": 6}]) == made("ticket?upsert=true", [{"id": 6}]) == [{"id": 6}]
    assert made("ticket", [{}], headers={"Idempotency-Key": "one"}) == made(
        "ticket", [{}], headers={"Idempotency-Key": "one"}
    )
    assert http.put("ticket/50?upsert=true", json={}).json() == {"id": 50}
    assert http.put("ticket/50?upsert=true", json={}).json() == {"id": 50}
    assert made("counted", {"resource": {}}) == [{"id": 1}]
    row = {"id": 1, "a": "a", "on_day": "2024-01-02"}
    assert made("filled?fields=*", [{}]) == [row]
    assert made("of_filled?fields=*", [{}]) == [row | {"id": 2}]
    assert made("bare", [{}]) == [{}]
    alone = made("ticket?fields=id&related=part_by_ticket_id", [{"part_by_ticket_id": [{}, {}]}])[0]
    assert [part["ticket_id"] for part in alone["part_by_ticket_id"]] == [alone["id"]] * 2
    assert made("ticket?related=part_by_ticket_id", [{"id": 60, "part_by_ticket_id": [{}, {}]}])[0][
        "part_by_ticket_id"
    ] == [{"id": 3, "ticket_id": 60}, {"id": 4, "ticket_id": 60}]


LABELED = {"id": 1, "label": "Hello x"}


@pytest.mark.parametrize("fields", ["id,label", "ID, Label", '"id","label"', "label,id"])
@pytest.mark.parametrize(
    ("verb", "path", "body", "expected"),
    [
        ("PATCH", "greeted/1", {"v": "x"}, LABELED),
        ("PUT", "greeted/1", {"v": "x"}, LABELED),
        ("PATCH", "greeted?filter=id = 1", {"resource": [{"v": "x"}]}, [LABELED]),
        ("PATCH", "greeted?ids=1", {"resource": [{"v": "x"}]}, [LABELED]),
        ("PATCH", "greeted", {"resource": [{"id": 1, "v": "x"}, {"id": 2, "v": "x"}]}, [LABELED, LABELED | {"id": 2}]),
        ("POST", "greeted?upsert=true", {"resource": [{"id": 1, "v": "x"}]}, [LABELED]),
        ("POST", "greeted", {"resource": [{"id": 8, "v": "x"}]}, [LABELED | {"id": 8}]),
        ("DELETE", "greeted/2", None, {"id": 2, "label": "Hello b"}),
        ("DELETE", "greeted?filter=id = 2", None, [{"id": 2, "label": "Hello b"}]),
        ("GET", "greeted/2", None, {"id": 2, "label": "Hello b"}),
    ],
)  # fmt: skip
def test_a_function_of_the_row_is_returned_by_its_name(
    http: httpx.Client, verb: str, path: str, body: Any, expected: Any, fields: str
) -> None:
    query = f"{'&' if '?' in path else '?'}dry_run=true" if verb != "GET" else "?"
    answer = ok(http.request(verb, f"{path}{query}&fields={fields}", json=body))
    found = answer["resource"] if isinstance(expected, list) else answer
    assert found == expected


def test_the_version_of_a_function_of_the_row_depends_on_its_value(http: httpx.Client) -> None:
    before = http.get("greeted/1?fields=label")
    ok(http.post("words", json={"resource": [{"word": "Bye "}]}))
    ok(http.delete("words/Hello "))
    after = http.get("greeted/1?fields=label", headers={"If-None-Match": before.headers["etag"]})
    assert (after.status_code, after.json()) == (200, {"label": "Bye a"})
    ok(http.post("words", json={"resource": [{"word": "Hello "}]}))
    ok(http.delete("words/Bye "))
