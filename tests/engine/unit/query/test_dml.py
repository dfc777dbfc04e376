"""Statements that write, and changes by operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tableapi.auth.rights import Right
from tableapi.errors import ApiError
from tableapi.query.dml import statements
from tableapi.query.dml.plan import WritePlan, take_apart
from tableapi.query.dml.target import Target, may_reject, touches
from tableapi.query.filter import cache
from tableapi.query.limits import DEFAULT_FILTER_LIMITS
from tableapi.query.options import Options
from tableapi.query.statement import Binder
from tests.helpers.memory_schema import TableRights, one_line, shop

OWN = Right(
    rows=lambda table, actor: table.c.company_id == actor.companyid,
    set_on_create={"company_id": lambda actor: actor.companyid},
)
LIMITED = Right(editable_in={"vip": lambda table, actor: table.c.age > 5})
SEEN = TableRights(company=Right(rows=lambda table, actor: table.c.id == actor.companyid))
ANY = Right()


def returned(table: str, ok: str = "true") -> str:
    """Return the end of a single-record write: the body, the version, whether the rule holds, the key."""
    return (
        'RETURNING (SELECT row_to_json("tableapi row") AS row_to_json_1 FROM (SELECT name AS name) AS "tableapi row")'
        f' AS body, xmin::text AS mark, {ok} AS ok, {table}.id AS "tableapi key 0"'
    )


# The end of a write by filter: the records in key order.
LISTED = (
    'SELECT array_to_json(array_agg("tableapi rows".body)) AS body, bool_and(coalesce("tableapi rows".ok, '
    'false)) AS ok, array_agg("tableapi rows"."tableapi key 0") AS "tableapi key 0" FROM (SELECT (SELECT '
    'row_to_json("tableapi row") AS row_to_json_1 FROM (SELECT w.name AS name) AS "tableapi row") AS '
    'body, w."tableapi mark" AS mark, w."tableapi ok" AS ok, w."tableapi key 0" AS "tableapi key 0" FROM '
    'w ORDER BY w."tableapi key 0") AS "tableapi rows"'
)
# The beginning of a read of the stored record.
STORED = (
    'SELECT (SELECT row_to_json("tableapi row") AS row_to_json_1 FROM (SELECT w.name AS name) AS '
    '"tableapi row") AS body, w."tableapi mark" AS mark, w."tableapi ok" AS ok, w."tableapi key 0", '
    'w."tableapi same" AS same FROM'
)


def build(
    write: Callable[..., WritePlan], *args: Any, right: Right = ANY, rights: TableRights | None = None, **named: Any
) -> str:
    """Return the SQL of a write of `person` that returns its name."""
    person = shop().tables["person"]
    target = Target(person, right, rights or TableRights(), "name", ("id",), Binder())
    args = tuple(take_apart(person, right, arg) if isinstance(arg, dict) else arg for arg in args)
    return one_line(write(target, *args, **named).sql)


PERSON = shop().tables["person"]
KEY, EMAIL = [PERSON.columns["id"]], [PERSON.columns["email"]]
PARSED = cache.parse("age = 5")[0]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # several records, each to its own values
        (
            build(statements.update_several, {"name": "x", "born": "2024-01-01", "attrs": None}, KEY, right=OWN),
            'UPDATE person AS t1 SET name=sent."tableapi value 1", born=CAST(sent."tableapi value 2" AS date), '
            """attrs=coalesce(CAST(sent."tableapi value 3" AS jsonb), 'null') FROM unnest($1::integer[], $2::text[], """
            '$3::text[], $4::text[]) WITH ORDINALITY AS sent("tableapi value 0", "tableapi value 1", '
            '"tableapi value 2", "tableapi value 3", "tableapi place") '
            'WHERE t1.id = sent."tableapi value 0" AND t1.company_id = '
            f'$5::integer {returned("t1")}, sent."tableapi place"',
        ),
        # insert
        (build(statements.insert, {"name": "x"}), f"INSERT INTO person (name) VALUES ($1::text) {returned('person')}"),
        (
            build(statements.insert, {"name": "x", "attrs": None}),
            "INSERT INTO person (name, attrs) VALUES ($1::text, coalesce(CAST($2::text AS jsonb), "
            f"'null')) {returned('person')}",
        ),
        (
            build(statements.insert, {"name": "x", "born": {"expression": "now()"}}),
            f"INSERT INTO person (name, born) VALUES ($1::text, CAST(now() AS date)) {returned('person')}",
        ),
        (
            build(statements.insert, {"name": "x"}, right=OWN),
            f"INSERT INTO person (name, company_id) VALUES ($1::text, $2::integer) {returned('person')}",
        ),
        (
            build(statements.insert, {"name": "x", "company_id": 7}, rights=SEEN),
            "INSERT INTO person (name, company_id) SELECT $1::text AS anon_1, $2::integer AS anon_2 "
            "WHERE $2::integer IS NULL OR (EXISTS (SELECT * FROM company AS t1 WHERE t1.id = "
            f"$2::integer AND t1.id = $3::integer)) {returned('person')}",
        ),
        # upsert
        (
            build(statements.upsert, {"email": "e", "name": "x"}, EMAIL, ANY),
            "INSERT INTO person (name, email) VALUES ($1::text, $2::text) ON CONFLICT (email) DO UPDATE "
            f"SET name = excluded.name {returned('person')}",
        ),
        (
            build(statements.upsert, {"email": "e", "name": "x"}, EMAIL, OWN),
            "INSERT INTO person (name, email) VALUES ($1::text, $2::text) ON CONFLICT (email) DO UPDATE "
            "SET name = excluded.name WHERE person.company_id = $3::integer "
            f"{returned('person', 'person.company_id = $3::integer')}",
        ),
        (
            build(statements.upsert, {"email": "e"}, EMAIL, ANY),
            "INSERT INTO person (email) VALUES ($1::text) ON CONFLICT (email) DO UPDATE SET email = "
            f"excluded.email {returned('person')}",
        ),
        (
            build(statements.upsert, {"email": "e", "company_id": 7}, EMAIL, ANY, rights=SEEN),
            "INSERT INTO person (email, company_id) SELECT $1::text AS anon_1, $2::integer AS anon_2 "
            "WHERE (EXISTS (SELECT * FROM person AS t2 WHERE t2.email = $1::text)) OR "
            "$2::integer IS NULL OR (EXISTS (SELECT * FROM company AS t1 WHERE t1.id = $2::integer "
            "AND t1.id = $3::integer)) ON CONFLICT (email) DO UPDATE SET company_id = "
            "excluded.company_id WHERE person.company_id IS NOT DISTINCT FROM $2::integer OR $2::integer "
            "IS NULL OR (EXISTS (SELECT * FROM company AS t3 WHERE t3.id = $2::integer AND t3.id = "
            f"$3::integer)) {returned('person')}",
        ),
        # update
        (
            build(statements.update, {"name": "x"}, KEY),
            f"UPDATE person AS t1 SET name=$1::text WHERE t1.id = $2::integer {returned('t1')}",
        ),
        (
            build(statements.update, {"name": "x"}, KEY, match=True),
            "UPDATE person AS t1 SET name=$1::text WHERE t1.id = $2::integer AND t1.xmin::text = "
            f"ANY (string_to_array(CAST($3::VARCHAR AS text), $4::VARCHAR)) {returned('t1')}",
        ),
        (
            build(statements.update, {"name": "x"}, KEY, right=OWN),
            "UPDATE person AS t1 SET name=$1::text WHERE t1.id = $2::integer AND t1.company_id = "
            f"$3::integer {returned('t1')}",
        ),
        (
            build(statements.update, {"company_id": 7}, KEY, right=OWN),
            "UPDATE person AS t1 SET company_id=$1::integer WHERE t1.id = $2::integer AND t1.company_id "
            f"= $3::integer {returned('t1', 't1.company_id = $3::integer')}",
        ),
        (
            build(statements.update, {"vip": True}, KEY, right=LIMITED),
            "UPDATE person AS t1 SET vip=$1::boolean WHERE t1.id = $2::integer AND (t1.vip IS NOT "
            f"DISTINCT FROM $1::boolean OR t1.age > $3::integer) {returned('t1')}",
        ),
        (
            build(statements.update, {"company_id": 7}, KEY, rights=SEEN),
            "UPDATE person AS t1 SET company_id=$1::integer WHERE t1.id = $2::integer AND (t1.company_id "
            "IS NOT DISTINCT FROM $1::integer OR $1::integer IS NULL OR (EXISTS (SELECT * FROM company "
            f"AS t2 WHERE t2.id = $1::integer AND t2.id = $3::integer))) {returned('t1')}",
        ),
        # delete
        (build(statements.delete, KEY), f"DELETE FROM person AS t1 WHERE t1.id = $1::integer {returned('t1')}"),
        (
            build(statements.delete, KEY, right=OWN),
            f"DELETE FROM person AS t1 WHERE t1.id = $1::integer AND t1.company_id = $2::integer {returned('t1')}",
        ),
        (build(statements.everything), "DELETE FROM person AS t1"),
        (build(statements.everything, right=OWN), "DELETE FROM person AS t1 WHERE t1.company_id = $1::integer"),
        # by filter
        (
            build(statements.by_filter, {"name": "x"}, PARSED, Options(), DEFAULT_FILTER_LIMITS),
            "WITH w AS (UPDATE person AS t1 SET name=$1::text WHERE t1.age = $2::integer RETURNING "
            't1.name, xmin::text AS "tableapi mark", true AS "tableapi ok", t1.id AS "tableapi key 0") '
            f"{LISTED}",
        ),
        (
            build(statements.by_filter, None, PARSED, Options(), DEFAULT_FILTER_LIMITS),
            "WITH w AS (DELETE FROM person AS t1 WHERE t1.age = $1::integer RETURNING t1.name, "
            f'xmin::text AS "tableapi mark", true AS "tableapi ok", t1.id AS "tableapi key 0") {LISTED}',
        ),
        (
            build(statements.by_filter, {"company_id": 7}, PARSED, Options(), DEFAULT_FILTER_LIMITS, right=OWN),
            "WITH w AS (UPDATE person AS t1 SET company_id=$1::integer WHERE t1.company_id = $2::integer "
            'AND t1.age = $3::integer RETURNING t1.name, xmin::text AS "tableapi mark", t1.company_id = '
            f'$2::integer AS "tableapi ok", t1.id AS "tableapi key 0") {LISTED}',
        ),
        # release
        (
            build(statements.release, ("company_id",), drop=False),
            "UPDATE person AS t1 SET company_id=NULL WHERE t1.company_id = $1::integer",
        ),
        (
            build(statements.release, ("company_id",), drop=True),
            "DELETE FROM person AS t1 WHERE t1.company_id = $1::integer",
        ),
        (
            build(statements.release, ("company_id",), right=OWN, drop=False),
            "WITH w AS (UPDATE person AS t1 SET company_id=NULL WHERE t1.company_id = $1::integer AND "
            "t1.company_id = $2::integer RETURNING t1.company_id = $2::integer AS ok) SELECT "
            "coalesce(bool_and(coalesce(w.ok, false)), true) AS ok FROM w",
        ),
        # check
        (
            build(statements.find, KEY),
            f'{STORED} (SELECT t1.name AS name, xmin::text AS "tableapi mark", true AS "tableapi ok", '
            't1.id AS "tableapi key 0", true AS "tableapi same" FROM person AS t1 WHERE t1.id = '
            "$1::integer FOR UPDATE) AS w",
        ),
        (
            build(statements.find, KEY, sent={"name": "x"}),
            f'{STORED} (SELECT t1.name AS name, xmin::text AS "tableapi mark", true AS "tableapi ok", '
            't1.id AS "tableapi key 0", t1.name IS NOT DISTINCT FROM $1::text AS "tableapi same" FROM '
            "person AS t1 WHERE t1.id = $2::integer FOR UPDATE) AS w",
        ),
        (
            build(statements.check_change, {"vip": True}, KEY, right=LIMITED),
            "SELECT true AS reference, coalesce(t1.vip IS NOT DISTINCT FROM $1::boolean OR t1.age > "
            "$2::integer, false) AS field FROM person AS t1 WHERE t1.id = $3::integer",
        ),
        (
            build(statements.check_changes, {"vip": True}, PARSED, Options(), DEFAULT_FILTER_LIMITS, right=LIMITED),
            "SELECT coalesce(bool_and(w.reference), true) AS reference, coalesce(bool_and(w.field), "
            "true) AS field FROM (SELECT true AS reference, coalesce(t1.vip IS NOT DISTINCT FROM "
            "$1::boolean OR t1.age > $2::integer, false) AS field FROM person AS t1 WHERE t1.age = "
            "$3::integer FOR UPDATE) AS w",
        ),
        (
            build(statements.check_create, {"company_id": 7}, rights=SEEN),
            "SELECT coalesce($1::integer IS NULL OR (EXISTS (SELECT * FROM company AS t1 WHERE t1.id "
            "= $1::integer AND t1.id = $2::integer)), false) AS reference, true AS field",
        ),
    ],
)
def test_writes_have_the_expected_sql(sql: str, expected: str) -> None:
    assert sql == expected


PERSON = shop().tables["person"]
NAME_ONLY = Right(writable=frozenset(("name",)), ignored=frozenset(("age",)))


@pytest.mark.parametrize(
    ("right", "record", "parts"),
    [
        (Right(), {"name": "x", "colour": "red"}, {"values": {"name": "x"}}),
        (Right(), {"NAME": "x"}, {"values": {"name": "x"}}),
        (Right(), {"id": 5, "name": "x"}, {"values": {"name": "x"}}),
        (Right(), {"born": {"expression": "now( )"}}, {"expressions": {"born": "NOW()"}}),
        (Right(), {"attrs": {"expression": "now()"}}, {"values": {"attrs": {"expression": "now()"}}}),
        (NAME_ONLY, {"name": "x", "vip": True, "age": 5}, {"values": {"name": "x"}, "rejected": {"vip": True}}),
        (Right(), {}, {}),
    ],
)
def test_a_record_is_split_into_parts(right: Right, record: dict[str, Any], parts: dict[str, Any]) -> None:
    change = take_apart(PERSON, right, record, skip=("id",))
    fields = {"values": change.values, "expressions": change.expressions, "rejected": change.rejected}
    assert {name: part for name, part in fields.items() if part} == parts
    assert change.empty is not bool(change.values or change.expressions)


def test_relations_are_nested_records() -> None:
    change = take_apart(PERSON, Right(), {"company_by_company_id": {"Name": "x"}})
    assert [(relation.name, value) for relation, value in change.relations] == [
        ("company_by_company_id", {"Name": "x"})
    ]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"name": 1, "Name": 2}, "duplicate_field"),
        ({"name": {"expression": "now()"}}, "bad_expression"),
        ({"born": {"expression": "pg_sleep(5)"}}, "bad_expression"),
    ],
)
def test_an_invalid_record_is_rejected(record: dict[str, Any], reason: str) -> None:
    with pytest.raises(ApiError) as rejected:
        take_apart(PERSON, Right(), record)
    assert rejected.value.reason == reason


# -- which fields a row rule reads, and whether it may reject a row after it is written -------------------------------


@pytest.mark.parametrize(
    ("right", "names", "reads"),
    [(ANY, ("company_id",), False), (OWN, ("company_id", "name"), True), (OWN, ("name",), False)],
)
def test_a_row_rule_touches_the_fields_that_it_reads(right: Right, names: tuple[str, ...], reads: bool) -> None:
    assert touches(right, PERSON, names) is reads


@pytest.mark.parametrize(
    ("right", "verb", "names", "refuses"),
    [
        (ANY, "POST", ("name",), False),
        (OWN, "POST", ("name",), False),  # the value set on create satisfies the rule
        (Right(rows=OWN.rows), "POST", ("name",), True),
        (Right(rows=lambda table, actor: actor.companyid == 7), "POST", ("name",), True),
        (OWN, "PATCH", ("name",), False),
        (OWN, "PATCH", ("company_id",), True),
    ],
)
def test_a_row_rule_may_reject_a_written_row(right: Right, verb: str, names: tuple[str, ...], refuses: bool) -> None:
    assert may_reject(right, PERSON, verb, names) is refuses
