"""What lists of people and saved searches share."""

from __future__ import annotations

from tableapi import Conflict


class TooManyLists(Conflict):
    """The user has as many lists or searches as are kept (409)."""

    reason = "too_many_lists"
