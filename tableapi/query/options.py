"""URL, headers and body -> what was asked of a table. No database, no policy.

Options come in the query; for those in BODY_OPTIONS a value in a JSON object body counts when the query has none.
Anything of the wrong type is refused here, before anything is read or written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

from tableapi import exact_json
from tableapi.errors import BadFilter, BadRequest
from tableapi.query import names
from tableapi.schema.types import FALSE, TRUE

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
# Their values are bound, so that they are no part of the shape of a request.
LIFTED = frozenset(("filter", "where", "offset", "skip", "ids", "params", "cursor"))
_SHAPING = (KNOWN | ALIASES.keys()) - LIFTED - {"method", "_method"}
_FILTERS = frozenset(("filter", "where", "having"))
MAX_NUMBER = 2**62
MOST_OPTIONS = 500  # in one query
MOST_CHARS = 8000  # of one option, but for those that hold values
MOST_PATH = 2000  # of the path of a relation in the name of an option


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
        """The options of a relation, `path` being its names joined by dots."""
        found: dict[str, Any] = {}
        for name in RELATION_OPTIONS if self.relations else ():
            value = self.relations.get(f"{path}.{name}".lower())
            if value is None:
                continue
            found[name] = integer(f"{path}.{name}", value) if name in ("limit", "offset") else value
        return RelationOptions(**found)


def parse_query(raw: bytes | str) -> dict[str, str]:
    """The query as text; the last of several equal names counts. Raises BadRequest for bytes that are not UTF-8."""
    text = raw.decode("latin-1") if isinstance(raw, bytes) else raw
    found: dict[str, str] = {}
    if text.count("&") > MOST_OPTIONS:
        raise BadRequest(f"The query has more than {MOST_OPTIONS} options.", reason="too_many_options")
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


_INTEGER = re.compile(r"\s*+[+-]?\d{1,100}+\s*+\Z", re.ASCII)


def integer(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-MAX_NUMBER, min(value, MAX_NUMBER))
    if isinstance(value, str) and _INTEGER.match(value):
        return max(-MAX_NUMBER, min(int(value), MAX_NUMBER))
    raise BadRequest(f"Option '{name}' must be a whole number.", reason="bad_option", context={"option": name})


def _bounded(name: str, value: str) -> None:
    if len(value) > MOST_CHARS and name not in LIFTED:
        raise BadRequest(
            f"Option '{name}' is longer than {MOST_CHARS} characters.", reason="bad_option", context={"option": name}
        )


def within(query: Mapping[str, str], chars: int) -> None:
    """Refuse options that are too long, before anything looks into them. `chars`: of a filter."""
    for name, value in query.items():
        if name in _FILTERS and len(value) > chars:
            raise BadFilter(f"The filter is longer than {chars} characters", chars)
        if name in _SHAPING:
            _bounded(name, value)


Relations = Callable[[str], Any]  # the relation of a name, or None


def relation_option(name: str, relation: Relations) -> str | None:
    """`<relation>.<option>` in lower case and without quotes; None for what is no option of a relation.

    DreamFactory's clients may write `_` instead of the last dot.
    """
    lower = name.lower()
    option = next((one for one in RELATION_OPTIONS if lower.endswith(one)), "")
    path, sign = lower[: -len(option) - 1], lower[-len(option) - 1 : -len(option)]
    if not option or not path or sign not in "._" or len(path) > MOST_PATH:
        return None
    if path[0] in names.CLOSING or '."' in path or ".`" in path or ".[" in path:
        parts, end = names.path(path)
        if end < len(path) or not parts or relation(parts[0]) is None:
            return None
        return f"{'.'.join(parts)}.{option}"
    at = len(path)
    while at > 0 and relation(path[:at]) is None:  # a relation may have a dot in its name
        at = path.rfind(".", 0, at)
    return f"{path}.{option}" if at > 0 else None


def _shapes(name: str, relation: Relations) -> bool:
    """Whether an option that is none of a table's own belongs to the shape."""
    return name not in LIFTED and name.endswith(RELATION_OPTIONS) and relation_option(name, relation) is not None


def shape(query: Mapping[str, str], relation: Relations) -> tuple[tuple[str, str], ...]:
    """What of a query belongs to the shape of the request; options that do not exist never do."""
    return tuple([one for one in query.items() if one[0] in _SHAPING or _shapes(one[0], relation)])


def body_shape(body: Any, relation: Relations) -> bytes:
    """What of a tunnelled body belongs to the shape."""
    if not isinstance(body, dict):
        return b""
    return exact_json.dumps({k: v for k, v in body.items() if k in _SHAPING or _shapes(k, relation)})


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        _bounded(name, value)
        if "\x00" in value:
            raise BadRequest(f"Option '{name}' holds a NUL character.", reason="bad_option", context={"option": name})
        return value
    if isinstance(value, list) and name != "filter" and all(isinstance(v, str) for v in value):
        joined = ",".join(value)
        _bounded(name, joined)
        return joined
    raise BadRequest(f"Option '{name}' must be text.", reason="bad_option", context={"option": name})


def _params(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = exact_json.loads(value) if value.strip() else {}
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


def options(query: Mapping[str, str], body: Any = None, relation: Relations = lambda name: None) -> Options:
    """The options of a request. Raises BadRequest for one of the wrong type.

    `relation` finds the relations of the table; options of what is no relation are not kept.
    """
    given: dict[str, Any] = {}
    relations: dict[str, str] = {}
    if isinstance(body, dict):
        for name, value in body.items():
            real = ALIASES.get(name, name)
            if real in BODY_OPTIONS:
                given[real] = value
            elif name.endswith(RELATION_OPTIONS) and (key := relation_option(name, relation)) is not None:
                relations[key] = str(value) if isinstance(value, int) else _text(name, value)
    for name, value in query.items():
        real = ALIASES.get(name, name)
        if real in KNOWN:
            given[real] = value
        elif name.endswith(RELATION_OPTIONS) and (key := relation_option(name, relation)) is not None:
            relations[key] = _text(name, value)
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
