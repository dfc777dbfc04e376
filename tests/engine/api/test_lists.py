"""Lists of values: as many as the limits permit, of every type, and of any length under one plan."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

SCHEMA = """
create type mood as enum ('good', 'bad');
create table place (country text, number integer, name text not null, primary key (country, number));
create table thing (id integer primary key, small smallint, large bigint, exact numeric, real double precision,
  word text, short char(3), flag boolean, day date, moment timestamp, instant timestamptz, code uuid, bytes bytea,
  feeling mood, address inet, span int4range, many integer[], document jsonb, hour time, price money,
  parent_id integer references thing);
insert into place select c, n, c || n from unnest(array['no', 'se', 'dk']) c, generate_series(1, 100) n;
insert into thing select n, n, n, n + 0.5, n, 'w' || n, 'c' || n, n % 2 = 0, date '2024-01-01' + n,
  timestamp '2024-01-01 10:00' + n * interval '1 day', timestamptz '2024-01-01 10:00+00' + n * interval '1 day',
  ('00000000-0000-0000-0000-00000000000' || n)::uuid, ('b' || n)::bytea,
  case when n < 3 then 'good'::mood else 'bad' end,
  ('10.0.0.' || n)::inet, int4range(n, n + 2), array[n, n + 1], jsonb_build_object('n', n),
  time '10:00' + n * interval '1 hour', n::numeric::money, nullif(n - 1, 0) from generate_series(1, 5) n;
