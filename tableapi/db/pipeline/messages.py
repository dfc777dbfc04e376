"""PostgreSQL protocol messages for prepared statements, and the statement cache of a connection."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from tableapi.db.pipeline.codecs import DECODERS, ENCODERS, Unencodable

# First byte of each server message that is understood
(
    PARSE_COMPLETE, BIND_COMPLETE, CLOSE_COMPLETE, NOTIFICATION, COMMAND_COMPLETE, DATA_ROW, ERROR, EMPTY_QUERY,
    NOTICE, PARAMETER_STATUS, ROW_DESCRIPTION, READY, NO_DATA, SUSPENDED, PARAMETERS,
) = b"123ACDEINSTZnst"  # fmt: skip
IGNORED = frozenset((PARSE_COMPLETE, BIND_COMPLETE, CLOSE_COMPLETE, NOTIFICATION, NOTICE, PARAMETER_STATUS))
COMPLETE = frozenset((COMMAND_COMPLETE, EMPTY_QUERY, NO_DATA, SUSPENDED))  # needed before a reply may end

HEADER = struct.Struct(">BI").unpack_from  # message type, and length excluding the type byte
IDLE = ord("I")  # in READY: outside a transaction
BOUND = b"2\0\0\0\4"  # BIND_COMPLETE as a whole
END_OF_ROW = b"s\0\0\0\4Z\0\0\0\5I"  # SUSPENDED and READY, after the only row
_length = struct.Struct(">I").pack
_count, _count_at = struct.Struct(">H").pack, struct.Struct(">H").unpack_from
_size_at = struct.Struct(">i").unpack_from
_COLUMN = struct.Struct(">IHIhih")  # table, number, type, size and modifier of the type, format

_SYNC = b"S\0\0\0\4"
_EXECUTE_SYNC = b"E\0\0\0\x09\0\0\0\0\1" + _SYNC  # unnamed portal, one row
_NULL = b"\xff\xff\xff\xff"


class Row(dict[str, Any]):
    """A row with access by column name and, as in an asyncpg record, by position."""

    def __missing__(self, key: object) -> Any:
        if isinstance(key, int):
            return list(self.values())[key]
        raise KeyError(key)


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + _length(len(body) + 4) + body


def parse(name: bytes, sql: str) -> bytes:
    """Return the messages that prepare a statement and request its parameter and column types."""
    text = _message(b"P", name + b"\0" + sql.encode() + b"\0\0\0")
    return text + _message(b"D", b"S" + name + b"\0") + _SYNC


def close(name: bytes) -> bytes:
    """Return the message that closes a prepared statement. It must be followed by a Sync."""
    return _message(b"C", b"S" + name + b"\0")


def parameter_types(data: bytes) -> list[int]:
    """Return the types in a ParameterDescription."""
    (count,) = _count_at(data)
    return list(struct.unpack_from(f">{count}I", data, 2))


def columns(data: bytes) -> list[tuple[str, int]]:
    """Return the name and type of each column of a RowDescription."""
    (count,) = _count_at(data)
    described, position = [], 2
    for _ in range(count):
        end = data.index(b"\0", position)
        described.append((data[position:end].decode(), _COLUMN.unpack_from(data, end + 1)[2]))
        position = end + 1 + _COLUMN.size
    return described


def error_fields(data: bytes) -> dict[str, str]:
    """Return the fields of an ErrorResponse, keyed by their one-letter codes."""
    fields = (part.decode("utf-8", "replace") for part in data.split(b"\0"))
    return {field[0]: field[1:] for field in fields if field}


class Prepared:
    """A statement prepared on one connection: how to encode its parameters and decode its rows."""

    __slots__ = ("_columns", "_encoders", "_head", "_tail", "name")

    def __init__(self, name: bytes, parameters: Sequence[int], columns: Sequence[tuple[str, int]]) -> None:
        """Raise Unencodable for a type that only asyncpg supports, or for two columns with the same name."""
        self.name = name
        if not ENCODERS.keys() >= set(parameters) or not DECODERS.keys() >= {type_ for _, type_ in columns}:
            raise Unencodable
        if len({column for column, _ in columns}) < len(columns):
            raise Unencodable
        self._encoders = [ENCODERS[type_][1] for type_ in parameters]
        self._columns: list[tuple[str, Callable[[bytes], Any] | None]]
        self._columns = [(column, DECODERS[type_][1]) for column, type_ in columns]
        formats = b"".join(_count(ENCODERS[type_][0]) for type_ in parameters)
        count = _count(len(parameters))
        self._head = b"\0" + name + b"\0" + count + formats + count
        formats = b"".join(_count(DECODERS[type_][0]) for _, type_ in columns)
        self._tail = _count(len(columns)) + formats

    def run(self, args: Sequence[Any]) -> bytes:
        """Return the messages that execute the statement.

        Raises Unencodable for a value that has to be left to asyncpg.
        """
        if len(args) != len(self._encoders):
            raise Unencodable
        parts = [self._head]
        for encode, value in zip(self._encoders, args):  # noqa: B905 - as many, see above
            parts.append(_NULL if value is None else encode(value))
        parts.append(self._tail)
        body = b"".join(parts)
        return b"".join((b"B", _length(len(body) + 4), body, _EXECUTE_SYNC))

    def row(self, data: bytes, position: int) -> Row:
        """Decode the DataRow that begins at `position`."""
        columns = self._columns
        if _count_at(data, position)[0] != len(columns):
            raise ValueError("a row with another number of columns")
        row, position = Row(), position + 2
        for name, decode in columns:
            begin = position + 4
            position = begin + _size_at(data, position)[0]
            if position < begin:
                position, row[name] = begin, None
            elif decode is None:
                row[name] = data[begin:position]
            else:
                row[name] = decode(data[begin:position])
        return row


Statement = TypeVar("Statement")
MAX_CHARS = 2_000_000  # of SQL kept per connection; a read of all relations of a wide schema can have a million


class PreparedStatements(dict[str, Statement], Generic[Statement]):
    """An LRU cache of prepared statements by SQL, limited in number and in total characters."""

    __slots__ = ("_chars", "_most")

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._chars = most, 0

    def make_room(self, sql: str) -> list[Statement]:
        """Evict the statements that must make room for a new one, and return them."""
        displaced = []
        while self and (len(self) >= self._most or self._chars + len(sql) > MAX_CHARS):
            oldest = next(iter(self))
            displaced.append(self.pop(oldest))
            self._chars -= len(oldest)
        return displaced

    def keep(self, sql: str, statement: Statement) -> list[Statement]:
        """Add a statement, and return those evicted for it."""
        displaced = self.make_room(sql)
        self[sql] = statement
        self._chars += len(sql)
        return displaced

    def used(self, sql: str) -> Statement | None:
        """Return a statement and mark it as most recently used; None if it is unknown."""
        if 2 * len(self) < self._most and 2 * self._chars < MAX_CHARS:  # none has to make room soon
            return self.get(sql)
        statement = self.pop(sql, None)
        if statement is not None:
            self[sql] = statement
        return statement

    def clear(self) -> None:
        super().clear()
        self._chars = 0
