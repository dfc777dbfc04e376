"""Groups and aggregates: their SQL, and invalid ones."""

from __future__ import annotations

import pytest

from tableapi.errors import ApiError
from tableapi.query import aggregate, plan
from tests.helpers.memory_schema import one_line, read_request


@pytest.mark.parametrize(
    ("table", "query", "sql"),
    [
        (
            "person",
            {"group": "vip", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.vip AS vip FROM '
            "(SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip ORDER BY t1.vip ASC LIMIT 1) AS p) AS "
            '"tableapi rows"',
        ),
        (
            "person",
            {
                "group": "vip",
                "fields": "vip,COUNT(*),sum(salary),avg(age),min(name),max(born),count(email)",
                "limit": "1",
            },
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.vip AS vip, '
            "p.count_all AS count_all, p.sum_salary AS sum_salary, p.avg_age AS avg_age, p.min_name AS "
            "min_name, p.max_born AS max_born, p.count_email AS count_email FROM (SELECT t1.vip AS vip, "
            "count(*) AS count_all, sum(t1.salary) AS sum_salary, avg(t1.age) AS avg_age, min(t1.name) AS "
            "min_name, max(t1.born) AS max_born, count(t1.email) AS count_email FROM person AS t1 GROUP BY "
            't1.vip ORDER BY t1.vip ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"fields": "max(age)", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.max_age AS max_age '
            'FROM (SELECT max(t1.age) AS max_age FROM person AS t1 LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"group": "vip,age", "order": "age desc nulls last", "limit": "4"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.vip AS vip, p.age AS '
            "age FROM (SELECT t1.vip AS vip, t1.age AS age FROM person AS t1 GROUP BY t1.vip, t1.age ORDER "
            'BY t1.age DESC NULLS LAST, t1.vip ASC LIMIT 4) AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"group": "vip", "having": "count(*) > 5 and sum_age < 9", "limit": "4"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.vip AS vip FROM '
            "(SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip HAVING count(*) > $1::bigint AND "
            'sum(t1.age) < $2::numeric ORDER BY t1.vip ASC LIMIT 4) AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"group": "vip", "include_count": "true", "limit": "4"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body, (SELECT count(*) AS count_1 FROM '
            "(SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip) AS g) AS count FROM (SELECT p.vip AS "
            "vip FROM (SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip ORDER BY t1.vip ASC LIMIT 4) "
            'AS p) AS "tableapi rows"',
        ),
        (
            "person",
            {"group": "vip", "count_only": "1"},
            "SELECT count(*) AS count FROM (SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip) AS g",
        ),
        (
            "person",
            {"group": "vip", "order": "count_all desc", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.vip AS vip FROM '
            "(SELECT t1.vip AS vip FROM person AS t1 GROUP BY t1.vip ORDER BY count(*) DESC, t1.vip ASC "
            'LIMIT 1) AS p) AS "tableapi rows"',
        ),
    ],
)
def test_a_group_has_one_statement(table: str, query: dict[str, str], sql: str) -> None:
    assert one_line(plan.list_plan(read_request(table, query)).sql) == sql


@pytest.mark.parametrize(
    ("table", "query", "reason", "message"),
    [
        (
            "person",
            {"group": "vip", "fields": "name"},
            "not_grouped",
            "Field 'name' is not grouped. Add it to 'group', or use an aggregate such as MAX(name).",
        ),
        (
            "person",
            {"group": "vip", "order": "name"},
            "not_grouped",
            "'name' is neither a grouped field nor an aggregate.",
        ),
        (
            "person",
            {"group": "vip", "related": "company_by_company_id"},
            "bad_option",
            "Groups do not support relations. Leave out 'related'.",
        ),
        (
            "person",
            {"group": "vip", "cursor": ""},
            "bad_option",
            "Groups do not support cursors. Use limit and offset.",
        ),
        (
            "person",
            {"group": "vip", "having": "company_by_company_id.Name = x"},
            "not_grouped",
            "'company_by_company_id.Name' is neither a grouped field nor an aggregate.",
        ),
        ("person", {"fields": "sum(*)"}, "bad_aggregate", "SUM does not take *. Name a field."),
        ("person", {"fields": "sum(nme)"}, "unknown_field", "Table 'person' has no field 'nme'. Did you mean 'name'?"),
        ("person", {"group": "vpi"}, "unknown_field", "Table 'person' has no field 'vpi'."),
    ],
)
def test_an_invalid_group_is_rejected(table: str, query: dict[str, str], reason: str, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        plan.list_plan(read_request(table, query))
    assert (refused.value.reason, refused.value.message) == (reason, message)


@pytest.mark.parametrize(
    ("names", "labels"),
    [(["a", "b"], None), (["a" * 63], None), (["a" * 64, "b"], ["c0", "c1"]), (["\u00e4" * 32], ["c0"])],
)
def test_names_that_postgresql_truncates_get_short_labels(names: list[str], labels: list[str] | None) -> None:
    assert aggregate.labels(names) == labels
