"""Names of up to 63 bytes, the longest of PostgreSQL, in every form of a response and of a write."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

LENGTHS = range(56, 64)
COLUMNS = ["a" * length for length in LENGTHS] + ["é" * 31, "b" * 62 + "1", "b" * 62 + "2", "c" * 57 + "_1", "c" * 57]
ROW = {name: number for number, name in enumerate(COLUMNS, 10)}
KEY = "k" * 63
SQL = f"""
create table wide ({KEY} integer primary key, {", ".join(f'"{name}" integer' for name in COLUMNS)});
insert into wide values (1, {", ".join(map(str, ROW.values()))});
create table child (id integer primary key, {"p" * 61} integer references wide);
insert into child values (5, 1);
create function rows_of_wide() returns setof wide language sql stable as 'select * from wide';
"""
SERVED = Served(SQL, under="", PUBLIC_ROUTINES="rows_of_wide", MAX_LIMIT="1")


def rows(client: httpx.Client, path: str, **options: Any) -> list[dict[str, Any]]:
    response = client.get(path, **options)
    found: list[dict[str, Any]] = ok(response)["resource"]
    return found


def test_every_list_uses_the_names_of_the_schema(http: httpx.Client) -> None:
    names = [field["name"] for field in http.get("/_schema/wide").json()["field"]]
    assert names == [KEY, *COLUMNS]
    wanted = [{KEY: 1, **ROW}]
    assert rows(http, "/_table/wide") == wanted
    assert rows(http, "/_table/wide?limit=1&offset=0&cursor=") == wanted
    assert rows(http, "/_table/wide?ids=1") == wanted
    assert rows(http, "/_table/wide", params={"fields": ",".join([KEY, *COLUMNS])}) == wanted
    assert rows(http, "/_table/wide", params={"group": ",".join([KEY, *COLUMNS])}) == wanted
    assert rows(http, "/_table/wide", params={"order": ",".join(COLUMNS), "filter": f"{COLUMNS[7]} > 1"}) == wanted
    assert http.get("/_table/wide/1").json() == wanted[0]
    assert http.get("/_func/rows_of_wide").json() == wanted
    assert http.get("/_func/rows_of_wide?limit=1").json() == wanted
    child = rows(http, "/_table/child?related=*")[0]
    assert next(value for name, value in child.items() if name.startswith("wide_by")) == wanted[0]
    lines = http.get("/_table/wide", headers={"Accept": "application/x-ndjson"}).text.splitlines()
    assert [json.loads(line) for line in lines] == wanted
    table = csv.reader(io.StringIO(http.get("/_table/wide", headers={"Accept": "text/csv"}).text))
    assert next(table) == names


@pytest.mark.parametrize("length", [57, 58, 60, 63])
def test_an_alias_keeps_its_name(http: httpx.Client, length: int) -> None:
    alias = "z" * length
    for query in (
        {"fields": f"{COLUMNS[0]} AS {alias}"},
        {"fields": f"MAX({COLUMNS[7]}) AS {alias}"},
        {"group": COLUMNS[0], "fields": f"{COLUMNS[0]} AS {alias},COUNT(*)"},
    ):
        assert alias in rows(http, "/_table/wide", params=query)[0]


def test_a_record_of_a_list_is_written_back(http: httpx.Client) -> None:
    changed = {name: value + 1 for name, value in rows(http, "/_table/wide")[0].items() if name != KEY}
    written = http.patch("/_table/wide?fields=*", json={"resource": [{KEY: 1, **changed}]})
    assert written.json() == {"resource": [{KEY: 1, **changed}]}
    assert rows(http, "/_table/wide") == [{KEY: 1, **changed}]
    assert http.patch("/_table/wide/1", json=ROW).status_code == 200
    created = http.post("/_table/wide?fields=*&upsert=true", json={"resource": [{KEY: 1, **ROW}, {KEY: 2, **ROW}]})
    assert created.json()["resource"][1] == {KEY: 2, **ROW}
    filtered = http.patch(f"/_table/wide?filter={KEY}=2&fields=*", json={"resource": [{COLUMNS[5]: 0}]})
    assert filtered.json()["resource"][0][COLUMNS[5]] == 0
    assert http.delete("/_table/wide?ids=2&fields=*").json()["resource"][0].keys() == {KEY, *COLUMNS}
