"""Validate GeoJSON geometries in requests (RFC 7946) before PostGIS reads them."""

from __future__ import annotations

import math
import re
from typing import Any

import orjson

from tableapi import exact_json
from tableapi.schema.pgtypes import BadValue, PgType

# Nesting depth of the lists around a position in `coordinates`.
DEPTHS = {"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
COLLECTION = "GeometryCollection"
MAX_NESTING = 8  # for collections
EXAMPLE = '{"type":"Point","coordinates":[10.75,59.91]}'
# A reference system, as PostGIS writes it for geometries outside WGS 84.
_SYSTEM = re.compile(r"(?:EPSG:|urn:ogc:def:crs:(?:EPSG:[\d.]*:|OGC:1\.3:CRS84\Z))\d{0,6}\Z", re.ASCII)


def geometry(value: Any) -> str:
    """Return a GeoJSON geometry, sent as an object or as its JSON, as text.

    Raises:
        BadValue: the value is not a GeoJSON geometry.
    """
    if isinstance(value, str):
        try:
            value = exact_json.loads(str(value))  # orjson does not accept subclasses of str
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            value = None
    if not isinstance(value, dict):
        raise BadValue(f"expected a GeoJSON geometry such as {EXAMPLE}")
    _check(value, 0)
    system = value.get("crs")
    if system is not None and not _is_system(system):
        raise BadValue('"crs" of a GeoJSON geometry must name a system such as EPSG:3857')
    return exact_json.dumps(value).decode()


def sent(value: Any, type_: PgType) -> str:
    """Return the text of a geometry in a record: GeoJSON, or PostGIS's own text such as `POINT(1 2)`.

    Raises:
        BadValue: the value is neither.
    """
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        if "\x00" in value or not value.isascii():
            raise BadValue(f"expected a GeoJSON geometry such as {EXAMPLE}")
        return value
    return geometry(value)


def _is_system(system: Any) -> bool:
    properties = system.get("properties") if isinstance(system, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    return isinstance(name, str) and _SYSTEM.match(name) is not None


def _check(value: Any, nesting: int) -> None:
    """Validate one geometry. Raises BadValue."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == COLLECTION:
        members = value.get("geometries")
        if not isinstance(members, list) or nesting == MAX_NESTING:
            raise BadValue(f'"geometries" of a {COLLECTION} must be a list of geometries')
        for member in members:
            _check(member, nesting + 1)
        return
    if not isinstance(kind, str) or (depth := DEPTHS.get(kind)) is None:
        raise BadValue(f'"type" of a GeoJSON geometry must be one of {", ".join((*DEPTHS, COLLECTION))}')
    coordinates = value.get("coordinates")
    if not (coordinates == [] or _fits(coordinates, depth)):
        raise BadValue(f'"coordinates" of a {kind} {_SHAPES[depth]}')
    if any(len(line) == 1 for line in _lines(kind, coordinates)):
        raise BadValue(f"a line of a {kind} must have at least two positions")
    if any(len(ring) < 4 or ring[0] != ring[-1] for ring in _rings(kind, coordinates)):
        raise BadValue(f"a ring of a {kind} must have at least four positions and end where it begins")


def _lines(kind: str, coordinates: list[Any]) -> list[Any]:
    return {"LineString": [coordinates], "MultiLineString": coordinates}.get(kind, [])


def _rings(kind: str, coordinates: list[Any]) -> list[Any]:
    polygons = {"Polygon": [coordinates], "MultiPolygon": coordinates}.get(kind, [])
    return [ring for polygon in polygons for ring in polygon]


_SHAPES = (
    "must be a position: two or three numbers, longitude first", "must be a list of positions",
    "must be a list of lists of positions", "must be a list of polygons, each a list of lists of positions",
)  # fmt: skip


def _fits(value: Any, depth: int) -> bool:
    """Return whether a value is a position nested in this many lists."""
    if not isinstance(value, list):
        return False
    if depth:
        return all(_fits(item, depth - 1) for item in value)
    return 2 <= len(value) <= 3 and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e300
    )
