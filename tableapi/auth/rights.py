"""The rights of a role: from the policy of a project, or unrestricted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tableapi.auth.policy import Access, KeyList, Rows, Rule
from tableapi.schema.model import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """The right of one role to use one HTTP verb on one table.

    The attributes are those of `Rule`; None means all.
    """

    rows: Rows | None = None
    readable: frozenset[str] | None = None
    writable: frozenset[str] | None = None
    set_on_create: Mapping[str, Any] = field(default_factory=dict)
    sealed: frozenset[str] = frozenset()
    rows_when_filtered_by: Mapping[str, Rows] = field(default_factory=dict)
    key_list: KeyList | None = None
    replica: bool = False  # whether a replica may serve reads
    editable_in: Mapping[str, Rows] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    computed: frozenset[str] | None = frozenset()  # readable functions of a row; None means all
    changes: bool | None = None  # whether its changes may be streamed; None means if they are recorded
    masked: frozenset[str] = frozenset()  # sealed fields with masked values
    always_returned: frozenset[str] = frozenset()
    xmin: bool = True  # whether the row version may be read
    grants: bool = False  # whether it reflects PostgreSQL's grants to the role of the statement
    secured: bool = False  # whether row-level security may hide rows from the role of the statement
    returns_nothing: bool = False  # whether writes return no columns of the row
    credentials: frozenset[str] = frozenset()  # sealed fields that are masked for clients with scopes
    granting: frozenset[str] = frozenset()  # "*" if the write grants access, else the fields that do

    def computes(self, name: str) -> bool:
        """Whether a function of a row may be read."""
        return self.computed is None or name in self.computed

    def can_read(self, name: str) -> bool:
        """Whether the field may be read."""
        return self.readable is None or name in self.readable

    def can_write(self, name: str) -> bool:
        """Whether the field may be written."""
        return self.writable is None or name in self.writable

    def may_set(self, names: Iterable[str]) -> bool:
        """Whether the request controls the values of these fields: they are writable and not set on create."""
        return all(self.can_write(name) and name not in self.set_on_create for name in names)


class Rights(Protocol):
    """The rights of one role in one dataset."""

    def right(self, table: Table, verb: str) -> Right | None:
        """Return the right to use a verb on a table; None if there is none."""
        ...

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the role may call a routine or follow a channel. Patterns do not match them.

        kind: `_func`, `_proc` or `_channel`.
        """
        ...


CHANNEL = "_channel"  # a kind of `Rights.routine`: following notifications
EVERYTHING = Right(computed=None)


class FullRights:
    """All rights: `--open`, and the role `*` of an access file."""

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def right(self, table: Table, verb: str) -> Right | None:
        return EVERYTHING


class NoRights:
    """No rights."""

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def right(self, table: Table, verb: str) -> Right | None:
        return None


class DerivedRights(ABC):
    """Rights that are derived once per table and verb. A reloaded schema needs a new instance."""

    def __init__(self) -> None:
        self._rights: dict[tuple[int, str], Right | None] = {}

    @abstractmethod
    def routine(self, kind: str, name: str, verb: str) -> bool: ...

    def right(self, table: Table, verb: str) -> Right | None:
        """Return the right to use a verb on a table; None if there is none."""
        try:
            return self._rights[id(table), verb]
        except KeyError:
            right = self._rights[id(table), verb] = self._derive(table, verb)
            return right

    def source(self, table: Table, verb: str) -> str:
        """Return the name of the rule behind a right; "" if it has none."""
        return ""

    @abstractmethod
    def _derive(self, table: Table, verb: str) -> Right | None: ...


_ACTIONS = {"GET": "read", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


class PolicyRights(DerivedRights):
    """The rights of a role under a project's policy. Tables not listed there do not exist."""

    def __init__(self, policy: Mapping[str, Access], role: str) -> None:
        super().__init__()
        self._policy, self._role = policy, role

    def routine(self, kind: str, name: str, verb: str) -> bool:
        return False

    def source(self, table: Table, verb: str) -> str:
        """Return the rule as it is written in the policy."""
        return f"POLICY['{table.name}'].{_ACTIONS[verb]}"

    def _derive(self, table: Table, verb: str) -> Right | None:
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
            rows=rule.rows,
            readable=readable,
            writable=writable,
            set_on_create=rule.set_on_create,
            sealed=sealed,
            rows_when_filtered_by=rule.rows_when_filtered_by,
            key_list=rule.key_list,
            replica=access.replica,
            editable_in=rule.editable_in,
            ignored=frozenset(rule.ignored),
            computed=frozenset(access.computed),
            changes=access.streams_changes,
            masked=sealed if self._role in access.masked else frozenset(),
            always_returned=frozenset(rule.always_returned),
            credentials=frozenset(access.credentials),
            granting=frozenset(("*",)) if action in access.granting else frozenset(access.granting),
        )


def _fields(table: Table, rule: Rule) -> frozenset[str]:
    names = frozenset(table.columns) if rule.fields is None else frozenset(rule.fields)
    return names - frozenset(rule.hidden)
