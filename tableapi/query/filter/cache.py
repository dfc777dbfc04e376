"""Filters (table-api §4): text -> tree, by the parser or a short cut. Knows no tables, columns, actors or HTTP.

Literals are lifted out: a tree refers to them by their place, and `Filter.key` is the text around them. Two filters
with equal keys have equal trees, so the SQL of one serves the other with its own literals bound.
"""

from __future__ import annotations

import re
from typing import Any

from tableapi.errors import BadFilter
from tableapi.query.bounds import Limits
from tableapi.query.filter.ast import FLAGS, Filter, Node
from tableapi.query.filter.parser import HavingParser, Parser
from tableapi.query.plan_cache import digest

NORMAL = Limits()


def parse(text: str, limits: Limits = NORMAL) -> tuple[Filter, list[str]]:
    """The filter of a text and its literals. Raises BadFilter with the place of the fault."""
    _bounded(text, limits)
    lifted = _LIFT.split(text)
    known = _known.get((*lifted[::2], *map(_mark, lifted[1::2])))
    if known is not None:
        return known, [t[1:-1].replace("''", "'") if t[0] == "'" else t for t in lifted[1::2]]
    parser = Parser(text, limits)
    tree = parser.whole()
    key = parser.key()
    found = Filter(key, tree, digest(key))
    _remember(lifted, parser, found)
    return found, parser.literals


def having(text: str, limits: Limits = NORMAL) -> tuple[Node, list[str]]:
    """The tree and the literals of a condition on groups. Raises BadFilter."""
    _bounded(text, limits)
    parser = HavingParser(text, limits)
    return parser.whole(), parser.literals


def _bounded(text: str, limits: Limits) -> None:
    if len(text) > limits.length:
        raise BadFilter(f"The filter is longer than {limits.length} characters", limits.length)
    if "\x00" in text:
        raise BadFilter("The filter holds a NUL character", text.index("\x00"))


# The short cut. Quoted values and numbers are lifted by one pattern; when each of them was a whole value at the first
# parse, another text with the same rest has the same tree, because the parser looks at nothing inside such a value.
_LIFT = re.compile(r"('(?:[^']|'')*'|(?<![\w.'\"+-])[+-]?\d+(?:\.\d+)?(?![\w.'\"+-]))", re.ASCII)
KNOWN, KNOWN_CHARS = 2000, 500_000  # how many filters are remembered, and of how many characters together
_known: dict[tuple[str, ...], Filter] = {}
_chars = 0


def _mark(part: str) -> str:
    """What of a lifted value belongs to the shape."""
    return part if part in FLAGS else "'" if part[0] == "'" else "#"


def _remember(lifted: list[str], parser: Parser, found: Filter) -> None:
    at, spans = 0, []
    for place, part in enumerate(lifted):
        if place % 2:
            spans.append((at, at + len(part), _mark(part)))
        at += len(part)
    if spans == parser.spans:
        global _chars
        if len(_known) >= KNOWN or _chars >= KNOWN_CHARS:
            _known.clear()
            _chars = 0
        _known[(*lifted[::2], *map(_mark, lifted[1::2]))] = found
        _chars += len(parser.text)


def named(value: Any) -> str:
    """What about a named value belongs to the shape of a statement: null, a number, a list and its length."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list:" + ",".join(named(item) for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "0"
    return "'"
