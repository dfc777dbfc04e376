"""The syntax of option `order`, independent of tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tableapi.errors import BadRequest
from tableapi.query import syntax
from tableapi.query.names import split
from tableapi.query.syntax import Function, Term

# Directions as other APIs write them: -name, +name, name:desc, name descending.
_SIGNED = re.compile(r"([-+])\s*(\w{1,63})|(\w{1,63})(?:\s*+[:/|]\s*+|\s++)(asc|desc)\w{0,10}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OrderTerm:
    """One part of option `order`. nulls: "first", "last", or "" for PostgreSQL's default."""

    path: tuple[str, ...]
    descending: bool
    nulls: str
    function: Function | None = None

    @property
    def term(self) -> Term:
        return Term(self.path, self.function)


def order_terms(text: str) -> list[OrderTerm]:
    """Parse option `order`: a comma-separated list of `field [asc|desc] [nulls first|last]`.

    Raises:
        BadRequest: `bad_order`, or `unknown_function`.
    """
    terms = [_term(part) for part in split(text) if part]
    if len(terms) > 20:
        raise BadRequest("Option 'order' may name at most 20 fields.", reason="bad_order")
    return terms


def _term(part: str) -> OrderTerm:
    parsed = syntax.parse(part)
    term, at = parsed if parsed is not None else (None, 0)
    words = part[at:].lower().split()
    descending, nulls = words[:1] == ["desc"], ""
    if words[:1] in (["asc"], ["desc"]):
        del words[0]
    if words[:1] == ["nulls"] and words[1:] in (["first"], ["last"]):
        nulls, words = words[1], []
    if term is None or words or (at < len(part) and not part[at].isspace()):
        if name := syntax.called(part):
            raise BadRequest(syntax.no_function(name), reason="unknown_function", context={"option": "order"})
        raise BadRequest(
            f"Option 'order': '{part[:100]}' must have the form: field [asc|desc] [nulls first|last].{_meant(part)}",
            reason="bad_order",
            context={"option": "order"},
        )
    return OrderTerm(term.path, descending, nulls, term.function)


def _meant(part: str) -> str:
    """Suggest a term for one in the form of another API, or return ""."""
    if (match := _SIGNED.fullmatch(part)) is None:
        return ""
    direction = (match[4] or ("desc" if match[1] == "-" else "asc")).lower()
    return f" Did you mean '{match[2] or match[3]} {direction}'?"
