"""How values of each PostgreSQL type come in and go out. Knows types; no tables, actors or HTTP.

A value of a request is checked and turned into what asyncpg binds, before any SQL runs. What goes out is rendered by
PostgreSQL. A type that is not in the table is handled by its text, so that nothing a database holds is unreadable.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

import orjson

TRUE = frozenset(("true", "t", "1", "yes", "y", "on"))
FALSE = frozenset(("false", "f", "0", "no", "n", "off"))


class BadValue(ValueError):
    """A value that does not fit its type; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class PgType:
    """One type of a column.

    kind: key of KINDS. name: as `format_type` writes it, without a length, quoted and qualified where needed.
    db_type: with length and precision, for people. element: of an array. labels: of an enum.
    operators: the schema of its operators, where a plain = would not find them. sorts, groups: whether rows can be
    ordered and grouped by it. signs: the comparisons that it has; None for all.
    """

    kind: str
    name: str
    db_type: str
    element: PgType | None = None
    labels: tuple[str, ...] = ()
    operators: str = ""
    sorts: bool = True
    groups: bool = True
    signs: frozenset[str] | None = None

    @property
    def is_time(self) -> bool:
        return self.kind in ("date", "timestamp", "timestamptz")

    @property
    def of_composites(self) -> bool:
        return self.element is not None and self.element.kind == "composite"


def _text(value: Any, type_: PgType) -> str:
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, int | float):
        value = str(value)
    if not isinstance(value, str):
        raise BadValue("a text is expected")
    if "\x00" in value:
        raise BadValue("a text cannot hold the NUL character")
    return value


_RANGES = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,40}\Z", re.ASCII)


def _integer(value: Any, type_: PgType) -> int:
    if isinstance(value, str):
        text = value.strip()
        if not _INTEGER.match(text):
            raise BadValue("a whole number is expected")
        value = int(text)
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    elif not isinstance(value, int) or isinstance(value, bool):
        raise BadValue("a whole number is expected")
    most = _RANGES[type_.name]
    if not -most <= value < most:
        raise BadValue("the number is out of range")
    return int(value)


_NUMBER = re.compile(r"[+-]?(\d++(?:\.\d*+)?|\.\d++)([eE][+-]?\d{1,4})?\Z", re.ASCII)


def _decimal(value: Any, type_: PgType) -> Any:
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not _NUMBER.match(text):
        raise BadValue("a number is expected")
    if type_.kind == "money":
        return text
    try:
        number = Decimal(text)
        if abs(number.adjusted()) > 1000:
            raise BadValue("the number is out of range")
        if type_.kind != "float":
            return number
        if abs(double := float(number)) == float("inf") or (type_.name == "real" and abs(double) > 3.4028235e38):
            raise BadValue("the number is out of range")
        return double
    except InvalidOperation:
        raise BadValue("a number is expected") from None


def _boolean(value: Any, type_: PgType) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise BadValue("true or false is expected")


_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


_NEVER = frozenset(("infinity", "-infinity"))


def _date(value: Any, type_: PgType) -> str:
    text = value.strip() if isinstance(value, str) else ""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).isoformat()
        if _DATE.match(text):
            return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        pass
    if text.lower() in _NEVER:
        return text
    raise BadValue("a date such as 2024-01-31 is expected")


_ZONE = re.compile(r"([+-]\d\d)(\d\d)?\Z", re.ASCII)


def _timestamp(value: Any, type_: PgType) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if _DATE.match(text):
        if len(text) > 11:
            text = text[:11] + _ZONE.sub(lambda m: f"{m[1]}:{m[2] or '00'}", text[11:].replace(" ", ""))
        try:
            moment = datetime.fromisoformat(text)
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
            return (moment if type_.kind == "timestamptz" else moment.replace(tzinfo=None)).isoformat(" ")
        except (ValueError, OverflowError):
            pass
    elif text.lower() in _NEVER:
        return text
    raise BadValue("a date and time such as 2024-01-31 09:00:00+00 is expected")


def _uuid(value: Any, type_: PgType) -> UUID:
    try:
        return UUID(value.strip())
    except (ValueError, AttributeError):
        raise BadValue("a uuid is expected") from None


def _json(value: Any, type_: PgType) -> str:
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, ValueError):
        raise BadValue("JSON is expected") from None
    if "\\u0000" in text and type_.name == "jsonb":
        raise BadValue("a text cannot hold the NUL character")
    return text


