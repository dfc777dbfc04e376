"""Names of people: one field or two, always both in the database."""

from __future__ import annotations


def split(name: str) -> tuple[str, str]:
    """First and last name: what is before the first space, and the rest."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first[:100], last[:100]


def joined(first: str, last: str) -> str:
    """The full name of two trimmed parts."""
    return f"{first.strip()} {last.strip()}".strip()[:200]