insert into thing (id) values (9);
"""

# Values of the rows 1 and 3 by the column, as they are written in a filter.
VALUES = {
    "id": ("1", "3"), "small": ("1", "3"), "large": ("1", "3"), "exact": ("1.5", "3.50"), "real": ("1", "3"),
    "word": ("w1", "w3"), "short": ("c1", "c3"), "day": ("2024-01-02", "2024-01-04"),
    "moment": ("2024-01-02 10:00:00", "2024-01-04T10:00:00"),
    "instant": ("2024-01-02 10:00:00+00", "2024-01-04 11:00:00+01:00"),
    "code": ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000003"),
    "bytes": ("YjE=", "YjM="), "address": ("10.0.0.1", "10.0.0.3"), "span": ("[1,3)", "[3,5)"),
    "many": ("{1,2}", "{3,4}"), "document.n": ("1", "3"), "hour": ("11:00", "13:00:00"), "price": ("1.00", "3.00"),
}  # fmt: skip
SERVED = Served(SCHEMA)


def found(http: httpx.Client, text: str, table: str = "thing", **query: str) -> list[int]:
    """Return the identifiers that a filter finds."""
    response = http.get(table, params={"filter": text, "fields": "id", "order": "id", **query})
    return [row["id"] for row in ok(response)["resource"]]


def error(response: httpx.Response) -> tuple[int, str]:
    """Return the status of an error and its reason."""
    return response.status_code, response.json()["error"]["context"]["reason"]


def test_a_request_has_a_thousand_values_at_most(http: httpx.Client) -> None:
    many = json.dumps({"q": list(range(400))})
    response = http.get("thing", params={"filter": "id in (:q) or small in (:q) or large in (:q)", "params": many})
    assert error(response) == (400, "too_complex")
    assert "1000 values" in response.json()["error"]["message"]
    assert found(http, "id in (:q) or small in (:q)", params=many) == [1, 2, 3, 4, 5, 9]
    one = json.dumps({"q": list(range(501))})
    assert error(http.get("thing", params={"filter": "id in (:q)", "params": one})) == (400, "bad_option")


def test_a_plan_of_a_short_list_does_not_admit_a_long_one(http: httpx.Client) -> None:
    text = " or ".join(["id in (:q)"] * 40)
    assert found(http, text, params='{"q": [1, 2]}') == [1, 2]
    response = http.get("thing", params={"filter": text, "params": json.dumps({"q": list(range(100))})})
    assert error(response) == (400, "too_complex")


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ({"filter": " or ".join(["id = 7"] * 40), "related": "thing_by_parent_id",
          "thing_by_parent_id.filter": " or ".join(["id = 7"] * 40),
          "thing_by_parent_id.related": "thing_by_parent_id",
          "thing_by_parent_id.thing_by_parent_id.filter": " or ".join(["id = 7"] * 40)}, "100 conditions"),
        ({"related": "thing_by_parent_id", "thing_by_parent_id.filter": f"id in ({','.join(['77'] * 499)})",
          "thing_by_parent_id.related": "thing_by_parent_id",
          "thing_by_parent_id.thing_by_parent_id.filter": f"id in ({','.join(['77'] * 499)}) or id in (5,6,7)",
         }, "1000 values"),
        ({"fields": ",".join(f"day AS d{n}" for n in range(301))}, "300 renamed or computed fields"),
        ({"related": "thing_by_parent_id", "fields": ",".join(f"day AS d{n}" for n in range(151)),
          "thing_by_parent_id.fields": ",".join(f"document.a{n}" for n in range(151))}, "300 renamed"),
        ({"group": ",".join(f"document.a{n}" for n in range(101)), "fields": "COUNT(*)"}, "100 terms"),
    ],
)  # fmt: skip
def test_limits_apply_to_the_whole_request(http: httpx.Client, query: dict[str, str], what: str) -> None:
    for method in ("GET", "POST"):
        headers = {"X-HTTP-Method": "GET"} if method == "POST" else {}
        sent = {"params": query} if method == "GET" else {"json": query}
        response = http.request(method, "thing", headers=headers, **sent)  # type: ignore[arg-type]
        assert error(response) == (400, "too_complex")
        assert what in response.json()["error"]["message"]


@pytest.mark.parametrize("levels", [4, 12, 70])
@pytest.mark.parametrize(
    ("method", "option", "form"),
    [
        ("GET", "filter", "{path}id = 1"),
        ("GET", "filter", "NOT (CAST({path}id AS text) contains 1)"),
        ("DELETE", "filter", "{path}id = 1"),
        ("PATCH", "filter", "{path}id = 1"),
        ("GET", "order", "{path}id"),
        ("GET", "fields", "{path}id"),
        ("GET", "fields", "{path}COUNT(*)"),
        ("GET", "group", "{path}id"),
    ],
)
def test_a_path_has_three_relations_at_most(
    http: httpx.Client, method: str, option: str, form: str, levels: int
) -> None:
    body = {"resource": [{"word": "x"}]} if method == "PATCH" else None
    query = {option: form.format(path=f"{parent(http)}." * levels)} | ({} if method == "GET" else {"dry_run": "true"})
    assert error(http.request(method, "thing", params=query, json=body)) == (400, "too_deep")


def parent(http: httpx.Client) -> str:
    """Return the name of the relation to the parent."""
    base = str(http.base_url).replace("/_table/", "/_schema/")
    relations = httpx.get(f"{base}thing").json()["related"]
    return str(next(relation["name"] for relation in relations if relation["type"] == "belongs_to"))


@pytest.mark.parametrize("text", ["max(" * 1900 + "id", "max(" * 1900, "cast(max(min(id)) as text)"])
def test_deeply_nested_functions_are_rejected(http: httpx.Client, text: str) -> None:
    for option in ("fields", "order", "group"):
        assert http.get("thing", params={option: text}).status_code == 400
    assert http.get("thing", params={"filter": text[:1900] + " = 1"}).status_code == 400


@pytest.mark.parametrize("column", VALUES)
def test_lists_of_each_type_filter_rows(http: httpx.Client, column: str) -> None:
    first, third = VALUES[column]
    quoted = f"{column} in ('{first}','{third}')"
    assert found(http, quoted) == [1, 3]
    assert found(http, quoted) == [1, 3]  # from the cached plan
    assert found(http, f"{column} in ('{third}')") == [3]
    others = [2, 4, 5, 9] if column == "id" else [2, 4, 5]
    assert found(http, f"NOT ({quoted})") == others
    assert found(http, f"{column} not in ('{first}', '{third}', null)") == others
    empty = [] if column == "id" else [9]
    assert found(http, f"{column} in ('{first}',null,'{third}')") == [1, 3, *empty]
    for values, expected in (([first, third], [1, 3]), ([third], [3]), ([], []), ([first, None], [1, *empty])):
        assert found(http, f"{column} in (:q)", params=json.dumps({"q": values})) == expected
        assert found(http, f"{column} in :q and id > 0", params=json.dumps({"q": values})) == expected


def test_lists_of_enums_booleans_and_named_values_filter_rows(http: httpx.Client) -> None:
    assert found(http, "feeling in ('good')") == [1, 2]
    assert found(http, "feeling in (:q)", params='{"q": ["good", "bad"]}') == [1, 2, 3, 4, 5]
    assert found(http, "flag in (true)") == [2, 4]
    assert found(http, "flag in (:q)", params='{"q": [false]}') == [1, 3, 5]
    assert found(http, "id in (0,1)") == [1]
    assert found(http, "id in (0,1,0,1)") == [1]
    assert found(http, "word in (0,1)") == []
    assert found(http, "id in (:a, 3, :b)", params='{"a": [1, 2], "b": 5}') == [1, 2, 3, 5]
    assert found(http, "document.n in (1,2)") == [1, 2]
    assert found(http, "document.n in (:q)", params='{"q": [1, 2]}') == [1, 2]


@pytest.mark.parametrize("value", ["x", "1.5", "99999999999999999999"])
def test_an_invalid_value_in_a_list_is_rejected(http: httpx.Client, value: str) -> None:
    assert error(http.get("thing", params={"filter": f"id in (1,'{value}')"})) == (400, "bad_value")
    response = http.get("thing", params={"filter": "id in (:q)", "params": json.dumps({"q": [1, value]})})
    assert error(response) == (400, "bad_value")


def test_lists_in_writes_and_in_filters_of_relations(http: httpx.Client) -> None:
    response = http.patch(
        "thing",
        params={"filter": "id in (1,2,3) and word in (:q)", "params": '{"q": ["w2", "w3"]}', "dry_run": "true"},
        json={"resource": [{"word": "new"}]},
    )  # fmt: skip
    assert [row["id"] for row in response.json()["resource"]] == [2, 3]
    relation = next(
        r["name"] for r in httpx.get(str(http.base_url).replace("/_table/", "/_schema/") + "thing").json()["related"]
        if r["type"] == "has_many"
    )  # fmt: skip
    query = {"related": relation, f"{relation}.filter": "id in (3,4,9) and small in (:q)", "params": '{"q": [4]}'}
    rows = http.get("thing", params={"ids": "2,3", "fields": "id"} | query).json()["resource"]
    assert [[child["id"] for child in row[relation]] for row in rows] == [[], [4]]


@pytest.mark.parametrize("number", [2, 10, 11, 100, 300])
def test_many_records_by_a_key_of_two_columns(http: httpx.Client, number: int) -> None:
    keys = [[country, n] for n in range(1, 101) for country in ("se", "no", "dk")][:number]
    response = http.post("place", headers={"X-HTTP-Method": "GET"}, json={"ids": keys, "fields": "name"})
    assert [row["name"] for row in response.json()["resource"]] == [f"{country}{n}" for country, n in keys]
    missing = http.post("place", headers={"X-HTTP-Method": "GET"}, json={"ids": [*keys, ["xx", 1]], "continue": True})
    assert missing.json()["error"]["context"]["resource"][0]["name"] == "se1"
