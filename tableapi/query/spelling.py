"""Spelling of names: the table's names for records, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from tableapi.auth.rights import Right
from tableapi.errors import BadRequest, DuplicateField, UnknownField
from tableapi.schema.model import Table

MAX_NAME, MAX_CANDIDATES = 63, 300  # no suggestions beyond these, so that errors stay cheap
MAX_LISTED = 8  # names in a message, where none is close
_SEPARATORS = re.compile(r"[;|\s]+")


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


def suggestion(name: str, candidates: Iterable[str], form: str = "Did you mean '{}'?") -> str:
    """Return " Did you mean '...'?" for the candidate closest to a misspelt name, or "".

    A prefix, such as `purchase` for `purchase_by_customer_id`, matches the shortest full name.

    form: the sentence, with `{}` for the name. Pass only names that the caller of the API may see.
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
        return " " + form.format(near[close[0]])
    longer = min((other for other in candidates if other.lower().startswith(f"{folded}_")), key=len, default="")
    return " " + form.format(longer) if longer else ""


def choices(name: str, candidates: Iterable[str], kind: str) -> str:
    """Return `suggestion`, or the first candidates after their kind: " Its fields: id, name, ...".

    Pass only names that the caller of the API may see.
    """
    candidates = list(candidates)
    close = suggestion(name, candidates)
    if close or not candidates:
        return close
    end = ", ..." if len(candidates) > MAX_LISTED else "."
    return f" {kind}: {', '.join(candidates[:MAX_LISTED])}{end}"


def unknown_field(name: str, table: Table, right: Right, relations: Iterable[str] = ()) -> UnknownField:
    """Build the error for an unknown field, with the closest names that the caller may use."""
    error = UnknownField(name, table.name)
    if not error.message.endswith("'."):  # it says already what to write
        return error
    fields = [*filter(right.can_read, table.columns)]
    parts = _SEPARATORS.split(name[:MAX_NAME])
    if len(parts) > 1 and all((column := table.find(part)) is not None and column.name in fields for part in parts):
        error.message += f" Separate fields with commas: {','.join(parts)}."
    elif name in (relations := list(relations)):
        error.message += f" It is a relation: name one of its fields, as in {name}.id."
    elif name.lower() == table.name.lower():
        error.message += " Leave out the name of the table."
    else:
        error.message += suggestion(name, relations) or choices(name, fields, "Its fields")
    return error


def unknown_relation(name: str, table: Table, relations: Iterable[str]) -> BadRequest:
    """Build the error for an unknown relation, with the closest of those that the caller may use."""
    return BadRequest(
        f"Table '{table.name}' has no relation '{name[:100]}'.{choices(name, relations, 'Its relations')}",
        reason="unknown_relation",
        context={"relation": name[:100]},
    )
