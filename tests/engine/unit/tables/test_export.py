"""Responses as files and lines, and cells of spreadsheets."""

from __future__ import annotations

import io
from typing import Any

import openpyxl
import pytest

from tableapi.query.options import Options
from tableapi.tables.bulk.cells import cells_of, value_of
from tableapi.tables.bulk.lines import Block
from tableapi.tables.export import XLSX, sheet_name, write_file
from tableapi.tables.render import listed
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
        ("+44 (0)20 7946 0018", True, "+44 (0)20 7946 0018"),
        ("+1.415.555.0132", True, "+1.415.555.0132"),
        ("+33\u202f1\u202f23\u202f45\u202f67\u202f89", True, "+33\u202f1\u202f23\u202f45\u202f67\u202f89"),
        ("+14155550132 ext. 12", True, "+14155550132 ext. 12"),
        ("+12025550123, +12025550124", True, '"+12025550123, +12025550124"'),
        ("+12025550123, =1+1", True, '"\'+12025550123, =1+1"'),
        ("+1+cmd|' /C calc'!A0", True, "'+1+cmd|' /C calc'!A0"),
        ("+1202555012*3", True, "'+1202555012*3"),
        ("+1;2", True, "'+1;2"),
        ("-2+3", True, "'-2+3"),
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
    [
        ("people", "people"),
        ("a/b[c]?", "a_b_c__"),
        ("'a'", "a"),
        ("", "Sheet"),
        ("a" * 31, "a" * 28 + ".."),
        ("😀" * 16, "😀" * 14 + ".."),
        ("History", "History_"),  # Excel keeps it for its log of changes, in any case
        ("HISTORY", "HISTORY_"),
    ],
)
def test_the_name_of_a_sheet(text: str, name: str) -> None:
    assert sheet_name(text) == name


@pytest.mark.parametrize(
    ("text", "units", "cut"),
    [
        ("x" * 32_767, 32_767, False),
        ("x" * 40_000, 32_767, True),
        ("😀" * 16_383, 32_766, False),
        ("😀" * 20_000, 32_767, True),
        ("x" + "😀" * 16_384, 32_767, True),  # would be cut inside a character
        ("a\r\n" * 12_000, 32_767, True),
    ],
)
def test_a_cell_has_at_most_the_units_of_excel_and_says_that_it_was_cut(text: str, units: int, cut: bool) -> None:
    """32,767 UTF-16 units: the specification and limits of Excel, on Microsoft's support pages."""
    file = write_file("xlsx", [{"a": text}], [], "", safe=True)[0]
    cell = openpyxl.load_workbook(io.BytesIO(file)).active["A2"].value.replace("_x000D_", "\r")
    assert units - 1 <= len(cell.encode("utf-16-le")) // 2 <= units
    assert cell.endswith(f"… [cut: the text has {len(text):,} characters]") == cut
    assert cut or cell == text


def test_csv_for_a_spreadsheet_begins_with_a_byte_order_mark() -> None:
    assert write_file("csv", [{"a": "ë"}], [], "", safe=True, bom=True)[0] == "\ufeffa\r\në\r\n".encode()


@pytest.mark.parametrize(
    ("record", "cells"),
    [
        (b"1,a,\r\n", ["1", "a", ""]),
        (b"", [""]),
        (b'1,"a,b",c\n', ["1", '"a,b"', "c"]),
        (b'"a ""b, c""",d', ['"a ""b, c"""', "d"]),
        (b'"two\nlines, one cell",x\n', ['"two\nlines, one cell"', "x"]),
        (b'a"b,c"d,e', ['a"b,c"d', "e"]),
        ("é,\u20ac".encode(), ["é", "\u20ac"]),
        (b"not \xff text,b", []),
    ],
)
def test_a_record_is_split_outside_of_quotes(record: bytes, cells: list[str]) -> None:
    assert cells_of(Block(record, 1)) == cells


@pytest.mark.parametrize(
    ("cell", "value"),
    [("a", "a"), ('"a"', "a"), ('"a ""b"""', 'a "b"'), ('""', ""), ('"', '"'), ('a"b"', 'a"b"'), ("", "")],
)
def test_a_cell_loses_its_outer_quotes(cell: str, value: str) -> None:
    assert value_of(cell) == value


@pytest.mark.parametrize(
    ("array", "meta", "wrap", "expected"),
    [
        (b"[1]", None, True, b'{"resource":[1]}'),
        (b"[1]", None, False, b"[1]"),
        (None, None, True, b'{"resource":[]}'),
        (None, None, False, b"[]"),
        (b"[1]", b'{"count":1}', True, b'{"resource":[1],"meta":{"count":1}}'),
        (b"[1]", b'{"count":1}', False, b'{"resource":[1],"meta":{"count":1}}'),
    ],
)
def test_a_list_gets_its_envelope(array: bytes | None, meta: bytes | None, wrap: bool, expected: bytes) -> None:
    assert listed(array, meta, wrap=wrap) == expected
