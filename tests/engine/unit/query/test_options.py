"""Options of requests, their limits, and the syntax of their lists."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import ApiError, BadFilter, BadRequest
from tableapi.query import options, syntax
from tableapi.query.expressions.order import OrderTerm, order_terms
from tableapi.query.filter.cache import parse
from tableapi.query.limits import FilterLimits, Limits
from tableapi.query.option_values import MAX_NUMBER
from tableapi.query.options import Options, body_key, in_key, parse_query, within
from tableapi.query.relation_options import RelationOptions, relation_option
from tableapi.query.syntax import Function, Selected, Term

RELATIONS = {"company_by_company_id", "other.tag_by_x", "parent"}


def relation(name: str) -> str | None:
    return name if name in RELATIONS else None


PARAMS = 'Option \'params\' must be a JSON object of named values, such as {"city": "Oslo"}.'


@pytest.mark.parametrize(
    ("raw", "query"),
    [
        ("", {}),
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a=1&a=1", {"a": "1"}),
        ("a", {"a": ""}),
        ("&a=1&&", {"a": "1"}),
        ("a=b=c", {"a": "b=c"}),
        ("a%20b=c+d%2B", {"a b": "c d+"}),
        ("a=%2520&b=%%20c&c=%2B%20", {"a": "%20", "b": "% c", "c": "+ "}),
        (b"a=%C3%A9", {"a": "é"}),
    ],
)
def test_a_query_string_is_decoded(raw: str | bytes, query: dict[str, str]) -> None:
    assert parse_query(raw) == query


@pytest.mark.parametrize(
    ("raw", "reason"), [("a=%FF", "bad_encoding"), ("a=1&" * 501, "too_many_options"), ("a=1&a=2", "bad_option")]
)
def test_an_invalid_query_string_is_rejected(raw: str, reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse_query(raw)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("query", "body", "parsed"),
    [
        ({}, None, {}),
        ({"select": "a", "where": "b=1", "sort": "c", "top": "5", "skip": "6"}, None,
         {"fields": "a", "filter": "b=1", "order": "c", "limit": 5, "offset": 6}),
        ({"format": "xml"}, None, {"accept": "xml"}),
        ({"limit": " -3 "}, None, {"limit": -3}),
        ({"limit": "9" * 30}, None, {"limit": MAX_NUMBER}),
        ({"continue": "yes", "rollback": "0", "force": "T"}, None, {"go_on": True, "force": True}),
        ({"include_count": "true"}, None, {"include_count": True}),
        ({"include_count": "Estimated"}, None, {"include_count": True, "estimated": True}),
        ({"wrap": "false"}, None, {"wrap": False}),
        ({"ids": "5, 2,,9"}, None, {"ids": ["5", "2", "9"]}),
        ({"ids": "(3,new),(1,eu)"}, None, {"ids": ["(3,new)", "(1,eu)"]}),
        ({"params": '{":a": 1, "b": [2]}'}, None, {"params": {"a": 1, "b": [2]}}),
        ({"colour": "red"}, {"shade": "dark"}, {}),
        ({}, {"fields": ["a", "b"], "limit": 5, "ids": [1, {"a": 2}]},
         {"fields": "a,b", "limit": 5, "ids": [1, {"a": 2}]}),
        ({}, {"ids": 7, "as_list": True}, {"ids": [7]}),
        ({"limit": "1"}, {"limit": 2}, {"limit": 1}),
        ({"parent.fields": "a", "PARENT_limit": "3"}, {"parent.order": "b"},
         {"relations": {"parent.order": "b", "parent.fields": "a", "parent.limit": "3"}}),
        ({}, {"fields": None}, {}),
    ],
)  # fmt: skip
def test_options_are_parsed(query: dict[str, str], body: Any, parsed: dict[str, Any]) -> None:
    assert options.options(query, body, relation) == Options(**parsed)


@pytest.mark.parametrize(
    ("query", "body", "message"),
    [
        ({"limit": "five"}, None, "Option 'limit' must be a whole number."),
        ({"limit": ""}, None, "Option 'limit' must be a whole number."),
        ({}, {"offset": True}, "Option 'offset' must be a whole number."),
        ({"force": "maybe"}, None, "Option 'force' must be true or false."),
        ({}, {"fields": 5}, "Option 'fields' must be a string."),
        ({}, {"filter": ["a=1"]}, "Option 'filter' must be a string."),
        ({"order": "a\x00"}, None, "Option 'order' contains a NUL character."),
        ({"order": "a" * 8001}, None, "Option 'order' is longer than 8000 characters."),
        ({}, {"ids": {"a": 1}}, "Option 'ids' must be a list of identifiers."),
        ({"params": "[1]"}, None, PARAMS),
        ({"params": "{"}, None, PARAMS),
        ({}, {"params": {"a": {"b": 1}}}, "The named value 'a' must be a single value or a list of values."),
        ({}, {"params": {"a": [1] * 501}}, "The named value 'a' has more than 500 values."),
        ({"parent.feilds": "a"}, None, "A relation has no option 'feilds'. Did you mean 'fields'?"),
        ({}, {"parent.limits": "a"}, "A relation has no option 'limits'. Did you mean 'limit'?"),
    ],
)  # fmt: skip
def test_an_option_of_the_wrong_type_is_rejected(query: dict[str, str], body: Any, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        options.options(query, body, relation)
    assert (refused.value.message, refused.value.reason) == (message, "bad_option")


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("parent.fields", "parent.fields"),
        ("Parent_Fields", "parent.fields"),
        ('"parent".fields', "parent.fields"),
        ("other.tag_by_x.limit", "other.tag_by_x.limit"),
        ("parent.company_by_company_id.order", "parent.company_by_company_id.order"),
        ("child.fields", None),
        ("child.feilds", None),
        ("parentfields", None),
        ("fields", None),
        ("parent.colour", None),
        ("parent." * 400 + "fields", None),
    ],
)
def test_options_of_relations_are_recognized(name: str, option: str | None) -> None:
    assert relation_option(name, relation) == option


def test_relations_have_options_of_their_own() -> None:
    parsed = options.options({"parent.fields": "a", "parent.limit": "3", "parent.child.order": "b"}, None, relation)
    assert parsed.of_relation("Parent") == RelationOptions(fields="a", limit=3)
    assert parsed.of_relation("parent.child") == RelationOptions(order="b")
    assert parsed.of_relation("other") == RelationOptions()


def test_a_plan_does_not_depend_on_bound_values_or_unknown_options() -> None:
    query = {"filter": "a=1", "offset": "5", "ids": "1", "colour": "red", "limit": "2", "parent.limit": "3"}
    assert [name for name in query if in_key(name, relation)] == ["limit", "parent.limit"]
    limits = FilterLimits()
    assert body_key(query, relation, limits) == b'{"limit":"2","parent.limit":"3"}'
    assert body_key([query], relation, limits) == b""
    of_one, of_nine, of_name = (
        body_key({"having": f"count(*) {rest}"}, relation, limits) for rest in ("> 2", "> 9", "> :n")
    )
    assert of_one == of_nine != of_name


def test_a_plan_that_is_cached_does_not_hide_a_misspelt_option() -> None:
    with pytest.raises(ApiError):
        in_key("parent.feilds", relation)


def test_a_long_filter_is_rejected_before_it_is_parsed() -> None:
    within({"filter": "a" * 50, "colour": "b" * 9000}, 50)
    with pytest.raises(BadFilter):
        within({"filter": "a" * 51}, 50)
    with pytest.raises(ApiError):
        within({"fields": "a" * 8001}, 50)


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
        ("pg_sleep (1)", "Unknown function 'pg_sleep'. Functions: AVG, CAST, COSINE_DISTANCE, COUNT, DAY, DENSE_RANK, "
         "DISTANCE, FIRST_VALUE, ..."),
        ("SUM(a)", ""),
        ("a", ""),
        ("(a)", ""),
    ],
)  # fmt: skip
def test_an_unknown_function_gets_a_suggestion(text: str, message: str) -> None:
    name = syntax.called(text)
    assert (syntax.no_function(name) if name else "").removesuffix(".") == message.removesuffix(".")


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
