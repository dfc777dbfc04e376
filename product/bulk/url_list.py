"""Read the URLs of a bulk job from a list or a file.

A file is read as one for a list is: in any encoding, with a column of profile addresses under any known name, or with
addresses alone.
"""

from __future__ import annotations

from contextlib import suppress

from product import headings, sheets
from product.people.profile_url import EXAMPLE, NotAProfile, key_of
from product.sheets import BadSheet
from tableapi import FieldError, Invalid

MAX_ADDRESSES = 1000


def of_csv(data: bytes, field: str = "csv") -> list[str]:
    """Return the addresses of a file that was sent as `field`. May take long, so call it in a thread.

    Raises Invalid (422).
    """
    try:
        sheet = sheets.of_bytes(data, MAX_ADDRESSES, "")
    except BadSheet as error:
        raise Invalid({field: error.error}) from None
    if not sheet.columns:
        return of_list([cells[0] for _, cells in sheet.rows], field)
    places = headings.places(sheet.columns, [cells for _, cells in sheet.rows])
    if headings.ADDRESS not in places:
        has = ", ".join(name[:50] for name in sheet.columns[:10])
        message = f"The first line must contain a column named 'linkedinurl'. It has: {has}."
        raise _invalid(field, "column_missing", message)
    column = places[headings.ADDRESS][0]
    return of_list([cells[column] if column < len(cells) else "" for _, cells in sheet.rows], field)


def of_list(urls: list[str], field: str = "urls") -> list[str]:
    """Return the trimmed addresses; raise Invalid (422) unless there are 1 to 1,000."""
    addresses = [url.strip()[:2000] for url in urls if url.strip()]
    if not addresses:
        message = f"The list does not contain any addresses. Send one of a profile, such as {EXAMPLE}, in each line."
        raise _invalid(field, "no_address", message)
    if len(addresses) > MAX_ADDRESSES:
        message = f"The list has {len(addresses):,} addresses, but a job may have at most {MAX_ADDRESSES:,}. Split it."
        raise _invalid(field, "too_many_addresses", message, count=len(addresses), limit=MAX_ADDRESSES)
    return addresses


def check(addresses: list[str], field: str, host: str) -> None:
    """Raise Invalid (422) if none of the addresses is that of a profile."""
    for address in addresses:
        with suppress(NotAProfile):
            key_of(address, host)
            return
    message = (
        f"None of the {len(addresses):,} addresses is that of a person's profile, such as {EXAMPLE}. "
        f"The first is '{addresses[0][:100]}'."
    )
    raise _invalid(field, "no_profile", message)


def _invalid(field: str, case: str, message: str, **numbers: float) -> Invalid:
    return Invalid({field: FieldError(case, message, numbers)})
