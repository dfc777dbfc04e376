"""Lists of names in options: parts, quotes, paths, aggregates, orders and identifiers."""

from __future__ import annotations

import pytest

from tableapi.errors import BadRequest
from tableapi.query.names import Aggregate, OrderTerm, aggregate, identifiers, names, order_terms, path, plain, split
from tableapi.query.names import whole_aggregate as whole


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a, b ,c", ["a", "b", "c"]),
        ('"a,b",c', ['"a,b"', "c"]),
        ("`a,b`.c,[d,e]", ["`a,b`.c", "[d,e]"]),
        ("count(a,b),c", ["count(a,b)", "c"]),
        ("a),b", ["a)", "b"]),
        ('a"b,c"', ['a"b', 'c"']),
    ],
)
def test_split(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(("text", "name"), [("a", "a"), ('"a b"', "a b"), ("[a]", "a"), ('"a"b', '"a"b'), ('""', '""')])
def test_plain(text: str, name: str) -> None:
    assert plain(text) == name


def test_each_name_is_listed_once() -> None:
    assert names('a,,"b",a, b') == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "parts", "end"),
    [("a.b c", ("a", "b"), 3), ('"a.b".[c]', ("a.b", "c"), 9), ("1a", (), 0), ("a.", (), 2), ("", (), 0)],
)
def test_path(text: str, parts: tuple[str, ...], end: int) -> None:
    assert path(text) == (parts, end)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("COUNT(*)", Aggregate("count", "*")),
        ("sum ( a )", Aggregate("sum", "a")),
        ('Max("a b")', Aggregate("max", "a b")),
        ("sum(a) + 1", None),
        ("sum()", None),
        ("sum(a", None),
        ("sum(a*)", None),
        ("sum((a))", None),
        ("total(a)", None),
        ("count", None),
    ],
)
def test_an_aggregate(text: str, parsed: Aggregate | None) -> None:
    assert whole(text) == parsed


def test_an_aggregate_ends_where_its_parenthesis_closes() -> None:
    assert aggregate("x sum(a) > 1", 2) == (Aggregate("sum", "a"), 8)
    assert (Aggregate("count", "*").result, Aggregate("sum", "a").result) == ("count_all", "sum_a")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("a", [OrderTerm(("a",), False, "")]),
        ("a  DESC", [OrderTerm(("a",), True, "")]),
        ("a nulls first", [OrderTerm(("a",), False, "first")]),
        ("a asc nulls last, b.c desc", [OrderTerm(("a",), False, "last"), OrderTerm(("b", "c"), True, "")]),
        ('"a b" desc', [OrderTerm(("a b",), True, "")]),
    ],
)
def test_an_order(text: str, terms: list[OrderTerm]) -> None:
    assert order_terms(text) == terms


@pytest.mark.parametrize("text", ["a up", "a desc asc", "a nulls", "a; drop", "1", "(a)", ",".join("a" * 21)])
def test_a_wrong_order_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        order_terms(text)
    assert refused.value.reason == "bad_order"


@pytest.mark.parametrize(
    ("text", "parts"),
    [("", []), ("1, 2,,3", ["1", "2", "3"]), ("(1,a), (2,b)", ["(1,a)", "(2,b)"]), ("(1,(2,3)),4", ["(1,(2,3))", "4"])],
)
def test_identifiers(text: str, parts: list[str]) -> None:
    assert identifiers(text) == parts
