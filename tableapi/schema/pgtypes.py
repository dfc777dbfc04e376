"""The type of a column, and the error for a value that does not match it."""

from __future__ import annotations

from dataclasses import dataclass


class BadValue(ValueError):
    """Raised for a value that does not match its type; the message describes the expected form."""


class BadMoment(BadValue):
    """Raised for a date or time. A message without "expected" continues a sentence after the value."""


@dataclass(frozen=True, slots=True)
class PgType:
    """Describe the type of a column.

    Attributes:
        kind: the key of `KINDS`.
        name: as written by `format_type`, without a length, quoted and qualified where necessary.
        db_type: human-readable, with length and precision.
        element: the type of the elements of an array.
        labels: the values of an enum.
        delimiter: the character between the elements of an array of this type.
        operators: the schema of its operators, if not in the search path.
        sorts, groups: whether rows can be ordered and grouped by it.
        signs: the supported comparison operators; None for all.
        bounds: the type of the bounds of a range.
        multirange: whether it is a list of ranges.
        postgis: the PostGIS schema, for PostGIS types.
        pgvector: the pgvector schema, for vectors.
        srid: the reference system of a geometry; 0 if the column does not specify it.
        fuzzy: whether its collation is nondeterministic: different texts may be equal, for example in another case.
        degrees: whether the coordinates of a geometry are longitudes and latitudes.
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
    bounds: PgType | None = None
    multirange: bool = False
    postgis: str = ""
    pgvector: str = ""
    srid: int = 0
    degrees: bool = True
    fuzzy: bool = False

    @property
    def is_time(self) -> bool:
        """Whether it is a date or a timestamp."""
        return self.kind in ("date", "timestamp", "timestamptz")

    @property
    def of_composites(self) -> bool:
        """Whether it is an array of composite values."""
        return self.element is not None and self.element.kind == "composite"


TEXT = PgType("text", "text", "text")
NUMERIC = PgType("decimal", "numeric", "numeric")
