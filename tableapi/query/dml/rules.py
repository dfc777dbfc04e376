"""Writes that a rewrite rule of the database replaces: they cannot return a record."""

from __future__ import annotations

from tableapi.errors import BadRequest
from tableapi.schema.model import Table

_EVENTS = {"POST": "INSERT", "PUT": "UPDATE", "PATCH": "UPDATE", "DELETE": "DELETE"}


def refuse(table: Table, verb: str, *, upsert: bool) -> None:
    """Refuse writes that a rule without RETURNING replaces, and upserts of tables with rules.

    Raises:
        BadRequest: `replaced_by_rule`.
    """
    if not table.rules.get(_EVENTS.get(verb, ""), True):
        raise BadRequest(
            f"A rule of the database replaces this write of '{table.name}' and returns no record. "
            "Write to the table behind it, or add RETURNING to the rule.",
            reason="replaced_by_rule",
        )
    if upsert and not table.rules.keys().isdisjoint(("INSERT", "UPDATE")):
        raise BadRequest(
            f"Rules replace writes of '{table.name}', so it has no upsert. Create or change the record.",
            reason="replaced_by_rule",
        )
