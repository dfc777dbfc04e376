"""Geometries: their SQL in conditions, fields and orders, and invalid ones."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from tableapi.auth.rights import Right
from tableapi.errors import ApiError
from tableapi.query import plan
from tableapi.query.filter import cache
from tableapi.query.limits import Limits
from tableapi.query.options import options
from tableapi.query.plan import ReadRequest
from tableapi.schema.model import Column, Table
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import own_type
from tests.helpers.memory_schema import TableRights, one_line, table

HERE = '{"type":"Point","coordinates":[1,2]}'
SHAPE = '"Geo".st_geomfromgeojson($1::text)'
MEASURED = f'CAST({SHAPE} AS "Geo".geography)'


def place() -> Table:
    """Return a table with a geometry in each kind of system, and a geography."""
    source = table("place", {"id": "integer", "name": "text"})
    for name, kind, srid, degrees in (
        ("geom", "geometry", 4326, True), ("grid", "geometry", 25832, False), ("free", "geometry", 0, True),
        ("spot", "geography", 4326, True),
    ):  # fmt: skip
        db_type = f"{kind}(Point,{srid})" if srid else kind
        type_ = PgType(kind, f'"Geo".{kind}', db_type, postgis="Geo", srid=srid, degrees=degrees)
        source.columns[name] = Column(name, type_, True, None, "", False)
        source.clause.append_column(sa.column(name, own_type(type_)))
    return source


def sql_of(right: Right | None = None, **query: str) -> tuple[str, list[object]]:
    """Return the SQL of a list, and the sources of its parameters."""
    parsed = options({"fields": "id", "limit": "5"} | query)
    tree = cache.parse(parsed.filter)[0] if parsed.filter else None
    request = ReadRequest(place(), right or Right(), TableRights(), parsed, tree, Limits(rows=100))
    compiled = plan.list_plan(request)
    values = plan.Bindings(None, cache.parse(parsed.filter)[1] if tree else [], parsed.params, [])  # type: ignore[arg-type]
    return one_line(compiled.sql), compiled.args(values)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (f"geom WITHIN '{HERE}'", f'"Geo".st_coveredby(t1.geom, "Geo".st_transform({SHAPE}, 4326))'),
        (f"free INTERSECTS '{HERE}'", f'"Geo".st_intersects(t1.free, {SHAPE})'),
        (f"grid NOT INTERSECTS '{HERE}'", f'NOT "Geo".st_intersects(t1.grid, "Geo".st_transform({SHAPE}, 25832))'),
        (f"spot WITHIN '{HERE}'", f'"Geo".st_coveredby(t1.spot, {MEASURED})'),
        (f"spot DWITHIN ('{HERE}', 5)", f'"Geo".st_dwithin(t1.spot, {MEASURED}, $2::double precision)'),
        (f"free DWITHIN ('{HERE}', 5)",
         f'"Geo".st_dwithin(CAST(t1.free AS "Geo".geography), {MEASURED}, $2::double precision)'),
        (f"grid DWITHIN ('{HERE}', 5)",
         f'"Geo".st_dwithin(t1.grid, "Geo".st_transform({SHAPE}, 25832), $2::double precision)'),
        (f"DISTANCE(spot, '{HERE}') < 5", f'"Geo".st_distance(t1.spot, {MEASURED}) < $2::double precision'),
    ],
)  # fmt: skip
def test_a_spatial_condition_has_one_sql(text: str, sql: str) -> None:
    statement, args = sql_of(filter=text)
    assert f"WHERE {sql} ORDER BY" in statement
    assert json.loads(str(args[0])) == json.loads(HERE)
    assert args[1:] in ([], [5.0])


def test_the_nearest_are_found_by_distance_only_and_then_sorted() -> None:
    statement, _ = sql_of(order=f"DISTANCE(spot, '{HERE}'),name")
    assert f'ORDER BY t1.spot OPERATOR("Geo".<->) {MEASURED} FETCH FIRST (5) ROWS WITH TIES) AS n' in statement
    assert 'ORDER BY (n.spot OPERATOR("Geo".<->)' in statement
    assert "ASC, n.name ASC, n.id ASC LIMIT 5" in statement


def test_any_other_order_by_a_distance_is_one_sort() -> None:
    for order in (f"DISTANCE(spot, '{HERE}') desc", f"name,DISTANCE(spot, '{HERE}')"):
        assert "WITH TIES" not in sql_of(order=order)[0]


HIDDEN = Right(readable=frozenset(("id", "name")))


@pytest.mark.parametrize(
    ("query", "right", "reason"),
    [
        ({"filter": f"geom WITHIN '{HERE}'"}, HIDDEN, "unknown_field"),
        ({"filter": f"geom DWITHIN ('{HERE}', 5)"}, HIDDEN, "unknown_field"),
        ({"filter": f"DISTANCE(geom, '{HERE}') < 5"}, HIDDEN, "unknown_field"),
        ({"fields": f"DISTANCE(geom, '{HERE}')"}, HIDDEN, "unknown_field"),
        ({"order": f"DISTANCE(geom, '{HERE}')"}, HIDDEN, "unknown_field"),
        ({"group": f"DISTANCE(geom, '{HERE}')", "fields": "COUNT(*)"}, HIDDEN, "unknown_field"),
        ({"fields": "COUNT(*)", "having": f"MIN(DISTANCE(geom, '{HERE}')) < 5"}, HIDDEN, "unknown_field"),
        ({"filter": f"geom WITHIN '{HERE}'"}, Right(sealed=frozenset(("geom",))), "sealed_field"),
        ({"order": f"DISTANCE(geom, '{HERE}')"}, Right(sealed=frozenset(("geom",))), "sealed_field"),
        ({"filter": f"name WITHIN '{HERE}'"}, None, "bad_operator"),
        ({"filter": "geom WITHIN null"}, None, "bad_value"),
        ({"filter": "geom WITHIN :area"}, None, "missing_param"),
        ({"filter": "geom WITHIN 'x'"}, None, "bad_value"),
        ({"filter": f"geom DWITHIN '{HERE}'"}, None, "bad_filter"),
        ({"filter": f"geom DWITHIN ('{HERE}', -1)"}, None, "bad_value"),
        ({"order": "DISTANCE(geom, 5)"}, None, "bad_order"),
        ({"order": "DISTANCE(geom, :here)"}, None, "missing_param"),
    ],
)
def test_invalid_spatial_conditions_are_rejected(query: dict[str, str], right: Right | None, reason: str) -> None:
    with pytest.raises(ApiError) as raised:
        sql_of(right, **query)
    assert raised.value.reason == reason
