"""Import of CSV files with geometries of PostGIS, as GeoJSON and as text."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx

from tests.helpers.postgis import ACCESS, BOX, TABLES, PostgisServer, point
from tests.helpers.served import Served
from tests.helpers.support import SqlClient

SERVED = Served(TABLES, ACCESS, under="", key="all", postgres=PostgisServer)


def imported(http: httpx.Client, *lines: str, query: str = "") -> httpx.Response:
    headers = {"Content-Type": "text/csv"}
    content = "\n".join(("id,any_shape,area,grid,spot,parts", *lines))
    return http.post(f"/_table/shape?import=true{query}", content=content, headers=headers)


def cell(value: Any) -> str:
    return '"' + json.dumps(value, indent=1).replace('"', '""') + '"'


def test_a_file_may_contain_geojson_and_postgis_text(http: httpx.Client, db: SqlClient) -> None:
    sent, area = point(10, 59), json.loads(BOX)
    lines = [
        f"9001,{cell(sent)},{cell(area)},{cell(sent)},{cell(sent)},",
        "9002,SRID=4326;POINT(10 59),,POINT(500000 6600000),POINT(10 59),{POINT(1 2)}",
        f'9003,"SRID=25832;LINESTRING(1 2,3 4)",,"",{cell(point(1, 2))},"{{}}"',
    ]
    assert imported(http, *lines).json() == {"success": True, "created": 3, "errors": []}
    try:
        response = http.get("/_table/shape", params={"ids": "9001,9002,9003"}).json()["resource"]
        assert [row["spot"] for row in response] == [sent, sent, point(1, 2)]
        assert (response[0]["any_shape"], response[0]["area"]) == (sent, area)
        record = {"resource": [{"id": 9004, "grid": sent}]}
        assert http.post("/_table/shape", json=record).status_code == 200
        assert http.get("/_table/shape/9004").json()["grid"] == response[0]["grid"]
        assert (response[1]["any_shape"], response[2]["grid"]) == (sent, None)
    finally:
        db.execute("delete from shape where id > 9000")


def test_an_invalid_geometry_is_reported_with_its_line_and_column(http: httpx.Client, db: SqlClient) -> None:
    lines = [
        f"9001,{cell(point(1, 2))},,,,",  # lines 2 to 8, as the text of `cell` has seven
        f"9002,,{cell(point(1, 2))},,,",
        '9003,"{""type"":""Point""}",,,,',
        f"9004,,,{cell(point(1, 2, 'EPSG:1'))},,",
        f"9005,,,{cell(point(1e200, 91))},,",
        "9006,POINT(,,,,",
        f"9007,{cell(point(3, 4))},,,,",
        "9008,,,{broken,,",
        f"9009,,,{cell(point(1, 2))},,,too,many",
    ]
    response = imported(http, *lines)
    error = response.json()["error"]["context"]
    assert (response.status_code, error["reason"]) == (400, "bad_lines"), response.text
    first = [2 + sum(line.count("\n") + 1 for line in lines[:n]) for n in range(len(lines))]
    assert [(entry["line"], entry["reason"], entry.get("field")) for entry in error["errors"]] == [
        (first[1], "bad_value", "area"), (first[2], "bad_value", "any_shape"), (first[3], "database_refuses", "grid"),
        (first[4], "database_refuses", "grid"), (first[5], "database_refuses", "any_shape"),
        (first[7], "bad_value", "grid"), (first[8], "bad_csv", None),
    ]  # fmt: skip
    single = http.post("/_table/shape", json={"resource": [{"grid": point(1, 2, "EPSG:1")}]})
    # the same as for a single record
    assert single.json()["error"]["context"]["resource"][0]["context"]["reason"] == "database_refuses"
    assert "select" not in response.text.lower()
    kept = imported(http, *lines, query="&continue=true").json()
    assert (kept["created"], kept["errors"]) == (2, error["errors"])
    assert db.fetch("select id from shape where id > 9000 order by id") == [(9001,), (9007,)]
    db.execute("delete from shape where id > 9000")
