"""Classes for the access policy of a project. Anything that the policy does not list is not exposed.

A row rule is a function of (table, actor) that returns an SQLAlchemy clause. It runs once per compiled statement, with
a symbolic actor that supplies bound parameters; the caller's values are bound at each request. Therefore a rule must
not branch on a value of the actor. `docs/reference/policy.md` describes every option.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tableapi.errors import ApiError, Unauthorized
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import Supply, bind, bind_array

GET, POST, PUT, PATCH, DELETE = 1, 2, 4, 8, 16
VERBS = {"GET": GET, "POST": POST, "PUT": PUT, "PATCH": PATCH, "DELETE": DELETE}
ANYONE = "*"
_AGAIN = "Sign in, and send the token of the new session in the header X-Session-Token."
ACTIONS = ("read", "create", "update", "delete")


@dataclass(frozen=True)
class Actor:
    """The caller of a request: its role, and values such as the user and the account.

    `values` are the columns of the session row, or `user` of an access file. They never come from the request. Each is
    an attribute, too, unless an attribute below has its name.
    """

    role: str  # "key" for an app key without a session, "" without credentials
    values: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""  # hash of the session token, "" without a session
    key: str = ""  # the app key
    user: Mapping[str, Any] = field(default_factory=dict)  # {column: value} that identifies the user in logs and limits
    account: Any = None  # the account of the user, for limits
    claims: Mapping[str, Any] | None = None  # from a token signed by a trusted issuer
    unproved: bool = False  # whether no secret was needed to become this caller
    # scopes of the client's token if a client acts for the user; None for no limit
    scopes: frozenset[str] | None = None
    key_scopes: frozenset[str] | None = None  # those of the caller's account key; None for other callers
    key_error: str = "Send a valid API key in X-API-Key."  # error message for a caller without credentials

    def __post_init__(self) -> None:
        # With `__getattr__`, CPython would look up each attribute of each caller anew.
        for name, value in self.values.items():
            if name not in _FIELDS:
                object.__setattr__(self, name, value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


_FIELDS = frozenset(field.name for field in fields(Actor))


class ActorTerms:
    """The symbolic actor of a row rule: `actor.tenantid` is a bound parameter of that name."""

    def __getattr__(self, name: str) -> sa.BindParameter[Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return sa.bindparam("actor." + name, unique=False)

    def value(self, type_: PgType, supply: Supply, words: str = "") -> sa.ColumnElement[Any]:
        """Return a bound parameter of a type. `supply` computes it from the actor's values on each request.

        words: the value in words, such as `your user.company`; "" if it must not be disclosed.
        """
        return bind(type_, "actor", supply=supply, words=words)

    def values(self, type_: PgType, supply: Supply, words: str = "") -> sa.ColumnElement[Any]:
        """Return a bound array of values of a type, for ANY and ALL. `supply` computes the list."""
        return bind_array(type_, "actor", supply=supply, words=words)


Rows = Callable[[sa.FromClause, Any], sa.ColumnElement[bool]]
KeyList = Callable[[Any], sa.Select[Any]]


@dataclass(frozen=True, slots=True)
class Rule:
    """Describe what some roles may do with the rows and fields of one table.

    Attributes:
        roles: names of roles, or ANYONE.
        rows: the rows that the rule covers; None for every row.
        fields: the readable fields (read) or writable fields (create, update); None for all of them.
        hidden: fields excluded from `fields`.
        set_on_create: fields that a create sets from the actor, regardless of the body.
        editable_in: for an update, the rows in which a field may be changed, for fields that may not be changed in
            every row of `rows`. The condition sees the row before the change.
        ignored: fields that are dropped from a record without an error when the caller may not write them.
        always_returned: fields that every record of a read includes, whatever `fields` requests.
        rows_when_filtered_by: for a read with a filter that requires one of these fields to equal a value (joined by
            AND, or on both sides of an OR), the condition that replaces `rows`.
        key_list: for reads in an order of its fields, a select from a table maintained for that purpose. It returns the
            keys of the rows that `rows` allows, and further fields to order by, under the table's own names. Without a
            filter it provides pages and counts; with one, or a cursor, the order. `rows` still applies to each row.
    """

    roles: Iterable[str] | str = ANYONE
    rows: Rows | None = None
    fields: frozenset[str] | set[str] | None = None
    hidden: frozenset[str] | set[str] = frozenset()
    set_on_create: Mapping[str, Callable[[ActorTerms], Any]] = field(default_factory=dict)
    rows_when_filtered_by: Mapping[str, Rows] = field(default_factory=dict)
    key_list: KeyList | None = None
    editable_in: Mapping[str, Rows] = field(default_factory=dict)
    ignored: frozenset[str] | set[str] = frozenset()
    always_returned: frozenset[str] | set[str] = frozenset()

    def __post_init__(self) -> None:
        """Accept a single name where several are expected."""
        if isinstance(self.roles, str) and self.roles != ANYONE:
            object.__setattr__(self, "roles", (self.roles,))
        _name_alone(self, "fields", "hidden", "ignored", "always_returned")

    def covers(self, role: str) -> bool:
        """Whether the rule applies to a role."""
        return self.roles == ANYONE or role in self.roles


Rules = Rule | tuple[Rule, ...] | None


@dataclass(frozen=True, slots=True)
class Access:
    """Describe the access to one table.

    If several rules match an action, the first one that covers the role applies.

    Attributes:
        label: a human-readable name of the table.
        sealed: text columns that hold encrypted tokens. They can be read, but not filtered, ordered or grouped;
            `crypto.unseal` decrypts them in the response.
        masked: roles that read `*****` instead of a sealed value, which never leaves the database for them.
        computed: functions of a row that every role with a read rule may use as fields or relations. They must not be
            VOLATILE, nor read data that depends on the caller.
        replica: whether a replica may answer reads (DATABASE_REPLICA_URLS). Leave it off for money and for rows that
            determine rights. A read of several tables needs it on each of them.
        changes: whether streams may follow changes of the table (`_changes`), for all roles with a read rule. A set of
            columns also allows it and records their values with each change. A change is then sent only to streams with
            a row rule or filter that requires such a column to equal its value. Name the tenant column here.
        credentials: sealed columns with values that grant access, such as keys. A client with scopes reads `*****`.
        granting: `create`, `update`, `delete`, or columns: writes that grant access, as keys and invitations do. A
            client with scopes needs `grant` for them; `write` and `delete` do not suffice.
    """

    read: Rules = None
    create: Rules = None
    update: Rules = None
    delete: Rules = None
    label: str = ""
    sealed: frozenset[str] | set[str] = frozenset()
    replica: bool = False
    computed: frozenset[str] | set[str] = frozenset()
    changes: bool | frozenset[str] | set[str] = False
    masked: Collection[str] = ()
    credentials: frozenset[str] | set[str] = frozenset()
    granting: frozenset[str] | set[str] = frozenset()

    def __post_init__(self) -> None:
        """Accept a single name, and a list of rules."""
        _name_alone(self, "sealed", "computed", "changes", "masked", "credentials", "granting")
        for action in ACTIONS:
            if isinstance(rules := getattr(self, action), list):
                object.__setattr__(self, action, tuple(rules))

    def rules(self, action: str) -> tuple[Rule, ...]:
        """Return the rules for `read`, `create`, `update` or `delete`."""
        rules: Rules = getattr(self, action)
        return rules if isinstance(rules, tuple) else () if rules is None else (rules,)

    @property
    def streams_changes(self) -> bool:
        """Whether streams may follow the table."""
        return self.changes is not False

    def rule(self, action: str, role: str) -> Rule | None:
        """Return the rule of a role for `read`, `create`, `update` or `delete`; None if there is none."""
        for rule in self.rules(action):
            if rule.covers(role):
                return rule
        return None


def _name_alone(of: object, *attributes: str) -> None:
    """Replace a text by the set of this name. Otherwise each of its letters would count as a name."""
    for attribute in attributes:
        if isinstance(name := getattr(of, attribute), str):
            object.__setattr__(of, attribute, frozenset((name,)))


def shape_error(policies: Mapping[str, object]) -> str:
    """Describe the first value of the wrong type in policies, given by name; "" if there is none."""
    for place, policy in policies.items():
        if not isinstance(policy, Mapping):
            return f"{place} must be a dict of tables and their Access, not {_kind(policy)}"
        for table, access in policy.items():
            if not isinstance(access, Access):
                return f"{place}[{table!r}] must be an Access, not {_kind(access)}"
            for action in ACTIONS:
                for rule in access.rules(action):
                    if error := _rule_error(rule):
                        return f"{place}[{table!r}].{action} {error}"
    return ""


def _rule_error(rule: object) -> str:
    if not isinstance(rule, Rule):
        return f"must be a Rule or a tuple of rules, not {_kind(rule)}"
    if not isinstance(rule.roles, Iterable) or any(not isinstance(role, str) for role in rule.roles):
        return "must name its roles as text"
    return ""


def _kind(value: object) -> str:
    if value is None:
        return "None"
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


# An error, or its (status, reason, message) and, optionally, code.
RoleError = ApiError | tuple[int, str, str] | tuple[int, str, str, int]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Describe how a session token becomes an actor.

    Attributes:
        lookup: SQL with $1 = SHA-256 of the token (bytea). It returns one row, or none for an unknown, expired or
            revoked token. Its columns become the actor's values; `role` must be one of them.
        touch: SQL with the same $1 that extends the idle time of the session; runs at most once a minute per session.
        rejected: roles that may not call anything: role -> error, which gets the scope `account`.
        confined: roles that may call only the scripts that name them: role -> error. ANYONE does not include them.
        read_only: roles that may not write: role -> error. They read tables and call the scripts that name them. ANYONE
            does not include them.
        unlisted: roles with an error of their own for scripts that do not name them. ANYONE includes them.
        expired: the message for a request with an ended session, or without one.
        recorded: roles for which reads of tables are recorded before the response is sent: role -> SQL with $1 the
            actor's values as JSON, $2 the value of `account` that every record of the response has, or null, $3 the
            table, $4 details as JSON, $5 the client's address.
        identity: fields that identify the owner of a record, each with the actor's value of the same meaning; a set of
            fields stands for values of the same names. A different value in a field that the caller may not write is
            rejected with `tenant_mismatch`; an equal value is ignored.
        tenant_mismatches: SQL that records such an attempt: $1 the actor's values as JSON, $2 the value sent, $3
            {field, call} as JSON, $4 the client's address.
        credentials_read: SQL that records a response with credentials in clear (`Access.credentials`): $1 the actor's
            values as JSON, $2 the table, $3 {call} as JSON, $4 the client's address.
        explains: roles that may ask why a request is rejected, for themselves and, without results that depend on rows,
            for other roles (`Prefer: explain=rights`).
        user, account: columns of `lookup` that identify the user and the account, for logs, limits and idempotency. If
            `user` lists several, the first non-null one counts.
        client_lookup: SQL like `lookup` for access tokens that an authorization server of the project issued to a
            client of the user. It also returns `scopes`, separated by spaces, and `session`, a text that stays the same
            when the tokens are refreshed. These tokens are accepted only at /mcp; they begin with `client_prefix`.
        key_lookup: SQL like `lookup` for keys of accounts, with $1 = the keyed hashes of the key (bytea[]) for the
            purpose `key_purpose`. Its first column identifies the key in logs and limits, and `scopes` (text[]) selects
            the scripts that are described and offered as tools (`OwnKey.scope`). These keys are accepted only at /mcp
            and for the description of the API; the scripts check them again.
        unknown_key: the message for a request with a key that is not an app key.
        channel: NOTIFY channel. A payload `<column>=<value>`, such as `tenantid=7`, removes the cached actors with that
            value.
        seconds: how long an actor is cached.
    """

    lookup: str
    touch: str = ""
    identity: Mapping[str, str] | frozenset[str] = frozenset()
    tenant_mismatches: str = ""
    credentials_read: str = ""
    client_lookup: str = ""
    client_prefix: str = "mcp_"
    key_lookup: str = ""
    key_purpose: str = "apikey"
    unknown_key: str = "The API key in X-API-Key is not valid."
    channel: str = "tableapi_actor"
    user: str | tuple[str, ...] = ""
    account: str = ""
    seconds: float = 30.0
    explains: Collection[str] = ()
    rejected: Mapping[str, RoleError] = field(default_factory=dict)
    confined: Mapping[str, RoleError] = field(default_factory=dict)
    read_only: Mapping[str, RoleError] = field(default_factory=dict)
    unlisted: Mapping[str, RoleError] = field(default_factory=dict)
    expired: str = "The session has ended. Sign in again."
    recorded: Mapping[str, str] = field(default_factory=dict)

    def ended(self) -> Unauthorized:
        """Build the error for a request with an ended session, or without one."""
        return Unauthorized(self.expired, context={"hint": _AGAIN})

    def user_of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return {column: value} of the column that identifies the user; empty if there is none."""
        names = (self.user,) if isinstance(self.user, str) else self.user
        return next(({name: values[name]} for name in names if name and values[name] is not None), {})

    @property
    def identities(self) -> Mapping[str, str]:
        """Return the name of the actor's value for each field of `identity`."""
        return self.identity if isinstance(self.identity, Mapping) else {name: name for name in self.identity}

    def error(self, rule: str, role: str) -> ApiError:
        """Build the error for a role in `rejected`, `confined`, `read_only` or `unlisted`."""
        errors: Mapping[str, RoleError] = getattr(self, rule)
        denied = errors[role]
        if isinstance(denied, tuple):
            status, reason, message, *code = denied
            denied = ApiError(message, status=status, reason=reason, code=code[0] if code else None)
        # A copy, because the traceback of one instance would grow with each time that it is raised.
        error = ApiError.__new__(type(denied), *denied.args)
        vars(error).update(vars(denied), scope="account" if rule == "rejected" else "resource")
        return error


