"""Values of columns: numbers, GeoJSON and types by name."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tableapi.exact_json import Number
from tableapi.schema import geojson
from tableapi.schema.pgtypes import BadValue, PgType
from tableapi.schema.types import OUT_OF_RANGE, decimal, integer

SMALLINT, BIGINT = PgType("integer", "smallint", "smallint"), PgType("integer", "bigint", "bigint")
NUMERIC, MONEY = PgType("decimal", "numeric", "numeric(10,2)"), PgType("money", "money", "money")
REAL, DOUBLE = PgType("float", "real", "real"), PgType("float", "double precision", "double precision")
WHOLE, NUMBER = "expected a whole number", "expected a number"
SMALL = "expected a whole number from -32768 to 32767"


@pytest.mark.parametrize(
    ("value", "bound"),
    [(5, 5), (" +5 ", 5), ("-0", 0), (5.0, 5), (Number("5e2"), 500), (-32768, -32768), ("32767", 32767)],
)
def test_valid_integers_are_accepted(value: Any, bound: int) -> None:
    assert integer(value, SMALLINT) == bound


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (32768, SMALL),
        ("-32769", SMALL),
        (5.5, WHOLE),
        (True, WHOLE),
        (None, WHOLE),
        ("5.0", WHOLE),
        ("1e3", WHOLE),
        ("٣", WHOLE),  # an Arabic digit
        ("9" * 41, WHOLE),
        (Number("1e400"), OUT_OF_RANGE),
    ],
)
def test_invalid_smallints_are_rejected(value: Any, expected: str) -> None:
    with pytest.raises(BadValue) as refused:
        integer(value, SMALLINT)

    assert str(refused.value) == expected


def test_the_limits_of_bigint() -> None:
    assert integer(str(2**63 - 1), BIGINT) == 2**63 - 1
    with pytest.raises(BadValue):
        integer(2**63, BIGINT)


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        (NUMERIC, "0.10", Decimal("0.10")),
        (NUMERIC, Number("12345678901234567890.12"), Decimal("12345678901234567890.12")),
        (NUMERIC, " .5 ", Decimal("0.5")),
        (NUMERIC, 7, Decimal(7)),
        (NUMERIC, Decimal("1"), Decimal("1")),
        (NUMERIC, "1e131071", Decimal("1e131071")),
        (MONEY, "1e3", "1000"),
        (MONEY, "-2.50", "-2.50"),
        (MONEY, "$3.99", "3.99"),
        (MONEY, "-$1,234,567.50", "-1234567.50"),
        (REAL, "3.4e38", 3.4e38),
        (DOUBLE, "1e308", 1e308),
    ],
)
def test_valid_decimals_are_accepted_exactly(type_: PgType, value: Any, bound: Any) -> None:
    result = decimal(value, type_)

    assert (result, str(result)) == (bound, str(bound))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (NUMERIC, "", NUMBER),
        (NUMERIC, "1,5", NUMBER),
        (NUMERIC, "NaN", NUMBER),
        (NUMERIC, True, NUMBER),
        (NUMERIC, [1], NUMBER),
        (NUMERIC, "1e9999999999", NUMBER),
        (NUMERIC, "1e131072", OUT_OF_RANGE),
        (NUMERIC, "1e-16384", OUT_OF_RANGE),
        (MONEY, "1e41", OUT_OF_RANGE),
        (MONEY, "$1,23", NUMBER),
        (MONEY, "3$", NUMBER),
        (NUMERIC, "$3", NUMBER),
        (REAL, "3.5e38", OUT_OF_RANGE),
        (DOUBLE, "1e309", OUT_OF_RANGE),
    ],
)
def test_invalid_decimals_are_rejected(type_: PgType, value: Any, expected: str) -> None:
    with pytest.raises(BadValue) as refused:
        decimal(value, type_)

    assert str(refused.value) == expected


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
