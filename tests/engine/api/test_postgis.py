"""PostGIS geometries: GeoJSON in and out, filter operators, nearest first, and rejected values."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.postgis import ACCESS, BOX, HERE, SCHEMA, TABLES, PostgisServer, point, truth
from tests.helpers.served import Served
from tests.helpers.support import SqlClient, execute, ok, rejection

SERVED = Served(TABLES, ACCESS, under="", key="all", postgres=PostgisServer)


@pytest.fixture(scope="module")
def url(url: str) -> str:
    execute(url, "vacuum analyze place")
    return url


def ids(http: httpx.Client, **query: Any) -> list[int]:
    key = query.pop("key", "all")
    response = http.get("/_table/place", params=query | {"fields": "id"}, headers={"X-API-Key": key})
    return [row["id"] for row in ok(response)["resource"]]


# -- rejected values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"filter": "geom WITHIN 'x'"}, "bad_value"),
        ({"filter": "geom WITHIN null"}, "bad_value"),
        ({"filter": 'geom WITHIN \'{"type":"Point"}\''}, "bad_value"),
        ({"filter": "geom WITHIN :area"}, "missing_param"),
        ({"filter": "geom WITHIN :area", "params": '{"area": null}'}, "bad_value"),
        ({"filter": "geom WITHIN :area", "params": '{"area": [1, 2]}'}, "bad_value"),
        ({"filter": "geom WITHIN"}, "bad_filter"),
        ({"filter": f"name WITHIN '{BOX}'"}, "bad_operator"),
        ({"filter": f"unknown INTERSECTS '{BOX}'"}, "unknown_field"),
        ({"filter": f"geom DWITHIN '{HERE}'"}, "bad_filter"),
        ({"filter": f"geom DWITHIN ('{HERE}')"}, "bad_filter"),
        ({"filter": f"geom DWITHIN ('{HERE}', 1, 2)"}, "bad_filter"),
        ({"filter": f"geom DWITHIN ('{HERE}', -1)"}, "bad_value"),
        ({"filter": f"geom DWITHIN ('{HERE}', far)"}, "bad_value"),
        ({"filter": f"geom DWITHIN ('{HERE}', 1e999)"}, "bad_value"),
        ({"filter": f"geom DWITHIN ({HERE}, 1)"}, "bad_filter"),
        ({"order": "DISTANCE(geom)"}, "bad_order"),
        ({"order": "DISTANCE(geom, 5)"}, "bad_order"),
        ({"order": "DISTANCE(geom, '')"}, "bad_order"),
        ({"order": "DISTANCE(geom, 'x')"}, "bad_value"),
        ({"order": "DISTANCE(geom, :here)"}, "missing_param"),
        ({"order": f"DISTANCE(name, '{HERE}')"}, "bad_operator"),
        ({"fields": f"DISTANCE(unknown, '{HERE}')"}, "unknown_field"),
        ({"fields": "DISTANCE(geom, '{}')"}, "bad_value"),
    ],
)
def test_an_invalid_geometry_is_rejected_with_its_reason(
    http: httpx.Client, query: dict[str, str], reason: str
) -> None:
    response = http.get("/_table/place", params=query)
    assert rejection(response) == (400, reason), response.text


@pytest.mark.parametrize(
    "record",
    [
        {"area": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]}},
        {"area": {"type": "Point", "coordinates": [1, 2]}},
        {"area": {"type": "Feature", "geometry": None}},
        *({"area": value} for value in ([1, 2], 5, "POLYGON(", "0101", "\U0001f600")),
        {"grid": point(1, 2, "EPSG:1")},
        {"grid": point(1e200, 91)},
        {"spot": point(1, 2, "EPSG:25832")},
        {"parts": ["POINT("]},
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_a_record_with_an_invalid_geometry_is_rejected(http: httpx.Client, record: dict[str, Any], count: int) -> None:
    response = http.post("/_table/shape", json={"resource": [record] * count})
    assert response.status_code == 400, response.text
    entry = response.json()["error"]["context"]["resource"][0]
    assert entry["status_code"] == 400
    assert "select" not in entry["message"].lower()


def test_a_geometry_in_another_reference_system_is_rejected(http: httpx.Client) -> None:
    far = json.dumps(point(1, 2, "EPSG:999999"))
    response = http.get("/_table/place", params={"filter": f"geom INTERSECTS '{far}'"})
    assert response.status_code == 400, response.text


# -- in and out --------------------------------------------------------------------------------------------------------


def test_geometries_are_geojson(http: httpx.Client) -> None:
    row = http.get("/_table/place/61").json()
    assert row["geom"] == row["spot"] == {"type": "Point", "coordinates": [10.01, 59.01]}
    assert row["grid"]["crs"] == {"type": "name", "properties": {"name": "EPSG:25832"}}
    assert http.get("/_table/place/3001").json()["geom"] is None
    assert http.get("/_table/place/61?raw=geom").json() == row["geom"]
    csv = http.get("/_table/place", params={"ids": "61", "fields": "geom", "accept": "text/csv"}).text
    assert csv.splitlines()[1] == '"{""type"":""Point"",""coordinates"":[10.01,59.01]}"'


def test_geojson_and_the_text_of_postgis_are_stored(http: httpx.Client) -> None:
    sent, whole = point(10.123456789012345, 59.5), point(10, 59)
    text = {"any_shape": "SRID=4326;POINT(10 59)", "spot": "POINT(10 59)", "parts": ["POINT(1 2)", None]}
    records = [{"any_shape": sent, "grid": sent, "spot": sent}, {"any_shape": json.dumps(sent)}, text]
    response = http.post("/_table/shape", json={"resource": records}, params={"fields": "any_shape,spot"})
    assert [(row["any_shape"], row["spot"]) for row in response.json()["resource"]] == [
        (sent, sent), (sent, None), (whole, whole),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "SRID=4326;POINT Z (1 2 3)",
        "SRID=4326;POINT EMPTY",
        "SRID=4326;GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4))",
        "SRID=4326;MULTIPOLYGON(((0 0,4 0,4 4,0 0)))",
        "SRID=25832;POINT(500000.1234567 6600000.7)",
        "SRID=4326;POINT M (1 2 3)",
        "SRID=4326;CURVEPOLYGON(CIRCULARSTRING(0 0,4 0,4 4,0 4,0 0))",
        "SRID=4326;TIN(((0 0,0 1,1 1,0 0)))",
    ],
)
def test_a_geometry_round_trips(http: httpx.Client, db: SqlClient, text: str) -> None:
    [(ident,)] = db.fetch(f"insert into shape (any_shape) values ('{text}') returning id")
    row = http.get(f"/_table/shape/{ident}").json()
    assert http.put(f"/_table/shape/{ident}", json=row).status_code == 200
    same = f"{SCHEMA}.st_asewkb(any_shape) = {SCHEMA}.st_asewkb('{text}'::{SCHEMA}.geometry)"
    assert db.fetch(f"select {same} from shape where id = {ident}") == [(True,)]


def test_a_list_of_geometries_is_written_like_single_ones(http: httpx.Client, db: SqlClient) -> None:
    points = [point(11 + n / 10, 60) for n in range(3)]
    created = http.post("/_table/shape", json=[{"grid": sent} for sent in points]).json()["resource"]
    [one, *several] = [row["id"] for row in created]
    response = http.patch("/_table/shape", json=[{"id": n, "grid": points[0], "spot": points[0]} for n in several])
    assert response.status_code == 200, response.text
    assert http.patch(f"/_table/shape/{one}", json={"grid": points[0], "spot": points[0]}).status_code == 200
    assert len(db.fetch(f"select grid::text, spot::text from shape where id >= {one} group by 1, 2")) == 1


def test_geometries_are_described(http: httpx.Client) -> None:
    fields = {field["name"]: field for field in http.get("/_schema/place").json()["field"]}
    assert (fields["geom"]["type"], fields["spot"]["type"]) == ("geometry", "geography")
    schemas = http.get("/_spec").json()["components"]["schemas"]
    described = next(
        schema["properties"]["geom"] for schema in schemas.values() if "geom" in schema.get("properties", {})
    )
    assert described["type"] == ["object", "null"]
    assert "GeoJSON" in described["description"]


# -- filters and order -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        (f"geom WITHIN '{BOX}'", "P.st_coveredby(geom, box)"),
        (f"spot WITHIN '{BOX}'", "P.st_coveredby(spot, box::P.geography)"),
        (f"grid WITHIN '{BOX}'", "P.st_coveredby(grid, P.st_transform(box, 25832))"),
        (f"etrs WITHIN '{BOX}'", "P.st_coveredby(etrs, P.st_transform(box, 4258))"),
        (f"geom NOT WITHIN '{BOX}'", "not P.st_coveredby(geom, box)"),
        (f"NOT (geom INTERSECTS '{BOX}')", "not P.st_intersects(geom, box)"),
        (f"geom DWITHIN ('{HERE}', 2500)", "P.st_dwithin(geom::P.geography, here::P.geography, 2500)"),
        (f"spot DWITHIN ('{HERE}', 2500.5)", "P.st_dwithin(spot, here::P.geography, 2500.5)"),
        (f"grid DWITHIN ('{HERE}', 2500)", "P.st_dwithin(grid, P.st_transform(here, 25832), 2500)"),
        (f"etrs DWITHIN ('{HERE}', 2500)",
         "P.st_dwithin(etrs::P.geography, P.st_transform(here, 4258)::P.geography, 2500)"),
        (f"DISTANCE(spot, '{HERE}') < 2000 AND owner = 1",
         "P.st_distance(spot, here::P.geography) < 2000 and owner = 1"),
        (f"visit_by_place_id.on_day = 2024-01-01 OR geom DWITHIN ('{HERE}', 500)",
         "id = 5 or P.st_dwithin(geom::P.geography, here::P.geography, 500)"),
    ],
)  # fmt: skip
def test_a_filter_finds_the_same_rows_as_sql(http: httpx.Client, db: SqlClient, condition: str, sql: str) -> None:
    found = ids(http, filter=condition, limit=1000)
    assert found == truth(db, sql)[:1000]
    assert found


def test_named_values_and_relations_accept_geometries(http: httpx.Client) -> None:
    named = {"filter": "geom WITHIN :area", "params": json.dumps({"area": BOX, "here": HERE, "far": 900})}
    assert ids(http, **named, limit=1000) == ids(http, filter=f"geom WITHIN '{BOX}'", limit=1000)
    near = named | {"filter": "geom DWITHIN (:here, :far)", "order": "DISTANCE(geom, :here)"}
    assert ids(http, **near)[:1] == [1220]
    response = http.get("/_table/visit", params={"filter": f"place_by_place_id.geom WITHIN '{BOX}'"})
    assert response.json()["resource"] == []
    related = {"related": "place_by_place_id", "place_by_place_id.filter": f"geom DWITHIN ('{HERE}', 90000)"}
    assert http.get("/_table/visit", params=related).json()["resource"][0]["place_by_place_id"]["id"] == 5


@pytest.mark.parametrize(
    ("field", "nearness"),
    [
        ("geom", "geom::P.geography operator(P.<->) here::P.geography"),
        ("spot", "spot operator(P.<->) here::P.geography"),
        ("grid", "grid operator(P.<->) P.st_transform(here, 25832)"),
    ],
)
@pytest.mark.parametrize("filter_", ["", "owner = 1"])
def test_rows_can_be_ordered_by_distance(
    http: httpx.Client, db: SqlClient, field: str, nearness: str, filter_: str
) -> None:
    order = f"DISTANCE({field}, '{HERE}')"
    expected = truth(db, filter_ or "true", f"order by {nearness}, id")
    assert ids(http, filter=filter_, order=order, limit=30) == expected[:30]
    assert ids(http, filter=filter_, order=order, limit=30, offset=20) == expected[20:50]
    assert ids(http, filter=filter_, order=order) == expected[:1000]
    last = truth(db, filter_ or "true", f"order by {nearness} desc, id")
    assert ids(http, filter=filter_, order=f"{order} desc", limit=9) == last[:9]


def test_equally_distant_rows_appear_on_one_page_only(http: httpx.Client, db: SqlClient) -> None:
    middle = '{"type":"Point","coordinates":[10.205,59.2]}'  # between two columns of places
    pages = [ids(http, order=f"DISTANCE(geom, '{middle}')", limit=3, offset=n) for n in range(0, 60, 3)]
    assert len({ident for page in pages for ident in page}) == 60


def test_a_cursor_follows_the_distance(http: httpx.Client) -> None:
    order, cursor, found = f"DISTANCE(geom, '{HERE}')", "", []
    for _ in range(4):
        query: dict[str, Any] = {"order": order, "cursor": cursor, "limit": 7, "fields": "id"}
        page = http.get("/_table/place", params=query).json()
        found += [row["id"] for row in page["resource"]]
        cursor = page["meta"]["next_cursor"]
    assert found == ids(http, order=order, limit=28)


def test_a_distance_is_a_field_in_metres(http: httpx.Client, db: SqlClient) -> None:
    query = {"fields": f"id,DISTANCE(geom, '{HERE}') AS metres,DISTANCE(grid, '{HERE}')", "ids": "1220"}
    [row] = http.get("/_table/place", params=query).json()["resource"]
    here = f"{SCHEMA}.st_geomfromgeojson('{HERE}')::{SCHEMA}.geography"
    [(metres,)] = db.fetch(f"select {SCHEMA}.st_distance(spot, {here}) from place where id = 1220")
    assert row["metres"] == pytest.approx(metres)
    assert row["distance_grid"] == pytest.approx(metres, rel=0.01)


def test_counts_and_groups_accept_spatial_conditions(http: httpx.Client, db: SqlClient) -> None:
    count = len(truth(db, "P.st_coveredby(geom, box)"))
    within, order = f"geom WITHIN '{BOX}'", f"DISTANCE(geom, '{HERE}')"
    query: dict[str, Any] = {"filter": within, "order": order, "limit": 2, "include_count": "true"}
    assert http.get("/_table/place", params=query).json()["meta"]["count"] == count
    groups = {"filter": within, "group": "owner", "fields": "owner,COUNT(*)"}
    response = http.get("/_table/place", params=groups).json()["resource"]
    assert sum(row["count_all"] for row in response) == count


def test_row_rules_apply_to_spatial_reads(http: httpx.Client, db: SqlClient) -> None:
    order = f"DISTANCE(geom, '{HERE}')"
    assert ids(http, key="one", order=order, limit=20) == ids(http, filter="owner = 1", order=order, limit=20)
    within = truth(db, "P.st_coveredby(geom, box) and owner = 1")
    assert ids(http, key="one", filter=f"geom WITHIN '{BOX}' OR id > 0", limit=1000)[:3] == [1, 3, 5]
    assert ids(http, key="one", filter=f"geom WITHIN '{BOX}'", limit=1000) == within


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ({"filter": f"geom WITHIN '{BOX}'", "order": "name"}, "place_geom"),
        ({"filter": f"geom INTERSECTS '{BOX}'", "order": "name"}, "place_geom"),
        ({"filter": f"geom DWITHIN ('{HERE}', 900)", "order": "name"}, "place_measured"),
        ({"filter": f"spot DWITHIN ('{HERE}', 900)", "order": "name"}, "place_spot"),
        ({"filter": f"grid DWITHIN ('{HERE}', 900)", "order": "name"}, "place_grid"),
        ({"order": f"DISTANCE(geom, '{HERE}')"}, "place_measured"),
        ({"order": f"DISTANCE(spot, '{HERE}')", "fields": "id,spot"}, "place_spot"),
        ({"order": f"DISTANCE(grid, '{HERE}'),name"}, "place_grid"),
    ],
)
def test_a_spatial_index_is_used(http: httpx.Client, query: dict[str, str], index: str) -> None:
    response = http.get("/_table/place", params=query | {"limit": "5", "explain": "true"})
    assert f'"Index Name": "{index}"' in response.text


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
