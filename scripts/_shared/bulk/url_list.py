"""Read the addresses of a bulk job from a list or from a CSV.

A CSV has a column `linkedinurl`, or a single column without a header.
"""

from __future__ import annotations

import csv
import io

from tableapi.errors import Invalid

MAX_ADDRESSES = 1000
COLUMN = "linkedinurl"


def of_csv(data: bytes) -> list[str]:
    """Return the addresses of a CSV file; raise Invalid (422) when it cannot be read."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _invalid("The file is not UTF-8 text. Save it as CSV UTF-8.") from None
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if any(cell.strip() for cell in row)
        ]
    except csv.Error:
        raise _invalid("The file is not a CSV: its quotes do not match.") from None
    if not rows:
        raise _invalid("The file is empty.")
    header = [cell.strip().lower() for cell in rows[0]]
    if COLUMN in header:
        column = header.index(COLUMN)
        rows = rows[1:]
    elif len(header) == 1 and "/" in header[0]:
        column = 0
    else:
        raise _invalid("The first line must name a column 'linkedinurl'.")
    return of_list([row[column] if column < len(row) else "" for row in rows])


def of_list(urls: list[str]) -> list[str]:
    """Return the trimmed addresses; raise Invalid (422) unless there are 1 to 1,000."""
    addresses = [url.strip()[:2000] for url in urls if url.strip()]
    if not addresses:
        raise _invalid("There is no address in the list.")
    if len(addresses) > MAX_ADDRESSES:
        raise _invalid(f"{len(addresses):,} addresses are too many; a job takes {MAX_ADDRESSES:,}.")
    return addresses


def _invalid(message: str) -> Invalid:
    return Invalid({"urls": message})
