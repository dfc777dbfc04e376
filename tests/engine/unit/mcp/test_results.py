"""Results of tools for the SDK, which writes fractions as floats."""

from __future__ import annotations

import pytest

from tableapi import exact_json
from tableapi.mcp.results import ToolResult


@pytest.mark.parametrize(
    ("sent", "plain"),
    [
        ("1.5", 1.5),
        ("-0.1", -0.1),
        ("9007199254740993", 9007199254740993),
        ("12345678901234567.891", "12345678901234567.891"),
        ("1.50", 1.5),
        ("[null, true, 0.25]", [None, True, 0.25]),
    ],
)
def test_a_fraction_that_no_float_can_represent_is_text(sent: str, plain: object) -> None:
    assert ToolResult({"rows": [exact_json.loads(sent)]}).plain() == {"rows": [plain]}
