"""Expressions in options: terms, aliases and orders."""

from __future__ import annotations

import pytest

from tableapi.errors import BadRequest
from tableapi.query import syntax
from tableapi.query.expressions.order import OrderTerm, order_terms
from tableapi.query.syntax import Function, Selected, Term


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("a", Term(("a",))),
        ("a.b.0", Term(("a", "b", "0"))),
        ('"a b".[c]', Term(("a b", "c"))),
        ("COUNT(*)", Term(("*",), Function("count"))),
        ("sum ( a )", Term(("a",), Function("sum"))),
        ('Max("a b")', Term(("a b",), Function("max"))),
        ("sum(unit price)", Term(("unit price",), Function("sum"))),
        ("COUNT(DISTINCT a)", Term(("a",), Function("count", "distinct"))),
        ("COUNT(distinct)", Term(("distinct",), Function("count"))),
        ("SUM(a.b)", Term(("a", "b"), Function("sum"))),
        ("r.COUNT(*)", Term(("*",), Function("count", "", ("r",)))),
        ("r.s.sum(a)", Term(("a",), Function("sum", "", ("r", "s")))),
        ("CAST(a.b AS numeric)", Term(("a", "b"), Function("cast", "numeric"))),
        ("r.MONTH(a)", Term(("r", "a"), Function("month"))),
        ("SUM(CAST(a AS integer))", Term(("a",), Function("sum", "", (), Function("cast", "integer")))),
        ("count", Term(("count",))),
        ("1a", None),
        ("0", None),
        ("a.", None),
        ("a.1b", None),
        ("sum(a) + 1", None),
        ("sum()", None),
        ("sum(a", None),
        ("sum(a*)", None),
        ("sum((a))", None),
        ("sum(sum(a))", None),
        ("month(month(a))", None),
        ("cast(a)", None),
        ("cast(a as )", None),
        ("total(a)", None),
    ],
)
def test_a_term_is_parsed(text: str, term: Term | None) -> None:
    assert syntax.whole(text) == term


def test_a_term_ends_where_its_parenthesis_closes() -> None:
    assert syntax.parse("x sum(a) > 1", 2) == (Term(("a",), Function("sum")), 8)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a, a,,b", [Selected("a", Term(("a",)), ""), Selected("b", Term(("b",)), "")]),
        ("a as n", [Selected("a as n", Term(("a",)), "n")]),
        ('COUNT(*) AS "a n"', [Selected('COUNT(*) AS "a n"', Term(("*",), Function("count")), "a n")]),
        ("(odd)", [Selected("(odd)", None, "")]),
        ("*", [Selected("*", None, "")]),
        ("a desc", [Selected("a desc", None, "")]),
    ],
)
def test_fields_are_split_into_parts(text: str, parts: list[Selected]) -> None:
    assert syntax.selected(text) == parts


@pytest.mark.parametrize("text", ["a AS 1", "a AS b c", "a AS b.c", 'a AS "b', "a AS " + "x" * 101])
def test_an_invalid_alias_is_rejected(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        syntax.selected(text)
    assert refused.value.reason == "bad_alias"


@pytest.mark.parametrize(
    ("fields", "computed"),
    [(None, False), ("", False), ("*", False), ("a,b", False), ('"a.b"', False), ("(odd)", False), ("a.b", True),
     ("a AS b", True), ("MONTH(a)", True), ("FOO(a)", True)],
)  # fmt: skip
def test_computed_fields_are_detected(fields: str | None, computed: bool) -> None:
    assert syntax.computed(fields) is computed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SUMM(a)", "Unknown function 'SUMM'. Did you mean 'SUM'?"),
        ("pg_sleep (1)", "Unknown function 'pg_sleep'."),
        ("SUM(a)", ""),
        ("a", ""),
        ("(a)", ""),
    ],
)
def test_an_unknown_function_gets_a_suggestion(text: str, message: str) -> None:
    assert syntax.called(text) == message


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("a", [OrderTerm(("a",), False, "")]),
        ("a  DESC", [OrderTerm(("a",), True, "")]),
        ("a nulls first", [OrderTerm(("a",), False, "first")]),
        ("a asc nulls last, b.c desc", [OrderTerm(("a",), False, "last"), OrderTerm(("b", "c"), True, "")]),
        ('"a b" desc', [OrderTerm(("a b",), True, "")]),
        ("data.0 desc", [OrderTerm(("data", "0"), True, "")]),
        ("r.COUNT(*) desc", [OrderTerm(("*",), True, "", Function("count", "", ("r",)))]),
        ("CAST(a AS date)", [OrderTerm(("a",), False, "", Function("cast", "date"))]),
    ],
)
def test_an_order_is_parsed(text: str, terms: list[OrderTerm]) -> None:
    assert order_terms(text) == terms


@pytest.mark.parametrize("text", ["a up", "a desc asc", "a nulls", "a; drop", "1", "(a)", ",".join("a" * 21)])
def test_an_invalid_order_is_rejected(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        order_terms(text)
    assert refused.value.reason == "bad_order"
