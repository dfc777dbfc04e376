"""Build typed rows: one dataclass for each shape of row that a script reads."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import asyncpg

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")


@cache
def _columns(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def of_record(kind: type[R], record: asyncpg.Record) -> R:
    """Return the columns of `record` that `kind` has as fields. Raises TypeError if it lacks one of them."""
    try:
        return kind(*[record[name] for name in _columns(kind)])
    except KeyError as error:
        raise TypeError(f"{kind.__name__}: the statement returns no column {error}") from None
