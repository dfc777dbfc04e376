"""The access file of `--access`: API keys, and roles with rights and row filters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tableapi.auth.policy import VERBS, Actor, ActorTerms, DatabaseRole
from tableapi.auth.rights import EVERYTHING, DerivedRights, Right
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import as_text
from tableapi.schema.types import BadValue, check


class RowFilter(BaseModel):
    """One condition on a column: `{"name": "company_id", "operator": "=", "value": "{user.company}"}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    operator: str = "="
    value: Any = None


class Entry(BaseModel):
    """The access to one component, such as `_table/person/*`. `verb_mask` adds the numbers of `VERBS`."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    service: str = ""
    component: str = "*"
    verb_mask: int = 0
    requestor_mask: int = 1
    filters: tuple[RowFilter, ...] = ()
    filter_op: Literal["AND", "OR", "and", "or"] = "AND"


class Role(BaseModel):
    """A role: its list of accesses, or the role of PostgreSQL that its statements run as (`DatabaseRole`)."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    access: tuple[Entry, ...] = ()
    database_role: str = Field(default="", max_length=63)
    schemas: frozenset[str] = frozenset(("public",))

    def acts_as(self) -> DatabaseRole | None:
        """Return the role of PostgreSQL. Without accesses the rights are those that PostgreSQL grants."""
        return DatabaseRole(self.database_role, not self.access, self.schemas) if self.database_role else None


class Key(BaseModel):
    """An API key: its role, and the values of its user."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    role: str
    user: dict[str, Any] = Field(default_factory=dict)


class AccessFile(BaseModel):
    """The file of `--access`: keys with their role and user, and roles with their accesses.

    anonymous: the role of requests without credentials; "" refuses them.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    keys: dict[str, Key] = Field(default_factory=dict)
    roles: dict[str, Role] = Field(default_factory=dict)
    anonymous: str = ""

    @classmethod
    def load(cls, path: Path) -> AccessFile:
        """Read and check a file. Raises OSError, or ValueError with a message of one line."""
        try:
            access = cls.model_validate(json.loads(path.read_text("utf-8")))
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
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
        """Return the roles that run as a role of PostgreSQL."""
        return {name: acts for name, role in self.roles.items() if (acts := role.acts_as()) is not None}

    def actor(self, name: str) -> Actor | None:
        """Return the actor of a key; None for an unknown key."""
        key = self.keys.get(name)
        if key is None:
            return None
        return Actor(key.role, {f"user.{field}": value for field, value in key.user.items()}, key=name)


def _escape_like(value: str) -> str:
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


ROW_OPERATORS: dict[str, Any] = {
    "=": lambda c, v: c == v,
    "!=": lambda c, v: c != v,
    "<>": lambda c, v: c != v,
    ">": lambda c, v: c > v,
    ">=": lambda c, v: c >= v,
    "<": lambda c, v: c < v,
    "<=": lambda c, v: c <= v,
    "IN": lambda c, v: c.in_(v),
    "NOT IN": lambda c, v: c.not_in(v),
    "STARTS WITH": "{}%",
    "ENDS WITH": "%{}",
    "CONTAINS": "%{}%",
    "LIKE": "{}",
    "IS NULL": lambda c, v: c.is_(None),
    "IS NOT NULL": lambda c, v: c.is_not(None),
}


class FileRights(DerivedRights):
    """Grant the rights of a role of an access file in one dataset."""

    def __init__(self, role: Role, dataset: str) -> None:
        super().__init__()
        self._entries = [e for e in role.access if e.service in ("", "*", dataset) and e.requestor_mask & 1]

    def routine(self, kind: str, name: str, verb: str) -> bool:
        path = f"{kind}/{name}".lower()
        return any(e.component.strip().lower().rstrip("/") == path and e.verb_mask & VERBS[verb] for e in self._entries)

    def _derive(self, table: Table, verb: str) -> Right | None:
        """Return the right of the most specific entries for the table.

        Entries of equal rank are combined with OR.
        """
        ranked: dict[int, list[Entry]] = {}
        for entry in self._entries:
            if (rank := _rank(entry.component, table.name)) is not None:
                ranked.setdefault(rank, []).append(entry)
        if not ranked:
            return None
        granting = [e for e in ranked[max(ranked)] if e.verb_mask & VERBS[verb]]
        if not granting:
            return None
        if any(not e.filters for e in granting):
            return EVERYTHING

        def rows(clause: sa.FromClause, actor: ActorTerms) -> sa.ColumnElement[bool]:
            return sa.or_(*(_rows(e, table, clause, actor) for e in granting))

        return Right(rows=rows)


def _rank(component: str, table: str) -> int | None:
    """Return how specifically a component matches a table; None when it does not match."""
    pattern, path = component.strip().lower(), f"_table/{table.lower()}/"
    if pattern.rstrip("/") + "/" == path:
        return 10_000
    if pattern.endswith("*") and path.startswith(pattern[:-1]):
        return len(pattern)
    return None


def _rows(entry: Entry, table: Table, clause: sa.FromClause, actor: ActorTerms) -> sa.ColumnElement[bool]:
    """Return the condition of an entry.

    A filter that cannot be applied matches no row, so a typo grants nothing.
    """
    conditions: list[sa.ColumnElement[bool]] = []
    for row_filter in entry.filters:
        column = table.find(row_filter.name)
        if column is None:
            return sa.false()
        try:
            conditions.append(_condition(row_filter, column, clause.c[column.name], actor))
        except BadValue:
            return sa.false()
    if not conditions:
        return sa.true()
    return (sa.or_ if entry.filter_op.upper() == "OR" else sa.and_)(*conditions)


def _condition(
    row_filter: RowFilter, column: Column, target: sa.ColumnElement[Any], actor: ActorTerms
) -> sa.ColumnElement[bool]:
    """Return the condition of one row filter. `{user.id}` stands for a value of the actor.

    Raises BadValue.
    """
    word = row_filter.operator.upper()
    operator = ROW_OPERATORS[word]

    def bound(value: Any) -> Any:
        term = _actor_term(value, actor)
        return check(column.type, value) if term is None else term

    if isinstance(operator, str):
        return _text_condition(row_filter.value, operator, as_text(target, column.type), actor)
    argument: Any = None
    if "IN" in word.split():
        values = row_filter.value
        items = values if isinstance(values, list) else str(values).strip("() ").split(",")
        argument = [bound(item.strip() if isinstance(item, str) else item) for item in items]
    elif not word.startswith("IS"):
        argument = bound(row_filter.value)
    condition: sa.ColumnElement[bool] = operator(target, argument)
    return condition


def _actor_term(value: Any, actor: ActorTerms) -> sa.BindParameter[Any] | None:
    """Return the bound parameter for a value such as `{user.id}`; None for a plain value."""
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return actor.term(value[1:-1])
    return None


def _text_condition(value: Any, pattern: str, text: sa.ColumnElement[Any], actor: ActorTerms) -> sa.ColumnElement[bool]:
    """Return a LIKE condition; except for LIKE itself, wildcards in the value are plain characters."""
    term = _actor_term(value, actor)
    if term is None:
        value = str(value)
        return text.like(sa.cast(pattern.format(_escape_like(value) if pattern != "{}" else value), sa.Text))
    # The value is known only when the statement runs, so it is escaped and the wildcards are added in SQL.
    plain = sa.func.regexp_replace(sa.cast(term, sa.Text), r"([\\%_])", r"\\\1", "g")
    left, right = pattern.split("{}")
    return text.like(sa.literal(left) + plain + sa.literal(right))
