"""The limits of a dataset and of a filter."""

from __future__ import annotations

import pytest

from tableapi.errors import BadFilter
from tableapi.query.filter.cache import parse
from tableapi.query.limits import FilterLimits, Limits


def test_limits_have_defaults() -> None:
    assert Limits().filter == FilterLimits(length=2000, conditions=50, depth=10, values=500)
    assert (Limits().rows, Limits().records, Limits().answer_rows, Limits().answer_bytes) == (
        1000, 1000, 100_000, 64_000_000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "within", "past"),
    [
        (FilterLimits(length=5), "a = 1", "a = 10"),
        (FilterLimits(conditions=2), "a=2 or a=3", "a=2 or a=3 or a=4"),
        (FilterLimits(depth=2), "((a=2))", "(((a=2)))"),
        (FilterLimits(depth=2), "not not a=2", "not (not (a=2))"),
        (FilterLimits(values=2), "a in (2,3)", "a in (2,3,4)"),
    ],
)
def test_a_filter_past_a_limit_is_rejected(limits: FilterLimits, within: str, past: str) -> None:
    parse(within, limits)
    with pytest.raises(BadFilter):
        parse(past, limits)
