"""Values in requests: accepted, bound and rejected values of each kind of type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from tableapi import exact_json
from tableapi.schema.types import KINDS, BadValue, PgType, check, json_schema, stored


def type_of(kind: str, name: str = "", **options: Any) -> PgType:
    return PgType(kind, name or kind, name or kind, **options)


INTEGER = type_of("integer")
NUMERIC = type_of("decimal", "numeric")
DOUBLE = type_of("float", "double precision")
TIMESTAMP = type_of("timestamp", "timestamp without time zone")
TIMESTAMPTZ = type_of("timestamptz", "timestamp with time zone")
MOOD = type_of("enum", "mood", labels=("sad", "ok"))
PAIR = type_of("composite", "pair")
INTEGERS = type_of("array", "integer[]", element=INTEGER)
TEXTS = type_of("array", "text[]", element=type_of("text"))
UUID_TEXT = "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e"


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        (INTEGER, 7, 7),
        (INTEGER, "-7", -7),
        (type_of("boolean"), True, True),
        (type_of("boolean"), "Yes", True),
        (type_of("boolean"), 0, False),
        (type_of("boolean"), " off ", False),
        (type_of("text"), "a", "a"),
        (type_of("text"), True, "true"),
        (type_of("text"), 1.5, "1.5"),
        (type_of("text"), exact_json.Number("0.10"), "0.10"),
        (type_of("date"), "2024-02-29", "2024-02-29"),
        (type_of("date"), "2024-02-29T23:00:00+02:00", "2024-02-29"),
        (type_of("date"), "infinity", "infinity"),
        (type_of("date"), "12024-01-31", "12024-01-31"),
        (type_of("date"), "0044-03-15 BC", "0044-03-15 BC"),
        (TIMESTAMPTZ, "2024-01-31", "2024-01-31 00:00:00+00:00"),
        (TIMESTAMPTZ, "2024-01-31T09:00:00", "2024-01-31 09:00:00+00:00"),
        (TIMESTAMPTZ, "2024-01-31 09:00:00+0530", "2024-01-31 03:30:00+00:00"),
        (TIMESTAMPTZ, "2024-01-31 09:00:00 +05", "2024-01-31 04:00:00+00:00"),
        (TIMESTAMPTZ, "-infinity", "-infinity"),
        (TIMESTAMPTZ, "12024-01-31 09:00:00+00", "12024-01-31 09:00:00+00"),
        (TIMESTAMP, "2024-01-31T09:00:00+01:00", "2024-01-31 09:00:00"),
        (type_of("uuid"), UUID_TEXT.upper(), UUID(UUID_TEXT)),
        (type_of("uuid"), "{" + UUID_TEXT + "}", UUID(UUID_TEXT)),
        (type_of("uuid"), UUID(UUID_TEXT), UUID(UUID_TEXT)),
        (type_of("json"), {"a": [1, None]}, '{"a":[1,null]}'),
        (type_of("json"), exact_json.Number("1.10"), "1.10"),
        (type_of("json"), "\x00", '"\\u0000"'),
        (type_of("bytea"), "AAE=", b"\x00\x01"),
        (type_of("bytea"), "\\x0001", b"\x00\x01"),
        (type_of("bytea"), b"\x00", b"\x00"),
        (MOOD, "ok", "ok"),
        (INTEGERS, [1, None, "3"], '{"1",NULL,"3"}'),
        (INTEGERS, [[1], [2]], '{{"1"},{"2"}}'),
        (INTEGERS, "{1,2}", "{1,2}"),
        (TEXTS, ['a"b\\c', ""], '{"a\\"b\\\\c",""}'),
        (type_of("array", "box[]", element=type_of("other", "box", delimiter=";")), ["1", "2"], '{"1";"2"}'),
        (type_of("array", "bytea[]", element=type_of("bytea")), ["AAE="], '{"\\\\x0001"}'),
        (type_of("array", "json[]", element=type_of("json")), [[1, 2]], '{"[1,2]"}'),
        (type_of("array", "pair[]", element=PAIR), [{"a": 1}], '[{"a":1}]'),
        (PAIR, {"a": 1}, '{"a":1}'),
        (type_of("time", "interval"), "1 day", "1 day"),
        (type_of("network", "inet"), "10.0.0.0/8", "10.0.0.0/8"),
        (type_of("other", "point"), "(1,2)", "(1,2)"),
    ],
)
def test_valid_values_are_converted(type_: PgType, value: Any, bound: Any) -> None:
    result = check(type_, value)

    assert result == bound
    assert type(result) is type(bound)


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (INTEGER, "x", "expected a whole number"),
        (type_of("boolean"), "perhaps", "expected true or false"),
        (type_of("boolean"), 2, "expected true or false"),
        (type_of("text"), {"a": 1}, "expected a string"),
        (type_of("text"), "a\x00", "a string must not contain a NUL character"),
        (type_of("json", "jsonb"), ["\x00"], "a string must not contain a NUL character"),
        (type_of("json"), object(), "expected a JSON value"),
        (type_of("date"), "2024-02-30", "does not exist in the calendar"),
        (type_of("date"), "30/02/2024", "does not exist in the calendar"),
        (type_of("date"), "01/02/2024", "is ambiguous: write 2024-02-01 or 2024-01-02"),
        (type_of("date"), "01.01.2024", "must be written as 2024-01-01"),
        (TIMESTAMPTZ, "12/31/2024 10:00", "must be written as 2024-12-31"),
        (type_of("date"), 20240131, "expected a date such as 2024-01-31"),
        (TIMESTAMPTZ, "yesterday", "expected a date and time such as 2024-01-31 09:00:00+00"),
        (TIMESTAMPTZ, "0001-01-01 00:00:00+14:00", "expected a date and time such as 2024-01-31 09:00:00+00"),
        (type_of("uuid"), "0b7e", f"expected a UUID such as {UUID_TEXT}"),
        (type_of("uuid"), 7, f"expected a UUID such as {UUID_TEXT}"),
        (type_of("bytea"), "a", "expected base64 text"),
        (type_of("bytea"), 7, "expected base64 text"),
        (MOOD, "glad", "expected one of sad, ok"),
        (INTEGERS, 7, "expected an array"),
        (INTEGERS, ["x"], "expected a whole number"),
        (INTEGERS, [[[[[[[[1]]]]]]]], "expected an array with at most 7 dimensions"),
        (type_of("array", "pair[]", element=PAIR), "{}", "expected an array"),
        (PAIR, "(1,2)", "expected an object"),
    ],
)
def test_invalid_values_are_rejected(type_: PgType, value: Any, expected: str) -> None:
    with pytest.raises(BadValue) as refused:
        check(type_, value)

    assert str(refused.value) == expected


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        (DOUBLE, "Infinity", float("inf")),
        (NUMERIC, "-Infinity", Decimal("-Infinity")),
        (NUMERIC, "1.50", Decimal("1.50")),
    ],
)
def test_a_record_may_contain_numbers_that_json_lacks(type_: PgType, value: str, bound: Any) -> None:
    assert stored(type_, value) == bound


def test_a_filter_may_not_contain_numbers_that_json_lacks() -> None:
    with pytest.raises(BadValue):
        check(NUMERIC, "Infinity")


def test_every_kind_has_a_json_schema() -> None:
    assert {kind: json_schema(type_of(kind)) for kind in KINDS} == {
        kind: description.json for kind, description in KINDS.items()
    }
    assert json_schema(MOOD) == {"type": "string", "enum": ["sad", "ok"]}
    assert json_schema(INTEGERS) == {"type": "array", "items": {}}
