"""Read people for a list from pasted addresses or from a table with any columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from product import headings, sheets
from product.contacts.lists import MappingNeeded
from product.sheets import BadSheet
from tableapi import FieldError, Invalid

MAX_ROWS = 1000
FIELDS = ("linkedinurl", "name", "firstname", "lastname", "company", "tags", "note")


@dataclass(frozen=True, slots=True)
class Line:
    """One person of a file, by address or by name and company."""

    number: int
    linkedinurl: str = ""
    name: str = ""
    company: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sheet(sheets.Sheet):
    """A table of people. Pasted addresses have no columns."""

    @property
    def header_hash(self) -> bytes:
        """The key under which the mapping of these columns is stored."""
        return hashlib.sha256("\0".join(name.strip().lower() for name in self.columns).encode()).digest()

    def suggested(self) -> dict[str, str]:
        """Guess the fields from the headings, and from the rows."""
        places = headings.places(self.columns, [cells for _, cells in self.rows])
        found = {self.columns[places[field][0]]: field for field in FIELDS if field in places}
        return {name: found[name] for name in self.columns if name in found}


def read(source: str | bytes, encoding: str = "") -> Sheet:
    """Parse a pasted text, or a file in any encoding. May take long, so call it in a thread.

    Raises:
        Invalid: it cannot be read, is empty, or has more than MAX_ROWS people (422).
    """
    try:
        if isinstance(source, str):
            sheet = sheets.read(source, MAX_ROWS)
        else:
            sheet = sheets.of_bytes(source, MAX_ROWS, encoding)
    except BadSheet as error:
        raise Invalid({"text": error.error}) from None
    if len(sheet.rows) > MAX_ROWS:
        raise _invalid("file_too_long", f"A file may contain at most {MAX_ROWS:,} people. Split it.", limit=MAX_ROWS)
    return Sheet(sheet.columns, sheet.rows, sheet.encoding)


def people(sheet: Sheet, mapping: Mapping[str, str]) -> list[Line]:
    """Return the people in a sheet according to its column mapping. Raises Invalid if that is wrong."""
    if not sheet.columns:
        return [Line(number, linkedinurl=row[0]) for number, row in sheet.rows]
    used = {name: field for name, field in mapping.items() if field}
    if unknown := set(used) - set(sheet.columns):
        raise _unfit(FieldError("column_unknown", f"The file has no column {sorted(unknown)[0]!r}."))
    if len(set(used.values())) < len(used):
        raise _unfit(FieldError("columns_mean_same", "Two columns have the same meaning."))
    fields = set(used.values())
    if "linkedinurl" not in fields and not ({"name", "company"} <= fields or {"lastname", "company"} <= fields):
        raise MappingNeeded(list(sheet.columns))
    place = {field: sheet.columns.index(name) for name, field in used.items()}
    return [_line(number, row, place) for number, row in sheet.rows]


def _line(number: int, row: Sequence[str], place: Mapping[str, int]) -> Line:
    def cell(field: str) -> str:
        position = place.get(field, len(row))
        return row[position].strip() if position < len(row) else ""

    name = cell("name") or f"{cell('firstname')} {cell('lastname')}".strip()
    tags = tuple(dict.fromkeys(tag.strip()[:40] for tag in re.split("[,;]", cell("tags")) if tag.strip()))[:20]
    return Line(number, cell("linkedinurl"), name[:200], cell("company")[:200], tags, cell("note")[:1000])


def _invalid(case: str, message: str, **numbers: float) -> Invalid:
    return Invalid({"text": FieldError(case, message, numbers)})


def _unfit(error: FieldError) -> Invalid:
    return Invalid({"mapping": error}, "The mapping does not match the columns of the file.", case="mapping_unfit")
