"""The headers `Prefer` and `Range` as options of a table request (docs/reference/wire.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from difflib import get_close_matches

import orjson

from tableapi.errors import ApiError, BadRequest

# The options set by each preference and value; "" accepts any value.
_PREFERENCES: dict[str, dict[str, Callable[[str], dict[str, str]]]] = {
    "return": {"minimal": lambda _: {"return": "minimal"}, "representation": lambda _: {"fields": "*"}},
    "count": {
        "exact": lambda _: {"include_count": "true"},
        "planned": lambda _: {"include_count": "estimated"},
        "estimated": lambda _: {"include_count": "estimated"},
    },
    "resolution": {
        "merge-duplicates": lambda _: {"upsert": "true"},
        "ignore-duplicates": lambda _: {"upsert": "ignore"},
    },
    "missing": {"default": lambda _: {}},
    "tx": {"commit": lambda _: {}, "rollback": lambda _: {"dry_run": "true"}},
    "max-affected": {"": lambda value: {"max_affected": value}},
    "timezone": {"": lambda value: {"timezone": value}},
    "handling": {"strict": lambda _: {}, "lenient": lambda _: {}},
}
NAMES = frozenset(_PREFERENCES)
_RANGE = re.compile(r"(?:(?:items|rows)\s*=\s*)?(\d{1,18})-(\d{1,18})?\Z", re.ASCII)


# Headers of other table APIs, and the option to send instead.
_WITHOUT_EFFECT = {
    "accept-profile": "Put the schema before the table: _table/<schema>.<table>.",
    "content-profile": "Put the schema before the table: _table/<schema>.<table>.",
}
_FORMATS = frozenset(
    ("", "*/*", "application/*", "application/json", "text/*", "text/csv", "text/plain", "application/x-ndjson",
     "application/xml", "text/xml",
     "application/octet-stream", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
)  # fmt: skip


class NotAcceptable(ApiError):
    """Raised when a request accepts only formats that are not served."""

    status, reason = 406, "not_acceptable"


def preferred(text: str, query: dict[str, str], names: Container[str] = NAMES) -> str:
    """Add the options of a `Prefer` header to a query, and return the value of `Preference-Applied`.

    names: the preferences that have an effect.

    Raises:
        BadRequest: a preference is unknown under strict handling.
    """
    applied: list[str] = []
    unknown: list[str] = []
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition(";")[0].partition("="))
        name, value = name.lower(), value.strip('"')
        values = _PREFERENCES.get(name, {}) if name in names else {}
        options = values.get(value.lower()) or values.get("")
        if options is None:
            unknown += [part.strip()[:100]] if part.strip() else []
            continue
        for option, text_ in options(value).items():
            query.setdefault(option, text_)
        applied.append(f"{name}={value}")
    if unknown and "handling=strict" in applied:
        raise BadRequest(
            f"Unknown preference '{unknown[0]}'.{_meant(unknown[0], names)} Leave it out, or send Prefer: "
            "handling=lenient.",
            reason="unknown_preference",
            context={"preferences": unknown},
        )
    return ", ".join(applied)


def _meant(part: str, names: Container[str]) -> str:
    """Suggest a preference for an unknown one: the closest, or the values of its name."""
    known = {name: values for name, values in _PREFERENCES.items() if name in names}
    if close := get_close_matches(part.lower(), [f"{n}={v}" for n, values in known.items() for v in values], n=1):
        return f" Did you mean '{close[0]}'?"
    name = part.partition("=")[0].strip().lower()
    return f" Its values are {', '.join(known[name])}." if name in known else ""


def checked(
    headers: Mapping[str, str], query: dict[str, str], names: Container[str] = NAMES, *, strict: bool = False
) -> tuple[str, bool]:
    """Like `preferred`, for headers with `Prefer`; also return whether unknown options are rejected.

    strict: whether they are without a preference.

    Raises:
        BadRequest: with `handling=strict`, also for a header without effect.
    """
    applied = preferred(headers["prefer"], query, names)
    if "handling=strict" in applied:
        reject_without_effect(headers)
        return applied, True
    return applied, strict and "handling=lenient" not in applied


def reject_without_effect(headers: Mapping[str, str]) -> None:
    """Reject headers that ask for unsupported features, for `handling=strict`.

    Raises:
        BadRequest: `header_without_effect`.
        NotAcceptable: no format of `Accept` is served.
    """
    for name, instead in _WITHOUT_EFFECT.items():
        if name in headers:
            raise BadRequest(
                f"The header '{name}' has no effect here. {instead}", reason="header_without_effect",
                context={"header": name},
            )  # fmt: skip
    kinds = [kind.strip().lower() for kind in headers.get("accept", "*/*").split(",")]
    if not any(kind.partition(";")[0].strip() in _FORMATS and "nulls=" not in kind for kind in kinds):
        raise NotAcceptable(
            f"None of these formats is supported: {', '.join(kinds)[:200]}. Send Accept: application/json."
        )


def ranged(headers: Mapping[str, str], query: dict[str, str]) -> tuple[int, int] | None:
    """Add the limit and offset of a `Range` to a query, and return its first and last position.

    The header is ignored if it uses another unit or if the query has a limit or offset of its own.

    Raises:
        BadRequest: the range ends before it begins.
    """
    match = _RANGE.match(headers.get("range", "").strip())
    if match is None or not query.keys().isdisjoint(("limit", "top", "offset", "skip", "cursor")):
        return None
    first, last = int(match[1]), int(match[2]) if match[2] else -1
    if last >= 0:
        if last < first:
            raise BadRequest(
                "The range ends before it begins. Send Range: <first>-<last>.",
                reason="bad_range",
                context={"header": "Range"},
            )
        query["limit"] = str(last - first + 1)
    query["offset"] = str(first)
    return first, last


def content_range(places: tuple[int, int], body: bytes) -> str:
    """Return `Content-Range` for a response: the positions of its records, and the total if known."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:  # the response is a file
        content = None
    records = content.get("resource", []) if isinstance(content, dict) else content
    count = content.get("meta", {}).get("count", "*") if isinstance(content, dict) else "*"
    if not isinstance(records, list) or not records:
        return f"items */{count}"
    return f"items {places[0]}-{places[0] + len(records) - 1}/{count}"
