"""Lists of names in options: quoted names, paths and aggregates, read by one linear scan. Knows no tables."""

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
    """A function over a field; the field "*" stands for the rows themselves."""

    function: str
    field: str

    @property
    def result(self) -> str:
        """The name of its value in the answer, but for the spelling of the field."""
        return f"{self.function}_{'all' if self.field == '*' else self.field}"


def skip(text: str, at: int) -> int:
    """The place after the blanks."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]


def quoted(text: str, at: int) -> tuple[str, int] | None:
    """The quoted name at this place and the place after it; None where there is none."""
    closing = CLOSING.get(text[at : at + 1])
    if closing is None or (end := text.find(closing, at + 1)) <= at + 1:
        return None
    return text[at + 1 : end], end + 1


def split(text: str) -> list[str]:
    """The parts of a comma list, blanks around them removed; a comma in quotes or parentheses separates nothing."""
    if not any(sign in text for sign in '"`[('):
        return [part.strip() for part in text.split(",")]
    parts, start, at, depth = [], 0, 0, 0
    fresh = True  # a quote opens a name only where a name may begin
    while at < len(text):
        sign = text[at]
        if fresh and (found := quoted(text, at)) is not None:
            at, fresh = found[1], False
            continue
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        fresh = sign in ",.(" or (fresh and sign.isspace())
        at += 1
    parts.append(text[start:].strip())
    return parts


def plain(text: str) -> str:
    """The name without its quotes."""
    found = quoted(text, 0)
    return found[0] if found is not None and found[1] == len(text) else text


def names(text: str) -> list[str]:
    """The names of a comma list without their quotes, each once."""
    return list(dict.fromkeys(plain(part) for part in split(text) if part))


def path(text: str, at: int = 0) -> tuple[tuple[str, ...], int]:
    """The names of a path, quoted or bare, and the place after it. The path is empty where none begins."""
    found: list[str] = []
    while True:
        if (name := quoted(text, at)) is not None:
            part, at = name
        else:
            end = _bare(text, at)
            if end == at:
                return (), at
            part, at = text[at:end], end
        found.append(part)
        if text[at : at + 1] != ".":
            return tuple(found), at
        at += 1


_BARE = re.compile(r"[^\W\d][\w$]*+")


def _bare(text: str, at: int) -> int:
    found = _BARE.match(text, at)
    return found.end() if found else at


def aggregate(text: str, at: int = 0) -> tuple[Aggregate, int] | None:
    """`COUNT(*)`, `SUM(field)` and the like at this place, and the place after it; None for anything else."""
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
    """The aggregate that a part of `fields` is."""
    found = aggregate(text)
    return found[0] if found is not None and found[1] == len(text) else None


@dataclass(frozen=True, slots=True)
class OrderTerm:
    path: tuple[str, ...]
    descending: bool
    nulls: str  # "first", "last", or "" for PostgreSQL's own place


def order_terms(text: str) -> list[OrderTerm]:
    """Raises BadRequest for anything but `field [asc|desc] [nulls first|last]`, comma list."""
    terms = [_term(part) for part in split(text) if part]
    if len(terms) > 20:
        raise BadRequest("More than 20 fields to order by.", reason="bad_order")
    return terms


def _term(part: str) -> OrderTerm:
    found, at = path(part)
    words = part[at:].lower().split()
    descending, nulls = words[:1] == ["desc"], ""
    if words[:1] in (["asc"], ["desc"]):
        del words[0]
    if words[:1] == ["nulls"] and words[1:] in (["first"], ["last"]):
        nulls, words = words[1], []
    if not found or words or (at < len(part) and not part[at].isspace()):
        raise BadRequest(f"'{part[:100]}' cannot be ordered by.", reason="bad_order", context={"option": "order"})
    return OrderTerm(found, descending, nulls)
