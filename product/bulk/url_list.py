"""Read the URLs of a bulk job from a list or a CSV file.

A CSV has a column `linkedinurl`, or a single column without a header. Case, spaces and punctuation in the column's name
are ignored, so that the file of an earlier job (`Linkedin_url`) can be read, too.
"""

from __future__ import annotations

import csv
import io
import re

from tableapi import FieldError, Invalid

MAX_ADDRESSES = 1000
NOT_TEXT = "The file is not UTF-8 text. Save it as CSV (UTF-8)."
COLUMN = "linkedinurl"
DELIMITERS = ",;\t"  # spreadsheets write a semicolon if the comma is the decimal separator
_NOT_LETTERS = re.compile("[^a-z]")


def of_csv(data: bytes) -> list[str]:
    """Return the addresses of a CSV file; raise Invalid (422) when it cannot be read."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _invalid("file_not_utf8", NOT_TEXT) from None
    if "\0" in text:  # for example UTF-16 without a byte order mark
        raise _invalid("file_not_utf8", NOT_TEXT)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
        rows = [row for row in lines if any(cell.strip() for cell in row)]
    except csv.Error:
        raise _invalid("csv_quotes", "The file is not valid CSV: a quote is not closed or misplaced.") from None
    if not rows:
        raise _invalid("file_empty", "The file is empty. Add profile addresses.")
    header = [_NOT_LETTERS.sub("", cell.lower()) for cell in rows[0]]
    if COLUMN in header:
        column = header.index(COLUMN)
        rows = rows[1:]
    elif len(header) == 1 and "/" in rows[0][0]:
        column = 0
    else:
        raise _invalid("column_missing", "The first line must contain a column named 'linkedinurl'.")
    return of_list([row[column] if column < len(row) else "" for row in rows])


def _delimiter(text: str) -> str:
    """Return the most frequent delimiter in the first non-empty line, by default a comma."""
    first = text.strip().partition("\n")[0]
    return max(DELIMITERS, key=first.count)


def of_list(urls: list[str]) -> list[str]:
    """Return the trimmed addresses; raise Invalid (422) unless there are 1 to 1,000."""
    addresses = [url.strip()[:2000] for url in urls if url.strip()]
    if not addresses:
        raise _invalid("no_address", "The list does not contain any addresses.")
    if len(addresses) > MAX_ADDRESSES:
        message = f"The list has {len(addresses):,} addresses, but a job may have at most {MAX_ADDRESSES:,}. Split it."
        raise _invalid("too_many_addresses", message, count=len(addresses), limit=MAX_ADDRESSES)
    return addresses


def _invalid(case: str, message: str, **numbers: float) -> Invalid:
    return Invalid({"urls": FieldError(case, message, numbers)})
