"""Read tables that people upload or paste: CSV of any program and encoding, and xlsx.

Every bound is checked while the text is read, so that no file can take long: call `read` in a thread.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import python_calamine

from product import encodings, headings
from tableapi import FieldError

MAX_COLUMNS, MAX_EMPTY = 500, 5_000
MAX_RECORD_CHARS = 100_000  # of one row
MAX_XLSX_BYTES = 50_000_000  # unpacked
_DELIMITERS = ",;\t|"
_PREAMBLE = 10  # rows in which the header is looked for
_SEPARATOR = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)  # Excel's own first line
_FORMULA = ("=", "+", "-", "@")  # first letters
_XLSX = b"PK\x03\x04"
NO_PEOPLE = FieldError(
    "nothing_to_import",
    "The file does not contain any people to import. Its first line names the columns, such as linkedinurl.",
)
NOT_TEXT = FieldError("file_not_utf8", "The file is not UTF-8 text. Save it as CSV (UTF-8).")


class BadSheet(ValueError):
    """A file that cannot be read; `error` says why and what to do."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Sheet:
    """Column names, and rows with the number of the line on which each begins.

    columns: names that repeat have a number, `Website (2)`, and empty ones are `Column 2`. Empty for plain addresses.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Table:
    """Column names, and an iterator that reads the rows and may raise BadSheet."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[int, tuple[str, ...]]]
    encoding: str = "utf-8"


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from reading a formula in it."""
    return cell[1:] if cell.startswith("'") and cell[1:2] in _FORMULA else cell


def decoded(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return the text of a file and its encoding.

    That is the given one, or else that of its mark, UTF-8, UTF-16, or the likeliest.

    Raises:
        BadSheet: the bytes are not a text in the given encoding, or in any.
    """
    guesses = [encoding] if encoding else encodings.guesses(data)
    for guess in guesses:
        try:
            text = data.decode(guess)
        except (UnicodeDecodeError, LookupError):
            continue
        if "\0" not in text:
            return text, guess.removesuffix("-sig")
    raise BadSheet(NOT_TEXT)


def read(text: str, most: int) -> Sheet:
    """Parse a text. The header is the first row with known headings; lines in front of it are left out.

    most: rows; reading stops after one more.

    Raises:
        BadSheet: the text has no rows, is malformed or exceeds a bound.
    """
    return _sheet(_of_text(text), most)


def of_bytes(data: bytes, most: int, encoding: str = "") -> Sheet:
    """Parse a file: a workbook, or text in any encoding. Raises the errors of `read`."""
    return _sheet(table_of(data, encoding), most)


def table_of(data: bytes, encoding: str = "") -> Table:
    """Parse a file of any length. Raises the errors of `read`."""
    if data.startswith(_XLSX):
        return _of_xlsx(data)
    text, found = decoded(data, encoding)
    return _of_text(text, found)


def _of_text(text: str, encoding: str = "utf-8") -> Table:
    text = text.removeprefix("\ufeff")
    if "\0" in text or "\ufffd" in text:  # U+FFFD stands for bytes that were not text
        raise BadSheet(NOT_TEXT)
    delimiter = ""
    if separator := _SEPARATOR.match(text):
        delimiter, text = separator[1], text[separator.end() :]
    first_line = 2 if separator else 1
    delimiter = delimiter or max(_DELIMITERS, key=lambda one: _fit(text, one))
    return _table(_records(text, delimiter, first_line), encoding)


def _of_xlsx(data: bytes) -> Table:
    """Return the first sheet of a workbook with known headings, or the first."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_XLSX_BYTES:
                raise BadSheet(FieldError("workbook_too_large", "The workbook is too large. Save the sheet as CSV."))
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        best = max(range(len(book.sheet_names)), key=lambda place: min(2, _known(_of_sheet(book, place))))
        return _table(_of_sheet(book, best))
    except (zipfile.BadZipFile, python_calamine.CalamineError):
        message = "The workbook cannot be read. Save the sheet as CSV."
        raise BadSheet(FieldError("workbook_unreadable", message)) from None


def _of_sheet(book: python_calamine.CalamineWorkbook, place: int) -> Iterator[tuple[int, list[str]]]:
    if book.sheets_metadata[place].typ != python_calamine.SheetTypeEnum.WorkSheet:
        return
    sheet = book.get_sheet_by_index(place)
    for number, row in enumerate(sheet.iter_rows() if sheet.total_height else (), 1):
        yield number, [_cell(value) for value in row]


def _cell(value: object) -> str:
    """Return the text of a cell of a workbook; whole numbers have no decimals."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _sheet(table: Table, most: int) -> Sheet:
    rows = tuple(islice(table.rows, most + 1))
    if not rows:
        raise BadSheet(NO_PEOPLE)
    return Sheet(table.columns, rows, table.encoding)


