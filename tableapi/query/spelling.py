"""Spelling of names: the table's names for records, and suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from tableapi.auth.rights import Right
from tableapi.errors import DuplicateField, UnknownField
from tableapi.schema.model import Table

MAX_NAME, MAX_CANDIDATES = 63, 300  # no suggestions beyond these, so that errors stay cheap


def spelled(table: Table, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the table's spelling of field and relation names, ignoring case.

    Unknown names are left unchanged.

    Raises:
        DuplicateField: two names refer to the same field.
    """
    if record.keys() <= table.columns.keys():
        return dict(record)
    row: dict[str, Any] = {}
    for name, value in record.items():
        field = table.find(name) or table.relation(name)
        own = name if field is None else field.name
        if own in row:
            raise DuplicateField(own)
        row[own] = value
    return row


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """Return " Did you mean '...'?" for the candidate closest to a misspelt name, or "".

    A prefix, such as `purchase` for `purchase_by_customer_id`, matches the shortest full name.

    Pass only names that the caller of the API may see.
    """
    folded = name.lower()
    if not folded or len(folded) > MAX_NAME:
        return ""
    candidates = list(candidates)
    # A similar name differs in length by at most a third, so only a few candidates have to be compared.
    near = {other.lower(): other for other in candidates if abs(len(other) - len(folded)) * 3 <= len(folded) + 3}
    if len(near) > MAX_CANDIDATES:
        return ""
    close = get_close_matches(folded, near, n=1, cutoff=0.7)
    if close:
        return f" Did you mean '{near[close[0]]}'?"
    longer = min((other for other in candidates if other.lower().startswith(f"{folded}_")), key=len, default="")
    return f" Did you mean '{longer}'?" if longer else ""


def unknown_field(name: str, table: Table, right: Right, relations: Iterable[str] = ()) -> UnknownField:
    """Build the error for an unknown field, suggesting the closest name that the caller may use."""
    error = UnknownField(name, table.name)
    error.message += suggestion(name, (*filter(right.can_read, table.columns), *relations))
    return error
