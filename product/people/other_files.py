"""Convert tables of other programs to the people file, by the headings that all imports know."""

from __future__ import annotations

import csv
import io
import itertools
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from product import emails, headings, sheets
from product.accounts import email_domains
from product.people import phones
from product.sheets import BadSheet
from tableapi import FieldError

_ONE = ("linkedinurl", "name", "title", "company", "company_domain", "country", "city", "industry", "company_size")
COLUMNS = ("linkedinurl", "full_name", *_ONE[2:], "personal_emails", "business_emails", "phones")
_FIRST_ROWS = 50


def converted(data: bytes) -> tuple[BinaryIO, Sequence[int]]:
    """Return a people file with `COLUMNS` behind its header, and the line of each row in the given file.

    Raises:
        BadSheet: the file cannot be read, or no column has profile addresses or none has names.
    """
    table = sheets.table_of(data)
    first = list(itertools.islice(table.rows, _FIRST_ROWS))
    if not first:
        raise BadSheet(sheets.NO_PEOPLE)
    places = headings.places(table.columns, [cells for _, cells in first])
    missing = [] if headings.ADDRESS in places else ["profile addresses (linkedinurl)"]
    if not {"name", "firstname", "lastname"} & set(places):
        missing.append("names (full_name)")
    if missing:
        has = ", ".join(name[:50] for name in table.columns[:10])
        message = f"no column has {' or '.join(missing)}; the columns are {has or 'not named'}."
        raise BadSheet(FieldError("columns_unnamed", message))
    numbers = array("q")
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    text.write(",".join(COLUMNS) + "\n")
    csv.writer(text, lineterminator="\n").writerows(_rows(itertools.chain(first, table.rows), places, numbers))
    text.detach()
    file.seek(0)
    file.readline()
    return file, numbers


def _rows(
    rows: Iterable[tuple[int, tuple[str, ...]]], places: Mapping[str, Sequence[int]], numbers: array[int]
) -> Iterator[list[str]]:
    for number, cells in rows:
        numbers.append(number)
        found = {
            meaning: [text for place in at if place < len(cells) and (text := " ".join(cells[place].split()))]
            for meaning, at in places.items()
        }
        if not found.get("name"):
            found["name"] = [" ".join([*found.get("firstname", ())[:1], *found.get("lastname", ())[:1]])]
        yield [next(iter(found.get(meaning, ())), "") for meaning in _ONE] + [
            *_addresses(found),
            ";".join(number for text in found.get("phones", ()) for number in phones.split(text)),
        ]


def _addresses(found: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return private and work addresses; those of free mail are private where the heading does not tell."""
    personal, business, other = (
        [address for cell in found.get(kind, ()) for address in emails.split(cell)]
        for kind in ("personal_emails", "business_emails", "emails")
    )
    for address in other:
        (personal if email_domains.is_free(emails.normal(address)) else business).append(address)
    return ";".join(dict.fromkeys(personal)), ";".join(dict.fromkeys(business))
