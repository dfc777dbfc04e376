"""The options of a request for a table, independent of databases and policies.

Options come from the query string. Those with `in_body` may also come from a JSON object in the body, if the query does
not set them. An option of the wrong type is rejected before anything is read or written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

from tableapi import exact_json
from tableapi.errors import BadFilter, BadRequest
from tableapi.query import names, syntax
from tableapi.query.filter import cache
from tableapi.query.limits import FilterLimits
from tableapi.query.option_table import BY_NAME, TABLE
from tableapi.query.option_values import check_length, integer, text
from tableapi.query.relation_options import (
    RELATION_OPTIONS,
    RelationOptions,
    Relations,
    may_concern_relation,
    relation_option,
)
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Table

KNOWN = frozenset(BY_NAME)
OF_QUERY = frozenset(option.name for option in TABLE if not option.in_body)  # they have no effect in a body
OF_READS = frozenset(name for option in TABLE if option.of_reads for name in (option.name, *option.aliases))
OF_SELECTIONS = frozenset(name for option in TABLE if option.selects for name in (option.name, *option.aliases))
ALIASES = {alias: option.name for option in TABLE for alias in option.aliases}
BOUND = frozenset(name for option in TABLE if option.bound for name in (option.name, *option.aliases))
_NAMES = KNOWN | ALIASES.keys()
_IN_KEY = _NAMES - BOUND - {"method", "_method"}
_FILTERS = frozenset(("filter", "where", "having"))
_NUMBERS = frozenset(("limit", "top", "offset", "skip", "max_affected"))
MAX_OPTIONS = 500  # per query string


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
    """Parse a query string.

    Raises:
        BadRequest: the query is not UTF-8, has too many options, or one of them twice with different values.
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
            if query.setdefault(name, value) != value:
                raise _twice(name, query[name], value)
    if len(query) > 1 and not query.keys().isdisjoint(ALIASES):
        sent: dict[str, str] = {}
        for name, value in query.items():
            if sent.setdefault(option := ALIASES.get(name, name), value) != value:
                raise _twice(option, sent[option], value)
    return query


def _twice(name: str, first: str, second: str) -> BadRequest:
    """Build the error for an option of which one value would be dropped: a condition, for example."""
    if name in _FILTERS:
        advice = f"Write all conditions in one: {name}=({first[:60]}) and ({second[:60]})."
    elif name in _NUMBERS:
        advice = f"Send it once, under one name: {name}={second[:60]}."
    else:
        advice = (
            f"Send it once; the values of a list have commas between them: {name[:100]}={first[:60]},{second[:60]}."
        )
    return BadRequest(
        f"Option '{name[:100]}' was sent twice with different values. {advice}",
        reason="bad_option",
        context={"option": name[:100]},
    )


def _decoded(text: str) -> str:
    """Percent-decode a name or value."""
    if "%" not in text and text.isascii():
        return text
    try:
        return unquote_to_bytes(text.encode("latin-1")).decode()
    except UnicodeError:
        raise BadRequest("The query is not valid UTF-8.", reason="bad_encoding") from None


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
            check_length(name, value)


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


def options(query: Mapping[str, str], body: Any = None, relation: Relations = lambda name: None) -> Options:
    """Parse the options of a request.

    relation: finds a relation of the table by its name; without it, options of relations are ignored.

    Raises:
        BadRequest: an option has the wrong type, or an option of a relation is misspelt.
    """
    parsed = Options()
    values: dict[str, Any] = {}
    for given, in_body in ((body if isinstance(body, dict) else {}, True), (query, False)):
        for name, value in given.items():
            option = BY_NAME.get(ALIASES.get(name, name))
            if option is not None and (option.in_body or not in_body):
                values[option.name] = value
            elif may_concern_relation(name) and (key := relation_option(name, relation)) is not None:
                parsed.relations[key] = str(value) if isinstance(value, int) else text(name, value)
    for name, value in values.items():
        if value is None:
            continue
        option = BY_NAME[name]
        converted = option.convert(name, value)
        if option.into is None:
            setattr(parsed, name, converted)
        else:
            for own, part in zip(option.into, converted, strict=True):
                setattr(parsed, own, part)
    return parsed
