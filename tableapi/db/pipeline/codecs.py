"""Wire format of parameters and results of pipelined statements, by type.

Values are encoded exactly as asyncpg encodes them with the codecs of `session.init_table_connection`. Types without an
entry, and values of an unexpected Python type, are left to asyncpg.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

from asyncpg.pgproto import pgproto

TEXT, BINARY = 0, 1  # format codes
_SIZE = struct.Struct(">i").pack


def parse_date(text: str) -> date | str:
    """Parse a date; return the text unchanged if Python cannot represent it."""
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text)
    return text


def parse_timestamp(text: str) -> datetime | str:
    """Parse a timestamp; return the text unchanged if Python cannot represent it."""
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text)
    return text


class Unencodable(Exception):
    """Raised for a value that asyncpg must encode or reject."""


def _of(type_: type, convert: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Return an encoder that accepts exactly one Python type and writes a length prefix."""

    def encode(value: Any) -> bytes:
        if type(value) is not type_:
            raise Unencodable
        data = convert(value)
        return _SIZE(len(data)) + data

    return encode


def _number(type_: type, layout: str) -> Callable[[Any], bytes]:
    pack, size = struct.Struct(">i" + layout).pack, struct.calcsize(">" + layout)

    def encode(value: Any) -> bytes:
        if type(value) is not type_:
            raise Unencodable
        try:
            return pack(size, value)
        except (struct.error, OverflowError):
            raise Unencodable from None

    return encode


def _text(value: Any) -> bytes:
    if type(value) is not str:
        raise Unencodable
    try:
        data = value.encode()
    except UnicodeEncodeError:
        raise Unencodable from None
    return _SIZE(len(data)) + data


def _uuid(value: Any) -> bytes:
    if not isinstance(value, UUID):
        raise Unencodable
    return _SIZE(16) + value.bytes


_FLAGS = {True: b"\0\0\0\1\1", False: b"\0\0\0\1\0"}


def _boolean(value: Any) -> bytes:
    if type(value) is not bool:
        raise Unencodable
    return _FLAGS[value]


_ARRAY = struct.Struct(">iiIii").pack  # dimensions, whether one is NULL, type, length, lower bound


def _array(oid: int, encode: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Return an encoder for lists of non-null values of one type."""

    def encoded(value: Any) -> bytes:
        if type(value) is not list:
            raise Unencodable
        data = _ARRAY(1, 0, oid, len(value), 1) + b"".join(map(encode, value))
        return _SIZE(len(data)) + data

    return encoded


# OID -> format code and encoder
ENCODERS: dict[int, tuple[int, Callable[[Any], bytes]]] = {
    16: (BINARY, _boolean),
    17: (BINARY, _of(bytes, bytes)),  # bytea
    19: (BINARY, _text),  # name
    20: (BINARY, _number(int, "q")),
    21: (BINARY, _number(int, "h")),
    23: (BINARY, _number(int, "i")),
    25: (BINARY, _text),
    700: (BINARY, _number(float, "f")),
    701: (BINARY, _number(float, "d")),
    1042: (BINARY, _text),  # bpchar
    1043: (BINARY, _text),  # varchar
    1082: (TEXT, _text),  # date
    1114: (TEXT, _text),  # timestamp
    1184: (TEXT, _text),  # timestamptz
    1700: (TEXT, _of(Decimal, lambda value: str(value).encode())),  # numeric
    2950: (BINARY, _uuid),
}
# OID of an array type -> OID of its element type. numeric[] has a binary format, which is left to asyncpg.
_ELEMENTS = {1000: 16, 1001: 17, 1003: 19, 1016: 20, 1005: 21, 1007: 23, 1009: 25, 1014: 1042, 1015: 1043, 1021: 700,
             1022: 701, 2951: 2950}  # fmt: skip
ENCODERS |= {oid: (BINARY, _array(element, ENCODERS[element][1])) for oid, element in _ELEMENTS.items()}


_integer = partial(int.from_bytes, byteorder="big", signed=True)


def _float(layout: str) -> Callable[[bytes], float]:
    unpack = struct.Struct(layout).unpack

    def decode(data: bytes) -> float:
        value: float = unpack(data)[0]
        return value

    return decode


# OID -> format code and decoder; None returns the bytes unchanged
DECODERS: dict[int, tuple[int, Callable[[bytes], Any] | None]] = {
    16: (BINARY, b"\1".__eq__),
    17: (BINARY, None),
    19: (BINARY, bytes.decode),
    20: (BINARY, _integer),
    21: (BINARY, _integer),
    23: (BINARY, _integer),
    25: (BINARY, bytes.decode),
    114: (BINARY, None),  # json is sent to the client without decoding
    700: (BINARY, _float(">f")),
    701: (BINARY, _float(">d")),
    1042: (BINARY, bytes.decode),
    1043: (BINARY, bytes.decode),
    1082: (TEXT, lambda data: parse_date(data.decode())),
    1114: (TEXT, lambda data: parse_timestamp(data.decode())),
    1184: (TEXT, lambda data: parse_timestamp(data.decode())),
    2950: (BINARY, pgproto.UUID),
}
