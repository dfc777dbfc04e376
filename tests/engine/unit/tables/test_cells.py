"""Cells of records of CSV, as they are in the file."""

from __future__ import annotations

import pytest

from tableapi.tables.bulk.cells import cells_of, value_of
from tableapi.tables.bulk.lines import Block


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
