"""The SQL of a bound parameter and of a selected column, for each kind of type."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.schema.sqltypes import DIALECT, MOMENTS, Named, as_text, bind, shown
from tableapi.schema.types import PgType


def type_of(kind: str, name: str = "", element: PgType | None = None) -> PgType:
    return PgType(kind, name or kind, name or kind, element=element)


def array_of(kind: str, name: str = "") -> PgType:
    return type_of("array", f"{name or kind}[]", type_of(kind, name))


def sql(expression: sa.ColumnElement[Any]) -> str:
    text = expression.compile(dialect=DIALECT)
    return " ".join(str(text).split())


@pytest.mark.parametrize(
    ("type_", "parameter", "column"),
    [
        (type_of("integer"), "$1::integer", "c"),
        (type_of("decimal", "numeric"), "$1::numeric", "c"),
        (type_of("float", "double precision"), "$1::double precision", "c"),
        (type_of("money"), "CAST($1::text AS money)", "CAST(c AS numeric)"),
        (type_of("boolean"), "$1::boolean", "c"),
        (type_of("text"), "$1::text", "c"),
        (type_of("date"), "$1::date", "c"),
        (type_of("timestamptz", "timestamp with time zone"), "$1::timestamp with time zone", "CAST(c AS text)"),
        (type_of("uuid"), "$1::uuid", "c"),
        (type_of("json", "jsonb"), "CAST($1::text AS jsonb)", "c"),
        (type_of("bytea"), "$1::bytea", "translate(encode(c, $1::VARCHAR), $2::VARCHAR, $3::VARCHAR)"),
        (type_of("enum", "mood"), "CAST($1::text AS mood)", "c"),
        (type_of("time", "interval"), "CAST($1::text AS interval)", "c"),
        (type_of("network", "inet"), "CAST($1::text AS inet)", "c"),
        (type_of("other", "point"), "CAST($1::text AS point)", "CAST(c AS text)"),
        (array_of("integer"), "CAST($1::text AS integer[])", "c"),
        (array_of("money"), "CAST($1::text AS money[])", "CAST(c AS numeric[])"),
        (array_of("other", "box"), "CAST($1::text AS box[])", "CAST(c AS text[])"),
        (type_of("composite", "pair"), "json_populate_record(CAST(NULL AS pair), CAST($1::text AS json))", "c"),
    ],
)
def test_parameters_and_columns_depend_on_the_type(type_: PgType, parameter: str, column: str) -> None:
    assert sql(bind(type_, "v")) == parameter
    assert sql(shown(sa.column("c"), type_)) == column


def test_an_array_of_composites_is_bound_element_by_element() -> None:
    text = sql(bind(array_of("composite", "pair"), "v"))

    assert "json_populate_record(CAST(NULL AS pair), " in text
    assert "AS pair[]) END" in text


def test_an_array_of_bytes_is_selected_as_base64() -> None:
    text = sql(shown(sa.column("c"), array_of("bytea")))

    assert "array_ndims(c) > " in text
    assert "to_json(array((SELECT translate(encode(" in text


def test_only_non_text_types_are_cast_to_text() -> None:
    assert sql(as_text(sa.column("c"), type_of("text"))) == "c"
    assert sql(as_text(sa.column("c"), type_of("integer"))) == "CAST(c AS text)"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda c: c == sa.bindparam("v"), "c OPERATOR(ext.=) $1"),
        (lambda c: c >= sa.bindparam("v"), "c OPERATOR(ext.>=) $1"),
        (lambda c: c.in_([]), "false"),
        (
            lambda c: c.in_([sa.literal_column("a"), sa.literal_column("b")]),
            "(c OPERATOR(ext.=) a) OR (c OPERATOR(ext.=) b)",
        ),
        (lambda c: c == None, "c IS NULL"),  # noqa: E711 - the expression of SQLAlchemy
        (lambda c: c.is_not_distinct_from(sa.literal_column("a")), "(c OPERATOR(ext.=) a) OR c IS NULL AND a IS NULL"),
    ],
)
def test_operators_outside_the_search_path_are_qualified(expression: Any, text: str) -> None:
    assert sql(expression(sa.column("c", Named("ext.citext", "ext")))).replace("::ext.citext", "") == text


def test_the_clock_is_that_of_the_database() -> None:
    assert {word: sql(moment()) for word, moment in MOMENTS.items()} == {
        "now": "now()",
        "current_timestamp": "now()",
        "current_date": "CAST(now() AS date)",
    }
