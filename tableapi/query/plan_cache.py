"""The compiled statements of one dataset, bounded in number and in bytes."""

from __future__ import annotations

import hashlib
import marshal
from typing import Any

_BINDER = 500  # bytes of one function that binds a value, with what it refers to
_PLAN = 3000  # of a plan beside its text and its binders
SHORT = 300  # characters of options that a key holds as they are


class Shapes(dict[Any, Any]):
    """What was compiled, by the shape of the request. Past a bound the oldest half goes."""

    def __init__(self, most: int, most_bytes: int) -> None:
        super().__init__()
        self._most, self._most_bytes = most, most_bytes
        self.bytes = 0

    def keep(self, key: Any, made: Any) -> None:
        """Remember what was compiled for a shape."""
        if (old := self.pop(key, None)) is not None:
            self.bytes -= weight(key) + weight(old)
        new = weight(key) + weight(made)
        if new > self._most_bytes // 4:
            return
        if len(self) >= self._most or self.bytes + new > self._most_bytes:
            for one in list(self)[: (len(self) + 1) // 2]:
                self.bytes -= weight(one) + weight(self.pop(one))
        self[key] = made
        self.bytes += new

    def clear(self) -> None:
        super().clear()
        self.bytes = 0


def weight(value: Any) -> int:
    """About how many bytes a key or something compiled takes."""
    match value:
        case str() | bytes():
            return len(value) + 50
        case tuple() | list():
            return 56 + sum(map(weight, value))
    if callable(value):
        return _BINDER
    sql = getattr(value, "sql", None)
    if sql is None:
        return 50
    options = getattr(value, "options", None)
    texts = sum(len(one) for one in (options.relations.values() if options is not None else ()))
    more = [one for one in (getattr(value, "counter", None), getattr(value, "measure", None)) if one is not None]
    return _PLAN + len(sql) + _BINDER * len(value.binders) + 2 * texts + sum(map(weight, more))


def short(options: tuple[tuple[str, str], ...]) -> Any:
    """Options as part of a key: themselves, or a digest of fixed size where they are long."""
    chars = 0
    for _, value in options:
        chars += len(value)
    return options if chars <= SHORT else digest(options)


def digest(value: Any) -> bytes:
    """A key of fixed size for a tuple of texts; different tuples have different ones."""
    return hashlib.blake2b(marshal.dumps(value, 0), digest_size=16).digest()
