"""A filter as a tree: what filter_parser.py makes of a text, and clauses.py a condition of."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Literal:
    """The value at `place` in the literals of the request. `number`: written as a number without quotes. `flag`: "0" or
    "1" where it is just that, which belongs to the shape (see FLAGS)."""

    place: int
    quoted: bool
    number: bool = False
    flag: str = ""


# Most conditions on 0 and 1 are on flags, where nearly all rows have one of the two. Bound, PostgreSQL would take them
# for half of the rows each, find its plan for any value dear, and so plan at every execution.
FLAGS = frozenset(("0", "1"))


@dataclass(frozen=True, slots=True)
class Special(Literal):
    """A literal that is a moment on date and time fields and text on all others."""

    moment: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """An unquoted word with a meaning of its own: null, now(), current_date, current_timestamp."""

    name: str


Value = Literal | Param | Word


@dataclass(frozen=True, slots=True)
class Condition:
    path: tuple[str, ...]
    op: str  # = != > >= < <= in like ilike contains starts ends between null
    values: tuple[Value, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Not:
    inner: Node


@dataclass(frozen=True, slots=True)
class Logic:
    op: str  # and or xor nor
    left: Node
    right: Node


Node = Condition | Not | Logic


@dataclass(frozen=True, slots=True)
class Filter:
    """`mark`: the key as a digest of fixed size."""

    key: tuple[str, ...]
    tree: Node
    mark: bytes


def shifted(node: Node, by: int) -> Node:
    """The same tree with the places of its literals moved."""
    match node:
        case Not(inner):
            return Not(shifted(inner, by))
        case Logic(op, left, right):
            return Logic(op, shifted(left, by), shifted(right, by))
    values = tuple(replace(v, place=v.place + by) if isinstance(v, Literal) else v for v in node.values)
    return replace(node, values=values)
