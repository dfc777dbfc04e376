"""Convert values between requests and PostgreSQL, for each kind of type.

Values in a request are validated and converted for asyncpg before any SQL runs. PostgreSQL renders the output. Types
that are not listed are handled as text, so that every column of a database can be read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from math import isfinite
from typing import Any, Protocol
from uuid import UUID

from tableapi import exact_json
from tableapi.schema import geojson
from tableapi.schema.pgtypes import BadMoment
from tableapi.schema.pgtypes import BadValue as BadValue
from tableapi.schema.pgtypes import PgType as PgType

OUT_OF_RANGE = "expected a number within the field's range"
_RANGES = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,40}\Z", re.ASCII)


def integer(value: Any, type_: PgType) -> int:
    """Convert a value for smallint, integer or bigint. Raises BadValue."""
    if type(value) is int:
        number = value
    elif isinstance(value, str) and _INTEGER.match(value.strip()):
        number = int(value)
    elif isinstance(value, float | Decimal):  # a Decimal is a key that an integer refers to
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
    if isinstance(value, Decimal) or (type(value) is float and not isfinite(value)):  # a key returned by a write
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


TRUE = frozenset(("true", "t", "1", "yes", "y", "on"))
FALSE = frozenset(("false", "f", "0", "no", "n", "off"))


def _text(value: Any, type_: PgType) -> str:
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, int | float):
        value = str(value)
    if not isinstance(value, str):
        raise BadValue("expected a string")
    if "\x00" in value:
        raise BadValue("a string must not contain a NUL character")
    return value


def _other(value: Any, type_: PgType) -> str:
    """Convert a value for a type without a kind of its own. A vector may be a JSON array of numbers."""
    if isinstance(value, list) and type_.pgvector:
        return vector(value)
    return _text(value, type_)


def vector(value: Any) -> str:
    """Return the text of a vector, which is a JSON array of numbers or PostgreSQL's text. Raises BadValue."""
    if isinstance(value, list) and all(type(item) in (int, float, exact_json.Number) for item in value):
        return "[" + ",".join(map(str, value)) + "]"
    if not isinstance(value, str) or "\x00" in value:
        raise BadValue("expected an array of numbers")
    return value


def _boolean(value: Any, type_: PgType) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise BadValue("expected true or false")


_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


# Dates outside Python's range, in PostgreSQL's format. PostgreSQL validates them itself.
_LONG_DATE = re.compile(r"(?:\d{5,7}-\d\d-\d\d|\d{4,7}-\d\d-\d\d BC)\Z", re.ASCII)
_LONG_TIMESTAMP = re.compile(
    r"(?=\d{5}|.*BC\Z)\d{4,7}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:[+-]\d\d(?::?\d\d)?)?(?: BC)?\Z",
    re.ASCII,
)
_INFINITE = frozenset(("infinity", "-infinity"))


_SPOKEN_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)", re.ASCII)  # 31/01/2024 or 01/31/2024


def _bad_moment(text: str, expected: str) -> BadMoment:
    """Build the error for a date or time: one in another order, one that does not exist, or anything else."""
    day = _day(text)
    if day is None and _DATE.match(text):
        return BadMoment("does not exist in the calendar")
    if (match := _SPOKEN_DATE.match(text)) is None:
        return BadMoment(expected)
    orders = ((match[3], match[1]), (match[1], match[3]))
    days = list(dict.fromkeys(filter(None, (_day(f"{match[4]}-{month:0>2}-{day:0>2}") for month, day in orders))))
    if not days:
        return BadMoment("does not exist in the calendar")
    return BadMoment(
        f"is ambiguous: write {days[0]} or {days[1]}" if len(days) > 1 else f"must be written as {days[0]}"
    )


def _day(text: str) -> str | None:
    """Return the ISO date at the beginning of a text, or None if there is no such day."""
    try:
        return date.fromisoformat(text[:10]).isoformat() if _DATE.match(text) else None
    except ValueError:
        return None


def _date(value: Any, type_: PgType) -> str:
    text = value.strip() if isinstance(value, str) else ""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).isoformat()
        if _DATE.match(text):
            return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        pass
    if text.lower() in _INFINITE or _LONG_DATE.match(text):
        return text
    raise _bad_moment(text, "expected a date such as 2024-01-31")


_ZONE = re.compile(r"([+-]\d\d)(\d\d)?\Z", re.ASCII)


