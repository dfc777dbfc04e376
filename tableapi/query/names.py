"""Lists of names in options: quoted names, paths, aggregates and identifiers, read in one linear scan."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tableapi.errors import BadRequest

CLOSING = {'"': '"', "`": "`", "[": "]"}
FUNCTIONS = frozenset(("count", "sum", "avg", "min", "max"))
_BLANK = re.compile(r"\s*+")
_WORD = re.compile(r"[^\W\d]\w*+")


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A function over a field; the field "*" stands for the rows."""

    function: str
    field: str

    @property
    def result(self) -> str:
        """The name of the result in the response, except for the case of the field."""
        return f"{self.function}_{'all' if self.field == '*' else self.field}"


def skip(text: str, at: int) -> int:
    """Return the position after the blanks."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]


def quoted(text: str, at: int) -> tuple[str, int] | None:
    """Return the quoted name at this position and the position after it, or None."""
    closing = CLOSING.get(text[at : at + 1])
    if closing is None or (end := text.find(closing, at + 1)) <= at + 1:
        return None
    return text[at + 1 : end], end + 1


def split(text: str) -> list[str]:
    """Return the parts of a comma list without the blanks around them.

    A comma inside quotes or parentheses separates nothing.
    """
    if not any(sign in text for sign in '"`[('):
        return [part.strip() for part in text.split(",")]
    parts, start, at, depth = [], 0, 0, 0
    name_may_begin = True  # elsewhere a quote is a plain character
    while at < len(text):
        sign = text[at]
        if name_may_begin and (name := quoted(text, at)) is not None:
            at, name_may_begin = name[1], False
            continue
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        name_may_begin = sign in ",.(" or (name_may_begin and sign.isspace())
        at += 1
    parts.append(text[start:].strip())
    return parts


def plain(text: str) -> str:
    """Return a name without its quotes."""
    name = quoted(text, 0)
    return name[0] if name is not None and name[1] == len(text) else text


def names(text: str) -> list[str]:
    """Return the names of a comma list without their quotes, each once."""
    return list(dict.fromkeys(plain(part) for part in split(text) if part))


def path(text: str, at: int = 0) -> tuple[tuple[str, ...], int]:
    """Return the names of a path and the position after it. The path is empty where no name begins."""
    parts: list[str] = []
    while True:
        if (name := quoted(text, at)) is not None:
            part, at = name
        else:
            end = _bare(text, at)
            if end == at:
                return (), at
            part, at = text[at:end], end
        parts.append(part)
        if text[at : at + 1] != ".":
            return tuple(parts), at
        at += 1


_BARE = re.compile(r"[^\W\d][\w$]*+")


def _bare(text: str, at: int) -> int:
    """Return the position after a name without quotes."""
    match = _BARE.match(text, at)
    return match.end() if match else at


def aggregate(text: str, at: int = 0) -> tuple[Aggregate, int] | None:
    """Return the aggregate at this position, such as `SUM(field)`, and the position after it, or None."""
    word = _WORD.match(text, at)
    if word is None or (function := word[0].lower()) not in FUNCTIONS:
        return None
    at = skip(text, word.end())
    if text[at : at + 1] != "(":
        return None
    at = skip(text, at + 1)
    if (name := quoted(text, at)) is not None:
        field, at = name
    else:
        end = text.find(")", at)
        if end < 0:
            return None
        field, at = text[at:end].rstrip(), end
        if not field or "(" in field or ("*" in field and field != "*"):
            return None
    at = skip(text, at)
    return (Aggregate(function, field), at + 1) if text[at : at + 1] == ")" else None


def whole_aggregate(text: str) -> Aggregate | None:
    """Return the aggregate that a part of option `fields` is, or None."""
    parsed = aggregate(text)
    return parsed[0] if parsed is not None and parsed[1] == len(text) else None


@dataclass(frozen=True, slots=True)
class OrderTerm:
    """One part of option `order`. nulls: "first", "last", or "" for the default of PostgreSQL."""

    path: tuple[str, ...]
    descending: bool
    nulls: str


def order_terms(text: str) -> list[OrderTerm]:
    """Return the parts of option `order`: a comma list of `field [asc|desc] [nulls first|last]`.

    Raises:
        BadRequest: `bad_order`.
    """
    terms = [_term(part) for part in split(text) if part]
    if len(terms) > 20:
        raise BadRequest("Option 'order' may name 20 fields at most.", reason="bad_order")
    return terms


def _term(part: str) -> OrderTerm:
    parts, at = path(part)
    words = part[at:].lower().split()
    descending, nulls = words[:1] == ["desc"], ""
    if words[:1] in (["asc"], ["desc"]):
        del words[0]
    if words[:1] == ["nulls"] and words[1:] in (["first"], ["last"]):
        nulls, words = words[1], []
    if not parts or words or (at < len(part) and not part[at].isspace()):
        raise BadRequest(
            f"Option 'order': '{part[:100]}' is not of the form: field [asc|desc] [nulls first|last].",
            reason="bad_order",
            context={"option": "order"},
        )
    return OrderTerm(parts, descending, nulls)


def identifiers(text: str) -> list[str]:
    """Return the identifiers of option `ids`; composite ones stand in parentheses: `(3,new),(1,eu)`."""
    if not text.lstrip().startswith("("):
        return [part.strip() for part in text.split(",") if part.strip()]
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
