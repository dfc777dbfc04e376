"""Nearest spelling with pg_trgm, and vectors by distance with pgvector."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import httpx2
import pytest

from tableapi.server.postgres.server import Embedded
from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve, Server, SqlClient, ok

# The extensions are in a schema outside the search path, as in hosted databases.
SQL = """
create schema "Ext";
create extension pg_trgm schema "Ext";
create extension vector schema "Ext";
create table person (id integer primary key, name text, code varchar(20), about jsonb, number integer);
create index on person using gin (name "Ext".gin_trgm_ops);
create table post (id integer primary key, person_id integer references person, title text, place "Ext".vector(3),
    half "Ext".halfvec(3), thin "Ext".sparsevec(3), shape point, numbers real[]);
create index on post using hnsw (place "Ext".vector_l2_ops);
insert into person values (1, 'Jonathan Smith', 'smith-1', '{"nick": "Jonny"}', 1234),
    (2, 'John Smith', 'smith-2', null, 99), (3, 'Jane Schmidt', 'schmidt', '{"nick": "Janie"}', 1230),
    (4, 'Olaf Berg', 'berg', null, null), (5, null, null, null, 5);
insert into post values (1, 1, 'a', '[1,0,0]', '[1,0,0]', '{1:1}/3', null, null),
    (2, 2, 'b', '[0,1,0]', '[0,1,0]', '{2:1}/3', null, null),
    (3, 2, 'c', '[1,1,0.5]', '[1,1,0.5]', '{1:1,2:1}/3', '(1,2)', '{1}'),
    (4, 3, 'd', null, null, null, null, null);
