"""The access file of `--access`: API keys, and roles with rights and row filters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tableapi.auth.policy import VERBS, Actor, ActorTerms, DatabaseRole
from tableapi.auth.rights import EVERYTHING, DerivedRights, Right
from tableapi.auth.webhook import MAX_WEBHOOKS, Webhook
from tableapi.config.rules import described
from tableapi.schema.model import Column, Table
from tableapi.schema.pgtypes import TEXT
from tableapi.schema.sqltypes import Supply, as_text, constant_text, like_ended, like_escaped
from tableapi.schema.types import BadValue, check, checker


class RowFilter(BaseModel):
    """One condition on a column: `{"name": "company_id", "operator": "=", "value": "{user.company}"}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    comment: Any = None  # for people
    name: str
    operator: str = "="
    value: Any = None


class Entry(BaseModel):
    """Access to one component, such as `_table/person/*`. `verb_mask` is the sum of numbers from `VERBS`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    comment: Any = None  # for people
    service: str = ""
    component: str = "*"
    verb_mask: int = Field(strict=True)
    requestor_mask: int = Field(default=1, strict=True)
    filters: tuple[RowFilter, ...] = ()
    filter_op: Literal["AND", "OR", "and", "or"] = "AND"


class Role(BaseModel):
    """A role: its list of accesses, or the PostgreSQL role for its statements (`DatabaseRole`).

    explain: whether it may ask why a request is rejected (`Prefer: explain=rights`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    comment: Any = None  # for people
    access: tuple[Entry, ...] = ()
    explain: bool = False
    database_role: str = Field(default="", max_length=63)
    schemas: frozenset[str] = frozenset(("public",))

    def acts_as(self) -> DatabaseRole | None:
        """Return the PostgreSQL role, if any. Without accesses, its rights are PostgreSQL's own grants."""
        return DatabaseRole(self.database_role, not self.access, self.schemas) if self.database_role else None


class Key(BaseModel):
    """An API key: its role, and the values that describe its user."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    comment: Any = None  # for people
    role: str
    user: dict[str, Any] = Field(default_factory=dict)


class AccessFile(BaseModel):
    """The file of `--access`: keys with their role and user, and roles with their accesses.

    anonymous: the role of requests without credentials; "" rejects them. webhooks: changes to send to other systems.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    comment: Any = None  # for people
    keys: dict[str, Key] = Field(default_factory=dict)
    roles: dict[str, Role] = Field(default_factory=dict)
    anonymous: str = ""
    webhooks: tuple[Webhook, ...] = Field(default=(), max_length=MAX_WEBHOOKS)

    @classmethod
    def load(cls, path: Path) -> AccessFile:
        """Read and validate a file. Raises OSError, or ValueError with a one-line message."""
        try:
            text = path.read_text("utf-8-sig")  # editors may write a byte order mark
            if not text.strip():
                raise ValueError('the file is empty. Write one object: {"keys": {...}, "roles": {...}}')
            access = cls.model_validate(json.loads(text, object_pairs_hook=_each_once, parse_constant=_reject_constant))
        except json.JSONDecodeError as error:
            comma = text[: error.pos].rstrip().endswith(",") and text[error.pos : error.pos + 1] in ("]", "}")
            comma = comma or error.msg.startswith("Illegal trailing comma")
            told = "a comma has nothing after it. Remove it" if comma else error.msg
            place = f"line {error.lineno} column {error.colno}"
            raise ValueError(f"{told} ({place})") from None
        except RecursionError:
            raise ValueError("the file is nested too deeply") from None
        except ValidationError as error:
            first = error.errors()[0]
            place, message = _place(first["loc"]), described(first)
            if not place:
                raise ValueError("the file must contain one object with 'keys' and 'roles'") from None
            if first["type"] == "extra_forbidden":
                members = _members(first["loc"][:-1])
                close = get_close_matches(str(first["loc"][-1]), members, n=1)
                message = "unknown member" + (
                    f", did you mean '{close[0]}'?" if close else f"; its object has {', '.join(members)}"
                )
            elif first["loc"][-1] == "verb_mask":
                message = _mask(first["input"])
            raise ValueError(f"{place}: {message}") from None
        if "*" in access.roles:
            raise ValueError("'roles' defines the role '*', which is built in and may do everything. Rename the role")
        if any(not name.strip() for name in access.keys):
            raise ValueError(
                "a key under 'keys' is empty, which would let in requests without a key. Write the key, or name a role"
                " under 'anonymous'"
            )
        for name, key in access.keys.items():
            if key.role != "*" and key.role not in access.roles:
                raise ValueError(f"key '{name[:4]}...' names the role '{key.role}', which is not defined under 'roles'")
        if access.anonymous and access.anonymous not in access.roles:
            raise ValueError(f"'anonymous' names the role '{access.anonymous}', which is not defined under 'roles'")
        for role in access.roles.values():
            for entry in role.access:
                for condition in entry.filters:
                    if condition.operator.upper() not in ROW_OPERATORS:
                        raise ValueError(
                            f"the row filter on '{condition.name}' has an unknown operator '{condition.operator}'; "
                            f"expected one of {', '.join(ROW_OPERATORS)}"
                        )
        return access

    @property
    def database_roles(self) -> dict[str, DatabaseRole]:
        """Return the roles that run as a PostgreSQL role."""
        return {name: acts for name, role in self.roles.items() if (acts := role.acts_as()) is not None}

    def actor(self, name: str) -> Actor | None:
        """Return the actor of a key; None for an unknown key."""
        key = self.keys.get(name)
        if key is None:
            return None
        return Actor(key.role, {f"user.{field}": value for field, value in key.user.items()}, key=name)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of the file. Raises ValueError for a member that occurs twice; the last would win."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        shown = twice if any(twice in model.model_fields for model in _MODELS.values()) else f"{twice[:4]}..."
        raise ValueError(f"the member '{shown}' occurs twice in one object. Remove one of them")
    return found


def _mask(written: object) -> str:
    """Explain the numbers of a `verb_mask`, and write the sum of the verbs that were named instead."""
    numbers = ", ".join(f"{verb} {number}" for verb, number in VERBS.items())
    named = [VERBS.get(name, 0) for name in _WORD.findall(str(written).upper())]
    write = f"; here {sum(named)}" if isinstance(written, str | list) and named and all(named) else ""
    return f"must be a sum of these numbers: {numbers}{write}"


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _place(location: tuple[int | str, ...]) -> str:
    """Write the place of an error; keys are secrets, so only their first characters are shown."""
    if location[:1] == ("keys",) and len(location) > 1:
        location = ("keys", f"{str(location[1])[:4]}...", *location[2:])
    return ".".join(map(str, location))


# By the names of the members that lead to an object, without positions and names of keys and roles.
_MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): AccessFile,
    ("keys",): Key,
    ("roles",): Role,
    ("roles", "access"): Entry,
    ("roles", "access", "filters"): RowFilter,
    ("webhooks",): Webhook,
}


def _members(place: tuple[int | str, ...]) -> list[str]:
    """Return the members of the object at a place in the file."""
    return list(_MODELS.get(tuple(map(str, place[::2])), Webhook).model_fields)


_WORD = re.compile("[A-Z]+")
_COMPARE: dict[str, Callable[[Any, Any], sa.ColumnElement[bool]]] = {
    "=": lambda c, v: c == v,
    "!=": lambda c, v: c != v,
    "<>": lambda c, v: c != v,
    ">": lambda c, v: c > v,
    ">=": lambda c, v: c >= v,
    "<": lambda c, v: c < v,
    "<=": lambda c, v: c <= v,
    "IN": lambda c, v: c == sa.any_(v),
    "NOT IN": lambda c, v: c != sa.all_(v),
}
_PATTERNS = {"STARTS WITH": "{}%", "ENDS WITH": "%{}", "CONTAINS": "%{}%", "LIKE": "{}"}
_ACTOR_NAME = re.compile(r'\{([^{}"]+)\}')
_TESTS = ("IS NULL", "IS NOT NULL")
ROW_OPERATORS = (*_COMPARE, *_PATTERNS, *_TESTS)
_SIGNS = {"!=": "<>", "IN": "=", "NOT IN": "<>"}


class FileRights(DerivedRights):
    """The rights of an access file role in one dataset."""

    def __init__(self, role: Role, dataset: str) -> None:
        super().__init__()
        self._entries = [e for e in role.access if e.service in ("", "*", dataset) and e.requestor_mask & 1]

    def routine(self, kind: str, name: str, verb: str) -> bool:
        path = f"{kind}/{name}".lower()
        return any(e.component.strip().lower().rstrip("/") == path and e.verb_mask & VERBS[verb] for e in self._entries)

    def source(self, table: Table, verb: str) -> str:
        """Return the components of the entries that grant the right."""
        return " and ".join(dict.fromkeys(entry.component for entry in self._granting(table, verb)))

    def _granting(self, table: Table, verb: str) -> list[Entry]:
        """Return the entries of the highest rank that grant the verb."""
        ranked: dict[int, list[Entry]] = {}
        for entry in self._entries:
            if (rank := _rank(entry.component, table.name)) is not None:
                ranked.setdefault(rank, []).append(entry)
        return [entry for entry in ranked[max(ranked)] if entry.verb_mask & VERBS[verb]] if ranked else []

    def _derive(self, table: Table, verb: str) -> Right | None:
        """Return the right granted by the most specific entries for the table.

        Entries of equal rank are combined with OR.
        """
        granting = self._granting(table, verb)
        if not granting:
            return None
        if any(not e.filters for e in granting):
            return EVERYTHING

        def rows(clause: sa.FromClause, actor: ActorTerms) -> sa.ColumnElement[bool]:
            return sa.or_(*(_rows(e, table, clause, actor) for e in granting))

        return Right(rows=rows)


def _rank(component: str, table: str) -> int | None:
    """Return how specifically a component matches a table; None if it does not match."""
    pattern, path = component.strip().lower(), f"_table/{table.lower()}/"
    if pattern.rstrip("/") + "/" == path:
        return 10_000
    if pattern.endswith("*") and path.startswith(pattern[:-1]):
        return len(pattern)
    return None


def _rows(entry: Entry, table: Table, clause: sa.FromClause, actor: ActorTerms) -> sa.ColumnElement[bool]:
    """Return the row condition of an entry.

    A filter that cannot be applied matches no rows, so a typo grants nothing.
    """
    conditions: list[sa.ColumnElement[bool]] = []
    for row_filter in entry.filters:
        column = table.find(row_filter.name)
        if column is None:
            return sa.false()
        try:
            conditions.append(row_condition(row_filter, column, clause.c[column.name], actor))
        except BadValue:
            return sa.false()
    if not conditions:
        return sa.true()
    return (sa.or_ if entry.filter_op.upper() == "OR" else sa.and_)(*conditions)


def row_condition(
    row_filter: RowFilter, column: Column, target: sa.ColumnElement[Any], actor: ActorTerms
) -> sa.ColumnElement[bool]:
    """Return the condition of one row filter. `{user.id}` stands for a value of the actor.

    Raises BadValue if the value does not match the column, or its type does not support the operator.
    """
    word, type_ = row_filter.operator.upper(), column.type
    if word in _TESTS:
        return target.is_(None) if word == "IS NULL" else target.is_not(None)
    if word in _PATTERNS:
        supply = _single(row_filter.value, partial(_pattern, word, row_filter.value))
        pattern = actor.value(TEXT, supply, f"{word} {_in_words(row_filter)}")
        return as_text(target, type_).op("LIKE", is_comparison=True)(pattern)
    if type_.kind == "json":  # json has no = operator, and request filters compare it as text, too
        target, type_ = as_text(target, type_), TEXT
    if type_.signs is not None and _SIGNS.get(word, word) not in type_.signs:
        raise BadValue(f"{type_.db_type} cannot be compared with {word}")
    if word not in ("IN", "NOT IN"):
        value = actor.value(type_, _single(row_filter.value, checker(type_)), _in_words(row_filter))
        return _COMPARE[word](target, value)
    listed = actor.values(type_, _several(_items(row_filter), checker(type_)), _in_words(row_filter))
    return _COMPARE[word](target, listed)


def _in_words(row_filter: RowFilter) -> str:
    """Describe the value of a row filter: an actor's value by its name, a constant unchanged."""
    is_list = row_filter.operator.upper() in ("IN", "NOT IN")
    show = str if is_list and isinstance(row_filter.value, str) else constant_text  # `(1, {user.id})` is written as SQL
    said = [f"your {name}" if (name := _actor_name(item)) else show(item) for item in _items(row_filter)]
    return f"({', '.join(said)})" if is_list else said[0]


def actor_names(row_filter: RowFilter) -> list[str]:
    """Return the names of the actor's values that a row filter uses, such as `user.id`."""
    return [name for item in _items(row_filter) if (name := _actor_name(item)) is not None]


def _items(row_filter: RowFilter) -> list[Any]:
    """Return the values of a row filter as a list; IN and NOT IN also accept `(1, {user.id})`."""
    value = row_filter.value
    if isinstance(value, list):
        return [item.strip() if isinstance(item, str) else item for item in value]
    if row_filter.operator.upper() not in ("IN", "NOT IN"):
        return [value]
    return [part.strip() for part in str(value).strip("() ").split(",")]


def _single(value: Any, convert: Callable[[Any], Any]) -> Supply:
    """Return a function that supplies the value of a row filter's parameter. Raises BadValue."""
    if (name := _actor_name(value)) is not None:
        return lambda values: _fitting(convert, values.get(name))
    constant = convert(value)
    return lambda values: constant


def _several(items: Iterable[Any], convert: Callable[[Any], Any]) -> Supply:
    """Return a function that supplies the list for a row filter's parameter. Raises BadValue.

    A value of the actor may itself be a list.
    """
    parts = [(name, None) if (name := _actor_name(item)) is not None else (None, convert(item)) for item in items]

    def supply(values: Mapping[str, Any]) -> list[Any]:
        bound: list[Any] = []
        for name, constant in parts:
            value = values.get(name) if name is not None else None
            if name is None:
                bound.append(constant)
            elif isinstance(value, list):
                bound += [_fitting(convert, item) for item in value]
            else:
                bound.append(_fitting(convert, value))
        return bound

    return supply


def _actor_name(value: Any) -> str | None:
    """Return `user.id` for `{user.id}`; None for a plain value, including JSON such as `{"a": 1}`."""
    named = _ACTOR_NAME.fullmatch(value) if isinstance(value, str) else None
    return named[1] if named else None


def _fitting(convert: Callable[[Any], Any], value: Any) -> Any:
    """Convert an actor's value for binding. A value of the wrong type becomes NULL, which equals nothing."""
    try:
        return None if value is None else convert(value)
    except BadValue:
        return None


def _pattern(word: str, written: Any, value: Any) -> str:
    """Return a LIKE pattern. `%` and `_` are wildcards only in a pattern written in the file itself."""
    text: str = check(TEXT, value)
    if word == "LIKE" and _actor_name(written) is None:
        return like_ended(text)
    return _PATTERNS[word].format(like_escaped(text))
