"""Parse filters that consist of equalities, for hooks that handle one fixed look-up themselves."""

from __future__ import annotations

from typing import Any

from tableapi.errors import BadRequest
from tableapi.query.filter import ast, cache


def equalities(text: str) -> dict[str, Any] | None:
    """Return {lower-case field: value} for a filter `(a = 1) and (b = x)`; None for any other text."""
    try:
        parsed, literals = cache.parse(text)
    except BadRequest:
        return None
    found: dict[str, Any] = {}
    parts = [parsed.tree]
    while parts:
        match parts.pop():
            case ast.Logic("and", left, right):
                parts += (right, left)
            case ast.Condition((name,), "=", (ast.Literal(place=place),), False, None) if name.lower() not in found:
                found[name.lower()] = literals[place]
            case _:
                return None
    return found
