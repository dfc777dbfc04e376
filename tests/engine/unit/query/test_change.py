"""Splitting one record of a write according to the caller's rights."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.auth.rights import Right
from tableapi.errors import ApiError
from tableapi.query.dml.plan import take_apart
from tests.helpers.memory_schema import shop

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
