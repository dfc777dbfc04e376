"""The addresses of a bulk job: a list, or a CSV with a column `linkedinurl` (or one column without a header)."""

from __future__ import annotations

import csv
import io

from tableapi.errors import Invalid

MOST = 1000
COLUMN = "linkedinurl"


def of_csv(data: bytes) -> list[str]:
    """The addresses in the file, one per line. 422 with what is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _bad("The file is not UTF-8 text. Save it as CSV UTF-8.") from None
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if any(cell.strip() for cell in row)
        ]
    except csv.Error:
        raise _bad("The file is not a CSV: its quotes do not match.") from None
    if not rows:
        raise _bad("The file is empty.")
    header = [cell.strip().lower() for cell in rows[0]]
    if COLUMN in header:
        at = header.index(COLUMN)
        rows = rows[1:]
    elif len(header) == 1 and "/" in header[0]:
        at = 0
    else:
        raise _bad(f"The first line must name a column '{COLUMN}'.")
    return of_list([row[at] if at < len(row) else "" for row in rows])


def of_list(urls: list[str]) -> list[str]:
    """Trimmed, at least one and at most 1,000."""
    kept = [url.strip()[:2000] for url in urls if url.strip()]
    if not kept:
        raise _bad("There is no address in the list.")
    if len(kept) > MOST:
        raise _bad(f"{len(kept):,} addresses are too many; a job takes {MOST:,}.")
    return kept


def _bad(message: str) -> Invalid:
    return Invalid({"urls": message})
