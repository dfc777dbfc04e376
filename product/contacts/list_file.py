"""Read people for a list from pasted addresses or from a CSV with any columns."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from product.contacts.lists import MappingNeeded
from tableapi import FieldError, Invalid

MAX_ROWS = 1000
FIELDS = ("linkedinurl", "name", "firstname", "lastname", "company", "tags", "note")
_DELIMITERS = ",;\t"
_NOT_LETTERS = re.compile("[^a-z]")
# Column names that need no mapping, ignoring case, spaces and punctuation.
_KNOWN = {
    "linkedinurl": "linkedinurl", "linkedin": "linkedinurl", "linkedinprofile": "linkedinurl",
    "linkedinprofileurl": "linkedinurl", "personlinkedinurl": "linkedinurl", "profileurl": "linkedinurl",
    "profile": "linkedinurl", "url": "linkedinurl",
    "name": "name", "fullname": "name", "contactname": "name", "personname": "name", "firstname": "firstname",
    "lastname": "lastname", "surname": "lastname", "company": "company", "companyname": "company",
    "organization": "company", "organizationname": "company", "account": "company", "accountname": "company",
    "tags": "tags", "tag": "tags", "labels": "tags", "note": "note", "notes": "note", "comment": "note",
}  # fmt: skip


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
class Sheet:
    """A file: column names, and rows with their line numbers. Pasted addresses have no columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def header_hash(self) -> bytes:
        """The key under which the mapping of these columns is stored."""
        return hashlib.sha256("\0".join(name.strip().lower() for name in self.columns).encode()).digest()

    def suggested(self) -> dict[str, str]:
        """Guess the fields from the column names."""
        mapping: dict[str, str] = {}
        for name in self.columns:
            known = _KNOWN.get(_NOT_LETTERS.sub("", name.lower()), "")
            if known and known not in mapping.values():
                mapping[name] = known
        return mapping


def read(text: str) -> Sheet:
    """Parse a text into a sheet. Raises Invalid (422)."""
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise _invalid("file_not_utf8", "The file is not UTF-8 text. Save it as CSV (UTF-8).")
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        lines = [(number, row) for number, row in _lines(text, delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise _invalid("file_unreadable", f"The file cannot be read: {error}.") from None
    if not lines:
        raise _invalid("nothing_to_import", "The file does not contain any people to import.")
    if first.count(delimiter) == 0 and _is_address(first):
        sheet = Sheet((), tuple((number, (row[0].strip(),)) for number, row in lines))
    else:
        columns = tuple(name.strip()[:100] or f"Column {place}" for place, name in enumerate(lines[0][1], 1))
        if len(set(columns)) < len(columns):
            raise _invalid("columns_alike", "Two columns have the same name. Rename one of them.")
        sheet = Sheet(columns, tuple((number, tuple(row)) for number, row in lines[1:]))
    if len(sheet.rows) > MAX_ROWS:
        raise _invalid("file_too_long", f"A file may contain at most {MAX_ROWS:,} people. Split it.", limit=MAX_ROWS)
    return sheet


def _lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return [(reader.line_num, row) for row in reader]


def _is_address(text: str) -> bool:
    return "/" in text


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
