"""The words policy.py is written in. Policy is data; what it does not name does not exist for the API.

A row rule is a function of (table, actor) that returns an SQLAlchemy clause. It runs once per shape, with a symbolic
actor whose attributes are bound parameters; the values of the caller are bound at each request. So a rule never
branches on a value of the actor, only on what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

GET, POST, PUT, PATCH, DELETE = 1, 2, 4, 8, 16
VERBS = {"GET": GET, "POST": POST, "PUT": PUT, "PATCH": PATCH, "DELETE": DELETE}
ANYONE = "*"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks. `values` are the columns of the session row (or `user` of an access file); never from the client."""

    role: str  # "key" for an app key alone, "" for nobody
    values: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""  # hash of the session token, "" without a session
    key: str = ""  # which app key
    user: Mapping[str, Any] = field(default_factory=dict)  # {column: value} that names the user, for logs and limits
    account: Any = None  # the account of the user, for limits

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


class ActorTerms:
    """The symbolic actor that a row rule gets: `actor.clientid` is a bound parameter of that name."""

    def __getattr__(self, name: str) -> sa.BindParameter[Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.term(name)

    def term(self, name: str, type_: Any = None) -> sa.BindParameter[Any]:
        return sa.bindparam("actor." + name, type_=type_, unique=False)


Rows = Callable[[sa.FromClause, Any], sa.ColumnElement[bool]]
Listed = Callable[[Any], sa.Select[Any]]


@dataclass(frozen=True, slots=True)
class Rule:
    """What some roles may do with the rows and fields of one table.

    roles: names of roles, or ANYONE. rows: None means every row. fields: the only fields readable (read) or writable
    (create, update); None means all. hidden: fields taken away from those. stamp: fields set from the actor at a
    create, whatever the body says.
    only_in: for an update, the rows in which a field may be given another value, for fields that may not be changed in
    every row of `rows`. The rule sees the row as it is before the change.
    ignored: fields that are left out of a record without a refusal, although the caller cannot write them.
    rows_by: for a read whose filter demands that one of these fields equals a value (joined by AND, or on both sides of
    an OR), the rule of rows that counts instead of `rows`.
    listed: a select of the rows that `rows` allows from a table kept for that, for reads without a filter: their keys,
    and other fields to order by, under the table's own names. Pages and counts come from it; `rows` still holds for
    each row of the page.
    """

    roles: Iterable[str] | str = ANYONE
    rows: Rows | None = None
    fields: frozenset[str] | set[str] | None = None
    hidden: frozenset[str] | set[str] = frozenset()
    stamp: Mapping[str, Callable[[ActorTerms], Any]] = field(default_factory=dict)
    rows_by: Mapping[str, Rows] = field(default_factory=dict)
    listed: Listed | None = None
    only_in: Mapping[str, Rows] = field(default_factory=dict)
    ignored: frozenset[str] | set[str] = frozenset()

    def covers(self, role: str) -> bool:
        return self.roles == ANYONE or role in self.roles


Rules = Rule | tuple[Rule, ...] | None


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one table. Of several rules for one action the first that names the caller's role counts.

    sealed: text columns that hold tokens of encryption at rest. They can be read, never filtered, ordered or grouped;
    on the way out `crypto.unseal` turns the tokens into what the caller gets (safe-contract G17).
    replica: whether reads may be answered by a replica (DATABASE_REPLICA_URLS). Never for money, nor for what says who
    may do what; together with another table only if that one allows it too.
    """

    read: Rules = None
    create: Rules = None
    update: Rules = None
    delete: Rules = None
    label: str = ""
    sealed: frozenset[str] | set[str] = frozenset()
    replica: bool = False

    def rule(self, action: str, role: str) -> Rule | None:
        """The rule for `read`, `create`, `update` or `delete`; None when there is none."""
        rules: Rules = getattr(self, action)
        if rules is None:
            return None
        for one in rules if isinstance(rules, tuple) else (rules,):
            if one.covers(role):
                return one
        return None


@dataclass(frozen=True, slots=True)
class Sessions:
    """How the engine turns a session token into an actor, so that it needs to know no table of the product.

    lookup: SQL with $1 = SHA-256 of the token (bytea). One row, or none for a bad, expired or revoked token. Its
        columns become the actor's values; `role` must be among them.
    touch: SQL with $1 the same; run at most once a minute per session to extend its idle life.
    refusals: roles whose every request is refused with scope `account`: role -> (status, reason, message).
    confined: roles that may call only the scripts that name them: role -> (status, reason, message) of the refusal,
        with scope `resource`. ANYONE does not include them.
    identity: fields that say whose a record is, each with the session's value of the same meaning. Another value, in a
        field that the caller cannot write, is refused as `tenant_mismatch`; the session's own is ignored. A set of
        fields stands for values of the same names.
    crossed: SQL that keeps such an attempt: $1 the actor's values as JSON, $2 what was sent, $3 {field, call} as JSON,
        $4 the caller's address.
    user, account: columns of `lookup` that name the user and its account, for logs, limits and idempotency keys.
    channel: NOTIFY channel whose payload, `<column>=<value>` (e.g. `clientid=7`), drops the cached actors that have it.
    """

    lookup: str
    touch: str = ""
    identity: Mapping[str, str] | frozenset[str] = frozenset()
    tenant_mismatches: str = ""
    channel: str = "tableapi_actor"
    user: str = ""
    account: str = ""
    seconds: float = 30.0
    refusals: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    confined: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)

    @property
    def identities(self) -> Mapping[str, str]:
        """Each field of `identity` with the name of the session's value."""
        return self.identity if isinstance(self.identity, Mapping) else {name: name for name in self.identity}


@dataclass(frozen=True, slots=True)
class KeyedHash:
    """How a keyed hash (`vault.index`) was made: of these columns of its row, opened where they are sealed."""

    purpose: str
    columns: tuple[str, ...]
    form: Callable[..., str]


@dataclass(frozen=True, slots=True)
class SealedTable:
    """What scripts keep of a table under SECRET_KEYS, for `tableapi reseal`; `sealed` of an Access it knows.

    sealed: columns of sealed text or bytes. hashes: columns of keyed hashes; None for one that is made of what nobody
    kept, so that its key has to stay.
    """

    table: str
    sealed: frozenset[str] | set[str] = frozenset()
    hashes: Mapping[str, KeyedHash | None] = field(default_factory=dict)