NO_SESSIONS = Sessions(lookup="")  # of a server without a policy


@dataclass(frozen=True, slots=True)
class DatabaseRole:
    """Run the statements of a policy role as a PostgreSQL role, under its row-level security.

    Attributes:
        name: the PostgreSQL role. The user in DATABASE_URL must be a member of it.
        grants: whether the rights to tables, columns and routines are those that PostgreSQL grants to the role. If
            False, the policy's rights apply, and PostgreSQL's grants limit them further.
        schemas: with `grants`, the schemas of the tables and routines that are served.
    """

    name: str
    grants: bool = True
    schemas: frozenset[str] | set[str] = frozenset(("public",))


@dataclass(frozen=True, slots=True)
class KeyedHash:
    """Describe a keyed hash (`Vault.index`): its purpose, its columns, and how they are joined.

    Sealed columns are decrypted before they are joined.
    """

    purpose: str
    columns: tuple[str, ...]
    form: Callable[..., str]


@dataclass(frozen=True, slots=True)
class SealedTable:
    """Describe the encrypted columns of a table for `tableapi rotate-keys`.

    `Access.sealed` need not be repeated.

    Attributes:
        sealed: columns of encrypted text or bytes.
        hashes: columns of keyed hashes. None marks a hash of a value that is not stored, so its key cannot be removed.
    """

    table: str
    sealed: frozenset[str] | set[str] = frozenset()
    hashes: Mapping[str, KeyedHash | None] = field(default_factory=dict)