def _base64(value: Any, type_: PgType) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise BadValue("base64 is expected") from None


def _label(value: Any, type_: PgType) -> str:
    if value not in type_.labels:
        raise BadValue("one of " + ", ".join(type_.labels[:20]) + " is expected")
    return str(value)


def _array(value: Any, type_: PgType) -> str:
    """The literal of an array from a JSON array, or the literal itself; of composites the JSON."""
    if isinstance(value, str) and not type_.of_composites:
        return _text(value, type_)
    if not isinstance(value, list):
        raise BadValue("an array is expected")
    if type_.of_composites:
        return _json(value, type_)
    return _array_literal(value, type_.element, 0)


def _array_literal(items: list[Any], element: PgType | None, depth: int) -> str:
    if depth > 6:
        raise BadValue("the array is nested too deep")
    parts = []
    for item in items:
        if isinstance(item, list):
            parts.append(_array_literal(item, element, depth + 1))
        elif item is None:
            parts.append("NULL")
        else:
            bound = check(element, item) if element else item
            text = "\\x" + bound.hex() if isinstance(bound, bytes) else str(bound)
            parts.append('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
    return "{" + ",".join(parts) + "}"


def _composite(value: Any, type_: PgType) -> str:
    if isinstance(value, dict | list):
        return _json(value, type_)
    raise BadValue("an object is expected")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of type is handled.

    check: value of a request -> what is bound. native: asyncpg binds it as the type itself; else it is bound as text
    and cast. out: how the column is read, None for as it is. api: the `type` of table-api §12. json: JSON Schema.
    """

    check: Callable[[Any, PgType], Any]
    native: bool
    api: str
    json: dict[str, Any]
    out: str = ""
    cast: str = ""


_STRING = {"type": "string"}
KINDS: dict[str, Kind] = {
    "integer": Kind(_integer, True, "integer", {"type": "integer"}),
    "decimal": Kind(_decimal, True, "decimal", {"type": "number"}),
    "float": Kind(_decimal, True, "double", {"type": "number"}),
    "money": Kind(_decimal, False, "decimal", {"type": "number"}, out="numeric"),
    "boolean": Kind(_boolean, True, "boolean", {"type": "boolean"}),
    "text": Kind(_text, True, "string", _STRING),
    "date": Kind(_date, True, "date", {"type": "string", "format": "date"}),
    "timestamp": Kind(_timestamp, True, "timestamp", _STRING, out="text"),
    "timestamptz": Kind(_timestamp, True, "timestamp_tz", _STRING, out="text"),
    "uuid": Kind(_uuid, True, "uuid", {"type": "string", "format": "uuid"}),
    "json": Kind(_json, False, "json", {}),
    "bytea": Kind(_base64, True, "binary", {"type": "string", "contentEncoding": "base64"}, out="base64"),
    "enum": Kind(_label, False, "string", _STRING),
    "array": Kind(_array, False, "array", {"type": "array"}),
    "composite": Kind(_composite, False, "object", {"type": "object"}, cast="record"),
    "time": Kind(_text, False, "time", _STRING),
    "network": Kind(_text, False, "string", _STRING),
    "other": Kind(_text, False, "string", _STRING, out="text"),
}

# Kind by the name that `format_type` gives to the base type without its length.
BY_NAME = {
    "smallint": "integer", "integer": "integer", "bigint": "integer", "numeric": "decimal", "real": "float",
    "double precision": "float", "money": "money", "boolean": "boolean", "text": "text", "character varying": "text",
    "bpchar": "text", "name": "text", "inet": "network", "cidr": "network", "date": "date",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz", "uuid": "uuid", "json": "json", "jsonb": "json", "bytea": "bytea",
    "time without time zone": "time", "time with time zone": "time", "interval": "time",
}  # fmt: skip


def check(type_: PgType, value: Any) -> Any:
    """The value as it is bound. Raises BadValue when it does not fit."""
    return KINDS[type_.kind].check(value, type_)


def json_schema(type_: PgType) -> dict[str, Any]:
    schema = dict(KINDS[type_.kind].json)
    if type_.labels:
        schema["enum"] = list(type_.labels)
    if type_.element:
        schema["items"] = {}
    return schema
