"""Plans of reads, and cursors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tableapi.auth.policy import Actor
from tableapi.auth.rights import Right
from tableapi.errors import ApiError, BadRequest
from tableapi.query import plan
from tableapi.query.cursor import decode_cursor, encode_cursor
from tableapi.query.filter import cache
from tableapi.query.statement import Bindings
from tests.helpers.memory_schema import TableRights, one_line, read_request, shop

PERSON, LINK = shop().tables["person"], shop().tables["person_tag"]
ONE, TWO = [PERSON.columns["id"]], [LINK.columns["person_id"], LINK.columns["tag_slug"]]


@pytest.mark.parametrize(
    ("value", "key", "parts"),
    [
        ("5", ONE, ["5"]),
        (5, ONE, [5]),
        ("1,a", TWO, ["1", "a"]),
        (" (1, a) ", TWO, ["1", "a"]),
        ([1, "a"], TWO, [1, "a"]),
        ({"person_id": 1, "TAG_SLUG": "a"}, TWO, [1, "a"]),
    ],
)
def test_an_identifier_is_split_into_key_values(value: Any, key: list[Any], parts: list[Any]) -> None:
    assert plan.identifier(value, key) == parts


@pytest.mark.parametrize(
    ("value", "key", "reason"),
    [
        (None, ONE, "bad_identifier"),
        ("1", TWO, "bad_identifier"),
        ([1, 2, 3], TWO, "bad_identifier"),
        ({"person_id": 1}, TWO, "bad_identifier"),
        ([{"a": 1}], ONE, "bad_identifier"),
        ({"ID": 1, "Id": 2}, ONE, "duplicate_field"),
    ],
)
def test_an_invalid_identifier_is_rejected(value: Any, key: list[Any], reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        plan.identifier(value, key)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("table", "id_field", "names"),
    [("person", "", ["id"]), ("person", " EMAIL ", ["email"]), ("person_tag", "", ["person_id", "tag_slug"])],
)
def test_the_identifying_fields_default_to_the_key(table: str, id_field: str, names: list[str]) -> None:
    assert [column.name for column in plan.identifying(shop().tables[table], id_field, Right())] == names


@pytest.mark.parametrize(
    ("table", "id_field", "reason"),
    [
        ("event", "", "no_primary_key"),
        ("person", "name", "not_unique"),
        ("person", "emial", "unknown_field"),
        ("person", "id,ID", "duplicate_field"),
    ],
)
def test_fields_that_do_not_identify_are_rejected(table: str, id_field: str, reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        plan.identifying(shop().tables[table], id_field, Right())
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("query", "limit", "probe"),
    [
        ({}, 100, True),
        ({"limit": "0"}, 100, True),
        ({"limit": "-1"}, 100, True),
        ({"limit": "5"}, 5, False),
        ({"limit": "100"}, 100, False),
        ({"limit": "101"}, 100, True),
        ({"limit": "5", "include_count": "estimated"}, 5, True),
    ],
)
def test_the_limit_of_a_page(query: dict[str, str], limit: int, probe: bool) -> None:
    page = plan.list_plan(read_request("tag", query))
    assert (page.limit, page.probe) == (limit, probe)


def values(text: str, params: dict[str, Any] | None = None, actor: dict[str, Any] | None = None) -> list[Any]:
    """Return the values that a read of `person` binds for a filter."""
    rule = Right(rows=lambda table, actor: table.c.company_id == actor.companyid) if actor is not None else Right()
    query = {"filter": text, "limit": "1"}
    request = read_request("person", query, TableRights(person=rule))
    request.options.params = params or {}
    _, literals = cache.parse(text)
    page = plan.list_plan(request)
    return page.args(Bindings(Actor("client", actor or {}), literals, params or {}, []))


@pytest.mark.parametrize(
    ("text", "params", "actor", "bound"),
    [
        ("age = 5", None, None, [5]),
        ("salary > 1.50", None, None, [Decimal("1.50")]),
        ("vip = off and name = x", None, None, [False, "x"]),
        ("name contains '5%_'", None, None, ["%5\\%\\_%"]),
        ("name starts with a", None, None, ["a%"]),
        ("name ends with a", None, None, ["%a"]),
        ("age = :n", {"n": "7"}, None, [7]),
        ("age in :n", {"n": [7, None, 8]}, None, [[7, 8]]),
        ("age in (7,null,8)", None, None, [[7, 8]]),
        ("name = x", None, {"companyid": "9"}, [9, "x"]),
        ("name = x", None, {}, [None, "x"]),
        ("name = x", None, {"companyid": "nine"}, [None, "x"]),
    ],
)
def test_values_are_bound_in_order(text: str, params: Any, actor: Any, bound: list[Any]) -> None:
    assert values(text, params, actor) == bound


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age = forty", "Field 'age': "),
        ("vip = perhaps", "Field 'vip': 'perhaps' is not true or false."),
        ("born = 2024-13-45", "Field 'born': '2024-13-45' does not exist in the calendar."),
        ("age IN (40, forty)", "Field 'age': 'forty' is not a whole number"),
        (f"age = {'9' * 60}", f"Field 'age': '{'9' * 50}...' is not a whole number"),
        ("company_by_company_id.id = x", "Field 'id': "),
    ],
)
def test_the_error_for_an_invalid_value_names_its_field(text: str, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        values(text)
    assert refused.value.message.startswith(message)
    assert refused.value.reason == "bad_value"


def test_a_replica_may_read_what_the_policy_permits_for_every_table() -> None:
    query = {"related": "company_by_company_id", "limit": "1"}
    both = TableRights(person=Right(replica=True), company=Right(replica=True))
    assert plan.list_plan(read_request("person", query, both)).replica
    assert not plan.list_plan(read_request("person", query, TableRights(person=Right(replica=True)))).replica


def test_a_plan_depends_on_the_kind_of_a_named_value_only() -> None:
    assert plan.params_key({"b": 5, "a": "x"}) == ("a='", "b=0") == plan.params_key({"a": "y", "b": 6.5})
    assert plan.params_key({"a": [1, None, "x"]}) == ("a=list:',0,null",) == plan.params_key({"a": ["y", 2, 3, None]})
    assert plan.params_key({"a": True}) == ("a='",)


@pytest.mark.parametrize(
    ("order", "position", "sql"),
    [
        (
            "age desc,name",
            ["5", "x", "7"],
            "t1.age <= CAST($1::text AS integer) AND (t1.age < CAST($1::text AS integer) OR t1.name >= "
            "CAST($2::text AS text) AND (t1.name > CAST($2::text AS text) OR t1.id > CAST($3::text AS "
            "integer))) ORDER BY t1.age DESC, t1.name ASC, t1.id ASC",
        ),
        ("age", [None, "7"], "t1.age IS NULL AND t1.id > CAST($1::text AS integer) ORDER BY t1.age ASC, t1.id ASC"),
        (
            "age",
            ["5", "7"],
            "t1.age >= CAST($1::text AS integer) AND (t1.age > CAST($1::text AS integer) OR t1.id > "
            "CAST($2::text AS integer)) OR t1.age IS NULL ORDER BY t1.age ASC, t1.id ASC",
        ),
        (
            "age desc",
            [None, "7"],
            "t1.age IS NOT NULL OR t1.age IS NULL AND t1.id > CAST($1::text AS integer) ORDER BY t1.age "
            "DESC, t1.id ASC",
        ),
        (
            "age desc",
            ["5", "7"],
            "t1.age <= CAST($1::text AS integer) AND (t1.age < CAST($1::text AS integer) OR t1.id > "
            "CAST($2::text AS integer)) ORDER BY t1.age DESC, t1.id ASC",
        ),
        ("", ["7"], "t1.id > CAST($1::text AS integer) ORDER BY t1.id ASC"),
        (
            "company_by_company_id.Name",
            ["x", "7"],
            '(SELECT t2."Name" FROM company AS t2 WHERE t2.id = t1.company_id LIMIT 1) >= CAST($1::text AS '
            'text) AND ((SELECT t2."Name" FROM company AS t2 WHERE t2.id = t1.company_id LIMIT 1) > '
            'CAST($1::text AS text) OR t1.id > CAST($2::text AS integer)) OR (SELECT t2."Name" FROM company '
            'AS t2 WHERE t2.id = t1.company_id LIMIT 1) IS NULL ORDER BY (SELECT t2."Name" FROM company AS '
            "t2 WHERE t2.id = t1.company_id LIMIT 1) ASC, t1.id ASC",
        ),
    ],
)
def test_a_cursor_selects_the_rows_after_it(order: str, position: list[str | None], sql: str) -> None:
    request = read_request("person", {"order": order, "fields": "id", "limit": "2", "cursor": ""})
    text = one_line(plan.list_plan(request, position).sql)
    assert text.partition(" FROM person AS t1 WHERE ")[2].partition(" LIMIT 3")[0] == sql


def test_a_cursor_is_read_back() -> None:
    assert decode_cursor(encode_cursor("mark", b'["a",null,"7"]'), "mark", 3) == ["a", None, "7"]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 1),
        ("x", 1),
        ("\u00e9", 1),
        (encode_cursor("other", b'["a"]'), 1),
        (encode_cursor("mark", b'["a"]'), 2),
        (encode_cursor("mark", b"[7]"), 1),
        (encode_cursor("mark", b'{"a":1}'), 1),
        (encode_cursor("mark", b"no json"), 1),
    ],
)
def test_a_cursor_of_another_order_is_rejected(text: str, length: int) -> None:
    with pytest.raises(BadRequest) as refused:
        decode_cursor(text, "mark", length)
    assert refused.value.reason == "bad_cursor"


def test_a_table_without_a_key_is_paged_by_row_position() -> None:
    request = read_request("event", {"cursor": "", "limit": "1"})
    assert "ORDER BY t1.ctid ASC" in one_line(plan.list_plan(request, []).sql)


def test_a_view_without_a_key_has_no_cursor() -> None:
    request = read_request("event", {"cursor": "", "limit": "1"})
    request.table.kind = "v"
    with pytest.raises(BadRequest) as refused:
        plan.list_plan(request, [])
    assert refused.value.reason == "no_primary_key"


def test_the_mark_depends_on_the_order() -> None:
    marks = {plan.list_plan(read_request("person", {"order": order})).mark for order in ("", "age", "age desc", "name")}
    assert len(marks) == 4
