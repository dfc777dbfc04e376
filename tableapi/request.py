"""URL, headers and body -> what was asked of a table. No database, no policy.

Options come in the query; for those in BODY_OPTIONS a value in a JSON object body counts when the query has none.
Anything of the wrong type is refused here, before anything is read or written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

from tableapi import exact
from tableapi.errors import BadRequest
from tableapi.values import FALSE, TRUE

ALIASES = {
    "select": "fields", "where": "filter", "sort": "order", "order_by": "order", "group_by": "group", "top": "limit",
    "skip": "offset", "_method": "method",
}  # fmt: skip
BODY_OPTIONS = frozenset(
    ("fields", "filter", "params", "ids", "id_field", "order", "group", "having", "limit", "offset", "count_only",
     "include_count", "related", "continue", "rollback", "cursor")
)  # fmt: skip
KNOWN = BODY_OPTIONS | {
    "include_schema", "allow_related_delete", "force", "as_list", "wrap", "file", "accept", "upsert", "refresh",
}  # fmt: skip
RELATION_OPTIONS = ("fields", "filter", "order", "limit", "offset", "related")
MAX_NUMBER = 2**62


@dataclass(frozen=True, slots=True)
class RelationOptions:
    fields: str | None = None
    filter: str = ""
    order: str = ""
    limit: int | None = None
    offset: int = 0
    related: str = ""


@dataclass(slots=True)
class Options:
    """The options of one request, of the right types. None means not given."""

    fields: str | None = None
    filter: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    ids: list[Any] | None = None
    id_field: str = ""
    order: str = ""
    group: str = ""
    having: str = ""
    limit: int | None = None
    offset: int = 0
    cursor: str | None = None
    include_count: bool = False
    estimated: bool = False
    count_only: bool = False
    include_schema: bool = False
    related: str = ""
    go_on: bool = False  # option "continue"
    rollback: bool = False
    allow_related_delete: bool = False
    force: bool = False
    upsert: bool = False
    as_list: bool = False
    refresh: bool = False  # there is no cache to read past
    wrap: bool = True
    file: str = ""
    accept: str = ""
    relations: dict[str, str] = field(default_factory=dict)  # "company_by_company_id.fields" -> value

    def of_relation(self, path: str) -> RelationOptions:
        """The options of a relation, `path` being its names joined by dots. DreamFactory's clients may use `_`."""
        found: dict[str, Any] = {}
        for name in RELATION_OPTIONS:
            value = self.relations.get(f"{path}.{name}".lower(), self.relations.get(f"{path}_{name}".lower()))
            if value is None:
                continue
            found[name] = integer(f"{path}.{name}", value) if name in ("limit", "offset") else value
        return RelationOptions(**found)


def parse_query(raw: bytes | str) -> dict[str, str]:
    """The query as text; the last of several equal names counts. Raises BadRequest for bytes that are not UTF-8."""
    text = raw.decode("latin-1") if isinstance(raw, bytes) else raw
    found: dict[str, str] = {}
    for part in text.split("&"):
        if part:
            name, _, value = part.partition("=")
            found[_decoded(name)] = _decoded(value)
    return found


def _decoded(text: str) -> str:
    if "%" not in text and "+" not in text and text.isascii():
        return text
    try:
        return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode()
    except UnicodeError:
        raise BadRequest("The query is not valid UTF-8.", reason="bad_encoding") from None


def boolean(name: str, value: Any) -> bool:
    """Return what an option that is on or off is set to. Raises BadRequest for a word that means neither."""
    word = str(value).strip().lower()
    if word in TRUE:
        return True
    if word in FALSE or word == "":
        return False
    told = f"Option '{name[:100]}' must be true or false."
    raise BadRequest(told, reason="bad_option", context={"option": name[:100]})


_INTEGER = re.compile(r"\s*[+-]?\d{1,100}\s*\Z", re.ASCII)


def integer(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-MAX_NUMBER, min(value, MAX_NUMBER))
    if isinstance(value, str) and _INTEGER.match(value):
        return max(-MAX_NUMBER, min(int(value), MAX_NUMBER))
    raise BadRequest(f"Option '{name}' must be a whole number.", reason="bad_option", context={"option": name})


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        if "\x00" in value:
            raise BadRequest(f"Option '{name}' holds a NUL character.", reason="bad_option", context={"option": name})
        return value
    if isinstance(value, list) and name != "filter" and all(isinstance(v, str) for v in value):
        return ",".join(value)
    raise BadRequest(f"Option '{name}' must be text.", reason="bad_option", context={"option": name})