def _timestamp(value: Any, type_: PgType) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if _LONG_TIMESTAMP.match(text):
        return text
    if _DATE.match(text):
        if len(text) > 11:
            text = text[:11] + _ZONE.sub(lambda m: f"{m[1]}:{m[2] or '00'}", text[11:].replace(" ", ""))
        try:
            moment = datetime.fromisoformat(text)
            if type_.kind == "timestamp":  # an offset has no meaning there, so PostgreSQL ignores it everywhere
                return moment.replace(tzinfo=None).isoformat(" ")
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
            return moment.isoformat(" ")
        except (ValueError, OverflowError):
            pass
    elif text.lower() in _INFINITE:
        return text
    raise _bad_moment(text, "expected a date and time such as 2024-01-31 09:00:00+00")


def _uuid(value: Any, type_: PgType) -> UUID:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(value.strip())
    except (ValueError, AttributeError):
        raise BadValue("expected a UUID such as 0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e") from None


def nested_value(type_: PgType, value: Any) -> Any:
    """Return a value that may be nested. A CSV cell or identifier is JSON, or an array literal."""
    if not isinstance(value, exact_json.Cell):
        return value
    decoded = value.value()
    return str(value) if type_.kind == "array" and not isinstance(decoded, list) else decoded


def _json(value: Any, type_: PgType) -> str:
    value = nested_value(type_, value)
    try:
        text = exact_json.dumps(value).decode()
    except (TypeError, ValueError):
        raise BadValue("expected a JSON value") from None
    if "\\u0000" in text and type_.name == "jsonb":
        raise BadValue("a string must not contain a NUL character")
    return text


def _base64(value: Any, type_: PgType) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        if isinstance(value, str) and value.startswith("\\x"):  # PostgreSQL's hex format, as in nested arrays
            return bytes.fromhex(value[2:])
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise BadValue("expected base64 text") from None


def _label(value: Any, type_: PgType) -> str:
    if value not in type_.labels:
        raise BadValue("expected one of " + ", ".join(type_.labels[:20]))
    return str(value)


def _array(value: Any, type_: PgType) -> str:
    """Return the array literal for a JSON array or for a literal; JSON for arrays of composites."""
    value = nested_value(type_, value)
    if isinstance(value, str) and not type_.of_composites:
        return _text(value, type_)
    if not isinstance(value, list):
        raise BadValue("expected an array")
    if type_.of_composites:
        return _json(value, type_)
    return _array_literal(value, type_.element, 0)


