"""Nested and binary values in CSV: a list exported as CSV can be written back, by POST and by import."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import execute

TABLES = r"""
create type mood as enum ('sad', 'ok');
create type point_of as (x numeric, y text);
create domain whole as integer[];
create table origin (
    id integer primary key, i integer[], t text[], deep text[][], m mood[], w whole, n numeric[], at timestamptz[],
    j jsonb, plain json, js jsonb[], c point_of, cc point_of[], b bytea, bb bytea[], r int4range, o bit(4)
);
insert into origin values (
    1, '{1,null,2}', '{"a,b","q\"x",null,""}', '{{a,b},{c,d}}', '{sad}', '{1,2}', '{1.50,NaN}',
    array['2026-01-01'::timestamptz, 'infinity'], '{"a": [1, "x"]}', '{"b": 1.10}', array['{"a": 1}'::jsonb, 'null'],
    (1.50, 'a,b'), array[(1, 'x')::point_of, null], '\x00ff', array['\x01'::bytea], '[1,5)', '1010'
);
insert into origin (id) values (2);
insert into origin (id, i, cc, j, c) values (3, '{}', '{}', '[]', row(null, '"'));
create table copy (like origin including all);
create type span_of as (at timestamp, day date);
create table moment (id integer primary key, plain timestamp, zoned timestamptz, day date, plains timestamp[],
                     span tsrange, pair span_of, late timestamp);
create table local (at timestamp primary key, note text);
"""
SERVED = Served(TABLES, each="truncate copy")


def send(http: httpx.Client, content: str, query: str = "") -> httpx.Response:
    return http.post(f"/copy?{query}", content=content.encode(), headers={"Content-Type": "text/csv"})


@pytest.mark.parametrize("query", ["", "import=true"])
def test_a_csv_list_can_be_written_back(http: httpx.Client, query: str) -> None:
    assert send(http, http.get("/origin?order=id&file=x.csv").text, query).status_code == 200
    assert http.get("/copy?order=id").json() == http.get("/origin?order=id").json()


@pytest.mark.parametrize("query", ["", "import=true"])
def test_postgresql_literals_are_accepted(http: httpx.Client, query: str) -> None:
    assert send(http, 'id,i,t,b\n1,"{1,2}","[0:1]={a,b}",\\x00ff\n', query).status_code == 200
    record = http.get("/copy/1?fields=i,t,b").json()
    assert record == {"i": [1, 2], "t": ["a", "b"], "b": "AP8="}


def test_non_json_text_becomes_a_json_string(http: httpx.Client) -> None:
    assert send(http, 'id,j\n1,hello\n2,"""5"""\n3,5\n').status_code == 200
    assert [row["j"] for row in http.get("/copy?order=id&fields=j").json()["resource"]] == ["hello", "5", 5]


def test_invalid_cells_of_an_import_are_reported(http: httpx.Client) -> None:
    lines = ['1,"[1,""x""]",,', "2,[1],*,", '3,[1],AP8=,"{""x"":""y""}"', "4,[1],AP8=,"]
    response = send(http, "id,i,b,c\n" + "\n".join(lines), "import=true")
    errors = response.json()["error"]["context"]["errors"]
    assert [(error["line"], error.get("field")) for error in errors] == [(2, "i"), (3, "b"), (4, "c")]
    assert "base64" in errors[1]["message"]


def test_errors_in_a_file_with_crlf_have_the_right_line_numbers(http: httpx.Client) -> None:
    response = send(http, 'id,i\r\n1,x\r\n2,[2]\r\n3,"{3}"\r\n4\r\n5,', "import=true&continue=true").json()
    assert response["created"] == 3
    assert [(error["line"], error["reason"]) for error in response["errors"]] == [(2, "bad_value"), (5, "bad_csv")]
    assert "fewer values" in response["errors"][1]["message"]


MOMENT, LATE = "2026-07-27T00:30:00-04:00", "20000-01-01 10:00:00+02"
MOMENTS = {
    "plain": MOMENT, "zoned": MOMENT, "day": MOMENT, "plains": [MOMENT], "span": f"[{MOMENT},)",
    "pair": {"at": MOMENT, "day": MOMENT}, "late": LATE,
}  # fmt: skip


def test_an_offset_means_the_same_in_every_way_in(http: httpx.Client, url: str) -> None:
    """Columns without a time zone ignore the offset, as PostgreSQL does."""
    execute(url, "truncate moment; insert into moment (id) values (4), (6)")
    pair = json.dumps(MOMENTS["pair"]).replace('"', '""')
    cells = f'{MOMENT},{MOMENT},{MOMENT},"[""{MOMENT}""]","[{MOMENT},)","{pair}",{LATE}'
    literal = cells.replace(f'"[""{MOMENT}""]"', f'"{{{MOMENT}}}"')
    names, csv = "id," + ",".join(MOMENTS), {"Content-Type": "text/csv"}
    responses = [
        http.post("/moment", json=[{"id": 1, **MOMENTS}]),
        http.post("/moment", content=f"{names}\n2,{cells}\n", headers=csv),
        http.post("/moment?import=true", content=f"{names}\n3,{cells}\n", headers=csv),
        http.patch("/moment", json=[{"id": 4, **MOMENTS}]),
        http.post("/moment", content=f"{names}\n5,{literal}\n", headers=csv),
        http.patch("/moment/6", json=MOMENTS),
    ]
    assert [response.status_code for response in responses] == [200] * 6, [each.text for each in responses]
    rows = http.get("/moment", params={"order": "id"}).json()["resource"]
    stored = {name: value for name, value in rows[0].items() if name != "id"}
    assert stored == {
        "plain": "2026-07-27 00:30:00", "zoned": "2026-07-27 04:30:00+00", "day": "2026-07-27",
        "plains": ["2026-07-27 00:30:00"], "span": '["2026-07-27 00:30:00",)',
        "pair": {"at": "2026-07-27T00:30:00", "day": "2026-07-27"}, "late": "20000-01-01 10:00:00",
    }  # fmt: skip
    assert rows == [{"id": number, **stored} for number in range(1, 7)]
    for condition in (f"plain = '{MOMENT}'", f"zoned = '{MOMENT}'", f"plain IN ('{MOMENT}')", f"late = '{LATE}'"):
        assert http.get("/moment", params={"filter": condition, "count_only": "true"}).json() == 6
    for way in ({"json": [{"at": MOMENT}]}, {"content": f"at,note\n{MOMENT},x\n", "headers": csv}):
        assert http.post("/local?upsert=true", **way).json() == {"resource": [{"at": "2026-07-27 00:30:00"}]}
    assert http.get("/local", params={"ids": MOMENT}).json() == http.get("/local").json()
    assert http.get(f"/local/{MOMENT}").json()["note"] == "x"
