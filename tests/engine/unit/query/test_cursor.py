"""Cursors: their text, and the condition of the rows after them."""

from __future__ import annotations

import pytest

from tableapi.errors import BadRequest
from tableapi.query import plan
from tableapi.query.cursor import decode_cursor, encode_cursor
from tests.helpers.memory_schema import one_line, read_request


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
