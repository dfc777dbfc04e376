"""The options of a request for a table, independent of databases and policies.

Options come from the query string. Those in BODY_OPTIONS may also come from a JSON object in the body, if the query
does not set them. An option of the wrong type is rejected before anything is read or written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson

from tableapi import exact_json
from tableapi.errors import BadFilter, BadRequest
from tableapi.query import names, syntax
from tableapi.query.filter import cache
from tableapi.query.limits import FilterLimits
from tableapi.query.relation_options import (
    RELATION_OPTIONS,
    RelationOptions,
    Relations,
    may_concern_relation,
    relation_option,
)
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Table
from tableapi.schema.types import FALSE, TRUE

ALIASES = {
    "select": "fields", "where": "filter", "sort": "order", "order_by": "order", "group_by": "group", "top": "limit",
    "skip": "offset", "_method": "method", "format": "accept",
}  # fmt: skip
BODY_OPTIONS = frozenset(
    ("fields", "filter", "params", "ids", "id_field", "order", "distinct", "group", "having", "limit", "offset",
     "count_only", "include_count", "related", "continue", "rollback", "cursor", "dry_run", "max_affected", "numbers")
)  # fmt: skip
KNOWN = BODY_OPTIONS | {
    "include_schema", "allow_related_delete", "force", "as_list", "wrap", "file", "accept", "upsert", "refresh",
    "return", "timezone", "explain", "raw", "import",
}  # fmt: skip
OF_QUERY = KNOWN - BODY_OPTIONS  # options that have no effect in a body
# Options that have no effect on writes.
OF_READS = frozenset(
    ("order", "sort", "order_by", "limit", "top", "offset", "skip", "group", "group_by", "having", "cursor",
     "include_count", "count_only", "include_schema", "distinct")
)  # fmt: skip
# Options by which a read returns only some of the matching records, or matches others.
OF_SELECTIONS = frozenset(
    ("limit", "top", "offset", "skip", "group", "group_by", "having", "cursor", "timezone", "distinct")
)  # fmt: skip
_CONDITIONS = "Write all conditions in one option: filter=(a = 1) or (b > 2)."
_HEADER = "Send credentials as headers: X-API-Key, X-Session-Token."
# Suggestions for options of other table APIs.
INSTEAD = {
    "and": _CONDITIONS, "or": _CONDITIONS, "not": _CONDITIONS,
    "page": "To read pages, use limit and offset, or a cursor.",
    **dict.fromkeys(("page_size", "pagesize", "per_page", "perpage"), "Did you mean 'limit'?"),
    **dict.fromkeys(("embed", "expand", "include"), "Name relations in related."),
    "on_conflict": "Write upsert=true.", "columns": "Name the fields in fields.",
    "api_key": _HEADER, "apikey": _HEADER, "session_token": _HEADER, "token": _HEADER,
}  # fmt: skip
# Their values are bound, so they are not part of a plan's key.
BOUND = frozenset(("filter", "where", "offset", "skip", "ids", "params", "cursor", "dry_run", "max_affected"))
_IN_KEY = (KNOWN | ALIASES.keys()) - BOUND - {"method", "_method"}
_NAMES = KNOWN | ALIASES.keys() | {"method"}
_FILTERS = frozenset(("filter", "where", "having"))
MAX_CHARS = 8000  # per option, for those in a plan's key
MAX_OPTIONS = 500  # per query string
MAX_IDS_CHARS = 50_000  # of a text, which is scanned on the event loop
MAX_NUMBER = 2**62
_INTEGER = re.compile(r"\s*+[+-]?\d{1,100}+\s*+\Z", re.ASCII)


@dataclass(slots=True)
class Options:
    """The options of one request, converted to their types. None means not sent."""

    fields: str | None = None
    filter: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    ids: list[Any] | None = None
    id_field: str = ""
    order: str = ""
    distinct: str = ""
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
    go_on: bool = False  # option `continue`
    rollback: bool = False
    allow_related_delete: bool = False
    force: bool = False
    upsert: bool = False
    ignore_existing: bool = False  # upsert=ignore and upsert=get
    get_existing: bool = False  # upsert=get
    dry_run: bool = False
    max_affected: int | None = None
    minimal: bool = False  # return=minimal
    timezone: str = ""
    explain: bool = False
    exact_texts: bool = False  # numbers=text
    as_list: bool = False
    refresh: bool = False  # ignored, because reads are not cached
    wrap: bool = True
    file: str = ""
    accept: str = ""
    relations: dict[str, str] = field(default_factory=dict)  # by lower-case `<relation>.<option>`

    def beyond_row(self, table: Table) -> bool:
        """Return whether the response has more than columns of the row: relations or computed fields."""
        return bool(self.related.strip()) or (self.fields is not None and computed(table, self.fields))

    def of_keys(self) -> Options:
        """Return the options of a read that selects the same records and returns their keys."""
        return Options(fields="", params=self.params, relations=self.relations)

    def of_relation(self, path: str) -> RelationOptions:
        """Return the options of a relation. `path`: the relations that lead to it, joined by dots."""
        options: dict[str, Any] = {}
        for name in RELATION_OPTIONS if self.relations else ():
            value = self.relations.get(f"{path}.{name}".lower())
            if value is None:
                continue
            options[name] = integer(f"{path}.{name}", value) if name in ("limit", "offset") else value
        return RelationOptions(**options)


def computed(table: Table, fields: str | None) -> bool:
    """Return whether option `fields` may contain more than columns: expressions, or functions of the row."""
    if syntax.computed(fields):
        return True
    return bool(fields and table.computed) and any(table.function(name) for name in names.names(fields or ""))


def parse_query(raw: bytes | str) -> dict[str, str]:
    """Parse a query string; the last of several options with the same name wins.

    Raises:
        BadRequest: the query is not UTF-8, or has too many options.
    """
    if not raw:
        return {}
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


def _check_length(name: str, value: str) -> None:
    if len(value) > MAX_CHARS and name not in BOUND:
        raise BadRequest(
            f"Option '{name}' is longer than {MAX_CHARS} characters.", reason="bad_option", context={"option": name}
        )


def within(query: Mapping[str, str], chars: int) -> None:
    """Reject options that are too long before anything parses them.

    chars: the maximum length of a filter.

    Raises:
        BadFilter, BadRequest: an option is too long.
    """
    for name, value in query.items():
        if name in _FILTERS and len(value) > chars:
            raise BadFilter(f"The filter is longer than {chars} characters", chars)
        if name in _IN_KEY:
            _check_length(name, value)


def in_key(name: str, relation: Relations) -> bool:
    """Return whether a plan depends on the value of an option. It never does if the option is unknown.

    Raises:
        BadRequest: a misspelt option of a relation.
    """
    if name in _IN_KEY:
        return True
    if name in BOUND or not may_concern_relation(name):
        return False
    return relation_option(name, relation) is not None


def is_condition(name: str) -> bool:
    """Return whether an option is a condition: its literals are bound, and the rest is in a key."""
    return name.lower().rpartition(".")[2] in _FILTERS


def body_key(body: Any, relation: Relations, limits: FilterLimits) -> bytes:
    """Return the options in a tunnelled body that the plan depends on.

    Raises:
        BadFilter: a condition is invalid.
    """
    if not isinstance(body, dict):
        return b""
    options = {name: value for name, value in body.items() if in_key(name, relation)}
    for name, value in options.items():
        if isinstance(value, str) and is_condition(name):
            options[name] = cache.mark(value, limits).hex()
    return exact_json.dumps(options)


def _text(name: str, value: Any) -> str:
    """Return the value of a text option; a list of texts becomes a comma-separated list."""
    if isinstance(value, str):
        _check_length(name, value)
        if "\x00" in value:
            raise BadRequest(
                f"Option '{name}' contains a NUL character.", reason="bad_option", context={"option": name}
            )
        return value
    if isinstance(value, list) and name != "filter" and all(isinstance(v, str) for v in value):
        joined = ",".join(value)
        _check_length(name, joined)
        return joined
    raise BadRequest(f"Option '{name}' must be a string.", reason="bad_option", context={"option": name})


def _returned(_name: str, value: Any) -> bool:
    """Return whether option `return` asks for a response without records."""
    if (word := str(value).strip().lower()) not in ("minimal", "representation", ""):
        raise BadRequest(
            "Option 'return' must be minimal or representation.", reason="bad_option", context={"option": "return"}
        )
    return word == "minimal"


def reject_unknown(query: Mapping[str, Any], known: Collection[str], subject: str) -> None:
    """Reject options of a request for `subject`, which is not a table, that it would ignore.

    Raises:
        BadRequest: `unknown_option`.
    """
    if names := [name for name in query if name not in known]:
        raise BadRequest(
            f"{subject} has no option '{names[0][:100]}'.{suggestion(names[0], known)} "
            "To ignore unknown options, send Prefer: handling=lenient.",
            reason="unknown_option",
            context={"options": [name[:100] for name in names]},
        )


def unknown(query: Mapping[str, Any], relation: Relations) -> list[str]:
    """Return the names in a query that are not options."""
    if query.keys() <= _NAMES:
        return []
    return [
        name
        for name in query
        if name not in _NAMES and not (may_concern_relation(name) and relation_option(name, relation) is not None)
    ]


def _params(_name: str, value: Any) -> dict[str, Any]:
    """Return the named values of option `params`, sent as an object or as its JSON."""
    if isinstance(value, str):
        try:
            value = exact_json.loads(value) if value.strip() else {}
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, dict):
        raise BadRequest(
            'Option \'params\' must be a JSON object of named values, such as {"city": "Oslo"}.', reason="bad_option"
        )
    for name, item in value.items():
        if isinstance(item, dict) or (isinstance(item, list) and any(isinstance(v, dict | list) for v in item)):
            raise BadRequest(
                f"The named value '{name}' must be a single value or a list of values.", reason="bad_option"
            )
        if isinstance(item, list) and len(item) > 500:
            raise BadRequest(f"The named value '{name}' has more than 500 values.", reason="bad_option")
    return {name.removeprefix(":"): item for name, item in value.items()}


def _ids(_name: str, value: Any) -> list[Any]:
    """Parse option `ids`, sent as a list, a single value or a comma-separated list."""
    if isinstance(value, str):
        if len(value) > MAX_IDS_CHARS:
            message = f"Option 'ids' is longer than {MAX_IDS_CHARS:,} characters. Send the identifiers as a list."
            raise BadRequest(message, reason="bad_option", context={"option": "ids"})
        return list(names.identifiers(value))
    if isinstance(value, list):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    raise BadRequest("Option 'ids' must be a list of identifiers.", reason="bad_option", context={"option": "ids"})


def _at_least_zero(name: str, value: Any) -> int:
    return max(0, integer(name, value))


# Convert the value of an option to the Options field with the same name; other options are text.
_CONVERTERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(
        ("count_only", "include_schema", "allow_related_delete", "force", "as_list", "rollback", "refresh", "dry_run",
         "explain", "wrap", "continue"), boolean,
    ),
    "limit": integer, "offset": integer, "max_affected": _at_least_zero, "return": _returned, "params": _params,
    "ids": _ids,
}  # fmt: skip
_FIELDS = {"continue": "go_on", "return": "minimal"}


def _set_upsert(parsed: Options, value: Any) -> None:
    word = str(value).strip().lower()
    parsed.get_existing = word == "get"
    parsed.ignore_existing = word in ("ignore", "get")
    if not parsed.ignore_existing and word and word not in TRUE and word not in FALSE:
        message = "Option 'upsert' must be true, false, ignore or get."
        raise BadRequest(message, reason="bad_option", context={"option": "upsert"})
    parsed.upsert = parsed.ignore_existing or word in TRUE


def _set_count(parsed: Options, value: Any) -> None:
    parsed.estimated = str(value).strip().lower() == "estimated"
    parsed.include_count = parsed.estimated or boolean("include_count", value)


def _set_numbers(parsed: Options, value: Any) -> None:
    word = str(value).strip().lower()
    if word not in ("text", "json"):
        raise BadRequest("Option 'numbers' must be text or json.", reason="bad_option", context={"option": "numbers"})
    parsed.exact_texts = word == "text"


def _reject_raw(_parsed: Options, _value: Any) -> None:
    message = "Option 'raw' applies only to reading one field of one record: GET _table/<table>/<id>?raw=<field>."
    raise BadRequest(message, reason="bad_option", context={"option": "raw"})


# Options that set two fields or none; `import` is handled during dispatch.
_SETTERS: dict[str, Callable[[Options, Any], None]] = {
    "numbers": _set_numbers, "upsert": _set_upsert, "include_count": _set_count, "raw": _reject_raw,
    "import": lambda parsed, value: None,
}  # fmt: skip


def options(query: Mapping[str, str], body: Any = None, relation: Relations = lambda name: None) -> Options:
    """Parse the options of a request.

    relation: finds a relation of the table by its name; without it, options of relations are ignored.

    Raises:
        BadRequest: an option has the wrong type, or an option of a relation is misspelt.
    """
    values: dict[str, Any] = {}
    parsed = Options()
    for given, known in ((body if isinstance(body, dict) else {}, BODY_OPTIONS), (query, KNOWN)):
        for name, value in given.items():
            option = ALIASES.get(name, name)
            if option in known:
                values[option] = value
            elif may_concern_relation(name) and (key := relation_option(name, relation)) is not None:
                parsed.relations[key] = str(value) if isinstance(value, int) else _text(name, value)
    for name, value in values.items():
        if value is None:
            continue
        if (setter := _SETTERS.get(name)) is not None:
            setter(parsed, value)
        else:
            convert: Callable[[str, Any], Any] = _CONVERTERS.get(name, _text)
            setattr(parsed, _FIELDS.get(name, name), convert(name, value))
    return parsed
