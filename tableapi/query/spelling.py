"""The names of a record, brought to the spelling of the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.errors import DuplicateField
from tableapi.schema.model import Table


def spelled(table: Table, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record under the table's own names of its fields and relations.

    Names that the table does not have stay as they are. Raises BadRequest when two names mean one field.
    """
    if record.keys() <= table.columns.keys():
        return dict(record)
    made: dict[str, Any] = {}
    for name, value in record.items():
        found = table.find(name) or table.relation(name)
        own = name if found is None else found.name
        if own in made:
            raise DuplicateField(own)
        made[own] = value
    return made
