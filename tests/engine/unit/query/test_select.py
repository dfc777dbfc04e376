"""The statements of reads: pages, counts, orders and records by identifier."""

from __future__ import annotations

import pytest

from tableapi.query import plan
from tests.helpers.memory_schema import one_line, read_request


@pytest.mark.parametrize(
    ("table", "query", "sql"),
    [
        (
            "tag",
            {"limit": "2"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug, p.label '
            'AS label FROM (SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 2) AS p) AS "tableapi '
            'rows"',
        ),
        (
            "tag",
            {},
            'SELECT array_to_json(array_agg((SELECT row_to_json("tableapi row") AS row_to_json_1 FROM '
            '(SELECT "tableapi rows".slug AS slug, "tableapi rows".label AS label) AS "tableapi row")) '
            'FILTER (WHERE "tableapi rows"."tableapi place" <= 100)) AS body, count(*) > 100 AS more FROM '
            '(SELECT p.slug AS slug, p.label AS label, row_number() OVER () AS "tableapi place" FROM '
            '(SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 101) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"limit": "2", "offset": "4"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug, p.label '
            'AS label FROM (SELECT t2.* FROM (SELECT t1.slug AS slug, t1.slug AS "tableapi order 0" FROM '
            "tag AS t1 ORDER BY t1.slug ASC LIMIT 2 OFFSET $1::BIGINT) AS k JOIN tag AS t2 ON t2.slug = "
            'k.slug ORDER BY k."tableapi order 0" ASC) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"limit": "2", "include_count": "true"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body, (SELECT count(*) AS count FROM tag '
            "AS t1) AS count FROM (SELECT p.slug AS slug, p.label AS label FROM (SELECT t1.* FROM tag AS t1 "
            'ORDER BY t1.slug ASC LIMIT 2) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"count_only": "true", "filter": "label = x"},
            "SELECT count(*) AS count FROM tag AS t1 WHERE t1.label = $1::text",
        ),
        (
            "tag",
            {"order": "label desc", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug, p.label '
            "AS label FROM (SELECT t1.* FROM tag AS t1 ORDER BY t1.label DESC, t1.slug ASC LIMIT 1) AS p) "
            'AS "tableapi rows"',
        ),
        (
            "event",
            {"order": "note", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT CAST(p.at AS text) AS '
            "at, p.note AS note FROM (SELECT t1.* FROM event AS t1 ORDER BY t1.note ASC, t1.ctid ASC LIMIT "
            '1) AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"order": "company_by_company_id.Name", "fields": "id", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.id AS id FROM (SELECT '
            't1.* FROM person AS t1 ORDER BY (SELECT t2."Name" FROM company AS t2 WHERE t2.id = '
            't1.company_id LIMIT 1) ASC, t1.id ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"include_count": "estimated", "limit": "1"},
            'SELECT array_to_json(array_agg((SELECT row_to_json("tableapi row") AS row_to_json_1 FROM '
            '(SELECT "tableapi rows".slug AS slug, "tableapi rows".label AS label) AS "tableapi row")) '
            'FILTER (WHERE "tableapi rows"."tableapi place" <= 1)) AS body, count(*) > 1 AS more FROM '
            '(SELECT p.slug AS slug, p.label AS label, row_number() OVER () AS "tableapi place" FROM '
            '(SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 2) AS p) AS "tableapi rows"',
        ),
    ],
)
def test_a_read_has_one_statement(table: str, query: dict[str, str], sql: str) -> None:
    assert one_line(plan.list_plan(read_request(table, query)).sql) == sql


@pytest.mark.parametrize(
    ("count", "sql"),
    [
        (
            1,
            'SELECT (SELECT row_to_json("tableapi row") AS row_to_json_1 FROM (SELECT p.label AS label) AS '
            '"tableapi row") AS body, p."tableapi mark" AS mark FROM (SELECT t1.*, t1.xmin::text AS '
            '"tableapi mark" FROM tag AS t1 WHERE t1.slug = $1::text) AS p',
        ),
        (
            2,
            'SELECT (SELECT row_to_json("tableapi row") AS row_to_json_1 FROM (SELECT p.label AS label) AS '
            '"tableapi row") AS body, p."tableapi mark" AS mark, p."tableapi place" AS place FROM (SELECT '
            't1.*, t1.xmin::text AS "tableapi mark", w.n - 1 AS "tableapi place" FROM tag AS t1 JOIN '
            'unnest($1::text[]) WITH ORDINALITY AS w(k0, n) ON t1.slug = w.k0) AS p ORDER BY p."tableapi place"',
        ),
    ],
)
def test_records_are_selected_by_identifier(count: int, sql: str) -> None:
    request = read_request("tag", {"fields": "label"})
    key = plan.identifying(request.table, "", request.right)
    assert one_line(plan.keyed_plan(request, key, count).sql) == sql


def test_an_estimated_count_asks_the_planner() -> None:
    counter = plan.list_plan(read_request("tag", {"include_count": "estimated", "limit": "1"})).counter
    assert counter is not None
    assert one_line(counter.sql) == "EXPLAIN (FORMAT JSON) SELECT 1 FROM tag AS t1"
    assert counter.estimate
