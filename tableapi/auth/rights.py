"""Where rights come from: the policy of a project, an access file, or nothing at all. A right is one table and verb."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tableapi.auth.policy import VERBS, Access, Actor, ActorTerms, Listed, Rows, Rule
from tableapi.schema.model import Table
from tableapi.schema.sqltypes import as_text
from tableapi.schema.types import BadValue, check


@dataclass(frozen=True, slots=True)
class Right:
    """What one role may do with one table under one verb. None means all: rows, readable and writable fields."""

    rows: Rows | None = None
    readable: frozenset[str] | None = None
    writable: frozenset[str] | None = None
    stamp: Mapping[str, Any] = field(default_factory=dict)
    sealed: frozenset[str] = frozenset()
    rows_by: Mapping[str, Rows] = field(default_factory=dict)
    listed: Listed | None = None
    replica: bool = False  # a read may be answered by a replica
    only_in: Mapping[str, Rows] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()

    def sees(self, name: str) -> bool:
        return self.readable is None or name in self.readable

    def writes(self, name: str) -> bool:
        return self.writable is None or name in self.writable

    def sets(self, names: Iterable[str]) -> bool:
        """Whether the caller chooses the values of these fields: it may write them, and no stamp replaces them."""
        return all(self.writes(name) and name not in self.stamp for name in names)


class Rights(Protocol):
    """The rights of one role in one dataset."""

    def right(self, table: Table, verb: str) -> Right | None: ...

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the role names this routine (`_func` or `_proc`) exactly; a pattern never makes one public."""
        ...


EVERYTHING = Right()


class FullRights:
    """`--open`, and role "*" of an access file."""

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def right(self, table: Table, verb: str) -> Right | None:
        return EVERYTHING


class NoRights:
    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def right(self, table: Table, verb: str) -> Right | None:
        return None


_ACTIONS = {"GET": "read", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


class PolicyRights:
    """The rights of a role under a project's policy. What the policy does not name does not exist."""

    def __init__(self, policy: Mapping[str, Access], role: str) -> None:
        self._policy, self._role = policy, role
        self._made: dict[tuple[int, str], Right | None] = {}

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def right(self, table: Table, verb: str) -> Right | None:
        mark = (id(table), verb)
        if mark not in self._made:
            self._made[mark] = self._make(table, verb)
        return self._made[mark]

    def _make(self, table: Table, verb: str) -> Right | None:
        access = self._policy.get(table.name)
        if access is None:
            return None
        action = _ACTIONS[verb]
        rule = access.rule(action, self._role)
        if rule is None:
            return None
        read = rule if action == "read" else access.rule("read", self._role)
        readable = _fields(table, read) if read else frozenset(table.key)
        writable = _fields(table, rule) if action in ("create", "update") else frozenset()
        sealed = frozenset(access.sealed)
        return Right(
            rule.rows,
            readable,
            writable,
            rule.stamp,
            sealed,
            rule.rows_by,
            rule.listed,
            access.replica,
            rule.only_in,
            frozenset(rule.ignored),
        )


def _fields(table: Table, rule: Rule) -> frozenset[str]:
    names = frozenset(table.columns) if rule.fields is None else frozenset(rule.fields)
    return names - frozenset(rule.hidden)


# -- the access file (design §1, table-api §13) ----------------------------------------------------------------------


class RowFilter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    operator: str = "="
    value: Any = None


class Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    service: str = ""
    component: str = "*"
    verb_mask: int = 0
    requestor_mask: int = 1
    filters: tuple[RowFilter, ...] = ()
    filter_op: Literal["AND", "OR", "and", "or"] = "AND"


class Role(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    access: tuple[Entry, ...] = ()


class Key(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    role: str
    user: dict[str, Any] = Field(default_factory=dict)


class AccessFile(BaseModel):
    """`--access FILE`: keys -> role and user, roles -> accesses."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    keys: dict[str, Key] = Field(default_factory=dict)
    roles: dict[str, Role] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> AccessFile:
        """Raises OSError, or ValueError with one line that says what is wrong."""
        try:
            made = cls.model_validate(json.loads(path.read_text("utf-8")))
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        for name, key in made.keys.items():
            if key.role != "*" and key.role not in made.roles:
                raise ValueError(f"key '{name[:4]}...' names the role '{key.role}', which is not there")
        for role in made.roles.values():
            for entry in role.access:
                for one in entry.filters:
                    if one.operator.upper() not in ROW_OPERATORS:
                        raise ValueError(f"the row filter on '{one.name}' has an unknown operator '{one.operator}'")
        return made

    def actor(self, name: str) -> Actor | None:
        key = self.keys.get(name)
        if key is None:
            return None
        return Actor(key.role, {f"user.{field}": value for field, value in key.user.items()}, key=name)


def _like(value: str) -> str:
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


class FileRights:
    """The rights of a role of an access file in one dataset."""

    def __init__(self, role: Role, dataset: str) -> None:
        self._entries = [e for e in role.access if e.service in ("", "*", dataset) and e.requestor_mask & 1]

    def routine(self, kind: str, name: str, verb: str) -> bool:
        path = f"{kind}/{name}".lower()
        return any(e.component.strip().lower().rstrip("/") == path and e.verb_mask & VERBS[verb] for e in self._entries)

    def right(self, table: Table, verb: str) -> Right | None:
        """The most exact entries for the table decide; several of one rank are joined for verbs."""
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
    wanted, path = component.strip().lower(), f"_table/{table.lower()}/"
    if wanted.rstrip("/") + "/" == path:
        return 10_000
    if wanted.endswith("*") and path.startswith(wanted[:-1]):
        return len(wanted)
    return None


def _rows(entry: Entry, table: Table, clause: sa.FromClause, actor: ActorTerms) -> sa.ColumnElement[bool]:
    """The row filters of an entry. One that cannot be applied lets nothing through: no right widens by a typo."""
    parts: list[sa.ColumnElement[bool]] = []
    for one in entry.filters:
        column = table.find(one.name)
        if column is None:
            return sa.false()
        operator = ROW_OPERATORS[one.operator.upper()]
        target = clause.c[column.name]

        def bound(value: Any, textual: bool = False, column: Any = column) -> Any:
            if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
                return actor.term(value[1:-1])
            return str(value) if textual else check(column.type, value)

        try:
            if isinstance(operator, str):
                text = as_text(target, column.type)
                value = bound(one.value, textual=True)
                if isinstance(value, str):
                    value = operator.format(_like(value) if operator != "{}" else value)
                    parts.append(text.like(sa.cast(value, sa.Text)))
                else:  # a lookup: the wildcards are joined to the bound value in SQL, plain characters escaped there
                    plain = sa.func.regexp_replace(sa.cast(value, sa.Text), r"([\\%_])", r"\\\1", "g")
                    left, right = operator.split("{}")
                    parts.append(text.like(sa.literal(left) + plain + sa.literal(right)))
            elif "IN" in one.operator.upper().split():
                values = one.value if isinstance(one.value, list) else str(one.value).strip("() ").split(",")
                parts.append(operator(target, [bound(v.strip() if isinstance(v, str) else v) for v in values]))
            else:
                needs = not one.operator.upper().startswith("IS")
                parts.append(operator(target, bound(one.value) if needs else None))
        except BadValue:
            return sa.false()
    return (sa.or_ if entry.filter_op.upper() == "OR" else sa.and_)(*parts) if parts else sa.true()
