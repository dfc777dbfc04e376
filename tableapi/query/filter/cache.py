"""Parsed filters, cached by their text without literals. Independent of tables, columns and actors.

A tree refers to literals by position, and `Filter.key` is the text around them. Filters that differ only in literals
therefore share a tree and its SQL, and each binds its own literals. `docs/reference/wire.md` has the grammar.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from typing import Any, NoReturn

from tableapi.errors import BadFilter
from tableapi.query.filter.ast import FLAGS, Filter
from tableapi.query.filter.parser import Parser
from tableapi.query.filter.scanner import NUMBER
from tableapi.query.limits import DEFAULT_FILTER_LIMITS, FilterLimits

Literals = list[str | list[str]]
MAX_REPEATED = 300  # characters; longer filters are seldom sent again as they were


def parse(text: str, limits: FilterLimits = DEFAULT_FILTER_LIMITS) -> tuple[Filter, Literals]:
    """Parse a filter and its literals. An IN list is one literal.

    Raises:
        BadFilter: the text is invalid or exceeds a limit; includes the position of the error.
    """
    if len(text) > limits.length or "\x00" in text:
        _reject(text, limits)
    if (known := _texts.get(text)) is not None:  # the pattern below takes as long as the rest of a short read
        return known[0], list(known[1])
    parts = _VALUES.split(text)
    values = parts[1::2]
    cached = _shapes.get((*parts[::2], *map(_mark, values)))
    if cached is not None:
        literals: Literals = [t[1:-1].replace("''", "'") if t[0] == "'" else t for t in values]
        for first, last in reversed(cached.lists):
            literals[first : last + 1] = [literals[first : last + 1]]  # type: ignore[list-item]
        if len(text) <= MAX_REPEATED:
            _texts.keep(text, len(text), (cached, tuple(literals)))
        return cached, literals
    parser = Parser(text, limits)
    tree = parser.whole()
    key = parser.key()
    parsed = Filter(key, tree, digest(key), tuple((first, last) for first, last, _ in parser.lists))
    _remember(parts, parser, parsed)
    return parsed, parser.literals


def position(text: str, literal: int, item: int, limits: FilterLimits) -> int | None:
    """Return where a literal of a filter begins, counted from 0; None if another text has it.

    item: which value of an IN list.
    """
    parser = Parser(text, limits)
    try:
        parser.whole()
    except BadFilter:
        return None
    last, at = {first: end for first, end, _ in parser.lists}, 0
    for _ in range(literal):
        at = last.get(at, at) + 1
    at += item if at in last else 0
    return parser.spans[at][0] if at < len(parser.spans) else None


def mark(text: str, limits: FilterLimits) -> bytes:
    """Return `Filter.mark` of a condition, or nothing for an empty one. Raises BadFilter."""
    return parse(text, limits)[0].mark if text.strip() else b""


def _reject(text: str, limits: FilterLimits) -> NoReturn:
    """Reject a text that is too long or contains a NUL character."""
    if len(text) > limits.length:
        raise BadFilter(f"The filter is longer than {limits.length} characters", limits.length)
    raise BadFilter("The filter contains a NUL character", text.index("\x00"))


# One pattern splits a filter at its quoted values, its numbers, and the bare words after an operator such as `=`. If
# each of them was a whole value in the first parse, every text with the same parts in between has the same tree,
# because the parser reads nothing inside such a value. A bare word must therefore not contain a quote, parenthesis or
# comma, and its first character must not be part of an operator. The first condition holds for both numbers and words;
# checked once, it saves a quarter of the time.
_VALUES = re.compile(
    r"""(
        '(?:[^']|'')*'
        | (?<![\w.'"+-]) (?:
            [+-]?[0-9]+(?:\.[0-9]+)? (?![\w.'"+-])
            | (?:(?<=[=<>])|(?<=[=<>]\ )) \w[^\s()'",]* (?:\ [^\s()'",]+){0,5}?
              (?= \s*+(?:\Z|\)) | \s++(?:(?i:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|) )
        )
    )""",
    re.VERBOSE,
)
_OTHER_WORDS = frozenset(("null", "now", "current_date", "current_timestamp"))


class _Cache(dict[Any, Any]):
    """Parsed filters, limited in number and in characters; cleared when a limit is exceeded."""

    MAX_FILTERS, MAX_CHARS = 2000, 500_000
    chars = 0

    def keep(self, key: Any, chars: int, parsed: Any) -> None:
        """Cache a filter. `chars`: the length of its text."""
        if len(self) >= self.MAX_FILTERS or self.chars >= self.MAX_CHARS:
            self.clear()
            self.chars = 0
        self[key] = parsed
        self.chars += chars


_shapes = _Cache()  # filters by their text without values
_texts = _Cache()  # (filter, its values) by the full text, because clients repeat themselves


def _mark(part: str) -> str:
    """Return the placeholder of a value in a key.

    It is "'" for quoted text, "#" for a number and "w" for a word. Flags and special words stand for themselves.
    """
    first = part[0]
    if first == "'":
        return "'"
    if first in "+-" or first.isdecimal():
        return part if part in FLAGS else "#" if NUMBER.match(part) else "w"
    return part if part.lower() in _OTHER_WORDS else "w"


def _remember(parts: list[str], parser: Parser, parsed: Filter) -> None:
    """Cache a filter, also by its shape if each value that the pattern found was one for the parser."""
    position, spans = 0, []
    for number, part in enumerate(parts):
        if number % 2:
            spans.append((position, position + len(part), _mark(part)))
        position += len(part)
    if spans == parser.spans:
        _shapes.keep((*parts[::2], *map(_mark, parts[1::2])), len(parser.text), parsed)
        if len(parser.text) > MAX_REPEATED:
            return
    _texts.keep(parser.text, len(parser.text), (parsed, tuple(parser.literals)))


def param_kind(value: Any) -> str:
    """Return the kind of a named value, on which a statement depends: null, a number, or a list.

    The length of a list does not matter, because a list is bound as one array.
    """
    if value is None:
        return "null"
    if isinstance(value, list):
        return "list:" + ",".join(sorted({param_kind(item) for item in value}))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "0"
    return "'"


def digest(value: Any) -> bytes:
    """Return a fixed-size digest of a tuple of texts."""
    return hashlib.blake2b(marshal.dumps(value, 0), digest_size=16).digest()
