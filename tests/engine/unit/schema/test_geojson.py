"""GeoJSON geometries in requests: valid ones, and the reason for rejecting others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tableapi.schema import geojson
from tableapi.schema.pgtypes import BadValue, PgType

RING = [[0, 0], [4, 0], [4, 4], [0, 0]]
GEOMETRY = PgType("geometry", "geometry", "geometry", postgis="public")


def shape(kind: str, coordinates: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "coordinates": coordinates} | more


def system(name: Any) -> dict[str, Any]:
    return {"crs": {"type": "name", "properties": {"name": name}}}


@pytest.mark.parametrize(
    "value",
    [
        shape("Point", [1, 2]),
        shape("Point", [1.5, -2, 3]),
        shape("Point", []),
        shape("MultiPoint", [[1, 2], [3, 4]]),
        shape("LineString", [[1, 2], [3, 4]]),
        shape("MultiLineString", [[[1, 2], [3, 4]], []]),
        shape("Polygon", [RING, RING]),
        shape("MultiPolygon", [[RING], [RING]]),
        shape("Point", [1, 2], bbox=[1, 2, 1, 2]),
        shape("Point", [1, 2], **system("EPSG:3857")),
        shape("Point", [1, 2], **system("urn:ogc:def:crs:EPSG::25832")),
        shape("Point", [1, 2], crs=None),
        {"type": "GeometryCollection", "geometries": []},
        {"type": "GeometryCollection", "geometries": [shape("Point", [1, 2]), shape("Polygon", [RING])]},
    ],
)
def test_a_geometry_is_accepted_as_object_and_as_text(value: dict[str, Any]) -> None:
    assert json.loads(geojson.geometry(value)) == value
    assert json.loads(geojson.geometry(f" {json.dumps(value)}")) == value


def nested(levels: int) -> dict[str, Any]:
    value = shape("Point", [1, 2])
    for _ in range(levels):
        value = {"type": "GeometryCollection", "geometries": [value]}
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "a GeoJSON geometry"),
        ("POINT(1 2)", "a GeoJSON geometry"),
        ("[1, 2]", "a GeoJSON geometry"),
        ('{"type": "Point"', "a GeoJSON geometry"),
        ("\ud800", "a GeoJSON geometry"),
        ([1, 2], "a GeoJSON geometry"),
        (True, "a GeoJSON geometry"),
        ({}, '"type"'),
        ({"type": "Feature", "geometry": shape("Point", [1, 2])}, '"type"'),
        ({"type": ["Point"], "coordinates": [1, 2]}, '"type"'),
        (shape("point", [1, 2]), '"type"'),
        ({"type": "Point"}, '"coordinates"'),
        (shape("Point", [1]), '"coordinates"'),
        (shape("Point", [1, 2, 3, 4]), '"coordinates"'),
        (shape("Point", ["1", 2]), '"coordinates"'),
        (shape("Point", [True, 2]), '"coordinates"'),
        (shape("Point", [[1, 2]]), '"coordinates"'),
        (shape("Point", {"0": 1}), '"coordinates"'),
        ('{"type": "Point", "coordinates": [1e999, 2]}', '"coordinates"'),
        ('{"type": "Point", "coordinates": [NaN, 2]}', "a GeoJSON geometry"),
        (shape("LineString", [[1, 2]]), "two positions"),
        (shape("MultiLineString", [[[1, 2]]]), "two positions"),
        (shape("Polygon", RING), '"coordinates"'),
        (shape("Polygon", [RING[:3]]), "end where it begins"),
        (shape("Polygon", [[[0, 0], [4, 0], [4, 4], [1, 1]]]), "end where it begins"),
        (shape("MultiPolygon", [[RING[:2]]]), "end where it begins"),
        ({"type": "GeometryCollection"}, '"geometries"'),
        ({"type": "GeometryCollection", "geometries": [1]}, '"type"'),
        (nested(9), '"geometries"'),
        (shape("Point", [1, 2], crs="EPSG:3857"), '"crs"'),
        (shape("Point", [1, 2], **system(3857)), '"crs"'),
        (shape("Point", [1, 2], **system("EPSG:x")), '"crs"'),
        ("[" * 100_000, "a GeoJSON geometry"),
    ],
)
def test_anything_else_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(BadValue) as raised:
        geojson.geometry(value)
    assert message in str(raised.value)


def test_a_record_may_contain_the_text_of_postgis() -> None:
    assert geojson.sent("SRID=4326;POINT(1 2)", GEOMETRY) == "SRID=4326;POINT(1 2)"
    assert geojson.sent(' {"type": "Point", "coordinates": [1, 2]}', GEOMETRY) == '{"type":"Point","coordinates":[1,2]}'


@pytest.mark.parametrize("value", ["a\0", "\U0001f600", "{", 5, ["x"]])
def test_a_record_accepts_no_other_value(value: Any) -> None:
    with pytest.raises(BadValue):
        geojson.sent(value, GEOMETRY)
