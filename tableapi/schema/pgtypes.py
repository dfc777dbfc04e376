"""A type of a column, and the refusal of a value that does not fit one."""

from __future__ import annotations

from dataclasses import dataclass


class BadValue(ValueError):
    """A value that does not fit its type; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class PgType:
    """One type of a column.

    kind: key of KINDS. name: as `format_type` writes it, without a length, quoted and qualified where needed.
    db_type: with length and precision, for people. element: of an array. labels: of an enum.
    delimiter: between the elements of an array of this type. operators: the schema of its operators, where a plain =
    would not find them. sorts, groups: whether rows can be ordered and grouped by it. signs: the comparisons that it
    has; None for all.
    """

    kind: str
    name: str
    db_type: str
    element: PgType | None = None
    labels: tuple[str, ...] = ()
    delimiter: str = ","
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