def _array_literal(items: list[Any], element: PgType | None, depth: int) -> str:
    if depth > 6:
        raise BadValue("expected an array with at most 7 dimensions")
    parts = []
    # A list counts as a single element if the elements are JSON or a domain over an array.
    nested = element is not None and element.kind in ("array", "json")
    for item in items:
        if isinstance(item, list) and not nested:
            parts.append(_array_literal(item, element, depth + 1))
        elif item is None:
            parts.append("NULL")
        else:
            # PostgreSQL shows a domain over an array of composites as text, which may be sent back unchanged.
            literal = element is not None and element.of_composites and isinstance(item, str)
            bound = stored(element, item) if element and not literal else item
            text = "\\x" + bound.hex() if isinstance(bound, bytes) else str(bound)
            parts.append('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
    return "{" + (element.delimiter if element else ",").join(parts) + "}"


def _composite(value: Any, type_: PgType) -> str:
    value = nested_value(type_, value)
    if isinstance(value, dict | list):
        return _json(value, type_)
    raise BadValue("expected an object")


class Check(Protocol):
    """Convert a value in a request to the value to bind. Raises BadValue."""

    def __call__(self, value: Any, type_: PgType) -> Any: ...


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of type is handled.

    Attributes:
        check: converts a value in a request to the value to bind. Raises BadValue.
        native: whether asyncpg binds the value as the type itself; otherwise it is bound as text and cast.
        api: the `type` in the description of a field (docs/reference/wire.md).
        json: the JSON Schema.
        out: how to read the column: a type to cast to, `base64`, `geojson`, or "" for no conversion.
        cast: `record` if JSON is converted by `json_populate_record`.
    """

    check: Check
    native: bool
    api: str
    json: dict[str, Any]
    out: str = ""
    cast: str = ""


_STRING = {"type": "string"}
_TIMESTAMP = {"type": "string", "description": "such as 2024-01-10 09:00:00"}
_TIMESTAMPTZ = {"type": "string", "description": "in UTC, such as 2024-01-10 09:00:00+00"}
# NaN and infinity are sent as text, and exact numbers are accepted as text.
_NUMBER_OR_TEXT = {"type": ["number", "string"]}
_GEOJSON = {"type": "object", "description": "a GeoJSON geometry"}
KINDS: dict[str, Kind] = {
    "integer": Kind(integer, True, "integer", {"type": "integer"}),
    "decimal": Kind(decimal, True, "decimal", _NUMBER_OR_TEXT),
    "float": Kind(decimal, True, "double", _NUMBER_OR_TEXT),
    "money": Kind(decimal, False, "decimal", {"type": "number"}, out="numeric"),
    "boolean": Kind(_boolean, True, "boolean", {"type": "boolean"}),
    "text": Kind(_text, True, "string", _STRING),
    # No format: `date` has no infinity, no years before Christ and none of five digits, and clients reject a `uuid`
    # without a version of RFC 9562, which PostgreSQL accepts.
    "date": Kind(_date, True, "date", _STRING),
    "timestamp": Kind(_timestamp, True, "timestamp", _TIMESTAMP, out="text"),
    "timestamptz": Kind(_timestamp, True, "timestamp_tz", _TIMESTAMPTZ, out="text"),
    "uuid": Kind(_uuid, True, "uuid", _STRING),
    "json": Kind(_json, False, "json", {}),
    "bytea": Kind(_base64, True, "binary", {"type": "string", "contentEncoding": "base64"}, out="base64"),
    "enum": Kind(_label, False, "string", _STRING),
    "array": Kind(_array, False, "array", {"type": "array"}),
    "composite": Kind(_composite, False, "object", {"type": "object"}, cast="record"),
    "time": Kind(_text, False, "time", _STRING),
    "network": Kind(_text, False, "string", _STRING),
    "geometry": Kind(geojson.sent, False, "geometry", _GEOJSON, out="geojson"),
    "geography": Kind(geojson.sent, False, "geography", _GEOJSON, out="geojson"),
    # Polymorphic parameters of functions; tables/overloads.py replaces them by the types of a call.
    "any": Kind(_json, False, "any", {}),
    "other": Kind(_other, False, "string", _STRING, out="text"),
}

# Kind by base type name, as written by `format_type` without a length.
BY_NAME = {
    "smallint": "integer", "integer": "integer", "bigint": "integer", "numeric": "decimal", "real": "float",
    "double precision": "float", "money": "money", "boolean": "boolean", "text": "text", "character varying": "text",
    "bpchar": "text", "name": "text", "inet": "network", "cidr": "network", "date": "date",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz", "uuid": "uuid", "json": "json", "jsonb": "json", "bytea": "bytea",
    "time without time zone": "time", "time with time zone": "time", "interval": "time",
    "anyelement": "any", "anyarray": "any", "anynonarray": "any", "anycompatible": "any", "anycompatiblearray": "any",
    "anycompatiblenonarray": "any",
}  # fmt: skip


class KeyText(str):
    """A key returned by a write, as the text that `bind` converts back to its type."""

    __slots__ = ()


# Kinds of values that PostgreSQL and Python exchange without loss. All other keys are returned as `KeyText`.
EXACT_KINDS = frozenset(("integer", "decimal", "float", "boolean", "text", "uuid", "bytea"))
NESTED_KINDS = frozenset(("json", "array", "composite"))


def check(type_: PgType, value: Any) -> Any:
    """Return the value to bind for a value in a filter. Raises BadValue."""
    return checker(type_)(value)


def checker(type_: PgType) -> Callable[[Any], Any]:
    """Return `check` bound to one type."""
    convert = KINDS[type_.kind].check
    if type_.kind in ("array", "composite"):  # JSON is compared as text
        return lambda value: convert(exact_json.Cell(value) if type(value) is str else value, type_)
    return partial(convert, type_=type_)


_NOT_FINITE = frozenset(("NaN", "Infinity", "-Infinity"))


def stored(type_: PgType, value: Any) -> Any:
    """Return the value to bind for a field of a record; also accepts NaN and Infinity as text.

    Raises BadValue.
    """
    if type_.kind in ("decimal", "float") and isinstance(value, str) and value in _NOT_FINITE:
        return Decimal(value) if type_.kind == "decimal" else float(value)
    if type(value) is KeyText:
        return str(value)
    return KINDS[type_.kind].check(value, type_)


def storer(type_: PgType) -> Callable[[Any], Any]:
    """Return `stored` bound to one type."""
    # For an integer, `stored` accepts nothing more.
    return checker(type_) if type_.kind == "integer" else partial(stored, type_)


def as_read(type_: PgType, value: Any) -> Any:
    """Return a value in response format, given PostgreSQL's JSON rendering in UTC."""
    if type_.kind in ("timestamp", "timestamptz") and isinstance(value, str):
        return value.replace("T", " ", 1).replace("+00:00", "+00")
    if type_.kind == "money" and isinstance(value, str):
        return exact_json.Number(stored(type_, value))
    return value


def json_schema(type_: PgType) -> dict[str, Any]:
    schema = dict(KINDS[type_.kind].json)
    if type_.labels:
        schema["enum"] = list(type_.labels)
    if type_.element:
        schema["items"] = {}
    return schema
