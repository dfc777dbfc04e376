"""Export lists as CSV or xlsx files.

In xlsx every cell is text, so no cell can act as a formula. CSV has no types, so a cell that a spreadsheet would
evaluate is prefixed with an apostrophe, unless it consists of phone numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tableapi import exact_json
from tableapi.errors import ApiError
from tableapi.http.compression import media_type

CSV = "text/csv; charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMS = {"csv": "csv", "text/csv": "csv", "xlsx": "xlsx", XLSX: "xlsx"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# As in ITU-T E.123 and RFC 3966: digits in groups, an area code in parentheses, an extension.
_PHONE = r"\+\(?[0-9](?:[ ().\u00a0\u202f\u2010-\u2013-]*[0-9]){4,24}(?: ?(?:x|ext\.?) ?[0-9]{1,6})?"
_PHONES = re.compile(rf"(?:\+[0-9]+|{_PHONE}(?:[,;] ?{_PHONE})*)\Z")
_NOT_IN_NAMES = re.compile(r"[/\\:\[\]*?\x00-\x1f]")
# In UTF-16 units, as Excel counts: a character outside the basic plane is two.
MAX_NAME_UNITS, MAX_CELL_UNITS, WIDTH = 30, 32_767, 32
RESERVED_NAME = "history"  # the sheet of Excel's own log of changes
_CUT = "… [cut: the text has {} characters]"
BOM = b"\xef\xbb\xbf"

Row = dict[str, Any]


class NoWriter(ApiError):
    """The package for a file format is not installed: the extra `xlsx`."""

    status, reason = 501, "format_not_installed"


@dataclass(frozen=True, slots=True)
class Export:
    """The format of a list sent as a file, as defined by a hook.

    line: returns the cells of a row. most: maximum number of rows. file, title: names of the file and the sheet.
    """

    line: Callable[[Row], Row]
    most: int
    file: str
    title: str


def file_format(accept: str) -> str | None:
    """Return "csv" or "xlsx" if `Accept` asks for that format, else None."""
    return _FORMS.get(media_type(accept))


def write_file(
    form: str, rows: Iterable[Row], names: Sequence[str], title: str, *, safe: bool, bom: bool = False
) -> tuple[bytes, str]:
    """Return a file and its content type.

    names: the header line; by default, every name in the rows. safe: escape CSV cells that would act as formulas.
    bom: begin CSV with a byte order mark, without which Excel reads it in the code page of its machine.
    """
    head = list(names)
    if not head:
        rows = list(rows)
        head = list(dict.fromkeys(key for row in rows for key in row))
    if form == "xlsx":
        return _xlsx(rows, head, title), XLSX
    return (BOM if bom else b"") + _csv(rows, head, safe=safe), CSV


def _csv(rows: Iterable[Row], head: list[str], *, safe: bool) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        values = [row.get(name) for name in head]
        writer.writerow([_escaped(value) if safe else _text(value) for value in values])
    return out.getvalue().encode()


def _xlsx(rows: Iterable[Row], head: list[str], title: str) -> bytes:
    try:
        import xlsxwriter  # 10 MB of memory that few workers ever need
    except ImportError:
        raise NoWriter("This server cannot write xlsx files. Request text/csv instead.") from None

    out = io.BytesIO()
    # Rows are flushed as they are written, and text is never turned into formulas or links.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet = book.add_worksheet(sheet_name(title))
        sheet.set_column(0, max(len(head) - 1, 0), WIDTH)
        bold = book.add_format({"bold": True})
        for place, name in enumerate(head):
            sheet.write_string(0, place, name, bold)
        for number, row in enumerate(rows, 1):
            for place, name in enumerate(head):
                if text := _text(row.get(name)):
                    sheet.write_string(number, place, _cell(text))
    return out.getvalue()


def sheet_name(text: str) -> str:
    r"""Return a valid sheet name: / \ : [ ] * ? become _, a reserved one gets a _, a long one is cut."""
    clean = _NOT_IN_NAMES.sub("_", text).strip("'") or "Sheet"
    if clean.lower() == RESERVED_NAME:
        return f"{clean}_"
    return _within(clean, MAX_NAME_UNITS, "..")


def _cell(text: str) -> str:
    """Return a text of the length that a cell can hold; a cut one ends with a note."""
    return text if len(text) <= MAX_CELL_UNITS // 2 else _within(text, MAX_CELL_UNITS, _CUT.format(f"{len(text):,}"))


def _within(text: str, units: int, ending: str) -> str:
    """Return a text of at most `units` UTF-16 units; a longer one is cut and gets the ending."""
    encoded = text.encode("utf-16-le")
    if len(encoded) <= 2 * units:
        return text
    # Half of a surrogate pair is dropped.
    return encoded[: 2 * (units - len(ending))].decode("utf-16-le", "ignore") + ending


def _text(value: Any) -> str:
    """Return the text of a cell; nested values become JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return exact_json.dumps(value).decode()
    return str(value)


def _escaped(value: Any) -> str:
    """Return the text of a cell, escaped so that spreadsheets do not evaluate it as a formula."""
    text = _text(value)
    if isinstance(value, str) and text.startswith(_FORMULA) and not _PHONES.match(text):
        return "'" + text
    return text
