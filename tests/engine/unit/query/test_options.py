"""The options of a request: their names, types and places, and which of them a plan depends on."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import ApiError, BadFilter
from tableapi.query import options
from tableapi.query.limits import FilterLimits
from tableapi.query.options import Options, body_key, in_key, parse_query, within
from tableapi.query.relation_options import RelationOptions, relation_option

RELATIONS = {"company_by_company_id", "other.tag_by_x", "parent"}


def relation(name: str) -> str | None:
    return name if name in RELATIONS else None


@pytest.mark.parametrize(
    ("raw", "query"),
    [
        ("", {}),
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a=1&a=2", {"a": "2"}),
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


@pytest.mark.parametrize(("raw", "reason"), [("a=%FF", "bad_encoding"), ("a=1&" * 501, "too_many_options")])
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
        ({"limit": "9" * 30}, None, {"limit": options.MAX_NUMBER}),
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
        ({"params": "[1]"}, None, "Option 'params' must be an object of named values."),
        ({"params": "{"}, None, "Option 'params' must be an object of named values."),
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
