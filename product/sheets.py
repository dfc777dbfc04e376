"""Read tables that people upload or paste: CSV of any program and encoding, and xlsx.

Every bound is checked while the text is read, so that no file can take long: call `read` in a thread.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import python_calamine

from product import encodings
from tableapi import FieldError

MAX_COLUMNS, MAX_EMPTY = 500, 5_000
MAX_RECORD_CHARS = 100_000  # of one row
MAX_XLSX_BYTES = 50_000_000  # unpacked
_DELIMITERS = ",;\t|"
_PREAMBLE = 10  # rows in which the header is looked for
_SAMPLE = 200_000  # bytes from which the encoding is guessed
_SEPARATOR = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)  # Excel's own first line
_NOT_LETTERS = re.compile("[^a-z]")
_XLSX = b"PK\x03\x04"
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


def bare(name: str) -> str:
    """Return a column name in lower case without spaces and punctuation."""
    return _NOT_LETTERS.sub("", name.lower())


def decoded(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return the text of a file and its encoding.

    That is the given one, or else that of its mark, UTF-8, UTF-16, or the likeliest.

    Raises:
        BadSheet: the bytes are not a text in the given encoding, or in any.
    """
    guesses = [encoding] if encoding else _encodings(data)
    for guess in guesses:
        try:
            text = data.decode(guess)
        except (UnicodeDecodeError, LookupError):
            continue
        if "\0" not in text:
            return text, guess.removesuffix("-sig")
    raise BadSheet(NOT_TEXT)


def _encodings(data: bytes) -> Iterator[str]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield "utf-16"
    yield "utf-8-sig"
    sample = data[:_SAMPLE]
    if sample.count(b"\0") > len(sample) // 5:  # ASCII letters in UTF-16 without a mark
        yield "utf-16-le" if sample[1::2].count(b"\0") > sample[::2].count(b"\0") else "utf-16-be"
    else:
        yield encodings.likeliest(sample)
        yield "cp1252"


def read(text: str, known: Callable[[str], bool], most: int) -> Sheet:
    """Parse a text. The header is the first row with known columns; lines in front of it are left out.

    known: whether a column name, as `bare` returns it, is known. most: rows; reading stops after one more.

    Raises:
        BadSheet: the text has no rows, is malformed or exceeds a bound.
    """
    text = text.removeprefix("\ufeff")
    if "\0" in text or "\ufffd" in text:  # U+FFFD stands for bytes that were not text
        raise BadSheet(NOT_TEXT)
    delimiter = ""
    if separator := _SEPARATOR.match(text):
        delimiter, text = separator[1], text[separator.end() :]
    first_line = 2 if separator else 1
    delimiter = delimiter or max(_DELIMITERS, key=lambda one: _fit(text, one, known))
    return _sheet(_records(text, delimiter, first_line), known, most)


def read_xlsx(data: bytes, known: Callable[[str], bool], most: int) -> Sheet:
    """Parse the first sheet of a workbook. Raises the errors of `read`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_XLSX_BYTES:
                raise BadSheet(FieldError("workbook_too_large", "The workbook is too large. Save the sheet as CSV."))
        sheet = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0)
        rows = sheet.iter_rows() if sheet.total_height else iter(())
        return _sheet(((number, [_cell(value) for value in row]) for number, row in enumerate(rows, 1)), known, most)
    except (zipfile.BadZipFile, python_calamine.CalamineError):
        message = "The workbook cannot be read. Save the sheet as CSV."
        raise BadSheet(FieldError("workbook_unreadable", message)) from None


def of_bytes(data: bytes, known: Callable[[str], bool], most: int, encoding: str = "") -> Sheet:
    """Parse a file: a workbook, or text in any encoding. Raises the errors of `read`."""
    if data.startswith(_XLSX):
        return read_xlsx(data, known, most)
    text, found = decoded(data, encoding)
    sheet = read(text, known, most)
    return Sheet(sheet.columns, sheet.rows, found)


def _cell(value: object) -> str:
    """Return the text of a cell of a workbook; whole numbers have no decimals."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _sheet(records: Iterable[tuple[int, list[str]]], known: Callable[[str], bool], most: int) -> Sheet:
    rows: list[tuple[int, tuple[str, ...]]] = []
    empty = 0
    for number, cells in records:
        if len(cells) > MAX_COLUMNS:
            raise BadSheet(FieldError("too_many_columns", f"Line {number} has more than {MAX_COLUMNS} columns.",
                                      {"line": number, "limit": MAX_COLUMNS}))  # fmt: skip
        if any(cell.strip() for cell in cells):
            rows.append((number, tuple(cell.strip() for cell in cells)))
        elif (empty := empty + 1) > MAX_EMPTY:
            raise BadSheet(FieldError("too_many_empty_lines", f"The file has more than {MAX_EMPTY:,} empty lines.",
                                      {"limit": MAX_EMPTY}))  # fmt: skip
        if len(rows) > most + _PREAMBLE:
            break
    if not rows:
        raise BadSheet(FieldError("nothing_to_import", "The file does not contain any people to import."))
    if len(rows[0][1]) == 1 and "/" in rows[0][1][0]:
        return Sheet((), tuple(rows))
    header = _header([cells for _, cells in rows[:_PREAMBLE]], known)
    return Sheet(_distinct(rows[header][1]), tuple(rows[header + 1 :]))


def _header(rows: Sequence[Sequence[str]], known: Callable[[str], bool]) -> int:
    """Return the place of the header: the first row with two known columns, or with one, or the first."""
    counts = [sum(known(bare(cell)) for cell in cells) for cells in rows]
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


def _fit(text: str, delimiter: str, known: Callable[[str], bool]) -> tuple[int, int]:
    """Return how well a delimiter fits the first rows: their known columns, and their width."""
    best = (0, 0)
    try:
        for _, (_, cells) in zip(range(_PREAMBLE), _records(text, delimiter), strict=False):
            best = max(best, (sum(known(bare(cell)) for cell in cells[:MAX_COLUMNS]), len(cells)))
    except BadSheet:
        return (-1, 0)
    return best


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
