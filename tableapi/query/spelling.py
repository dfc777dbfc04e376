"""The spelling of names: real names for records, and suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from tableapi.auth.rights import Right
from tableapi.errors import DuplicateField, UnknownField
from tableapi.schema.model import Table

MAX_NAME, MAX_CANDIDATES = 63, 300  # past them there is no suggestion, so that a refusal stays cheap


def spelled(table: Table, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record under the names of the table's fields and relations, which are not case sensitive.

    Names that the table does not have stay as they are.

    Raises:
        DuplicateField: two names mean one field.
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

    A name without its end, such as `purchase` for `purchase_by_customer_id`, is close to the shortest full name.

    Callers pass only names that the caller of the API may see.
    """
    folded = name.lower()
    if not folded or len(folded) > MAX_NAME:
        return ""
    candidates = list(candidates)
    # A close name differs in length by at most a third, so the comparison itself runs on few candidates.
    near = {other.lower(): other for other in candidates if abs(len(other) - len(folded)) * 3 <= len(folded) + 3}
    if len(near) > MAX_CANDIDATES:
        return ""
    close = get_close_matches(folded, near, n=1, cutoff=0.7)
    if close:
        return f" Did you mean '{near[close[0]]}'?"
    longer = min((other for other in candidates if other.lower().startswith(f"{folded}_")), key=len, default="")
    return f" Did you mean '{longer}'?" if longer else ""


def unknown_field(name: str, table: Table, right: Right, relations: Iterable[str] = ()) -> UnknownField:
    """Return the refusal of an unknown field, with the closest name that the caller may use."""
    error = UnknownField(name, table.name)
    error.message += suggestion(name, (*filter(right.sees, table.columns), *relations))
    return error
