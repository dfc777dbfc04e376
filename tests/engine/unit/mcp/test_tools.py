"""Tools: their conditions, results and the size of these."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi import exact_json
from tableapi.errors import BadRequest
from tableapi.mcp import truncation
from tableapi.mcp.conditions import SentCondition, joined
from tableapi.mcp.results import ToolResult
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


@pytest.mark.parametrize(
    ("sent", "plain"),
    [
        ("1.5", 1.5),
        ("-0.1", -0.1),
        ("9007199254740993", 9007199254740993),
        ("12345678901234567.891", "12345678901234567.891"),
        ("1.50", 1.5),
        ("[null, true, 0.25]", [None, True, 0.25]),
    ],
)
def test_a_fraction_that_no_float_can_represent_is_text(sent: str, plain: object) -> None:
    assert ToolResult({"rows": [exact_json.loads(sent)]}).plain() == {"rows": [plain]}


@pytest.mark.parametrize(
    ("rows", "max_bytes", "kept", "cut"),
    [
        ([], 100, 0, []),
        ([{"a": 1}], 100, 1, []),
        ([{"a": "x" * 50}] * 3, 130, 2, []),
        ([{"a": "x" * 2000}], 5000, 1, ["a"]),
        ([{"a": {"b": ["x" * 2000]}}], 5000, 1, ["a.b"]),
        ([{"a": "x" * 2000}, {"b": 1}], 500, 2, ["a"]),
        ([{"a": 1}, {"b": "x" * 2000}], 500, 1, []),
    ],
)
def test_the_first_rows_that_fit_are_kept(rows: list[Any], max_bytes: int, kept: int, cut: list[str]) -> None:
    shown, names = truncation.fitting(rows, max_bytes)
    assert (len(shown), names) == (kept, cut)


def test_a_row_too_large_to_truncate_is_rejected() -> None:
    for cut in (lambda row: truncation.fitting([row], 200), lambda row: truncation.record(row, 0, 200)):
        with pytest.raises(BadRequest) as raised:
            cut({f"column{n}": n for n in range(100)})
        assert raised.value.reason == "answer_too_large"


@pytest.mark.parametrize(
    ("record", "start", "shown", "ends"),
    [
        ({"a": 1, "b": None}, 0, {"a": 1, "b": None}, {}),
        ({"a": "x" * 9000}, 0, {"a": "x" * 8000 + "…"}, {"a": 8000}),
        ({"a": "x" * 8000 + "y" * 1000}, 8000, {"a": "y" * 1000}, {}),
        ({"a": "short"}, 8000, {"a": "short"}, {}),
        ({"a": ["x" * 1500]}, 0, {"a": ["x" * 1000 + "…"]}, {"a": 1000}),
        ([1], 0, [1], {}),
    ],
)
def test_long_texts_of_a_record_are_read_in_parts(record: Any, start: int, shown: Any, ends: dict[str, int]) -> None:
    assert truncation.record(record, start) == (shown, ends)


def test_several_long_texts_share_the_size() -> None:
    shown, ends = truncation.record(dict.fromkeys("abcd", "x" * 9000), 0)
    assert sum(len(text) for text in shown.values()) <= truncation.MAX_BYTES
    assert ends == dict.fromkeys("abcd", 2000)
