"""Conditions as SQL, which comparisons are possible, and plans by the shape of a filter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tableapi.auth.rights import Right
from tableapi.errors import ApiError, BadRequest
from tableapi.query.dml import conditions
from tableapi.query.filter.cache import parse
from tableapi.query.filter.comparable import check_operator, check_sortable
from tests.helpers.memory_schema import TableRights, condition, pg_type, shop


@pytest.mark.parametrize(
    ("text", "sql", "sources"),
    [
        ("age = 5", "t1.age = $1::integer", [("lit", 0)]),
        ("age != 5", "t1.age != $1::integer", [("lit", 0)]),
        ("age >= 5", "t1.age >= $1::integer", [("lit", 0)]),
        ("age < 5", "t1.age < $1::integer", [("lit", 0)]),
        ("age = 0", "t1.age = 0", []),
        ("age in (7,8)", "(t1.age = ANY ($1::integer[]))", [("lit", 0)]),
        ("age in (1,7)", "(t1.age = ANY ($1::integer[]))", [("lit", 0)]),
        ("age in (0,1,0,1)", "(t1.age IN (0, 1))", []),
        (
            "age in (7,8) and age = 9",
            "(t1.age = ANY ($1::integer[])) AND t1.age = $2::integer",
            [("lit", 0), ("lit", 1)],
        ),
        ("age in (7,null)", "(t1.age = ANY ($1::integer[]) OR t1.age IS NULL)", [("lit", 0)]),
        ("age in (null)", "(t1.age IS NULL)", []),
        ("age in ()", "false", []),
        ("age not in ()", "true", []),
        ("age not in (3)", "NOT (t1.age = ANY ($1::integer[]))", [("lit", 0)]),
        ("age between 3 and 4", "(t1.age >= $1::integer AND t1.age <= $2::integer)", [("lit", 0), ("lit", 1)]),
        ("age not between 3 and 4", "NOT (t1.age >= $1::integer AND t1.age <= $2::integer)", [("lit", 0), ("lit", 1)]),
        ("age is null", "t1.age IS NULL", []),
        ("age is not null", "t1.age IS NOT NULL", []),
        ("age = null", "t1.age IS NULL", []),
        ("age != null", "t1.age IS NOT NULL", []),
        ("name = 'O''Neil'", "t1.name = $1::text", [("lit", 0)]),
        ("NAME = x", "t1.name = $1::text", [("lit", 0)]),
        ("name = 'null'", "t1.name = $1::text", [("lit", 0)]),
        ("name like 'a%'", "(t1.name LIKE $1::text)", [("lit", 0)]),
        ("name ilike 'a%'", "(t1.name ILIKE $1::text)", [("lit", 0)]),
        ("name contains 'a%'", "(t1.name LIKE $1::text)", [("lit", 0)]),
        ("name starts with a", "(t1.name LIKE $1::text)", [("lit", 0)]),
        ("name not ends with a", "NOT (t1.name LIKE $1::text)", [("lit", 0)]),
        ("age contains 4", "(CAST(t1.age AS text) LIKE $1::text)", [("lit", 0)]),
        ("attrs contains x", "(CAST(t1.attrs AS text) LIKE $1::text)", [("lit", 0)]),
        ("born = now()", "t1.born = CAST(now() AS date)", []),
        ("born >= current_date", "t1.born >= CAST(CAST(now() AS date) AS date)", []),
        ("name = now()", "t1.name = $1::text", [("lit", 0)]),
        ("vip = true", "t1.vip = $1::boolean", [("lit", 0)]),
        ("ext = 0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a", "t1.ext = $1::uuid", [("lit", 0)]),
        ("age = 5 and name = x", "t1.age = $1::integer AND t1.name = $2::text", [("lit", 0), ("lit", 1)]),
        (
            "age = 5 or name = x and vip = on",
            "t1.age = $1::integer OR t1.name = $2::text AND t1.vip = $3::boolean",
            [("lit", 0), ("lit", 1), ("lit", 2)],
        ),
        ("age = 5 nor name = x", "NOT (t1.age = $1::integer OR t1.name = $2::text)", [("lit", 0), ("lit", 1)]),
        (
            "age = 5 xor name = x",
            "CAST(t1.age = $1::integer AS boolean) <> CAST(t1.name = $2::text AS boolean)",
            [("lit", 0), ("lit", 1)],
        ),
        ("not age = 5", "NOT (t1.age = $1::integer)", [("lit", 0)]),
        ("not (age = 5 or name = x)", "NOT (t1.age = $1::integer OR t1.name = $2::text)", [("lit", 0), ("lit", 1)]),
        ("attrs = x", "CAST(t1.attrs AS text) = $1::text", [("lit", 0)]),
        (
            "attrs.a.b = x",
            "(CAST(t1.attrs AS jsonb) #>> CAST($1::text AS text[])) = $2::text",
            [("const", '{"a","b"}'), ("lit", 0)],
        ),
        (
            "attrs.a = 5",
            "CASE WHEN (jsonb_typeof(CAST(t1.attrs AS jsonb) #> CAST($1::text AS text[])) = $2::VARCHAR) "
            "THEN CAST(CAST(t1.attrs AS jsonb) #>> CAST($1::text AS text[]) AS numeric) END = $3::numeric",
            [("const", '{"a"}'), ("const", "number"), ("lit", 0)],
        ),
        (
            'attrs."a b" in (5,6)',
            "(CASE WHEN (jsonb_typeof(CAST(t1.attrs AS jsonb) #> CAST($1::text AS text[])) = $2::VARCHAR) "
            "THEN CAST(CAST(t1.attrs AS jsonb) #>> CAST($1::text AS text[]) AS numeric) END = ANY "
            "($3::numeric[]))",
            [("const", '{"a b"}'), ("const", "number"), ("lit", 0)],
        ),
        ("attrs.a is null", "(CAST(t1.attrs AS jsonb) #>> CAST($1::text AS text[])) IS NULL", [("const", '{"a"}')]),
        (
            "company_by_company_id.Name = x",
            'EXISTS (SELECT * FROM company AS t2 WHERE t2.id = t1.company_id AND t2."Name" = $1::text)',
            [("lit", 0)],
        ),
        (
            "not company_by_company_id.Name = x",
            'NOT (EXISTS (SELECT * FROM company AS t2 WHERE t2.id = t1.company_id AND t2."Name" = $1::text))',
            [("lit", 0)],
        ),
        (
            "tag_by_person_tag.label = x",
            "EXISTS (SELECT * FROM tag AS t2 WHERE t2.slug IN (SELECT t3.tag_slug FROM person_tag AS t3 "
            "WHERE t3.person_id = t1.id) AND t2.label = $1::text)",
            [("lit", 0)],
        ),
        (
            "person_tag_by_person_id.tag_slug = x",
            "EXISTS (SELECT * FROM person_tag AS t2 WHERE t2.person_id = t1.id AND t2.tag_slug = $1::text)",
            [("lit", 0)],
        ),
        (
            "company_by_company_id.person_by_company_id.age = 5",
            "EXISTS (SELECT * FROM company AS t2 WHERE t2.id = t1.company_id AND (EXISTS (SELECT * FROM "
            "person AS t3 WHERE t3.company_id = t2.id AND t3.age = $1::integer)))",
            [("lit", 0)],
        ),
        (
            "company_by_company_id.attrs.city = x",
            "EXISTS (SELECT * FROM company AS t2 WHERE t2.id = t1.company_id AND (CAST(t2.attrs AS jsonb) "
            "#>> CAST($1::text AS text[])) = $2::text)",
            [("const", '{"city"}'), ("lit", 0)],
        ),
        ("age = :n", "t1.age = $1::integer", [("param", "n")]),
        ("age != :none", "t1.age IS NOT NULL", []),
        ("age in :list", "(t1.age = ANY ($1::integer[]) OR t1.age IS NULL)", [("param", "list")]),
        ("age in (:n, 7)", "(t1.age IN ($1::integer, $2::integer))", [("param", "n"), ("lit", 0)]),
    ],
)
def test_a_filter_has_one_sql(text: str, sql: str, sources: list[tuple[object, ...]]) -> None:
    assert condition(text) == (sql, sources)


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        ("nmae = 1", "unknown_field", "Table 'person' has no field 'nmae'. Did you mean 'name'?"),
        (
            "secret = 1",
            "unknown_field",
            "Table 'person' has no field 'secret'. Its fields: id, name, email, age, salary, born, vip, ext, ...",
        ),
        (
            "company_by_compny_id.Name = 1",
            "unknown_field",
            "Table 'person' has no field 'company_by_compny_id'. Did you mean 'company_by_company_id'?",
        ),
        ("company_by_company_id.nam = x", "unknown_field", "Table 'company' has no field 'nam'. Did you mean 'Name'?"),
        ("attrs > 5", "bad_operator", "Field 'attrs' is JSON. Use =, != or IN, or a text operator such as CONTAINS."),
        ("age > null", "bad_value", "Field 'age' cannot be compared with null this way. Use IS NULL."),
        ("age like null", "bad_value", "Field 'age' cannot be compared with null this way. Use IS NULL."),
        ("age = :missing", "missing_param", "The named value ':missing' is missing in params."),
        ("age = :list", "bad_value", "The named value ':list' must be a single value here, not null or a list."),
        ("name.first = x", "unknown_field", "Table 'person' has no field 'name.first'."),
        ("age in (7, :nn)", "missing_param", "The named value ':nn' is missing in params."),
    ],
)
def test_an_invalid_filter_is_rejected(text: str, reason: str, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        condition(text)
    assert (refused.value.reason, refused.value.message) == (reason, message)


OWN = Right(rows=lambda table, actor: table.c.company_id == actor.companyid, readable=frozenset(("id", "name")))


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("name = x", "t1.company_id = $1::integer AND t1.name = $2::text"),
        ("name = x or id = 5", "t1.company_id = $1::integer AND (t1.name = $2::text OR t1.id = $3::integer)"),
        (
            "company_by_company_id.person_by_company_id.name = x",
            "t1.company_id = $1::integer AND (EXISTS (SELECT * FROM company AS t2 WHERE t2.id = "
            "t1.company_id AND (EXISTS (SELECT * FROM person AS t3 WHERE t3.company_id = t2.id AND "
            "t3.company_id = $1::integer AND t3.name = $2::text))))",
        ),
    ],
)
def test_the_row_rule_is_joined_to_every_use_of_its_table(text: str, sql: str) -> None:
    assert condition(text, TableRights(person=OWN))[0] == sql


@pytest.mark.parametrize("text", ["age = 5", "email = x", "naem2 = x"])
def test_a_hidden_field_is_rejected_like_one_that_does_not_exist(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        condition(text, TableRights(person=OWN))
    name = text.partition(" ")[0]
    assert refused.value.reason == "unknown_field"
    assert refused.value.message.startswith(f"Table 'person' has no field '{name}'.")
    assert "age" not in refused.value.message.removeprefix(f"Table 'person' has no field '{name}'.")
    assert "email" not in refused.value.message.removeprefix(f"Table 'person' has no field '{name}'.")


def test_a_relation_without_a_right_is_forbidden() -> None:
    with pytest.raises(ApiError, match="not permitted"):
        condition("company_by_company_id.Name = x", TableRights(company=None))


def test_equal_conditions_of_filter_and_rule_are_one_comparison() -> None:
    rule = Right(rows=lambda table, actor: table.c.company_id == actor.companyid)
    assert condition("company_id = 7", TableRights(person=rule))[0] == (
        "t1.company_id = CASE WHEN ($1::integer = $2::integer) THEN $1::integer END"
    )


EQUAL_ONLY = replace(pg_type("text"), signs=frozenset(("=", "<>")))


@pytest.mark.parametrize("operator", ["=", "!=", "<>"])
def test_an_operator_of_the_type_passes(operator: str) -> None:
    check_operator(EQUAL_ONLY, operator, "name")
    check_operator(pg_type("text"), "<", "name")


@pytest.mark.parametrize("operator", ["<", "<=", ">"])
def test_an_operator_that_the_type_lacks_is_rejected(operator: str) -> None:
    with pytest.raises(BadRequest, match="Field 'name' has the type text") as refused:
        check_operator(EQUAL_ONLY, operator, "name")
    assert (refused.value.reason, refused.value.context) == ("bad_operator", {"field": "name"})


@pytest.mark.parametrize(("sorts", "groups", "grouped"), [(False, True, False), (True, False, True)])
def test_an_unsortable_field_is_rejected(sorts: bool, groups: bool, grouped: bool) -> None:
    column = shop().tables["person"].columns["name"]
    check_sortable(column, grouped=grouped)
    column.type = replace(column.type, sorts=sorts, groups=groups)
    check_sortable(column, grouped=not grouped)
    with pytest.raises(BadRequest) as refused:
        check_sortable(column, grouped=grouped)
    assert refused.value.reason == "bad_type"


PERSON = shop().tables["person"]
RULE = Right(rows=lambda table, actor: table.c.id == actor.companyid)
LIMITED = Right(editable_in={"vip": lambda table, actor: table.c.age > 5})


@pytest.mark.parametrize(
    ("right", "rights", "names", "concerned"),
    [
        (Right(), TableRights(), ("company_id",), False),
        (Right(), TableRights(company=RULE), ("company_id",), True),
        (Right(), TableRights(company=RULE), ("name",), False),
        (Right(), TableRights(company=None), ("company_id",), False),
        (LIMITED, TableRights(), ("vip",), True),
        (LIMITED, TableRights(), ("name",), False),
    ],
)
def test_a_write_has_conditions_only_if_a_rule_reads_its_fields(
    right: Right, rights: TableRights, names: tuple[str, ...], concerned: bool
) -> None:
    assert conditions.concern(PERSON, right, rights, names) is concerned


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(a=7) and (b='x')", "(a=8) and (b='y')", True),
        ("(deleted=0)", "(deleted=0)", True),
        ("(deleted=0)", "(deleted=1)", False),
        ("(deleted=0)", "(deleted=2)", False),
        ("(deleted='0')", "(deleted='1')", True),
        ("(a in (0,7))", "(a in (0,9))", True),
        ("(a in (0,7))", "(a in (7,0))", True),
        ("(a in (5,6)) and (b=7)", "(a in (1,2,3,4)) and (b=8)", True),
        ("(a in (5)) or (b='x')", "(a in (5,6,7)) or (b='y')", True),
        ("(a in ('x','y'))", "(a in ('z'))", True),
        ("(a in (5,6))", "(a in ('5','6'))", False),
        ("(a in (5,null,6))", "(a in (5,6))", False),
        ("(a in (0,1))", "(a in (0,2))", False),
        ("(a=10)", "(a=11)", True),
        ("(a=1.0)", "(a=0.5)", True),
    ],
)
def test_filters_with_the_same_plan_have_the_same_key(one: str, other: str, same: bool) -> None:
    assert (parse(one)[0].key == parse(other)[0].key) is same
    # The cached parse returns the same key and the same literals.
    again, literals = parse(other)
    assert (again.key, literals) == (parse(other)[0].key, parse(other)[1])
    assert (parse(one)[0].key == again.key) is same


def test_literals_of_flags_stay_in_place() -> None:
    for _ in range(2):
        parsed, literals = parse("(deleted=0) and (name='x') and (active=1)")
        assert literals == ["0", "x", "1"]
    assert parsed.key == parse("(deleted=0) and (name='y') and (active=1)")[0].key
