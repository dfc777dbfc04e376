"""Lists of names in options: quoted names, paths and identifiers, parsed in one linear scan."""

from __future__ import annotations

import re

CLOSING = {'"': '"', "`": "`", "[": "]"}
FUNCTIONS = frozenset(("count", "sum", "avg", "min", "max", "percentile"))
_BLANK = re.compile(r"\s*+")


def skip(text: str, at: int) -> int:
    """Return the position after any spaces."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]


def quoted(text: str, at: int) -> tuple[str, int] | None:
    """Parse a quoted name at this position; return it and the position after it, or None."""
    closing = CLOSING.get(text[at : at + 1])
    if closing is None or (end := text.find(closing, at + 1)) <= at + 1:
        return None
    return text[at + 1 : end], end + 1


def split(text: str) -> list[str]:
    """Split a comma-separated list and strip its parts.

    A comma inside quotes or parentheses separates nothing. Inside parentheses there may be text in single quotes.
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
        if sign == "'" and depth and (end := text.find("'", at + 1)) > 0:
            at, name_may_begin = end + 1, False
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
    """Return the unquoted names in a comma-separated list, without duplicates."""
    return list(dict.fromkeys(plain(part) for part in split(text) if part))


def path(text: str, at: int = 0) -> tuple[tuple[str, ...], int]:
    """Parse a path; return its names and the position after it. The path is empty if no name begins here."""
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
    """Return the position after an unquoted name."""
    match = _BARE.match(text, at)
    return match.end() if match else at


def identifiers(text: str) -> list[str]:
    """Parse the identifiers in option `ids`; composite ones are in parentheses: `(3,new),(1,eu)`."""
    return _parts(text, nested=text.lstrip().startswith("("), blanks=False)


def key_parts(text: str) -> list[str]:
    """Return the parts of a composite identifier, with or without its parentheses."""
    text = text.strip()
    return _parts(text[1:-1] if text.startswith("(") and text.endswith(")") else text)


def quoted_value(text: str) -> str:
    """Return a value that is one part of an identifier, in quotes if it would not be without them."""
    return "'" + text.replace("'", "''") + "'" if _SPECIAL.search(text) else text


_SPECIAL = re.compile(r"""\A(?:['"(\s]|\Z)|,|[)\s]\Z""")


_QUOTED = re.compile(r"""\s*+(?:'((?:[^']|'')*+)'|"((?:[^"]|"")*+)")\s*+(?=,|\Z)""")


def _parts(text: str, *, nested: bool = False, blanks: bool = True) -> list[str]:
    """Split a list of values at its commas. A quoted part is one value, with doubled quotes inside.

    nested: parts in parentheses are kept as they are. blanks: whether a part without quotes may be empty.
    """
    if not nested and "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",") if blanks or part.strip()]
    parts, at = [], 0
    while at <= len(text):
        if (match := _QUOTED.match(text, at)) is not None:
            parts.append(match[1].replace("''", "'") if match[2] is None else match[2].replace('""', '"'))
            at = match.end() + 1
            continue
        end = _after_group(text, at) if nested else text.find(",", at)
        end = len(text) if end < 0 else end
        if (part := text[at:end].strip()) or blanks:
            parts.append(part)
        at = end + 1
    return parts


def _after_group(text: str, at: int) -> int:
    """Return the position of the next comma outside parentheses, which may contain quoted values."""
    depth = 0
    while at < len(text):
        sign = text[at]
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            return at
        at += 1
        if depth and sign in "(," and (match := _IN_GROUP.match(text, at)) is not None:
            at = match.end()
    return -1


_IN_GROUP = re.compile(r"""\s*+(?:'(?:[^']|'')*+'|"(?:[^"]|"")*+")(?=\s*+[,)])""")