def _params(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = exact.loads(value) if value.strip() else {}
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, dict):
        raise BadRequest("Option 'params' must be an object of named values.", reason="bad_option")
    for name, one in value.items():
        if isinstance(one, dict) or (isinstance(one, list) and any(isinstance(v, dict | list) for v in one)):
            raise BadRequest(f"The named value '{name}' must be a plain value or a list.", reason="bad_option")
        if isinstance(one, list) and len(one) > 500:
            raise BadRequest(f"The named value '{name}' has more than 500 values.", reason="bad_option")
    return {name.removeprefix(":"): one for name, one in value.items()}


def split_ids(text: str) -> list[str]:
    """A comma list of identifiers; those of a composite key stand in parentheses: (3,new),(1,eu)."""
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


def _ids(value: Any) -> list[Any]:
    if isinstance(value, str):
        return list(split_ids(value))
    if isinstance(value, list):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    raise BadRequest("Option 'ids' must be a list of identifiers.", reason="bad_option", context={"option": "ids"})


_BOOLEANS = {
    "count_only",
    "include_schema",
    "allow_related_delete",
    "force",
    "upsert",
    "as_list",
    "rollback",
    "refresh",
}


def options(query: Mapping[str, str], body: Any = None) -> Options:
    """Raises BadRequest for an option of the wrong type."""
    given: dict[str, Any] = {}
    relations: dict[str, str] = {}
    if isinstance(body, dict):
        for name, value in body.items():
            real = ALIASES.get(name, name)
            if real in BODY_OPTIONS:
                given[real] = value
            elif "." in name and name.rsplit(".", 1)[1] in RELATION_OPTIONS:
                relations[name.lower()] = str(value) if isinstance(value, int) else _text(name, value)
    for name, value in query.items():
        real = ALIASES.get(name, name)
        if real in KNOWN:
            given[real] = value
        elif name.endswith(RELATION_OPTIONS):
            relations[name.lower()] = _text(name, value)
    made = Options(relations=relations)
    for name, value in given.items():
        if value is None:
            continue
        if name in _BOOLEANS:
            setattr(made, name, boolean(name, value))
        elif name in ("limit", "offset"):
            setattr(made, name, integer(name, value))
        elif name == "continue":
            made.go_on = boolean(name, value)
        elif name == "include_count":
            made.estimated = str(value).strip().lower() == "estimated"
            made.include_count = made.estimated or boolean(name, value)
        elif name == "wrap":
            made.wrap = boolean(name, value)
        elif name == "params":
            made.params = _params(value)
        elif name == "ids":
            made.ids = _ids(value)
        else:
            setattr(made, name, _text(name, value))
    return made


# -- lists of names --------------------------------------------------------------------------------------------------

_ORDER = re.compile(
    r"(?P<name>(?:\"[^\"]+\"|`[^`]+`|\[[^\]]+\]|[^\W\d][\w$]*)(?:\.[^\W\d][\w$]*)*)"
    r"(?:\s+(?P<way>asc|desc))?(?:\s+nulls\s+(?P<nulls>first|last))?\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OrderTerm:
    path: tuple[str, ...]
    descending: bool
    nulls: str  # "first", "last", or "" for PostgreSQL's own place


def order_terms(text: str) -> list[OrderTerm]:
    """Raises BadRequest for anything but `field [asc|desc] [nulls first|last]`, comma list."""
    terms = []
    for part in text.split(","):
        if not (part := part.strip()):
            continue
        found = _ORDER.match(part)
        if not found:
            raise BadRequest(f"'{part[:100]}' cannot be ordered by.", reason="bad_order", context={"option": "order"})
        name = found["name"]
        path = (name[1:-1],) if name[0] in '"`[' else tuple(name.split("."))
        terms.append(OrderTerm(path, (found["way"] or "").lower() == "desc", (found["nulls"] or "").lower()))
    if len(terms) > 20:
        raise BadRequest("More than 20 fields to order by.", reason="bad_order")
    return terms


def names(text: str) -> list[str]:
    """A comma list of names, blanks left out, each once."""
    return list(dict.fromkeys(part.strip().strip('"`') for part in text.split(",") if part.strip()))
