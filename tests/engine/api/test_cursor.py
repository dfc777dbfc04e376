"""Pages by cursor return each record once, in every kind of order (docs/guides/cursors.md)."""

from __future__ import annotations

import base64
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve
from tests.helpers.table_api import FIXTURE

SQL = """
create table parent (id integer primary key, name text not null, rank integer);
insert into parent values (1, 'b', null), (2, 'a', 2), (3, 'b', 1);
create table kinds (
    id integer primary key, parent_id integer references parent, word text, whole bigint, exact numeric, small real,
    double double precision, day date, moment timestamp, instant timestamptz, code uuid, flag boolean, pause interval,
    price money, raw bytea, clock time, span int4range, address inet, never text not null default 'x');
insert into kinds
select n, nullif(n % 4, 0), (array['ä', '"', ',', 'Z', 'a', '', null])[n % 7 + 1] || (n % 2),
       nullif(n % 5, 0) * 9007199254740993, nullif(n % 6, 0) + 0.12345678901234567890123 * (n % 2),
       nullif(n % 5, 0) / 3.0::real, nullif(n % 4, 0) / 7.0::double precision, date '2024-02-27' + nullif(n % 5, 0),
       timestamp '2024-01-01 00:00:00.123456' + nullif(n % 3, 0) * interval '1 microsecond',
       timestamptz '2024-01-01 00:00:00.5+02' + nullif(n % 6, 0) * interval '1 hour',
       nullif(md5((n % 9)::text), md5('0'))::uuid, nullif(n % 3, 0) = 1, nullif(n % 4, 0) * interval '25 hours',
       (nullif(n % 5, 0) * 1000.5)::numeric::money, decode(nullif(lpad(to_hex(n % 6), 2, '0'), '00'), 'hex'),
       time '10:00' + nullif(n % 5, 0) * interval '1 second', int4range(nullif(n % 5, 0), 9),
       ('10.0.0.' || nullif(n % 4, 0))::inet, 'x'
from generate_series(1, 47) n;
update kinds set exact = 'NaN', double = 'Infinity', day = 'infinity', instant = '-infinity' where id in (7, 21);
update kinds set word = e'a"b\\\\c\\nü' where id in (5, 6);
create table two_keys (a integer, b text, v integer, primary key (a, b));
insert into two_keys select n % 5, 'k' || n, n % 3 from generate_series(1, 23) n;
create table no_key (v integer);
insert into no_key select nullif(n % 4, 0) from generate_series(1, 19) n;
create view seen as select id, word from kinds;
"""
FIELDS = (
    "word", "whole", "exact", "small", "double", "day", "moment", "instant", "code", "flag", "pause", "price", "raw",
    "clock", "span", "address", "never",
)  # fmt: skip
WAYS = ("", " desc", " nulls first", " desc nulls last")
ORDERS = (
    "", "id desc", "whole,word desc", "flag desc nulls last,day,code desc", "never,exact desc,whole nulls first",
    "parent_by_parent_id.name", "parent_by_parent_id.name desc", "parent_by_parent_id.name desc nulls last,word",
    "parent_by_parent_id.rank nulls first,id desc", "parent_by_parent_id.rank desc,parent_by_parent_id.name",
)  # fmt: skip
SERVED = Served(FIXTURE + SQL)


def get(http: httpx.Client, table: str, **query: Any) -> Any:
    response = http.get(f"/{table}", params=query)
    assert response.status_code == 200, (table, query, response.text)
    return response.json()


def walk(http: httpx.Client, table: str, **query: Any) -> list[Any]:
    """Return all records, page by page."""
    rows: list[Any] = []
    cursor = ""
    for _ in range(100):
        page = get(http, table, cursor=cursor, **query)
        rows += page["resource"]
        cursor = page.get("meta", {}).get("next_cursor", "")
        if not cursor:
            return rows
        assert len(page["resource"]) == query["limit"]
    raise AssertionError("The pages have no end.")


@pytest.mark.parametrize("order", [*ORDERS, *(name + way for name in FIELDS for way in WAYS)])
def test_pages_add_up_to_the_list(http: httpx.Client, order: str) -> None:
    query = {"order": order, "fields": "id"}
    whole = get(http, "kinds", **query)["resource"]
    assert len(whole) == 47
    by_offset = [row for at in range(0, 47, 12) for row in get(http, "kinds", **query, limit=12, offset=at)["resource"]]
    for size in (6, 47):
        assert walk(http, "kinds", **query, limit=size) == by_offset == whole


@pytest.mark.parametrize("table", ["two_keys", "no_key", "company", "deal", "tag", "person_tag"])
@pytest.mark.parametrize("order", ["", "first", "first desc"])
def test_a_cursor_visits_every_row_of_any_table(http: httpx.Client, table: str, order: str) -> None:
    whole = get(http, table)["resource"]
    name = next(iter(whole[-1]))
    rows = walk(http, table, order=order.replace("first", name), limit=4)
    assert sorted(map(str, rows)) == sorted(map(str, whole))


def test_a_filter_and_a_count_apply_to_every_page(http: httpx.Client) -> None:
    query = {"filter": "(flag = true) or (whole is null)", "order": "day desc", "include_count": "true"}
    whole = get(http, "kinds", **query)
    first = get(http, "kinds", **query, cursor="", limit=3)
    second = get(http, "kinds", **query, cursor=first["meta"]["next_cursor"], limit=3)
    assert first["meta"]["count"] == second["meta"]["count"] == whole["meta"]["count"] == len(whole["resource"])
    assert walk(http, "kinds", **query, limit=3) == whole["resource"]


