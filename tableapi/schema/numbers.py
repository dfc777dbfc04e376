"""Convert the numbers of a request to values that asyncpg binds, without losing digits."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from tableapi.schema.pgtypes import BadValue, PgType

OUT_OF_RANGE = "expected a number within the field's range"
_RANGES = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,40}\Z", re.ASCII)


def integer(value: Any, type_: PgType) -> int:
    """Convert a value for smallint, integer or bigint. Raises BadValue."""
    if type(value) is int:
        number = value
    elif isinstance(value, str) and _INTEGER.match(value.strip()):
        number = int(value)
    elif isinstance(value, float):
        number = _to_integer(str(value))
    else:
        raise BadValue("expected a whole number")
    bound = _RANGES[type_.name]
    if not -bound <= number < bound:
        raise BadValue(f"expected a whole number from {-bound} to {bound - 1}")
    return number


_NUMBER = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d{1,9})?\Z", re.ASCII)
_DOLLARS = re.compile(r"\A(-?)\$(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\Z", re.ASCII)  # $1,234.50
# Limits of `numeric`: digits before and after the decimal point.
_WHOLE_DIGITS, _SCALE = 131_072, 16_383


def _to_integer(text: str) -> int:
    """Convert a JSON number with a fraction or an exponent, such as 5.0, to an integer. Raises BadValue."""
    number = number_of(text)
    if number.adjusted() > 40:
        raise BadValue(OUT_OF_RANGE)
    if number != number.to_integral_value():
        raise BadValue("expected a whole number")
    return int(number)


def number_of(text: str) -> Decimal:
    """Convert text to an exact number. Raises BadValue."""
    if not _NUMBER.match(text):
        raise BadValue("expected a number")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise BadValue("expected a number") from None


def _money(number: Decimal) -> str:
    if abs(number.adjusted()) > 40:
        raise BadValue(OUT_OF_RANGE)
    return f"{number:f}"


def decimal(value: Any, type_: PgType) -> Any:
    """Convert a value for numeric, money, real or double precision. Raises BadValue."""
    if isinstance(value, Decimal):  # a key returned by PostgreSQL, for a nested record
        return value
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if type_.kind == "money":
        return _money(number_of(_DOLLARS.sub(r"\1\2", text).replace(",", "") if "$" in text else text))
    number = number_of(text)
    exponent = number.as_tuple().exponent
    if type_.kind != "float":
        if number.adjusted() >= _WHOLE_DIGITS or (isinstance(exponent, int) and -exponent > _SCALE):
            raise BadValue(OUT_OF_RANGE)
        return number
    if abs(double := float(text)) == float("inf") or (type_.name == "real" and abs(double) > 3.4028235e38):
        raise BadValue(OUT_OF_RANGE)
    return double
