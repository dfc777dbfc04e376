"""Parsed filters, cached by their text without its literals. Knows no tables, columns or actors.

A tree refers to a literal by its place, and `Filter.key` is the text around the literals. So filters that differ only
in literals share a tree and the SQL made of it, and each binds its own literals. `docs/reference/wire.md` has the
grammar.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from typing import Any, NoReturn

from tableapi.errors import BadFilter
from tableapi.query.bounds import DEFAULT_LIMITS, Limits
from tableapi.query.filter.ast import FLAGS, Filter, Node
from tableapi.query.filter.parser import Parser

Literals = list[str | list[str]]


def parse(text: str, limits: Limits = DEFAULT_LIMITS) -> tuple[Filter, Literals]:
    """Return the filter of a text and its literals; those of an IN list are one literal.

    Raises:
        BadFilter: the text does not parse or is past a limit; with the position of the fault.
    """
    if len(text) > limits.length or "\x00" in text:
        _refuse(text, limits)
    parts = _VALUES.split(text)
    values = parts[1::2]
    cached = _filters.get((*parts[::2], *map(_mark, values)))
    if cached is not None:
        literals: Literals = [t[1:-1].replace("''", "'") if t[0] == "'" else t for t in values]
        for first, last in reversed(cached.lists):
            literals[first : last + 1] = [literals[first : last + 1]]  # type: ignore[list-item]
        return cached, literals
    parser = Parser(text, limits)
    tree = parser.whole()
    key = parser.key()
    parsed = Filter(key, tree, digest(key), tuple((first, last) for first, last, _ in parser.lists))
    _remember(parts, parser, parsed)
    return parsed, parser.literals


def having(text: str, limits: Limits = DEFAULT_LIMITS) -> tuple[Node, Literals]:
    """Return the tree and the literals of a condition on groups.

    Raises:
        BadFilter: as `parse`.
    """
    if len(text) > limits.length or "\x00" in text:
        _refuse(text, limits)
    parser = Parser(text, limits)
    return parser.whole(), parser.literals


def _refuse(text: str, limits: Limits) -> NoReturn:
    """Refuse a text that is too long, or contains a NUL character."""
    if len(text) > limits.length:
        raise BadFilter(f"The filter is longer than {limits.length} characters", limits.length)
    raise BadFilter("The filter contains a NUL character", text.index("\x00"))


# One pattern splits a filter at its quoted values and numbers. When each of them was a whole value in the first parse,
# every text with the same parts between them has the same tree, because the parser reads nothing inside such a value.
_VALUES = re.compile(r"('(?:[^']|'')*'|(?<![\w.'\"+-])[+-]?\d+(?:\.\d+)?(?![\w.'\"+-]))", re.ASCII)
MAX_FILTERS, MAX_CHARS = 2000, 500_000  # in the cache: filters, and their characters together
_filters: dict[tuple[str, ...], Filter] = {}
_chars = 0


def _mark(part: str) -> str:
    """Return the placeholder of a value in a key: a flag itself, "'" for quoted text, "#" for a number."""
    return part if part in FLAGS else "'" if part[0] == "'" else "#"


def _remember(parts: list[str], parser: Parser, parsed: Filter) -> None:
    """Cache a filter if each value that the pattern found was a whole value for the parser."""
    position, spans = 0, []
    for number, part in enumerate(parts):
        if number % 2:
            spans.append((position, position + len(part), _mark(part)))
        position += len(part)
    if spans == parser.spans:
        global _chars
        if len(_filters) >= MAX_FILTERS or _chars >= MAX_CHARS:
            _filters.clear()
            _chars = 0
        _filters[(*parts[::2], *map(_mark, parts[1::2]))] = parsed
        _chars += len(parser.text)


def param_kind(value: Any) -> str:
    """Return what a statement depends on in a named value: null, a number, or a list and what it has.

    The length of a list is not part of it: a list is bound as one array.
    """
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list:" + ",".join(sorted({param_kind(item) for item in value}))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "0"
    return "'"


def digest(value: Any) -> bytes:
    """Return a digest of fixed size of a tuple of texts."""
    return hashlib.blake2b(marshal.dumps(value, 0), digest_size=16).digest()
