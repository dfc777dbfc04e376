"""Names in requests, and suggestions for misspelled ones."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.auth.rights import Right
from tableapi.errors import DuplicateField
from tableapi.query.names import identifiers, key_parts, names, path, plain, quoted_value, split
from tableapi.query.spelling import MAX_CANDIDATES, spelled, suggestion, unknown_field
from tests.helpers.memory_schema import shop


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
def test_parts_are_split_at_commas(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(("text", "name"), [("a", "a"), ('"a b"', "a b"), ("[a]", "a"), ('"a"b', '"a"b'), ('""', '""')])
def test_a_plain_name_loses_its_quotes(text: str, name: str) -> None:
    assert plain(text) == name


def test_each_name_is_listed_once() -> None:
    assert names('a,,"b",a, b') == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "parts", "end"),
    [("a.b c", ("a", "b"), 3), ('"a.b".[c]', ("a.b", "c"), 9), ("1a", (), 0), ("a.", (), 2), ("", (), 0)],
)
def test_a_path_ends_at_its_last_part(text: str, parts: tuple[str, ...], end: int) -> None:
    assert path(text) == (parts, end)


@pytest.mark.parametrize(
    ("text", "parts"),
    [("", []), ("1, 2,,3", ["1", "2", "3"]), ("(1,a), (2,b)", ["(1,a)", "(2,b)"]), ("(1,(2,3)),4", ["(1,(2,3))", "4"])],
)
def test_identifiers_have_parts(text: str, parts: list[str]) -> None:
    assert identifiers(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("'[1,6)','x,y'", ["[1,6)", "x,y"]),
        ("\"a,\"\"b\" , 'it''s'", ['a,"b', "it's"]),
        ("(1,'a,b)'),(2,\"),(\")", ["(1,'a,b)')", '(2,"),(")']),
        ("'tis,b'c,'d'e", ["'tis", "b'c", "'d'e"]),
    ],
)
def test_a_quoted_identifier_is_one_value(text: str, parts: list[str]) -> None:
    assert identifiers(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1, eu", ["1", "eu"]),
        ('(1,"[2024-01-01,2025-01-01)")', ["1", "[2024-01-01,2025-01-01)"]),
        ("'a,''b''',  \" c\" ", ["a,'b'", " c"]),
        ('\'tis,"a"b', ["'tis", '"a"b']),
    ],
)
def test_a_quoted_part_of_a_key_is_one_value(text: str, parts: list[str]) -> None:
    assert key_parts(text) == parts
    assert key_parts(",".join(map(quoted_value, parts))) == parts


PERSON = shop().tables["person"]


@pytest.mark.parametrize(
    ("record", "row"),
    [
        ({"name": 1}, {"name": 1}),
        ({"NAME": 1, "Company_By_Company_Id": {}}, {"name": 1, "company_by_company_id": {}}),
        ({"Colour": 1}, {"Colour": 1}),
    ],
)
def test_a_record_gets_the_names_of_its_table(record: dict[str, Any], row: dict[str, Any]) -> None:
    assert spelled(PERSON, record) == row


def test_a_field_in_two_spellings_is_rejected() -> None:
    with pytest.raises(DuplicateField):
        spelled(PERSON, {"name": 1, "Name": 2})


@pytest.mark.parametrize(
    ("name", "candidates", "text"),
    [
        ("nmae", ["name", "age"], " Did you mean 'name'?"),
        ("NAEM", ["Name"], " Did you mean 'Name'?"),
        ("company_by_id", ["company_by_company_id"], ""),
        ("company_by_compny_id", ["company_by_company_id"], " Did you mean 'company_by_company_id'?"),
        ("company", ["company_by_company_id", "company_by_id", "person"], " Did you mean 'company_by_id'?"),
        ("x", ["name"], ""),
        ("", ["name"], ""),
        ("n" * 64, ["n" * 64], ""),
        ("name1", [f"name{number}" for number in range(2, MAX_CANDIDATES + 5)], ""),
    ],
)
def test_the_closest_name_is_suggested(name: str, candidates: list[str], text: str) -> None:
    assert suggestion(name, candidates) == text


def test_a_hidden_field_is_never_suggested() -> None:
    assert "email" in unknown_field("emial", PERSON, Right()).message
    assert "Did you mean" not in unknown_field("emial", PERSON, Right(readable=frozenset(("id",)))).message
