"""Names of tables and columns: relation names beyond PostgreSQL's limit, with spaces, dots and commas."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served

PARENT, CHILD = "p" * 63, "k" * 63
ONE, TWO = "a" * 62 + "1", "a" * 62 + "2"
TABLES = f"""
create table {PARENT} (id integer primary key, name text, {"s" * 63} numeric);
create table {CHILD} (id integer primary key, {ONE} integer references {PARENT}, {TWO} integer references {PARENT},
                      {"n" * 61}_1 integer, {"n" * 61}_2 integer);
insert into {PARENT} values (1, 'one', 1.5), (2, 'two', 2.5);
insert into {CHILD} values (10, 1, 2, 5, 7), (11, 1, 1, 6, 8), (12, null, 2, 6, 8);
create table "a b" ("the id" integer primary key, "x,y" text, "p.q" integer, "Q[1]" integer, due date,
                    "the.parent" integer references "a b");
insert into "a b" values (1, 'one', 5, 50, '2020-01-01', null), (2, 'two', 4, 40, '2099-01-01', 1),
                         (3, 'two', 3, 30, '2020-01-01', 1);
create table note (id integer primary key, text text);
insert into note values (1, '(NOW())');
create table named (id integer primary key, "limit" text, params text, "continue" text, fields text, dry_run text);
insert into named (id) values (1);
"""
SERVED = Served(TABLES, under="")


def ask(http: httpx.Client, url: str, status: int = 200, method: str = "GET", body: Any = None, **query: Any) -> Any:
    response = http.request(method, f"/_table/{url}", params=query, json=body)
    assert response.status_code == status, response.text
    return response.json()


# -- long names ------------------------------------------------------------------------------------------------------

UP, DOWN = f"{PARENT}_by_", f"{CHILD}_by_"


def test_long_relations_have_their_full_names(http: httpx.Client) -> None:
    for query in ({"related": "*"}, {"related": f"{UP}{ONE},{UP}{TWO}"}, {"related": "*", "limit": 2}):
        rows = ask(http, CHILD, **query)["resource"]
        assert rows[0][UP + ONE]["name"] == "one"
        assert rows[0][UP + TWO]["name"] == "two"
        assert len(rows[0]) == 7
    missing = ask(http, CHILD, filter="id = 12", related="*")["resource"][0]
    assert (missing[UP + ONE], missing[UP + TWO]["id"]) == (None, 2)


def test_long_relations_of_one_record_and_of_several(http: httpx.Client) -> None:
    assert ask(http, f"{PARENT}/1", related="*")[DOWN + TWO][0]["id"] == 11
    rows = ask(http, PARENT, ids="2,1", related="*")["resource"]
    assert [child["id"] for child in rows[1][DOWN + ONE]] == [10, 11]


def test_long_relations_can_be_nested(http: httpx.Client) -> None:
    query: dict[str, Any] = {
        "related": DOWN + ONE, f"{DOWN}{ONE}.related": f"{UP}{TWO},{UP}{ONE}", f"{DOWN}{ONE}.order": "id desc",
        f"{DOWN}{ONE}.fields": "id", f"{DOWN}{ONE}.limit": 1,
    }  # fmt: skip
    children = ask(http, f"{PARENT}/1", **query)[DOWN + ONE]
    assert [(child["id"], child[UP + TWO]["name"], child[UP + ONE]["id"]) for child in children] == [(11, "one", 1)]


def test_long_relations_filter_and_order(http: httpx.Client) -> None:
    records = ask(http, CHILD, filter=f"{UP}{TWO}.name = two", order=f"{UP}{ONE}.name,id", fields="id")["resource"]
    assert [row["id"] for row in records] == [10, 12]


def test_long_relations_in_files_schemas_and_pages(http: httpx.Client) -> None:
    head = http.get(f"/_table/{CHILD}", params={"related": "*", "file": "x.csv"}).text.splitlines()[0]
    assert {UP + ONE, UP + TWO} <= set(head.split(","))
    page = ask(http, CHILD, related="*", limit=1, cursor="")
    assert page["resource"][0][UP + TWO]["id"] == 2
    after = ask(http, CHILD, related="*", limit=1, cursor=page["meta"]["next_cursor"])
    assert after["resource"][0]["id"] == 11
    schema = ask(http, CHILD, include_schema="true", limit=1)["meta"]["schema"]
    assert {UP + ONE, UP + TWO} <= {relation["name"] for relation in schema["related"]}


def test_long_relations_are_written(http: httpx.Client) -> None:
    body = {"resource": [{"id": 20, UP + ONE: {"id": 2}, UP + TWO: {"id": 3, "name": "three"}}]}
    record = ask(http, CHILD, method="POST", body=body, related=f"{UP}{TWO}", fields="id")["resource"][0]
    assert record[UP + TWO]["name"] == "three"
    ask(http, f"{CHILD}/20", method="DELETE")


def test_groups_with_long_names_are_not_truncated(http: httpx.Client) -> None:
    first, second = "n" * 61 + "_1", "n" * 61 + "_2"
    fields = f"SUM({first}),SUM({second}),COUNT({first}),MAX({second}),{ONE}"
    for more in ({}, {"limit": 5}, {"include_count": "true"}):
        rows = ask(http, CHILD, group=ONE, fields=fields, order=f"sum_{first} desc", **more)["resource"]
        assert rows[0] == {f"sum_{first}": 11, f"sum_{second}": 15, f"count_{first}": 2, f"max_{second}": 8, ONE: 1}
    assert len(ask(http, CHILD, group=ONE, fields=fields, having=f"SUM({second}) > 10")["resource"]) == 1


# -- quoted names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quotes", ['""', "``", "[]"])
def test_a_quoted_name_works_in_every_option(http: httpx.Client, quotes: str) -> None:
    def q(name: str) -> str:
        return quotes[0] + name + quotes[1]

    table = "a%20b"
    rows = ask(http, table, fields=f"{q('the id')}, {q('x,y')} ,{q('p.q')}", order=f"{q('p.q')} desc")["resource"]
    assert rows[0] == {"the id": 1, "x,y": "one", "p.q": 5}
    rows = ask(http, table, order=f"{q('x,y')} desc nulls last,{q('p.q')}", fields=q("the id"))["resource"]
    assert [row["the id"] for row in rows] == [3, 2, 1]
    rows = ask(http, table, group=q("x,y"), fields=f"{q('x,y')},SUM( {q('p.q')} ),COUNT(*)", order=q("x,y"))["resource"]
    assert rows == [{"x,y": "one", "sum_p.q": 5, "count_all": 1}, {"x,y": "two", "sum_p.q": 7, "count_all": 2}]
    having: dict[str, Any] = {
        "group": q("x,y"),
        "fields": q("x,y"),
        "having": f"SUM({q('p.q')}) > 6 and {q('x,y')} = two",
    }
    assert ask(http, table, **having)["resource"] == [{"x,y": "two"}]
    assert ask(http, f"{table}/2", id_field=q("the id"), fields=q("x,y")) == {"x,y": "two"}
    assert ask(http, table, ids="3,1", id_field=q("the id"), fields=q("p.q"))["resource"] == [{"p.q": 3}, {"p.q": 5}]
    children, parent = "a b_by_the.parent", "a b_by_the.parent_parent"
    query: dict[str, Any] = {
        "filter": f"{q('the id')} = 1", "related": f"{q(children)},{q(parent)}", "fields": q("the id"),
        f"{q(children)}.fields": q("p.q"), f"{q(children)}.order": f"{q('p.q')} desc",
        f"{q(children)}.filter": f"{q('p.q')} > 3",
    }  # fmt: skip
    row = ask(http, table, **query)["resource"][0]
    assert row[children] == [{"p.q": 4}]
    assert row[parent] is None
    plain: dict[str, Any] = {"filter": "`the id` = 1", "related": children, f"{children}.limit": "1"}
    assert len(ask(http, table, **plain)["resource"][0][children]) == 1
    page = ask(http, table, filter=f"{q(parent)}.{q('x,y')} = one", order=f"{q(parent)}.{q('p.q')},{q('p.q')}")
    assert [row["the id"] for row in page["resource"]] == [3, 2]


def test_a_quoted_name_that_does_not_exist_is_rejected(http: httpx.Client) -> None:
    for option in ("fields", "order", "group", "related", "id_field"):
        query = {option: '"no, such"'} | ({"ids": "1"} if option == "id_field" else {})
        ask(http, "a%20b", 400, **query)
    for order in ('"the id" down', '"the id"x', '"the id', "[the id] nulls", '"the id" asc desc'):
        ask(http, "a%20b", 400, order=order)


# -- moments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    ["NOW()", "now ( )", "(NOW())", "( NOW() )", "((now()))", "CURRENT_DATE", "(CURRENT_DATE)", "current_date()",
     "(Current_Date())", "CURRENT_TIMESTAMP", "(CURRENT_TIMESTAMP)", "( (current_timestamp ( ) ) )"],
)  # fmt: skip
def test_a_current_time_function_may_be_in_parentheses(http: httpx.Client, moment: str) -> None:
    for text, count in (
        (f"due < {moment}", 2),
        (f"(due < {moment})", 2),
        (f"(due<{moment}) and (due < {moment} )", 2),
        (f"not due < {moment}", 1),
        (f"due between 2000-01-01 and {moment}", 2),
        (f"due in ({moment}, 2099-01-01)", 1),
        (f"(due > {moment}) or (`the id` = 1)", 2),
    ):
        assert ask(http, "a%20b", filter=text, count_only="true") == count, text


def test_a_current_time_function_is_literal_text_in_a_text_column(http: httpx.Client) -> None:
    assert ask(http, "note", filter="text = (NOW())", count_only="true") == 1
    assert ask(http, "note", filter="text = NOW()", count_only="true") == 0
    ask(http, "a%20b", 400, filter="due < (2020-01-01)")
    ask(http, "a%20b", 400, filter="due < 'NOW()'")


# -- columns named like options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["limit", "params", "continue", "fields", "dry_run"])
@pytest.mark.parametrize("query", [{}, {"fields": "*"}, {"related": "*"}, {"max_affected": "1"}, {"upsert": "true"}])
def test_a_record_written_by_path_has_no_options_in_its_body(
    http: httpx.Client, name: str, query: dict[str, Any]
) -> None:
    for method in ("PATCH", "PUT"):
        changed = ask(http, "named/1", method=method, body={name: method}, **query)
        assert changed["id"] == 1
        assert ask(http, "named/1")[name] == method


@pytest.mark.parametrize("name", ["limit", "params", "continue", "fields", "dry_run"])
def test_return_minimal_and_dry_run_ignore_options_in_the_body(http: httpx.Client, name: str) -> None:
    minimal: dict[str, Any] = {"return": "minimal"}
    assert ask(http, "named/1", method="PATCH", body={name: "kept"}, **minimal) == {"success": True}
    assert ask(http, "named/1")[name] == "kept"
    tried = ask(http, "named/1", method="PATCH", body={name: "tried"}, dry_run="true", fields=f'"{name}"')
    assert tried == {name: "tried"}
    assert ask(http, "named/1")[name] == "kept"
