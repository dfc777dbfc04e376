"""Numbers of requests keep every digit and stay within the range of their type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tableapi.exact_json import Number
from tableapi.schema.pgtypes import BadValue, PgType
from tableapi.schema.types import OUT_OF_RANGE, decimal, integer

SMALLINT, BIGINT = PgType("integer", "smallint", "smallint"), PgType("integer", "bigint", "bigint")
NUMERIC, MONEY = PgType("decimal", "numeric", "numeric(10,2)"), PgType("money", "money", "money")
REAL, DOUBLE = PgType("float", "real", "real"), PgType("float", "double precision", "double precision")
WHOLE, NUMBER = "expected a whole number", "expected a number"
SMALL = "expected a whole number from -32768 to 32767"


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        (5, 5),
        (" +5 ", 5),
        ("-0", 0),
        (5.0, 5),
        (Number("5e2"), 500),
        (-32768, -32768),
        ("32767", 32767),
    ],
)
def test_valid_integers_are_accepted(value: Any, bound: int) -> None:
    assert integer(value, SMALLINT) == bound


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (32768, SMALL),
        ("-32769", SMALL),
        (5.5, WHOLE),
        (True, WHOLE),
        (None, WHOLE),
        ("5.0", WHOLE),
        ("1e3", WHOLE),
        ("٣", WHOLE),  # an Arabic digit
        ("9" * 41, WHOLE),
        (Number("1e400"), OUT_OF_RANGE),
    ],
)
def test_invalid_smallints_are_rejected(value: Any, expected: str) -> None:
    with pytest.raises(BadValue) as refused:
        integer(value, SMALLINT)

    assert str(refused.value) == expected


def test_the_limits_of_bigint() -> None:
    assert integer(str(2**63 - 1), BIGINT) == 2**63 - 1
    with pytest.raises(BadValue):
        integer(2**63, BIGINT)


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        (NUMERIC, "0.10", Decimal("0.10")),
        (NUMERIC, Number("12345678901234567890.12"), Decimal("12345678901234567890.12")),
        (NUMERIC, " .5 ", Decimal("0.5")),
        (NUMERIC, 7, Decimal(7)),
        (NUMERIC, Decimal("1"), Decimal("1")),
        (NUMERIC, "1e131071", Decimal("1e131071")),
        (MONEY, "1e3", "1000"),
        (MONEY, "-2.50", "-2.50"),
        (MONEY, "$3.99", "3.99"),
        (MONEY, "-$1,234,567.50", "-1234567.50"),
        (REAL, "3.4e38", 3.4e38),
        (DOUBLE, "1e308", 1e308),
    ],
)
def test_valid_decimals_are_accepted_exactly(type_: PgType, value: Any, bound: Any) -> None:
    result = decimal(value, type_)

    assert (result, str(result)) == (bound, str(bound))


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (NUMERIC, "", NUMBER),
        (NUMERIC, "1,5", NUMBER),
        (NUMERIC, "NaN", NUMBER),
        (NUMERIC, True, NUMBER),
        (NUMERIC, [1], NUMBER),
        (NUMERIC, "1e9999999999", NUMBER),
        (NUMERIC, "1e131072", OUT_OF_RANGE),
        (NUMERIC, "1e-16384", OUT_OF_RANGE),
        (MONEY, "1e41", OUT_OF_RANGE),
        (MONEY, "$1,23", NUMBER),
        (MONEY, "3$", NUMBER),
        (NUMERIC, "$3", NUMBER),
        (REAL, "3.5e38", OUT_OF_RANGE),
        (DOUBLE, "1e309", OUT_OF_RANGE),
    ],
)
def test_invalid_decimals_are_rejected(type_: PgType, value: Any, expected: str) -> None:
    with pytest.raises(BadValue) as refused:
        decimal(value, type_)

    assert str(refused.value) == expected
