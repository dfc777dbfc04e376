"""Results are truncated to a size, with a note."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import BadRequest
from tableapi.mcp import truncation


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
