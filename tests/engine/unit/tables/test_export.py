"""Lists as files: their form, the cells of a CSV, and the names of sheets."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.query.options import Options
from tableapi.tables.export import XLSX, sheet_name, write_file
from tableapi.tables.request import requested_format


@pytest.mark.parametrize(
    ("options", "accept", "form"),
    [
        (Options(), "", None),
        (Options(), "application/json", None),
        (Options(), "text/csv; q=1, */*", ("csv", "")),
        (Options(), XLSX, ("xlsx", "")),
        (Options(accept="csv"), "application/json", ("csv", "")),
        (Options(file="people.CSV"), "", ("csv", "people.CSV")),
        (Options(file="people.json"), "text/csv", None),
    ],
)
def test_a_file_has_the_requested_form(options: Options, accept: str, form: tuple[str, str] | None) -> None:
    assert requested_format(options, {"accept": accept}) == form


@pytest.mark.parametrize(
    ("value", "safe", "cell"),
    [
        (None, True, ""),
        (True, True, "true"),
        (5, True, "5"),
        (-5, True, "-5"),
        ("a,b", True, '"a,b"'),
        ({"a": [1]}, True, '"{""a"":[1]}"'),
        ("=1+1", True, "'=1+1"),
        ("@a", True, "'@a"),
        ("\ta", True, "'\ta"),
        ("+4412", True, "+4412"),
        ("+44 12", True, "'+44 12"),
        ("=1+1", False, "=1+1"),
    ],
)
def test_cells_of_a_csv_are_quoted_and_safe(value: Any, safe: bool, cell: str) -> None:
    body, content_type = write_file("csv", [{"a": 0, "b": value}], [], "", safe=safe)
    assert (body.decode(), content_type) == (f"a,b\r\n0,{cell}\r\n", "text/csv; charset=utf-8")


def test_the_header_line_has_the_given_names() -> None:
    assert write_file("csv", [{"a": 1, "b": 2}], ["b", "c"], "", safe=True)[0] == b"b,c\r\n2,\r\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [("people", "people"), ("a/b[c]?", "a_b_c__"), ("'a'", "a"), ("", "Sheet"), ("a" * 31, "a" * 28 + "..")],
)
def test_the_name_of_a_sheet(text: str, name: str) -> None:
    assert sheet_name(text) == name
