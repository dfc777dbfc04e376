"""Query strings, and the values of numeric and boolean options."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_to_bytes

from tableapi.errors import BadRequest
from tableapi.schema.types import FALSE, TRUE

MAX_NUMBER = 2**62
MAX_OPTIONS = 500  # per query string


def parse_query(raw: bytes | str) -> dict[str, str]:
    """Parse a query string; the last of several options with the same name wins.

    Raises:
        BadRequest: the query is not UTF-8, or has too many options.
    """
    text = raw.decode("latin-1") if isinstance(raw, bytes) else raw
    text = text.replace("%20", "+")  # equivalent, but faster to decode
    query: dict[str, str] = {}
    if text.count("&") > MAX_OPTIONS:
        raise BadRequest(f"The query has more than {MAX_OPTIONS} options.", reason="too_many_options")
    for part in text.split("&"):
        if part:
            name, _, value = part.partition("=")
            if "+" in part:
                name, value = name.replace("+", " "), value.replace("+", " ")
            if "%" in part or not part.isascii():
                name, value = _decoded(name), _decoded(value)
            query[name] = value
    return query


def _decoded(text: str) -> str:
    """Percent-decode a name or value."""
    if "%" not in text and text.isascii():
        return text
    try:
        return unquote_to_bytes(text.encode("latin-1")).decode()
    except UnicodeError:
        raise BadRequest("The query is not valid UTF-8.", reason="bad_encoding") from None


def boolean(name: str, value: Any) -> bool:
    """Parse a boolean option.

    Raises:
        BadRequest: the value is not a boolean.
    """
    word = str(value).strip().lower()
    if word in TRUE:
        return True
    if word in FALSE or word == "":
        return False
    message = f"Option '{name[:100]}' must be true or false."
    raise BadRequest(message, reason="bad_option", context={"option": name[:100]})


_INTEGER = re.compile(r"\s*+[+-]?\d{1,100}+\s*+\Z", re.ASCII)


def integer(name: str, value: Any) -> int:
    """Parse an integer option.

    Raises:
        BadRequest: the value is not a whole number.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-MAX_NUMBER, min(value, MAX_NUMBER))
    if isinstance(value, str) and _INTEGER.match(value):
        return max(-MAX_NUMBER, min(int(value), MAX_NUMBER))
    raise BadRequest(f"Option '{name}' must be a whole number.", reason="bad_option", context={"option": name})