def _table(records: Iterable[tuple[int, list[str]]], encoding: str = "utf-8") -> Table:
    rows = _filled(records)
    first = list(islice(rows, _PREAMBLE))
    if not first:
        raise BadSheet(NO_PEOPLE)
    if len(first[0][1]) == 1 and "/" in first[0][1][0]:
        return Table((), chain(first, rows), encoding)
    place = _header([cells for _, cells in first])
    header = first[place][1]
    if any(map(headings.is_profile, header)):  # a person: the table has no header
        return Table(_distinct([""] * len(header)), chain(first[place:], rows), encoding)
    body: Iterator[tuple[int, tuple[str, ...]]] = chain(first[place + 1 :], rows)
    if any(map(headings.is_known, header)):  # files that were joined have it several times
        body = (row for row in body if row[1] != header)
    return Table(_distinct(header), body, encoding)


def _filled(records: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the rows that are not empty, within the bounds."""
    empty = 0
    for number, cells in records:
        if len(cells) > MAX_COLUMNS:
            raise BadSheet(FieldError("too_many_columns", f"Line {number} has more than {MAX_COLUMNS} columns.",
                                      {"line": number, "limit": MAX_COLUMNS}))  # fmt: skip
        if any(cell.strip() for cell in cells):
            yield number, tuple(unguarded(cell.strip()) for cell in cells)
        elif (empty := empty + 1) > MAX_EMPTY:
            raise BadSheet(FieldError("too_many_empty_lines", f"The file has more than {MAX_EMPTY:,} empty lines.",
                                      {"limit": MAX_EMPTY}))  # fmt: skip


def _header(rows: Sequence[Sequence[str]]) -> int:
    """Return the place of the header: the first row with two known headings, or with one, or the first."""
    counts = [sum(map(headings.is_known, cells)) for cells in rows]
    return next((place for least in (2, 1) for place, count in enumerate(counts) if count >= least), 0)


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for place, name in enumerate(names, 1):
        name = name[:100] or f"Column {place}"
        number = 1
        while (numbered := name if number == 1 else f"{name} ({number})") in found:
            number += 1
        found[numbered] = None
    return tuple(found)


def _known(records: Iterable[tuple[int, list[str]]]) -> int:
    """Return the largest number of known headings in one of the first rows."""
    return max((sum(map(headings.is_known, cells[:MAX_COLUMNS])) for _, cells in islice(records, _PREAMBLE)), default=0)


def _fit(text: str, delimiter: str) -> tuple[int, int]:
    """Return how well a delimiter fits the first rows: their known headings, and their width."""
    try:
        first = list(islice(_records(text, delimiter), _PREAMBLE))
    except BadSheet:
        return (-1, 0)
    return _known(first), max((len(cells) for _, cells in first), default=0)


class _Lines:
    """The lines of a text, which stop a record that is too long."""

    def __init__(self, text: str) -> None:
        self._lines, self.chars = io.StringIO(text, newline=""), 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._lines.readline(MAX_RECORD_CHARS + 1)
        if not line:
            raise StopIteration
        self.chars += len(line)
        if self.chars > MAX_RECORD_CHARS:
            raise _TooLong
        return line


class _TooLong(ValueError):
    """A record is longer than MAX_RECORD_CHARS."""


def _records(text: str, delimiter: str, first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the number of the line on which each begins."""
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        begins, lines.chars = reader.line_num + first_line, 0
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _TooLong:
            raise BadSheet(FieldError("line_too_long", f"The row on line {begins} is too long. Is a quote not closed?",
                                      {"line": begins, "limit": MAX_RECORD_CHARS})) from None  # fmt: skip
        except csv.Error:
            raise BadSheet(FieldError("file_unreadable", f"The row on line {begins} is not valid CSV: a quote is not "
                                      "closed or misplaced.", {"line": begins})) from None  # fmt: skip
        yield begins, cells
