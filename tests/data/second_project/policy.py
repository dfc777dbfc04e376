"""Rights of the booking project: rooms are public, a booking belongs to its guest."""

from __future__ import annotations

from typing import Any

from tableapi import Access, Rule, Sessions


def own(table: Any, actor: Any) -> Any:
    """Select the rows of the caller."""
    return table.c.guestid == actor.guestid


POLICY = {"room": Access(read=Rule()), "booking": Access(read=Rule(roles=("guest",), rows=own))}
SESSIONS = Sessions(lookup="select guestid, name, 'guest' as role from guest where tokenhash = $1", user="guestid")
