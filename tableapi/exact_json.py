"""Read and write JSON without changing the digits of numbers.

orjson parses a number with a fraction or an exponent as a double, which has 15 to 17 digits. A number that would change
becomes a `Number`: a float for code that compares it, the original text for code that stores it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

# Digits become 0; the point and both exponent letters become e. Two substring searches then find every number that
# orjson might change: one with a fraction or an exponent, and one that may exceed 64 bits.
_PATTERN = bytes.maketrans(b"123456789E.", b"000000000ee")
_FRACTION, _LONG = b"0e", b"0" * 19
_EXPONENTS = bytes.maketrans(b"123456789E", b"000000000e")
_NEGATIVE_ZERO = re.compile(rb"-0(?<=[\[:,\s]-0)(?=[\s,\]}])")  # begins with its text, so the search is fast
_INT64 = range(-(2**63), 2**64)


class Number(float):
    """A JSON number that a double cannot represent; `str` returns its original text."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Cell(str):
    """A CSV cell, where nested values are written as JSON."""

    __slots__ = ()

    def value(self) -> Any:
        """Return the value if the text is JSON, else the text itself."""
        try:
            return loads(str(self))
        except orjson.JSONDecodeError:
            return str(self)


def loads(raw: bytes | str) -> Any:
    """Decode JSON with exact numbers. Raises orjson.JSONDecodeError."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if "infinity" not in error.msg:  # a number beyond the range of a double is valid JSON
            raise
        value = _decode_strictly(raw, error)
    else:
        data = raw if isinstance(raw, bytes) else raw.encode()
        pattern = data.translate(_PATTERN)
        is_long = _LONG in pattern
        if b"-0" in data and _NEGATIVE_ZERO.search(data):  # an integer for orjson, which has no sign then
            value = _decode(data, _DECODER)
        elif (_FRACTION in pattern or is_long) and not _is_kept(value, data):
            value = _decode(data, _DECODER if is_long or b"-0" in data else _OF_SHORT_INTEGERS)
    return value


def _is_kept(value: Any, data: bytes) -> bool:
    """Whether orjson kept every digit, because it writes the same text again. Saves decoding in Python.

    A text with blanks or exponents is never the same.
    """
    try:
        return orjson.dumps(value) == data and _FRACTION not in data.translate(_EXPONENTS)
    except TypeError:  # nested deeper than orjson writes
        return False


MIN_PARTS = 131_072  # size from which a body is decoded record by record
_LIST = '{"resource":['
_BLANKS = re.compile(r"[ \t\n\r]*+")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # in a pair or alone; orjson distinguishes them


def each(raw: bytes) -> Iterator[Any]:
    """Yield the items of a JSON array written by PostgreSQL.

    A long array is decoded item by item, because a decoder blocks all other threads until it returns.
    """
    if len(raw) < MIN_PARTS or _SURROGATE.search(raw):
        yield from loads(raw)
        return
    for item, _ in _items(raw.decode(), 1):
        yield item


def loads_list(raw: bytes) -> Any:
    """Decode a response; the records of a long list are decoded one by one, as in `each`."""
    if len(raw) < MIN_PARTS or not raw.startswith(_LIST.encode()) or _SURROGATE.search(raw):
        return loads(raw)
    text, at, records = raw.decode(), len(_LIST), []
    for record, after in _items(text, at):
        records.append(record)
        at = after
    rest = text[text.index("]", at) + 1 :].removeprefix(",")
    return {"resource": records, **loads("{" + rest)}


def _items(text: str, at: int) -> Iterator[tuple[Any, int]]:
    """Yield the items of an array from the position after its bracket, each with the position after it."""
    at = _after(text, at)
    while text[at] != "]":
        try:
            item, at = _DECODER.raw_decode(text, at)
        except RecursionError:
            raise orjson.JSONDecodeError("too deep", "", 0) from None
        yield item, at
        at = _after(text, at)
        at = _after(text, at + 1) if text[at] == "," else at


def _after(text: str, at: int) -> int:
    """Return the position after any white space."""
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]


def dumps(value: Any) -> bytes:
    """Encode a value; each `Number` keeps its original text and each integer all its digits.

    Raises TypeError for values without a JSON form.
    """
    try:
        return orjson.dumps(value, default=_default)
    except TypeError:  # may be a value that only this module can encode
        return _dumps(value)


def _dumps(value: Any) -> bytes:
    """Encode a value that orjson rejects: more than 254 levels of nesting, or integers beyond 64 bits."""
    done: list[bytes] = []
    rest = [value]  # the remaining parts, with the next one last
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            rest.extend(reversed(_joined("{", [(_name(name), item) for name, item in part.items()], "}")))
        elif isinstance(part, list | tuple):
            rest.extend(reversed(_joined("[", [("", item) for item in part], "]")))
        elif type(part) is int and part not in _INT64:
            done.append(str(part).encode())
        else:
            done.append(orjson.dumps(part, default=_default))
    return b"".join(done)


def _joined(opening: str, items: list[tuple[str, Any]], closing: str) -> list[Any]:
    """Return the parts of an object or list in order, with punctuation."""
    parts: list[Any] = []
    for name, item in items:
        parts += [orjson.Fragment((opening if not parts else ",") + name), item]
    return [*parts, orjson.Fragment(closing if parts else opening + closing)]


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("a member name must be a string")
    return orjson.dumps(name).decode() + ":"


def plain(value: Any) -> Any:
    """Convert a value that orjson cannot encode: a `Number` to its text, others to a string."""
    return orjson.Fragment(value.text) if isinstance(value, Number) else str(value)


def _default(value: Any) -> Any:
    if isinstance(value, Number):
        return orjson.Fragment(value.text)
    raise TypeError(type(value).__name__)


def _integer(text: str) -> int | Number:
    if len(text) > 20:
        return Number(text)
    number = int(text)
    return number if number in _INT64 and text != "-0" else Number(text)


def _float(text: str) -> float:
    number = float(text)
    return number if repr(number) == text and "e" not in text else Number(text)


def _constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_constant)
_OF_SHORT_INTEGERS = json.JSONDecoder(parse_float=_float, parse_constant=_constant)  # none beyond 64 bits, and no -0


def _decode(raw: bytes, decoder: json.JSONDecoder) -> Any:
    """Decode JSON that orjson accepts."""
    try:
        return decoder.decode(raw.decode())
    except RecursionError:
        raise orjson.JSONDecodeError("too deep", "", 0) from None


def _decode_strictly(raw: bytes | str, error: orjson.JSONDecodeError) -> Any:
    """Decode JSON that orjson rejected because of a number; raise for any other problem."""
    try:
        value = _DECODER.decode(raw if isinstance(raw, str) else raw.decode())
        orjson.dumps(value, default=_allow_numbers)
    except json.JSONDecodeError as other:
        raise orjson.JSONDecodeError(other.msg, other.doc, other.pos) from None
    except (ValueError, TypeError, RecursionError):
        raise error from None
    return value


def _allow_numbers(value: Any) -> Any:
    if not isinstance(value, Number):
        raise TypeError
    return None
