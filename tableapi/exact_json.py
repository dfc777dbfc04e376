"""JSON whose numbers keep every digit. In: bytes of a request or of PostgreSQL. Out: plain data, and JSON again.

orjson reads a number with a fraction or an exponent as a double, which holds 15 to 17 digits. A number that would
change becomes a `Number`: a float for code that compares it, the text that was sent for code that stores it.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

# All digits become 0; the point and both letters of an exponent become e. Two searches then find every number that
# orjson might change: one that has a fraction or an exponent, and one that may not fit into 64 bits.
_SHAPE = bytes.maketrans(b"123456789E.", b"000000000ee")
_FRACTION, _LONG = b"0e", b"0" * 19
_INT64 = range(-(2**63), 2**64)


class Number(float):
    """A number of JSON that a double cannot hold; `str` gives it as it was sent."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def loads(raw: bytes | str) -> Any:
    """Read JSON without changing a digit. Raises orjson.JSONDecodeError."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if "infinity" not in error.msg:  # a number past the range of a double is valid JSON
            raise
        value = _checked(raw, error)
    else:
        data = raw if isinstance(raw, bytes) else raw.encode()
        shape = data.translate(_SHAPE)
        if _FRACTION in shape or _LONG in shape:
            value = _decoded(data)
    return value


def dumps(value: Any) -> bytes:
    """Write JSON with every `Number` as it was sent. Raises TypeError for what JSON cannot hold."""
    return orjson.dumps(value, default=_default)


def plain(value: Any) -> Any:
    """Give orjson what it cannot write: a `Number` as it was sent, anything else as its text."""
    return orjson.Fragment(value.text) if isinstance(value, Number) else str(value)


def _default(value: Any) -> Any:
    if isinstance(value, Number):
        return orjson.Fragment(value.text)
    raise TypeError(type(value).__name__)


def _whole(text: str) -> int | Number:
    if len(text) > 20:
        return Number(text)
    number = int(text)
    return number if number in _INT64 and text != "-0" else Number(text)


def _float(text: str) -> float:
    number = float(text)
    return number if repr(number) == text and "e" not in text else Number(text)


def _constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_int=_whole, parse_float=_float, parse_constant=_constant)


def _decoded(raw: bytes | str) -> Any:
    """Read JSON that orjson has accepted."""
    try:
        return _DECODER.decode(raw if isinstance(raw, str) else raw.decode())
    except RecursionError:
        raise orjson.JSONDecodeError("too deep", "", 0) from None


def _checked(raw: bytes | str, error: orjson.JSONDecodeError) -> Any:
    """Read JSON that orjson refused for a number alone; whatever else is wrong with it is still refused."""
    try:
        value = _DECODER.decode(raw if isinstance(raw, str) else raw.decode())
        orjson.dumps(value, default=_strict)
    except json.JSONDecodeError as other:
        raise orjson.JSONDecodeError(other.msg, other.doc, other.pos) from None
    except (ValueError, TypeError, RecursionError):
        raise error from None
    return value


def _strict(value: Any) -> Any:
    if not isinstance(value, Number):
        raise TypeError
    return None
