"""Filters that share one statement differ in bound values only; 0 and 1 are part of the statement."""

from __future__ import annotations

import pytest

from tableapi.query.filter.cache import parse


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
