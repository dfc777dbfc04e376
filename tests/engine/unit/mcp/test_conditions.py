"""Conditions become a filter with named values."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import BadRequest
from tableapi.mcp.conditions import SentCondition, joined
from tableapi.query.filter import cache


@pytest.mark.parametrize(
    ("conditions", "text", "params"),
    [
        ([], "", {}),
        ([("a", "=", 1)], "a = :v0", {"v0": 1}),
        ([("a", "!=", "x' or 1=1"), ("b.c", ">=", 2)], "a != :v0 AND b.c >= :v1", {"v0": "x' or 1=1", "v1": 2}),
        ([("a", "in", [1, 2])], "a in :v0", {"v0": [1, 2]}),
        ([("a", "not in", [])], "a not in :v0", {"v0": []}),
        ([("a", "between", [1, 9])], "a between :v0 and :v1", {"v0": 1, "v1": 9}),
        ([("a", "is null", None)], "a is null", {}),
        ([("a", "is not null", 5)], "a is not null", {}),
        ([("a", "starts with", "%")], "a starts with :v0", {"v0": "%"}),
        ([("first name", "=", 1)], '"first name" = :v0', {"v0": 1}),
        ([('say "hi"', "=", 1)], '`say "hi"` = :v0', {"v0": 1}),
        ([("a = 1 or b", "=", 1)], '"a = 1 or b" = :v0', {"v0": 1}),
    ],
)
def test_conditions_are_joined(conditions: list[tuple[str, Any, Any]], text: str, params: dict[str, Any]) -> None:
    built = joined(
        [SentCondition(field=field, operator=operator, value=value) for field, operator, value in conditions]
    )
    assert built == (text, params)
    if text:
        cache.parse(text)


def test_text_is_used_as_a_filter_unchanged() -> None:
    assert joined("a = 1") == ("a = 1", {})


@pytest.mark.parametrize(
    ("field", "operator", "value"),
    [
        ("a", "=", None),
        ("a", "=", [1]),
        ("a", "in", 1),
        ("a", "in", None),
        ("a", "between", 1),
        ("a", "between", [1]),
        ("a", "between", [1, 2, 3]),
        ("", "=", 1),
        (" ", "=", 1),
        ('"`', "=", 1),
    ],
)
def test_a_value_that_does_not_suit_its_operator_is_rejected(field: str, operator: Any, value: Any) -> None:
    with pytest.raises(BadRequest) as raised:
        joined([SentCondition(field=field, operator=operator, value=value)])
    assert raised.value.reason == "bad_filter"
