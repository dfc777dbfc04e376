"""Numbers of a request -> what asyncpg binds, with every digit that was sent."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from tableapi.schema.pgtypes import BadValue, PgType

_RANGES = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,40}\Z", re.ASCII)


def integer(value: Any, type_: PgType) -> int:
    """A value of smallint, integer or bigint. Raises BadValue."""
    if isinstance(value, str):
        text = value.strip()
        if not _INTEGER.match(text):
            raise BadValue("a whole number is expected")
        value = int(text)
    elif isinstance(value, float):
        value = _whole(str(value))
    elif not isinstance(value, int) or isinstance(value, bool):
        raise BadValue("a whole number is expected")
    most = _RANGES[type_.name]
    if not -most <= value < most:
        raise BadValue("the number is out of range")
    return int(value)


_NUMBER = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d{1,9})?\Z", re.ASCII)
# What `numeric` holds: digits before the point, and after it.
_WHOLE_DIGITS, _SCALE = 131_072, 16_383


def _whole(text: str) -> int:
    """The whole number of a JSON number with a fraction or an exponent, such as 5.0."""
    number = number_of(text)
    if number.adjusted() > 40:
        raise BadValue("the number is out of range")
    if number != number.to_integral_value():
        raise BadValue("a whole number is expected")
    return int(number)


def number_of(text: str) -> Decimal:
    """The number, exactly. Raises BadValue."""
    if not _NUMBER.match(text):
        raise BadValue("a number is expected")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise BadValue("a number is expected") from None


def _money(number: Decimal) -> str:
    if abs(number.adjusted()) > 40:
        raise BadValue("the number is out of range")
    return f"{number:f}"


def decimal(value: Any, type_: PgType) -> Any:
    """A value of numeric, money, real or double precision. Raises BadValue."""
    if isinstance(value, Decimal):  # a key that was returned for a nested record
        return value
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    number = number_of(text)
    if type_.kind == "money":
        return _money(number)
    exponent = number.as_tuple().exponent
    if type_.kind != "float":
        if number.adjusted() >= _WHOLE_DIGITS or (isinstance(exponent, int) and -exponent > _SCALE):
            raise BadValue("the number is out of range")
        return number
    if abs(double := float(text)) == float("inf") or (type_.name == "real" and abs(double) > 3.4028235e38):
        raise BadValue("the number is out of range")
    return double