def test_a_record_inserted_before_the_cursor_shifts_no_page(http: httpx.Client) -> None:
    first = get(http, "two_keys", cursor="", limit=3)
    http.post("/two_keys", json={"resource": [{"a": -1, "b": "new", "v": 0}]})
    second = get(http, "two_keys", cursor=first["meta"]["next_cursor"], limit=3)
    assert not {row["b"] for row in first["resource"]} & {row["b"] for row in second["resource"]}
    http.delete("/two_keys/-1,new")


def test_a_tunnelled_read_accepts_a_cursor(http: httpx.Client) -> None:
    url, headers = "/kinds", {"X-HTTP-Method": "GET"}
    first = http.post(url, json={"order": "word", "limit": 40, "cursor": ""}, headers=headers).json()
    body = {"order": "word", "limit": 40, "cursor": first["meta"]["next_cursor"]}
    second = http.post(url, json=body, headers=headers).json()
    assert len({row["id"] for row in first["resource"] + second["resource"]}) == 47
    assert "meta" not in second


def _cursor(http: httpx.Client, table: str = "kinds", **query: Any) -> str:
    return str(get(http, table, cursor="", limit=2, **query)["meta"]["next_cursor"])


def _with(cursor: str, tail: bytes) -> str:
    head = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).partition(b":")[0]
    return base64.urlsafe_b64encode(head + b":" + tail).decode()


def test_a_cursor_of_another_read_or_a_broken_one_is_rejected(http: httpx.Client) -> None:
    own = _cursor(http, order="day")
    bad = [
        "x", "%%", "ä", "null", own[:-4], own[3:], _cursor(http), _cursor(http, order="day desc"),
        _cursor(http, order="whole"), _cursor(http, "deal", order="closed_on"), _with(own, b'["2024-01-01"]'),
        _with(own, b'["soon","1"]'), _with(own, b'["2024-01-01","one"]'), _with(own, b'["2024-01-01",1]'),
        _with(own, b'["2024-01-01",["1"]]'), _with(own, b'{"a":"b"}'), _with(own, b'["2024-01-01","\\u0000"]'),
        _with(own, b'["2024-01-01","99999999999999999999"]'), "A" * 5000,
    ]  # fmt: skip
    for cursor in bad:
        response = http.get("/kinds", params={"order": "day", "cursor": cursor})
        assert response.status_code == 400, (cursor, response.text)
        assert response.json()["error"]["context"]["reason"] in ("bad_cursor", "bad_value")
    assert http.get("/company", params={"cursor": _cursor(http, "tag")}).status_code == 400
    assert http.get("/seen", params={"cursor": ""}).status_code == 400  # a view has no key to complete an order
    assert http.get("/kinds", params={"cursor": "", "group": "flag"}).status_code == 400


def test_rows_with_composites_of_nulls_appear_once(new_database: NewDatabase, serve: Serve) -> None:
    sql = """
        create type pair as (a integer, b integer);
        create table paired (id integer primary key, p pair);
        insert into paired values (1, null), (2, (null, null)), (3, (1, null)), (4, null), (5, (null, null));
        insert into paired values (6, (1, 1));
    """
    server = serve("--dataset", f"d={new_database(sql)}", "--open")
    for order in ("p", "p desc", "p asc nulls first", "p desc nulls last"):
        query = {"order": order, "fields": "id", "limit": "1", "cursor": ""}
        whole = httpx.get(f"{server.url}/api/v2/d/_table/paired", params=query | {"limit": "9"}).json()["resource"]
        pages: list[dict[str, Any]] = []
        while query["cursor"] is not None and len(pages) < 9:
            page = httpx.get(f"{server.url}/api/v2/d/_table/paired", params=query).json()
            pages += page["resource"]
            query["cursor"] = page.get("meta", {}).get("next_cursor")
        assert pages == whole, order


def test_no_row_is_lost_with_non_unique_keys(new_database: NewDatabase, serve: Serve) -> None:
    sql = """
        create table animal (id integer primary key, name text);
        create table dog (breed text) inherits (animal);
        insert into animal select n, 'a' from generate_series(1, 5) n;
        insert into dog select n, 'd' from generate_series(3, 7) n;
        create table event (name text);
        create table visit (place text) inherits (event);
        insert into event select 'e' || n from generate_series(1, 5) n;
        insert into visit select 'v' || n from generate_series(1, 5) n;
        create table note (id integer primary key, word text, code integer unique);
        insert into note select n, nullif('w' || n % 3, 'w0'), nullif(n % 10, 4) from generate_series(1, 9) n;
        alter table note add constraint a not null word not valid, add constraint b not null code not valid;
    """
    server = serve("--dataset", f"d={new_database(sql)}", "--open")
    with httpx.Client(base_url=f"{server.url}/api/v2/d/_table", timeout=30) as http:
        for table, order in (
            ("animal", ""), ("animal", "name desc"), ("event", "name"), ("note", "word"), ("note", "code"),
        ):  # fmt: skip
            whole = get(http, table, order=order)["resource"]
            assert len(whole) == (9 if table == "note" else 10)
            assert walk(http, table, order=order, limit=3) == whole, (table, order)
            pages = [get(http, table, order=order, limit=3, offset=at)["resource"] for at in range(0, 10, 3)]
            assert [row for page in pages for row in page] == whole, (table, order)
        assert sorted(row["name"] for row in walk(http, "event", limit=3)) == sorted(
            row["name"] for row in get(http, "event")["resource"]
        )
