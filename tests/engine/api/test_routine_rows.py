"""The rows of functions of every kind take the options of a list, or reject them."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

SQL = """
create type pair as (id integer, name text);
create domain some_pair as pair;
create type mood as enum ('sad', 'glad');
create table person (id integer primary key, name text);
create table visit (id integer primary key, person integer references person);
insert into person values (1, 'Ann'), (2, 'Bo'), (3, 'Cy');
insert into visit values (1, 1), (2, 1), (3, 2);
create function words() returns setof text language sql stable as $$ select unnest(array['a', 'b', 'c', 'd']) $$;
create function numbers() returns setof integer language sql stable as $$ select generate_series(1, 9) $$;
create function halves() returns table (half integer, n integer) language sql stable as
    $$ select g / 2, g from generate_series(0, 5) g $$;
create function moods() returns setof mood language sql stable as $$ select unnest(enum_range(null::mood)) $$;
create function lists() returns setof integer[] language sql stable as
    $$ select array[g, g] from generate_series(1, 4) g $$;
create function documents() returns setof jsonb language sql stable as
    $$ select jsonb_build_object('n', g) from generate_series(1, 4) g $$;
create function pairs() returns setof pair language sql stable as $$ select g, 'x' || g from generate_series(1, 5) g $$;
create function some_pairs() returns setof some_pair language sql stable as
    $$ select row(g, 'x' || g)::some_pair from generate_series(1, 5) g $$;
create function people() returns setof person language sql stable as $$ select * from person $$;
create function columns() returns table (id integer, name text) language sql stable as
    $$ select g, 'x' || g from generate_series(1, 5) g $$;
create function one_out(out id integer) returns setof integer language sql stable as $$ select generate_series(1, 5) $$;
create function records() returns setof record language sql stable as
    $$ select g as id, 'x' || g as name from generate_series(1, 5) g $$;
create function one_value() returns integer language sql stable as $$ select 7 $$;
create function one_pair() returns pair language sql stable as $$ select 1, 'x' $$;
create function nothing() returns void language sql stable as $$ select $$;
create function written(n integer) returns setof integer language sql as
    $$ insert into visit select 10 + g, 1 from generate_series(1, n) g returning id $$;
