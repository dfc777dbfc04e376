"""The syntax tree of a filter: `parser` builds it, `where` makes a condition of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tableapi.query.expressions.syntax import Function


@dataclass(frozen=True, slots=True)
class Literal:
    """The value at `place` in the literals of the request.

    number: written as a number without quotes. flag: "0" or "1" for exactly these numbers, see FLAGS. listed: a list in
    parentheses. With IN, the literal is the list of its values; with other operators it is the text of the list.
    """

    place: int
    quoted: bool
    number: bool = False
    flag: str = ""
    listed: bool = False


# Conditions on 0 and 1 are mostly on flags, where nearly all rows have the same value. As bound parameters PostgreSQL
# would estimate half of the rows for each, reject its generic plan, and plan anew at every execution. So these two
# values are part of the statement.
FLAGS = frozenset(("0", "1"))


@dataclass(frozen=True, slots=True)
class Special(Literal):
    """A literal that means the current date or time on date and time fields, and text on all others."""

    moment: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """A named value, `:name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """An unquoted word with a meaning of its own: null."""

    name: str


Value = Literal | Param | Word


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison. `path`: a field, or relations and a field. `op`: one of

    = != > >= < <= in like ilike contains starts ends between null true false unknown distinct ~ ~* matches
    contained overlaps adjacent before after json_contains json_contained within intersects dwithin

    function: of the field. language: of `matches`. level: relations of the path that are already followed.
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

    key: the text with placeholders for its literals. mark: the key as a digest of fixed size. lists: the places of the
    first and the last value of each list that is one literal, counted in the values of the text.
    """

    key: tuple[str, ...]
    tree: Node
    mark: bytes
    lists: tuple[tuple[int, int], ...] = ()


def shifted(node: Node, by: int) -> Node:
    """Return the tree with the places of its literals moved."""
    match node:
        case Not(inner):
            return Not(shifted(inner, by))
        case Logic(op, left, right):
            return Logic(op, shifted(left, by), shifted(right, by))
    values = tuple(replace(v, place=v.place + by) if isinstance(v, Literal) else v for v in node.values)
    return replace(node, values=values)
