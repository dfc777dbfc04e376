"""A list of different changes runs one statement per set of fields, with the result of writing one by one."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import SqlClient

TABLES = """
create type mood as enum ('good', 'bad');
create type part as (a integer, b text);
create domain percent as numeric check (value between 0 and 100);
create table item (id integer primary key, code text unique, name text,
                   amount numeric check (amount is distinct from 13),
                   ratio double precision, share percent, at timestamptz, local timestamp, day date, hours interval,
                   tags text[], whole part, parts part[], more jsonb not null default '{}', raw bytea, mood mood,
                   flag boolean, ident uuid, span int4range, cash money, owner integer,
                   parent integer references item deferrable initially deferred);
create table short (code char(3) primary key, name text, owner integer);
create table slow (id integer primary key, name text);
create table statement (of text);
create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.1); return new; end $$;
create trigger slowly before update on slow for each row execute function slowly();
create function counted() returns trigger language plpgsql as
$$ begin insert into statement values (tg_table_name); return null; end $$;
create trigger counted after update on item for each statement execute function counted();
create trigger counted after update on short for each statement execute function counted();
"""
ROWS = """
truncate item, short, slow, statement;
insert into slow select n, 'n' from generate_series(1, 25) n;
insert into item (id, code, name, owner) select n, 'c' || n, 'n' || n, 1 + n / 21 from generate_series(1, 25) n;
insert into short values ('a', 'A', 1), ('b', 'B', 1);
"""
OWN = [{"name": "owner", "operator": "=", "value": "{user.id}"}]
ACCESS = {
    "keys": {"all": {"role": "*"}, "one": {"role": "owner", "user": {"id": 1}}},
    "roles": {"owner": {"access": [{"component": "_table/*", "verb_mask": 31, "filters": OWN}]}},
}
ONE_BY_ONE = {"fields": "id,CAST(name AS text)"}  # computed fields are read after each record
VALUES: dict[str, Any] = {
    "name": "O'Neil, \"x\" {a}", "amount": 12345678901234567890.5, "ratio": 0.1, "share": 99.5,
    "at": "2024-02-29T23:59:59.123456+02:00", "local": "2024-02-29 10:00:00", "day": "9999-12-31", "hours": "01:02:03",
    "tags": ["a,b", None, '"'], "whole": {"a": 1, "b": "x"}, "parts": [{"a": 1, "b": None}, None], "more": None,
    "raw": "AAH/", "mood": "bad", "flag": True, "ident": "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e", "span": "[1,5)",
    "cash": 1.25, "parent": 2,
}  # fmt: skip
SERVED = Served(TABLES, ACCESS, key="all", each=ROWS, STATEMENT_SECONDS="2")


def change(http: httpx.Client, records: list[Any], table: str = "item", **options: str) -> httpx.Response:
    key = options.pop("key", "all")
    return http.patch(f"/{table}", json={"resource": records}, params=options, headers={"X-API-Key": key})


def statements(db: SqlClient) -> int:
    return int(db.fetch("select count(*) from statement")[0][0])


def stored(db: SqlClient, table: str = "item") -> list[Any]:
    return db.fetch(f"select to_json(t)::text from {table} t order by 1")


def error_of(response: httpx.Response) -> dict[str, Any]:
    context: dict[str, Any] = response.json()["error"]["context"]
    return {name: value for name, value in context.items() if name != "request_id"}


def test_records_setting_the_same_fields_share_a_statement(http: httpx.Client, db: SqlClient) -> None:
    response = change(http, [{"id": n, "name": f"new {n}"} for n in (5, 3, 9)], fields="id,name")
    assert response.json()["resource"] == [{"id": n, "name": f"new {n}"} for n in (5, 3, 9)]
    assert statements(db) == 1


def test_each_set_of_fields_is_a_statement_and_the_order_is_kept(http: httpx.Client, db: SqlClient) -> None:
    records = [{"id": n, "name" if n % 2 else "amount": n} for n in range(1, 9)]
    response = change(http, records)
    assert response.json()["resource"] == [{"id": n} for n in range(1, 9)]
    assert statements(db) == 2


def test_a_statement_has_at_most_500_records(http: httpx.Client, db: SqlClient) -> None:
    db.execute("insert into item (id) select generate_series(26, 1000)")
    assert change(http, [{"ID": str(n), "name": "x"} for n in range(1, 1001)]).status_code == 200
    assert statements(db) == 2
    assert db.fetch("select count(*) from item where name = 'x'")[0][0] == 1000


def test_one_change_of_several_ids_is_one_statement(http: httpx.Client, db: SqlClient) -> None:
    response = change(http, [{"name": "x"}], ids="3,1,2", fields="id,name")
    assert response.json()["resource"] == [{"id": n, "name": "x"} for n in (3, 1, 2)]
    assert statements(db) == 1


@pytest.mark.parametrize("empty", [False, True])
def test_values_are_stored_as_in_a_single_write(http: httpx.Client, db: SqlClient, empty: bool) -> None:
    values = {name: None if empty else value for name, value in VALUES.items()}
    assert http.patch("/item/1", json=values).status_code == 200
    assert change(http, [{"id": n} | values for n in (3, 4)]).status_code == 200
    assert statements(db) == 2
    names = ", ".join(VALUES)
    assert len(db.fetch(f"select {names} from item where id in (1, 3, 4) group by {names}")) == 1


def test_moments_are_those_of_the_database(http: httpx.Client, db: SqlClient) -> None:
    records = [{"id": n, "at": {"expression": "NOW()"}, "name": "x"} for n in (1, 2)]
    assert change(http, records).status_code == 200
    assert statements(db) == 1
    assert db.fetch("select count(distinct at) from item where at > now() - interval '1 hour'")[0][0] == 1


# Lists that a single statement would decide otherwise, or that fail in part; `id` 21 and later are another owner's.
LISTS: list[tuple[list[dict[str, Any]], str]] = [
    ([{"id": 1, "name": "a"}, {"id": 9999, "name": "b"}, {"id": 2, "name": "c"}], "not found"),
    ([{"id": 1, "name": "a"}, {"id": 2, "amount": "x"}, {"id": 3, "name": "c"}], "a value that does not fit"),
    ([{"id": 1, "name": "a"}, {"id": "x", "name": "b"}, {"id": 3, "name": "c"}], "a key that does not fit"),
    ([{"id": 1, "name": "a"}, {"name": "b"}, {"id": 3, "name": "c"}], "no key"),
    ([{"id": 1, "amount": 1}, {"id": 2, "amount": 13}, {"id": 3, "amount": 3}], "a check"),
    ([{"id": 1, "share": 1}, {"id": 2, "share": 101}, {"id": 3, "share": 3}], "a check of a domain"),
    ([{"id": 1, "mood": "good"}, {"id": 2, "mood": "odd"}], "no label"),
    ([{"id": 1, "code": "x"}, {"id": 2, "code": "c3"}, {"id": 4, "code": "y"}], "a duplicate"),
    ([{"id": 1, "code": "x"}, {"id": 2, "code": "c1"}, {"id": 3, "code": "c2"}], "values that move on"),
    ([{"id": 1, "parent": 2}, {"id": 2, "parent": 9999}], "a reference that is checked at the end"),
    ([{"id": 1, "name": "a"}, {"id": "1", "name": "b"}, {"id": 2, "name": "c"}], "one record twice"),
    ([{"id": 1, "name": "a"}, {"id": 1, "amount": 5}, {"id": 2, "amount": 6}], "one record twice, other fields"),
    ([{"id": 1, "name": "a"}, {"id": 2, "unknown": 1}, {"id": 3}], "nothing to change"),
    ([{"id": 1, "name": "a"}, {"id": 2, "name": "b", "NAME": "c"}, {"id": 3, "name": "c"}], "one field twice"),
    ([{"id": 1, "name": "a"}, {"id": 2, "item_by_parent_parent": {"id": 3, "name": "p"}}, {"id": 3, "name": "c"}],
     "a parent in the list"),
    ([{"id": 1, "name": "a"}, {"id": 22, "name": "b"}, {"id": 3, "name": "c"}], "another owner's"),
    ([{"id": 1, "owner": 2}, {"id": 2, "owner": 1}, {"id": 3, "owner": 2}], "to another owner"),
]  # fmt: skip


@pytest.mark.parametrize("option", [{}, {"continue": "true"}])
@pytest.mark.parametrize("key", ["all", "one"])
@pytest.mark.parametrize("records", [pytest.param(records, id=name) for records, name in LISTS])
def test_a_list_has_the_result_of_single_writes(
    http: httpx.Client, db: SqlClient, records: list[Any], key: str, option: dict[str, str]
) -> None:
    expected = change(http, records, key=key, **option, **ONE_BY_ONE)
    rows = stored(db)
    db.execute(ROWS)
    response = change(http, records, key=key, **option, fields="id,name")
    assert (response.status_code, stored(db)) == (expected.status_code, rows)
    if response.status_code != 200:
        assert error_of(response) == error_of(expected)
    else:
        assert response.json()["resource"] == expected.json()["resource"]


def test_keys_equal_only_in_postgresql_are_written_in_order(http: httpx.Client, db: SqlClient) -> None:
    records = [{"code": "a", "name": "1"}, {"code": "b", "name": "2"}, {"code": "a  ", "name": "3"}]
    assert change(http, records, "short").status_code == 200
    assert db.fetch("select name from short order by code") == [("3",), ("2",)]
    mixed: list[dict[str, Any]] = [
        {"code": "b", "owner": 1},
        {"code": "a", "name": "x", "owner": 2},
        {"code": "a ", "owner": 3},
    ]
    assert change(http, [*mixed, {"code": "b ", "name": "y", "owner": 4}], "short").status_code == 200
    assert db.fetch("select name, owner from short order by code") == [("x", 3), ("y", 4)]


def test_changes_by_text_keys_are_one_statement(http: httpx.Client, db: SqlClient) -> None:
    records = [{"code": "a", "name": "1"}, {"code": "b", "name": "2"}]
    assert change(http, records, "short").json() == {"resource": [{"code": "a  "}, {"code": "b  "}]}
    assert statements(db) == 1


def test_another_unique_field_may_identify_the_records(http: httpx.Client, db: SqlClient) -> None:
    records = [{"code": "c2", "name": "x"}, {"code": "c1", "name": "y"}]
    response = change(http, records, id_field="code", fields="id,name")
    assert response.json()["resource"] == [{"id": 2, "name": "x"}, {"id": 1, "name": "y"}]
    assert statements(db) == 1


def test_a_dry_run_is_rolled_back(http: httpx.Client, db: SqlClient) -> None:
    before = stored(db)
    response = change(http, [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], dry_run="true", fields="name")
    assert response.json()["resource"] == [{"name": "a"}, {"name": "b"}]
    assert stored(db) == before


@pytest.mark.parametrize("option", [{}, {"continue": "true"}])
def test_a_list_too_slow_for_one_statement_is_written_one_by_one(
    http: httpx.Client, db: SqlClient, option: dict[str, str]
) -> None:
    response = change(http, [{"id": n, "name": f"x{n}"} for n in range(1, 26)], "slow", **option)
    assert response.status_code == 200, response.text
    assert db.fetch("select count(*) from slow where name = 'x' || id") == [(25,)]
