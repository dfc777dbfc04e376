"""Selected columns, aggregates and expressions as SQL."""

from __future__ import annotations

import pytest

from tableapi.errors import ApiError
from tableapi.query import aggregate, plan
from tableapi.query.limits import Limits
from tests.helpers.memory_schema import TableRights, one_line, read_request


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


@pytest.mark.parametrize(
    ("table", "query", "sql"),
    [
        (
            "tag",
            {"fields": "LABEL", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.label AS label FROM '
            '(SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"fields": "", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug FROM '
            '(SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"fields": "*,slug", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug, p.label '
            'AS label FROM (SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 1) AS p) AS "tableapi '
            'rows"',
        ),
        (
            "person",
            {
                "fields": "name",
                "related": "company_by_company_id",
                "company_by_company_id.fields": "Name",
                "limit": "3",
            },
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.name AS name, '
            'p.company_id AS company_id, (SELECT row_to_json("tableapi rows") AS row_to_json_1 FROM '
            '(SELECT t2."Name" AS "Name" FROM company AS t2 WHERE t2.id = p.company_id LIMIT 1) AS '
            '"tableapi rows") AS company_by_company_id FROM (SELECT t1.* FROM person AS t1 ORDER BY t1.id '
            'ASC LIMIT 3) AS p) AS "tableapi rows"',
        ),
        (
            "company",
            {
                "fields": "Name",
                "related": "person_by_company_id",
                "person_by_company_id.limit": "2",
                "person_by_company_id.fields": "name",
                "person_by_company_id.filter": "age=5",
                "person_by_company_id.order": "age desc",
                "limit": "3",
            },
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p."Name" AS "Name", p.id '
            'AS id, array_to_json(array((SELECT "tableapi rows" FROM (SELECT t2.name AS name FROM person AS t2 '
            "WHERE t2.company_id = p.id AND "
            't2.age = $1::integer ORDER BY t2.age DESC, t2.id ASC LIMIT 2) AS "tableapi rows"))) AS '
            "person_by_company_id FROM (SELECT t1.* FROM company AS t1 ORDER BY t1.id ASC LIMIT 3) AS p) AS "
            '"tableapi rows"',
        ),
        (
            "person",
            {"fields": "id", "related": "tag_by_person_tag", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.id AS id, array_to_json(array('
            '(SELECT "tableapi rows" FROM (SELECT t2.* FROM tag AS t2 WHERE '
            "t2.slug IN (SELECT t3.tag_slug FROM person_tag AS t3 WHERE "
            't3.person_id = p.id) ORDER BY t2.slug ASC LIMIT 100) AS "tableapi rows"))) AS tag_by_person_tag '
            'FROM (SELECT t1.* FROM person AS t1 ORDER BY t1.id ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "company",
            {
                "fields": "id",
                "related": "person_by_company_id",
                "person_by_company_id.fields": "id",
                "person_by_company_id.related": "company_by_company_id",
                "person_by_company_id.company_by_company_id.fields": "Name",
                "limit": "1",
            },
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.id AS id, array_to_json(array('
            '(SELECT "tableapi rows" FROM (SELECT t2.id AS id, (SELECT row_to_json("tableapi rows") AS '
            'row_to_json_1 FROM (SELECT t3."Name" AS "Name" FROM company AS t3 WHERE t3.id = t2.company_id '
            'LIMIT 1) AS "tableapi rows") AS company_by_company_id FROM person AS t2 WHERE t2.company_id = p.id ORDER '
            'BY t2.id ASC LIMIT 100) AS "tableapi rows"))) AS person_by_company_id FROM (SELECT t1.* FROM company AS '
            't1 ORDER BY t1.id ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
        (
            "tag",
            {"as_list": "true", "limit": "1"},
            'SELECT array_to_json(array_agg("tableapi rows")) AS body FROM (SELECT p.slug AS slug FROM '
            '(SELECT t1.* FROM tag AS t1 ORDER BY t1.slug ASC LIMIT 1) AS p) AS "tableapi rows"',
        ),
    ],
)
def test_columns_have_one_statement(table: str, query: dict[str, str], sql: str) -> None:
    assert one_line(plan.list_plan(read_request(table, query)).sql) == sql


@pytest.mark.parametrize(
    ("table", "query", "reason", "message"),
    [
        ("person", {"fields": "nme"}, "unknown_field", "Table 'person' has no field 'nme'. Did you mean 'name'?"),
        (
            "person",
            {"fields": "id,company"},
            "unknown_field",
            "Table 'person' has no field 'company'. Did you mean 'company_id'?",
        ),
        (
            "person",
            {"related": "company_by_compny_id"},
            "unknown_relation",
            "Table 'person' has no relation 'company_by_compny_id'. Did you mean 'company_by_company_id'?",
        ),
        (
            "person",
            {"related": "nothing"},
            "unknown_relation",
            "Table 'person' has no relation 'nothing'. Its relations: company_by_company_id, person_tag_by_person_id, "
            "tag_by_person_tag.",
        ),
        (
            "person",
            {"company_by_company_id.feilds": "Name"},
            "bad_option",
            "A relation has no option 'feilds'. Did you mean 'fields'?",
        ),
        (
            "person",
            {"order": "name upwards"},
            "bad_order",
            "Option 'order': 'name upwards' must have the form: field [asc|desc] [nulls first|last].",
        ),
        (
            "person",
            {"order": "tag_by_person_tag.label"},
            "bad_order",
            "Relation 'tag_by_person_tag' has many records. Use a field of a parent, an aggregate such as "
            "tag_by_person_tag.COUNT(*), or use 'related'.",
        ),
        (
            "person",
            {"order": "company_by_compny_id.Name"},
            "unknown_field",
            "Table 'person' has no field 'company_by_compny_id'. Did you mean 'company_by_company_id'?",
        ),
    ],
)
def test_a_misspelt_name_is_rejected_with_a_suggestion(
    table: str, query: dict[str, str], reason: str, message: str
) -> None:
    with pytest.raises(ApiError) as refused:
        plan.list_plan(read_request(table, query))
    assert (refused.value.reason, refused.value.message) == (reason, message)


def test_a_relation_without_a_right_is_left_out_of_all_relations() -> None:
    rights = TableRights(company=None, tag=None)
    names = plan.list_plan(read_request("person", {"fields": "id", "related": "*"}, rights)).names
    assert names == ("id", "person_tag_by_person_id")


def test_a_relation_without_a_right_is_forbidden_and_never_suggested() -> None:
    rights = TableRights(company=None)
    with pytest.raises(ApiError, match="not permitted"):
        plan.list_plan(read_request("person", {"related": "company_by_company_id"}, rights))
    with pytest.raises(ApiError) as refused:
        plan.list_plan(read_request("person", {"related": "company_by_compny_id"}, rights))
    assert "Did you mean" not in refused.value.message


def test_the_size_of_a_large_response_is_measured() -> None:
    many = {"related": "person_by_company_id", "limit": "100"}
    assert plan.list_plan(read_request("company", many)).measure is None
    limits = Limits(rows=100, answer_rows=50)
    measure = plan.list_plan(read_request("company", many, limits=limits)).measure
    assert measure is not None
    assert " LIMIT 51) AS s" in one_line(measure.sql)


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
        (
            "person",
            {"group": "vpi"},
            "unknown_field",
            "Table 'person' has no field 'vpi'. Its fields: id, name, email, age, salary, born, vip, ext, ...",
        ),
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
