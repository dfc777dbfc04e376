"""Lists of names in options: parts, quotes, paths and identifiers."""

from __future__ import annotations

import pytest

from tableapi.query.names import identifiers, key_parts, names, path, plain, quoted_value, split


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