"""
# The embedded PostgreSQL has both extensions.
SERVED = Served(SQL, postgres=partial(Embedded, durable=False), MCP_READ_ONLY="off")


def rows(http: httpx2.Client, table: str, **query: Any) -> list[dict[str, Any]]:
    response = http.get(table, params=query)
    found: list[dict[str, Any]] = ok(response)["resource"]
    return found


def ids(http: httpx2.Client, table: str, **query: Any) -> list[int]:
    return [row["id"] for row in rows(http, table, **query | {"fields": "id"})]


def rejected(http: httpx2.Client, table: str, **query: Any) -> dict[str, Any]:
    response = http.get(table, params=query)
    assert response.status_code == 400, response.text
    error: dict[str, Any] = response.json()["error"]
    return error


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "query", "reason"),
    [
        ("person", {"filter": "name SIMILAR"}, "bad_filter"),
        ("person", {"filter": "name SIMILAR null"}, "bad_value"),
        ("person", {"filter": "name SIMILAR TO 'J%'"}, "bad_filter"),
        ("person", {"filter": "name SIMILAR :x"}, "missing_param"),
        ("person", {"filter": "name SIMILAR :x", "params": '{"x": [1]}'}, "bad_value"),
        ("person", {"filter": "unknown SIMILAR 'x'"}, "unknown_field"),
        ("person", {"order": "SIMILAR(name)"}, "bad_order"),
        ("person", {"order": "SIMILAR(name, '')"}, "bad_order"),
        ("person", {"order": "SIMILAR(name, :x)"}, "missing_param"),
        ("person", {"fields": "SIMILAR(unknown, 'x')"}, "unknown_field"),
        ("person", {"order": "SIMILAR(name, :x)", "params": '{"x": [1]}'}, "bad_value"),
        ("post", {"order": "DISTANCE(title, '[1,2,3]')"}, "bad_operator"),
        ("post", {"order": "COSINE_DISTANCE(numbers, '[1]')"}, "bad_operator"),
        ("post", {"order": "DISTANCE(shape, '(1,2)')"}, "bad_operator"),
        ("post", {"order": "DISTANCE(place, 'x')"}, "bad_value"),
        ("post", {"order": "DISTANCE(place, '[1,2]')"}, "bad_value"),
        ("post", {"order": 'DISTANCE(place, \'{"type":"Point","coordinates":[1,2]}\')'}, "bad_value"),
        ("post", {"order": "DISTANCE(place, :v)", "params": '{"v": [1, "a", 3]}'}, "bad_value"),
        ("post", {"order": "DISTANCE(place, :v)", "params": '{"v": [1, true, 3]}'}, "bad_value"),
        ("post", {"order": "DISTANCE(place, :v)", "params": '{"v": []}'}, "bad_value"),
        ("post", {"filter": "place WITHIN '[1,2,3]'"}, "bad_operator"),
    ],
)
def test_other_fields_and_values_are_rejected(
    http: httpx2.Client, table: str, query: dict[str, Any], reason: str
) -> None:
    assert rejected(http, table, **query)["context"]["reason"] == reason


def test_a_database_without_the_extension_names_it(new_database: NewDatabase, serve: Serve) -> None:
    url = new_database("create table person (id integer primary key, name text, place real[])")
    server = serve("--dataset", f"x={url}", "--open")
    with httpx2.Client(base_url=f"{server.url}/api/v2/x/_table/", timeout=30) as http:
        for query in (
            {"filter": "name SIMILAR 'x'"}, {"order": "SIMILAR(name, 'x')"}, {"fields": "SIMILAR(name, 'x') AS s"},
            {"group": "SIMILAR(name, 'x')", "fields": "COUNT(*)"},
        ):  # fmt: skip
            error = rejected(http, "person", **query)
            assert (error["context"]["reason"], error["context"]["extension"]) == ("missing_extension", "pg_trgm")
            assert "create extension pg_trgm" in error["message"]
        error = rejected(http, "person", order="COSINE_DISTANCE(place, '[1]')")
        assert error["context"]["reason"] == "bad_operator"
        assert "pgvector" in error["message"]
        with SqlClient(url) as db:  # a contrib module of every installation
            db.execute("create extension pg_trgm; insert into person values (1, 'Ann')")
        found = wait_for(http, "name SIMILAR 'Anne'")
        assert found == [{"id": 1, "name": "Ann", "place": None}]


def wait_for(http: httpx2.Client, text: str) -> Any:
    """Read until the server has seen the new extension."""
    for _ in range(200):
        response = http.get("person", params={"filter": text})
        if response.status_code == 200:
            return response.json()["resource"]
    raise AssertionError(response.text)


# -- spelling ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Jon Smith", "jonathan", "OLAF  berg", "x", "it's"])
def test_similar_spellings_are_found(http: httpx2.Client, url: str, text: str) -> None:
    sent = "'" + text.replace("'", "''") + "'"
    with SqlClient(url) as db:
        scores = dict(db.fetch(f'select id, "Ext".similarity(name, {sent}) from person order by id'))
    near = [number for number, score in scores.items() if score is not None and score >= 0.3]
    assert ids(http, "person", filter=f"name SIMILAR {sent}") == near
    assert ids(http, "person", filter="name SIMILAR :t", params=json.dumps({"t": text})) == near
    far = [number for number, score in scores.items() if score is not None and score < 0.3]
    assert ids(http, "person", filter=f"name NOT SIMILAR {sent}") == far
    assert ids(http, "person", filter=f"NOT name SIMILAR {sent}") == far
    shown = rows(http, "person", fields=f"id,SIMILAR(name, {sent})")
    assert [row["similar_name"] for row in shown] == [pytest.approx(scores[row["id"]], abs=1e-6) for row in shown]
    ordered = sorted((n for n in scores if scores[n] is not None), key=lambda n: (-scores[n], n))
    found = ids(http, "person", order=f"SIMILAR(name, {sent}) desc nulls last")
    assert found == [*ordered, 5]
    named = {"order": "SIMILAR(name, :t) desc nulls last", "params": json.dumps({"t": text})}
    assert ids(http, "person", **named) == found
    assert ids(http, "person", filter=f"SIMILAR(name, {sent}) > 0.5") == [n for n in scores if (scores[n] or 0) > 0.5]


def test_every_text_can_be_compared(http: httpx2.Client) -> None:
    assert ids(http, "person", filter="code SIMILAR 'smith-3'") == [1, 2]
    assert ids(http, "person", filter="about.nick SIMILAR 'Johnny'") == [1]
    assert ids(http, "person", order="SIMILAR(about.nick, 'janie') desc nulls last", limit=1) == [3]
    assert ids(http, "post", filter="person_by_person_id.name SIMILAR 'jane schmid'") == [4]
    assert ids(http, "post", order="SIMILAR(person_by_person_id.name, 'jane schmid') desc,id", limit=1) == [4]
    assert ids(http, "person", filter="post_by_person_id.title SIMILAR c") == [2]
    page = rows(http, "person", fields="id", order="SIMILAR(name, 'Olaf Berk') desc nulls last", limit=1, offset=1)
    assert page == [{"id": 1}]
    groups = rows(http, "person", group="SIMILAR(name, 'x')", fields="SIMILAR(name, 'x'),COUNT(*)")
    assert sum(row["count_all"] for row in groups) == 5


def test_the_filter_uses_an_index(http: httpx2.Client, url: str) -> None:
    with SqlClient(url) as db:
        db.execute("insert into person select n, md5(n::text), null, null, n from generate_series(100, 20000) n")
        db.execute("analyze person")
        try:
            plan = http.get("person", params={"filter": "name SIMILAR 'jonathan smith'", "explain": "true"}).text
            assert "person_name_idx" in plan
        finally:
            db.execute("delete from person where id >= 100")


def test_writes_by_spelling(http: httpx2.Client) -> None:
    query = {"filter": "name SIMILAR 'olaf bergs'", "dry_run": "true"}
    assert http.patch("person", params=query, json=[{"number": 7}]).json()["resource"] == [{"id": 4}]
    assert http.delete("person", params=query | {"max_affected": "1"}).json()["resource"] == [{"id": 4}]


# -- vectors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "sign"),
    [("DISTANCE", "<->"), ("COSINE_DISTANCE", "<=>"), ("L1_DISTANCE", "<+>"), ("NEGATIVE_INNER_PRODUCT", "<#>")],
)
@pytest.mark.parametrize("column", ["place", "half", "thin"])
def test_the_nearest_vectors_come_first(http: httpx2.Client, url: str, function: str, sign: str, column: str) -> None:
    value = "{1:0.9,2:0.2}/3" if column == "thin" else "[0.9,0.2,0]"
    type_ = {"place": "vector", "half": "halfvec", "thin": "sparsevec"}[column]
    with SqlClient(url) as db:
        expected = db.fetch(
            f'select id, {column} operator("Ext".{sign}) \'{value}\'::"Ext".{type_} as d from post order by d, id'
        )
    numbers = [row[0] for row in expected]
    call = f"{function}({column}, '{value}')"
    name = f"{function.lower()}_{column}"
    shown = rows(http, "post", fields=f"id,{call}", order=call)
    assert [(row["id"], row[name]) for row in shown] == expected
    assert ids(http, "post", order=f"{call} desc nulls last,id desc") == [*numbers[2::-1], 4]
    near = [number for number, distance in expected if distance is not None and distance < 0.5]
    assert sorted(ids(http, "post", filter=f"{call} < 0.5")) == sorted(near)
    # An index of pgvector does not contain records without a vector.
    present = {"fields": "id", "order": call, "filter": f"{column} IS NOT NULL"}
    pages, cursor = [], ""
    for _ in range(3):
        response = http.get("post", params=present | {"limit": 1, "cursor": cursor})
        page = ok(response)
        pages += [row["id"] for row in page["resource"]]
        cursor = page.get("meta", {}).get("next_cursor", "")
    assert pages == numbers[:3]
    assert ids(http, "post", **present, limit=2, offset=1) == numbers[1:3]


def test_vectors_are_json_arrays(http: httpx2.Client) -> None:
    params = json.dumps({"v": [0.9, 2e-1, 0]})
    assert ids(http, "post", order="DISTANCE(place, :v)", params=params, limit=1) == [1]
    body = {"order": "COSINE_DISTANCE(half, :v)", "params": {"v": [0, 1, 0]}, "limit": 1, "fields": "id"}
    assert http.request("QUERY", "post", json=body).json()["resource"] == [{"id": 2}]
    sent = {"id": 9, "place": [1, 2.5, -3e-1], "half": [1, 2, 3], "thin": "{1:1}/3"}
    query = {"fields": "place,half,thin", "dry_run": "true"}
    stored = {"place": "[1,2.5,-0.3]", "half": "[1,2,3]", "thin": "{1:1}/3"}
    assert http.post("post", json=[sent], params=query).json()["resource"] == [stored]
    assert http.post("post", json=[{"id": 9, **stored}], params=query).json()["resource"] == [stored]
    for wrong in (["a"], [1, None, 2], [[1, 2, 3]], [True, 1, 1], {"a": 1}, []):
        response = http.post("post", json=[{"id": 9, "place": wrong}])
        assert response.status_code == 400, wrong
        [error] = response.json()["error"]["context"]["resource"]
        assert "place" in error["message"] or wrong == [], error
    response = http.post("post", json=[{"id": 9, "title": [1]}])
    assert response.status_code == 400, response.text


def test_an_order_by_distance_uses_an_index(http: httpx2.Client, url: str) -> None:
    with SqlClient(url) as db:
        db.execute(
            'insert into post (id, place) select n, array[random(), random(), random()]::"Ext".vector'
            " from generate_series(100, 3000) n"
        )
        db.execute("analyze post")
        try:
            plan = http.get("post", params={"order": "DISTANCE(place, '[1,0,0]')", "limit": 5, "explain": "true"}).text
            assert "post_place_idx" in plan
        finally:
            db.execute("delete from post where id >= 100")


async def test_agents_search_by_spelling_and_distance(server: Server) -> None:
    async with agent(f"{server.url}/mcp") as client:
        found = await client.result("query", table="person", filter="name SIMILAR 'jane schmit'", fields=["id"])
        assert found["rows"] == [{"id": 3}]
        found = await client.result("query", table="post", order=["DISTANCE(place, '[1,0,0]')"], fields=["id"], limit=1)
        assert found["rows"] == [{"id": 1}]
