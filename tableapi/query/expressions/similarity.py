"""Texts by their spelling (extension pg_trgm) and vectors by their distance (extension pgvector)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.scope import TableAlias
from tableapi.query.syntax import Function
from tableapi.schema.pgtypes import TEXT
from tableapi.schema.sqltypes import as_text, call, quoted
from tableapi.schema.types import checker, vector

# Function -> operator of pgvector, which its indexes support.
OPERATORS = {"distance": "<->", "cosine_distance": "<=>", "l1_distance": "<+>", "negative_inner_product": "<#>"}


def condition(scope: TableAlias, operand: Operand, value: Any) -> Any:
    """Build the condition that a text is spelled like another one. Raises BadRequest without pg_trgm."""
    own = as_text(operand.expression, operand.type)
    return own.op(f"OPERATOR({quoted(_trigrams(scope))}.%)", is_comparison=True)(value)


def similar(scope: TableAlias, operand: Operand, function: Function) -> Any:
    """Build how similar a text is to another one: from 0, for no common trigram, to 1.

    Raises:
        BadRequest: `missing_extension`.
    """
    source = scope.binder.argument(function.argument)
    value = scope.binder.converted(TEXT, source, operand.name, checker(TEXT))
    own = operand.text if operand.text is not None else as_text(operand.expression, operand.type)
    return call(_trigrams(scope), "similarity", own, value)


def distance(scope: TableAlias, operand: Operand, function: Function) -> tuple[Any, Any]:
    """Build the distance from a vector to another one, twice: as the value and to order by.

    Raises:
        BadRequest: the field is not a vector, or the value is not one.
    """
    schema = operand.type.pgvector
    if not schema:
        kinds = "geometries of PostGIS and vectors" if function.name == "distance" else "vectors"
        raise BadRequest(
            f"Field '{operand.name}' has the type {operand.type.db_type}, which {function.name.upper()} does not "
            f"support. It measures {kinds} of the extension pgvector.",
            reason="bad_operator",
            context={"field": operand.name},
        )
    source = scope.binder.argument(function.argument)
    value = scope.binder.converted(operand.type, source, operand.name, vector)
    sign = f"OPERATOR({quoted(schema)}.{OPERATORS[function.name]})"
    measured = operand.expression.op(sign, return_type=sa.Double())(value)
    return measured, measured


def _trigrams(scope: TableAlias) -> str:
    """Return the schema of pg_trgm."""
    if not scope.table.trigrams:
        raise BadRequest(
            "SIMILAR needs the extension pg_trgm, which the database does not have. "
            "Its administrator can add it: create extension pg_trgm.",
            reason="missing_extension",
            context={"extension": "pg_trgm"},
        )
    return scope.table.trigrams
