"""The syntax tree of a filter, built by `parser` and turned into a condition by `where`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tableapi.query.syntax import Function


@dataclass(frozen=True, slots=True)
class Literal:
    """The value at `place` in the literals of the request.

    number: an unquoted number. flag: "0" or "1" for exactly these numbers, see FLAGS. listed: a list in parentheses.
    With IN, the literal is the list of its values; with other operators it is the text of the list.
    """

    place: int
    quoted: bool
    number: bool = False
    flag: str = ""
    listed: bool = False


# Conditions on 0 and 1 mostly concern flags, where nearly all rows have the same value. With bound parameters,
# PostgreSQL would estimate half of the rows for each, reject the generic plan, and plan again at every execution. These
# two values are therefore part of the statement.
FLAGS = frozenset(("0", "1"))


@dataclass(frozen=True, slots=True)
class Special(Literal):
    """A literal that means the current date or time for date and time fields, and text for all others."""

    moment: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """A named value, `:name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """An unquoted word with a special meaning: null."""

    name: str


Value = Literal | Param | Word


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison. `path`: a field, or relations and a field. `op`: one of

    = != > >= < <= in like ilike contains starts ends similar between null true false unknown distinct ~ ~* matches
    contained overlaps adjacent before after json_contains json_contained within intersects dwithin

    function: applied to the field. language: of `matches`. level: the number of relations in the path already followed.
    """

    path: tuple[str, ...]
    op: str
    values: tuple[Value, ...]
    negated: bool
    function: Function | None = None
    language: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Not:
    """A negated tree."""

    inner: Node


@dataclass(frozen=True, slots=True)
class Logic:
    """Two trees joined by `op`: and, or, xor, nor."""

    op: str
    left: Node
    right: Node


Node = Condition | Not | Logic


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter. Filters with equal keys have equal trees.

    key: the text with placeholders for its literals. mark: a fixed-size digest of the key. lists: for each list that
    forms one literal, the positions of its first and last value among the values of the text.
    """

    key: tuple[str, ...]
    tree: Node
    mark: bytes
    lists: tuple[tuple[int, int], ...] = ()


def shifted(node: Node, by: int) -> Node:
    """Return the tree with the positions of its literals shifted."""
    match node:
        case Not(inner):
            return Not(shifted(inner, by))
        case Logic(op, left, right):
            return Logic(op, shifted(left, by), shifted(right, by))
    values = tuple(replace(v, place=v.place + by) if isinstance(v, Literal) else v for v in node.values)
    return replace(node, values=values)