create procedure job(inout a integer) language plpgsql as $$ begin a := 1; end $$;
"""
NAMES = (
    "words numbers halves moods lists documents pairs some_pairs people columns one_out records one_value one_pair "
    "nothing written job"
)  # fmt: skip
LENIENT = {"Prefer": "handling=lenient"}
SERVED = Served(SQL, under="", PUBLIC_ROUTINES=NAMES.replace(" ", ","))


# Values of options of lists. Each of them changes the response, so none may be ignored.
OPTIONS: dict[str, Any] = {
    "fields": "id", "select": "id", "filter": "1 = 2", "where": "1 = 2", "order": "id", "sort": "id", "order_by": "id",
    "group": "id", "group_by": "id", "having": "COUNT(*) > 9", "limit": 1, "top": 1, "offset": 1, "skip": 1,
    "related": "x", "include_count": "true", "count_only": "true", "numbers": "text", "distinct": "id",
}  # fmt: skip
OF_TABLES = {
    "cursor": "", "ids": "1", "id_field": "id", "as_list": "true", "include_schema": "true", "timezone": "UTC",
    "raw": "id",
}  # fmt: skip


@pytest.mark.parametrize("option", [*OPTIONS, *OF_TABLES])
@pytest.mark.parametrize("path", ["/_func/records", "/_func/nothing", "/_proc/job"])
def test_rows_without_known_columns_take_no_option(http: httpx2.Client, path: str, option: str) -> None:
    query = {option: (OPTIONS | OF_TABLES)[option]} | ({"a": 1} if path == "/_proc/job" else {})
    for headers in ({}, LENIENT):
        for response in (
            http.get(path, params=query, headers=headers),
            http.post(path, params=query, headers=headers),
            http.post(path, json=query, headers=headers),
        ):
            assert response.status_code == 400, response.text
            context = response.json()["error"]["context"]
            assert context.get("option", context.get("options")) in (option, [option])


@pytest.mark.parametrize("option", OF_TABLES)
@pytest.mark.parametrize("name", ["words", "pairs", "people"])
def test_an_option_that_needs_a_key_is_rejected(http: httpx2.Client, name: str, option: str) -> None:
    for headers in ({}, LENIENT):
        response = http.get(f"/_func/{name}", params={option: OF_TABLES[option]}, headers=headers)
        assert response.status_code == 400, response.text


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("words?limit=2", ["a", "b"]),
        ("words?filter=words = 'b'", ["b"]),
        ("words?filter=WORDS > 'b'&offset=1", ["d"]),
        ("words?order=words desc&limit=1", ["d"]),
        ("words?fields=words AS w&limit=1", ["a"]),
        ("words?skip=3", ["d"]),
        ("words?limit=0", ["a", "b", "c", "d"]),
        ("numbers?limit=2&offset=1", [2, 3]),
        ("halves?distinct=half&order=half,n desc&fields=n", [1, 3, 5]),
        ("halves?distinct=half&limit=1&offset=1&fields=half", [1]),
        ("numbers?order=numbers desc&top=2", [9, 8]),
        ("numbers?fields=SUM(numbers) AS s", [45]),
        ("numbers?filter=numbers in (3, 4)", [3, 4]),
        ("moods?order=moods desc", ["glad", "sad"]),
        ("lists?filter=lists contains 3", [[3, 3]]),
        ("documents?filter=documents.n = 2", [{"n": 2}]),
        ("pairs?fields=name&order=id desc&limit=1", ["x5"]),
        ("some_pairs?fields=name&filter=id = 2", ["x2"]),
        ("people?fields=name&order=id desc&limit=1", ["Cy"]),
        ("columns?fields=name&filter=id > 4", ["x5"]),
        ("one_out?filter=id > 3", [4, 5]),
        ("one_value?filter=one_value > 7", []),
        ("one_value?fields=one_value", [7]),
        ("one_pair?fields=name", ["x"]),
        ("pairs?group=id&having=COUNT(*) > 1", []),
    ],
)
def test_options_apply_to_rows_of_every_kind(http: httpx2.Client, path: str, rows: list[Any]) -> None:
    name, _, text = path.partition("?")
    query = dict(part.split("=", 1) for part in text.split("&"))
    for response in (
        http.get(f"/_func/{name}", params=query),
        http.get(f"/_func/{name}", params=query, headers=LENIENT),
        http.post(f"/_func/{name}", params=query),
        http.post(f"/_func/{name}", json=query),
    ):
        assert [next(iter(row.values())) for row in ok(response)] == rows


@pytest.mark.parametrize("name", ["words", "lists", "documents", "pairs", "people"])
def test_rows_are_counted(http: httpx2.Client, name: str) -> None:
    every = http.get(f"/_func/{name}").json()
    for count in ("true", "estimated"):
        page = http.get(f"/_func/{name}", params={"include_count": count, "limit": 1}).json()
        assert page == {"resource": every[:1], "meta": {"count": len(every)}}
    preferred = http.get(f"/_func/{name}?limit=1", headers={"Prefer": "count=exact"})
    assert preferred.json()["meta"] == {"count": len(every)}
    assert http.get(f"/_func/{name}?count_only=true").json() == len(every)
    assert http.get("/_func/halves?distinct=half&count_only=true").json() == 3
    for excluded in ("halves?distinct=half&group=half", "people?group=id&related=visit_by_person"):
        assert http.get(f"/_func/{excluded}").status_code == 400
    ranged = http.get(f"/_func/{name}", headers={"Range": "items=1-2", "Prefer": "count=exact"})
    assert ranged.json()["resource"] == every[1:3]
    assert ranged.headers["Content-Range"] == f"items 1-2/{len(every)}"


def test_related_rows_of_a_table_are_read(http: httpx2.Client) -> None:
    rows = http.get("/_func/people?related=visit_by_person&visit_by_person.limit=1&order=id").json()
    assert [len(row["visit_by_person"]) for row in rows] == [1, 1, 0]
    assert http.get("/_func/words?related=visit_by_person").status_code == 400


def test_a_write_with_options_runs_once(http: httpx2.Client) -> None:
    response = http.post("/_func/written", json={"n": 3, "limit": 1, "include_count": True})
    assert ok(response)["meta"] == {"count": 3}
    assert http.get("/_table/visit?filter=id > 10&count_only=true").json() == 3
    assert http.get("/_func/written?n=1&limit=1").status_code == 405
