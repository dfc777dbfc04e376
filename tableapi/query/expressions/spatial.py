"""PostGIS geometries: WITHIN, INTERSECTS, DWITHIN and DISTANCE."""

from __future__ import annotations

import math
from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.scope import TableAlias
from tableapi.query.syntax import Function
from tableapi.schema import geojson
from tableapi.schema.pgtypes import TEXT, BadValue, PgType
from tableapi.schema.sqltypes import as_geography, geometry, of_postgis, quoted
from tableapi.schema.types import number_of

# The border is included: ST_Within excludes points on it, and does not exist for geographies.
FUNCTIONS = {"within": "st_coveredby", "intersects": "st_intersects", "dwithin": "st_dwithin"}
FLOAT = PgType("float", "double precision", "double precision")
Source = tuple[Any, ...]


def condition(scope: TableAlias, operand: Operand, op: str, sources: list[Source]) -> Any:
    """Build the condition for an operator in `FUNCTIONS`.

    sources: the shape and, for DWITHIN, the distance.

    Raises:
        BadRequest: the field is not a geometry, or a value does not fit.
    """
    check(operand, op.upper())
    type_ = operand.type
    sent = scope.binder.converted(TEXT, sources[0], operand.name, geojson.geometry)
    if op != "dwithin":
        args: tuple[Any, ...] = (operand.expression, geometry(sent, type_))
    else:
        args = (*_measurable(operand, sent), scope.binder.converted(FLOAT, sources[1], operand.name, _metres))
    return sa.type_coerce(of_postgis(type_, FUNCTIONS[op], *args), sa.Boolean)


def distance(scope: TableAlias, operand: Operand, function: Function) -> tuple[Any, Any]:
    """Build the distance from a field to a shape, and the expression that an index orders by instead.

    Raises:
        BadRequest: the field is not a geometry, or the shape is not GeoJSON.
    """
    check(operand, "DISTANCE")
    source = scope.binder.argument(function.argument)
    sent = scope.binder.converted(TEXT, source, operand.name, geojson.geometry)
    own, other = _measurable(operand, sent)
    nearness = own.op(f"OPERATOR({quoted(operand.type.postgis)}.<->)")(other)
    return of_postgis(operand.type, "st_distance", own, other), nearness


def check(operand: Operand, word: str) -> None:
    """Reject a field that is not a geometry.

    Raises:
        BadRequest: `bad_operator`.
    """
    if not operand.type.postgis:
        raise BadRequest(
            f"Field '{operand.name}' has the type {operand.type.db_type}, which {word} does not support.",
            reason="bad_operator",
            context={"field": operand.name},
        )


def _measurable(operand: Operand, sent: Any) -> tuple[Any, Any]:
    """Return a field and a shape in the form that PostGIS measures: in metres, or in units of the system."""
    type_, shape = operand.type, geometry(sent, operand.type)
    if type_.kind == "geography" or not type_.degrees:
        return operand.expression, shape
    return as_geography(operand.expression, type_), as_geography(shape, type_)


def _metres(value: Any) -> float:
    """Parse the distance of DWITHIN. Raises BadValue."""
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    distance = float(number_of(text))
    if not math.isfinite(distance) or distance < 0:
        raise BadValue("expected a distance of 0 or more")
    return distance
