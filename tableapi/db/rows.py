"""Build typed rows: one dataclass for each shape of row that a script reads."""

from __future__ import annotations

from dataclasses import Field, fields
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

import asyncpg


class DataclassRow(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=DataclassRow)


@cache
def _columns(kind: type[DataclassRow]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def of_record(kind: type[R], record: asyncpg.Record) -> R:
    """Return the columns of `record` that `kind` has as fields. Raises TypeError if it lacks one of them."""
    try:
        return kind(*[record[name] for name in _columns(kind)])
    except KeyError as error:
        raise TypeError(f"{kind.__name__}: the statement returns no column {error}") from None
