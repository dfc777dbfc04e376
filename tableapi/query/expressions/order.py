"""The syntax of option `order`, independent of tables."""

from __future__ import annotations

from dataclasses import dataclass

from tableapi.errors import BadRequest
from tableapi.query import syntax
from tableapi.query.names import split
from tableapi.query.syntax import Function, Term


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
        if message := syntax.called(part):
            raise BadRequest(message, reason="unknown_function", context={"option": "order"})
        raise BadRequest(
            f"Option 'order': '{part[:100]}' must have the form: field [asc|desc] [nulls first|last].",
            reason="bad_order",
            context={"option": "order"},
        )
    return OrderTerm(term.path, descending, nulls, term.function)
