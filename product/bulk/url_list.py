"""Read the URLs of a bulk job from a list or a file.

A file is read as one for a list is: in any encoding, with a column of profile addresses under any known name, or with
addresses alone.
"""

from __future__ import annotations

from product import headings, sheets
from product.sheets import BadSheet
from tableapi import FieldError, Invalid

MAX_ADDRESSES = 1000


def of_csv(data: bytes, encoding: str = "") -> list[str]:
    """Return the addresses of a file. May take long, so call it in a thread. Raises Invalid (422)."""
    try:
        sheet = sheets.of_bytes(data, MAX_ADDRESSES, encoding)
    except BadSheet as error:
        raise Invalid({"urls": error.error}) from None
    if not sheet.columns:
        return of_list([cells[0] for _, cells in sheet.rows])
    places = headings.places(sheet.columns, [cells for _, cells in sheet.rows])
    if headings.ADDRESS not in places:
        has = ", ".join(name[:50] for name in sheet.columns[:10])
        raise _invalid("column_missing", f"The first line must contain a column named 'linkedinurl'. It has: {has}.")
    column = places[headings.ADDRESS][0]
    return of_list([cells[column] if column < len(cells) else "" for _, cells in sheet.rows])


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
