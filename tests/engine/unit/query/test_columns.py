"""The fields and relations of a read: their SQL, and invalid ones."""

from __future__ import annotations

import pytest

from tableapi.errors import ApiError
from tableapi.query import plan
from tableapi.query.limits import Limits
from tests.helpers.memory_schema import TableRights, one_line, read_request


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
        ("person", {"related": "nothing"}, "unknown_relation", "Table 'person' has no relation 'nothing'."),
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
