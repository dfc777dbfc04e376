"""The QUERY method (RFC 10008): a read with its options in the body, where they may be long."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from tableapi.errors import BadRequest, UnsupportedMedia
from tableapi.http.body import parse_object
from tableapi.query.limits import Limits
from tableapi.query.options import parse_query

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ACCEPT_QUERY = f"{JSON}, {FORM}"
HEADERS = {"Accept-Query": ACCEPT_QUERY}
LINE = f"accept-query: {ACCEPT_QUERY}\r\n"
# Limits of a filter in a body. Parsing 4,000 values takes 10 ms.
MAX_CHARS, MAX_VALUES = 100_000, 4_000


def wider(limits: Limits) -> Limits:
    """Return the limits for a read sent with QUERY: longer filters, with more values in a list."""
    filters = limits.filter
    length, values = max(filters.length, MAX_CHARS), max(filters.values, MAX_VALUES)
    return replace(limits, filter=replace(filters, length=length, values=values))


def options_of(content_type: str, raw: bytes, query: dict[str, str]) -> tuple[dict[str, str], dict[str, Any] | None]:
    """Return the options of body and URL (the URL wins), and the members that only a body can have.

    Raises:
        UnsupportedMedia: The type of the body is missing or unknown (415).
        BadRequest: The body is neither a JSON object nor a form, or is not UTF-8.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == FORM:
        return parse_query(raw.decode("latin-1")) | query, None
    if media_type != JSON and not media_type.endswith("+json"):
        raise UnsupportedMedia(
            f"Send the options of a QUERY as {JSON} or {FORM}, and set Content-Type.", headers=HEADERS
        )
    sent = parse_object(JSON, raw)
    options: dict[str, str] = {}
    for name in [name for name, value in sent.items() if isinstance(value, str | int | float)]:
        value = sent.pop(name)
        options[name] = value if isinstance(value, str) else orjson.dumps(value).decode()
    rest = {name: value for name, value in sent.items() if value is not None and name not in query}
    if "resource" in rest:
        message = "A QUERY takes options, not records. Name records with 'ids' or 'filter'."
        raise BadRequest(message, reason="bad_option", context={"option": "resource"})
    return options | query, rest or None
