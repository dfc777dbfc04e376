"""Errors shared by lists of people and saved searches."""

from __future__ import annotations

from tableapi import Conflict, Invalid


class TooManyLists(Conflict):
    """The user has reached the maximum number of lists or searches (409)."""

    reason = "too_many_lists"


MAX_ITEMS = 10_000  # of one list
LIST_FULL = f"A list holds {MAX_ITEMS:,} people."


class ListFull(Conflict):
    """The list has as many people as a list holds (409)."""

    reason = "list_full"


class MappingNeeded(Invalid):
    """The columns have unknown names (422); `context.columns` lists them."""

    reason = "mapping_needed"

    def __init__(self, columns: list[str]) -> None:
        message = "Say which column has the profile address, or the name and the company."
        super().__init__({"mapping": message}, message)
        self.context["columns"] = columns
