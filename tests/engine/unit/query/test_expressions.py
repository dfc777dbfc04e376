"""Expressions over a table: their SQL in conditions, fields, orders and groups, and invalid ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.errors import ApiError
from tableapi.query import plan
from tableapi.query.expressions import containment
from tableapi.query.expressions.operand import Operand
from tableapi.schema.pgtypes import BadValue, PgType
from tests.helpers.memory_schema import condition, one_line, pg_type, read_request


@pytest.mark.parametrize(
    ("text", "sql", "sources"),
    [
        ("vip is true", "t1.vip IS true", []),
        ("vip is not unknown", "t1.vip IS NOT NULL", []),
        ("age is distinct from 5", "t1.age IS DISTINCT FROM $1::integer", [("lit", 0)]),
        ("age is not distinct from 5", "t1.age IS NOT DISTINCT FROM $1::integer", [("lit", 0)]),
        ("age is distinct from null", "t1.age IS NOT NULL", []),
        ("name ~ '^a'", "(t1.name ~ $1::text)", [("lit", 0)]),
        ("name !~* '^a'", "NOT (t1.name ~* $1::text)", [("lit", 0)]),
        ("name matches 'a b'", "(to_tsvector(t1.name) @@ websearch_to_tsquery($1::text))", [("lit", 0)]),
        ("CAST(age AS text) = 5", "CAST(t1.age AS text) = $1::text", [("lit", 0)]),
        (
            "CAST(attrs.a AS integer) > 2",
            "CAST(CAST(t1.attrs AS jsonb) #>> CAST($1::text AS text[]) AS integer) > $2::integer",
            [("const", '{"a"}'), ("lit", 0)],
        ),
        (
            "MONTH(born) = 2024-01-01",
            "CAST(date_trunc('month', CAST(t1.born AS timestamp without time zone)) AS date) = $1::date",
            [("lit", 0)],
        ),
        ("attrs contains json '{}'", "(CAST(t1.attrs AS jsonb) @> CAST($1::text AS jsonb))", [("lit", 0)]),
        (
            "person_tag_by_person_id.COUNT(*) > 2",
            "(SELECT count(*) AS count_1 FROM person_tag AS t2 WHERE t2.person_id = t1.id) > $1::bigint",
            [("lit", 0)],
        ),
        (
            "company_by_company_id.person_by_company_id.SUM(age) > 5",
            "(SELECT sum(t3.age) AS sum_1 FROM company AS t2, person AS t3 WHERE t2.id = t1.company_id "
            "AND t3.company_id = t2.id) > $1::numeric",
            [("lit", 0)],
        ),
        (
            "tag_by_person_tag.COUNT(DISTINCT label) = 1",
            "(SELECT count(DISTINCT t2.label) AS count_1 FROM tag AS t2 WHERE t2.slug IN (SELECT t3.tag_slug "
            "FROM person_tag AS t3 WHERE t3.person_id = t1.id)) = 1",
            [],
        ),
    ],
)
def test_a_condition_has_one_sql(text: str, sql: str, sources: list[tuple[object, ...]]) -> None:
    assert condition(text) == (sql, sources)


@pytest.mark.parametrize(
    ("query", "sql"),
    [
        (
            {"fields": "name AS n,attrs.a.b,company_by_company_id.Name AS c", "limit": "1"},
            'SELECT p.name AS n, CAST(p.attrs AS jsonb) #> CAST($1::text AS text[]) AS "attrs.a.b", '
            '(SELECT t2."Name" FROM company AS t2 WHERE t2.id = p.company_id LIMIT 1) AS c '
            "FROM (SELECT t1.* FROM person AS t1 ORDER BY t1.id ASC LIMIT 1) AS p",
        ),
        (
            {
                "fields": "id,person_tag_by_person_id.COUNT(*) AS tags",
                "person_tag_by_person_id.filter": "tag_slug = x",
                "limit": "1",
            },
            "SELECT p.id AS id, (SELECT count(*) AS count_1 FROM person_tag AS t2 WHERE t2.person_id = p.id "
            "AND t2.tag_slug = $1::text) AS tags FROM (SELECT t1.* FROM person AS t1 ORDER BY t1.id ASC LIMIT 1) AS p",
        ),
        (
            {"group": "MONTH(born) AS m", "fields": "m,COUNT(DISTINCT name)", "limit": "1"},
            'SELECT b."tableapi key 0" AS m, count(DISTINCT b.name) AS count_distinct_name FROM (SELECT t1.*, '
            "CAST(date_trunc('month', CAST(t1.born AS timestamp without time zone)) AS date) AS "
            '"tableapi key 0" FROM person AS t1) AS b GROUP BY b."tableapi key 0" '
            'ORDER BY b."tableapi key 0" ASC LIMIT 1',
        ),
        (
            {"fields": "id", "order": "attrs.a,CAST(age AS text) desc", "limit": "1"},
            "SELECT t1.* FROM person AS t1 ORDER BY nullif(CAST(t1.attrs AS jsonb) #> CAST($1::text AS text[]), "
            "CAST('null' AS jsonb)) ASC, CAST(t1.age AS text) DESC, t1.id ASC LIMIT 1",
        ),
    ],
)
def test_a_read_has_one_statement(query: dict[str, str], sql: str) -> None:
    assert sql in one_line(plan.list_plan(read_request("person", query)).sql)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"filter": "CAST(vip AS date) = 1"}, "bad_cast"),
        ({"filter": "HOUR(born) = 1"}, "bad_type"),
        ({"filter": "age matches x"}, "bad_operator"),
        ({"filter": "name matches x using klingon"}, "unknown_language"),
        ({"filter": "name is unknown"}, "bad_operator"),
        ({"filter": "attrs.a > null"}, "bad_value"),
        ({"fields": "RANK(name)"}, "no_search"),
        ({"fields": "id,name AS id"}, "duplicate_field"),
        ({"fields": "SUM(attrs.a),MIN(attrs.a)"}, "bad_type"),
        ({"order": "COUNT(*)"}, "bad_order"),
        ({"related": "company_by_company_id", "fields": "name AS company_by_company_id"}, "duplicate_field"),
    ],
)
def test_an_invalid_expression_is_rejected(query: dict[str, str], reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        plan.list_plan(read_request("person", query))
    assert refused.value.reason == reason


# -- values of arrays, ranges and JSON -------------------------------------------------------------------------------

INTEGERS = PgType("array", "integer[]", "integer[]", element=pg_type("integer"))
TEXTS = PgType("array", "text[]", "text[]", element=pg_type("text"))
SPAN = PgType("other", "int4range", "int4range", bounds=pg_type("integer"))
SPANS = replace(SPAN, name="int4multirange", multirange=True)


def converted(op: str, type_: PgType, value: Any, *, listed: bool = False) -> Any:
    operand = Operand(sa.column("c"), type_, "c")
    return containment.conversion(op, operand)[2](value, listed)


@pytest.mark.parametrize(
    ("op", "type_", "value", "listed", "bound"),
    [
        ("contains", INTEGERS, "2", False, '{"2"}'),
        ("contains", INTEGERS, "(1, 2)", True, '{"1","2"}'),
        ("contains", INTEGERS, "()", True, "{}"),
        ("overlaps", TEXTS, "('a, b',null,c)", True, '{"a, b",NULL,"c"}'),
        ("overlaps", TEXTS, '("a""b",\'O\'Neil\')', True, '{"a\\"b","O\'Neil"}'),
        ("contained", TEXTS, ["a", "b"], False, '{"a","b"}'),
        ("contains", SPAN, "3", False, '["3","3"]'),
        ("contains", SPAN, "[3,5)", False, "[3,5)"),
        ("overlaps", SPAN, "(3,5)", True, "(3,5)"),
        ("before", SPAN, "empty", False, "empty"),
        ("contains", SPANS, 3, False, '{["3","3"]}'),
        ("overlaps", SPANS, "[3,5)", False, "{[3,5)}"),
        ("overlaps", SPANS, "{[3,5)}", False, "{[3,5)}"),
        ("json_contains", pg_type("jsonb"), '{"a": 1.10}', False, '{"a":1.10}'),
    ],
)
def test_an_operand_is_converted_to_the_type(op: str, type_: PgType, value: Any, listed: bool, bound: str) -> None:
    assert converted(op, type_, value, listed=listed) == bound


@pytest.mark.parametrize(
    ("op", "type_", "value", "listed"),
    [
        ("contains", INTEGERS, "x", False),
        ("contains", INTEGERS, "(1,x)", True),
        ("contains", INTEGERS, "(1", True),
        ("contains", SPAN, "x", False),
        ("contains", SPAN, ["1"], False),
        ("json_contains", pg_type("jsonb"), "{bad", False),
        ("json_contains", pg_type("jsonb"), '"\\u0000"', False),
    ],
)
def test_an_invalid_value_is_rejected(op: str, type_: PgType, value: Any, listed: bool) -> None:
    with pytest.raises(BadValue):
        converted(op, type_, value, listed=listed)


@pytest.mark.parametrize(
    ("op", "type_"),
    [("before", INTEGERS), ("overlaps", pg_type("text")), ("json_contains", INTEGERS), ("json_contains", SPAN)],
)
def test_an_operator_that_the_type_lacks_is_rejected(op: str, type_: PgType) -> None:
    with pytest.raises(ApiError, match="does not support"):
        converted(op, type_, "1")
