"""Scopes of an access token: the subset of a user's rights that a client may use.

`read`, `write` and `delete` cover every table; `read:orders` covers one. `grant` is needed for writes that give access:
keys, roles, invitations. A project may add its own scopes for scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tableapi.auth.rights import DerivedRights, Right, Rights
from tableapi.errors import Forbidden
from tableapi.schema.model import Table

READ, WRITE, DELETE, GRANT = "read", "write", "delete", "grant"
BASIC = (READ, WRITE, DELETE)
OF_TABLES = (*BASIC, GRANT)
OF_METHOD = {"GET": READ, "QUERY": READ, "POST": WRITE, "PUT": WRITE, "PATCH": WRITE, "DELETE": DELETE}

Scopes = frozenset[str]


class InsufficientScope(Forbidden):
    """Raised when a client's token lacks a scope that its user could grant. `needed` is that scope."""

    reason = "insufficient_scope"

    def __init__(self, needed: str) -> None:
        super().__init__(
            f"The token of this client does not include the scope '{needed}'. Sign in again and allow it.",
            context={"needed": needed},
        )
        self.needed = needed


def permits(scopes: Scopes, verb: str, table: str) -> bool:
    """Whether scopes include `verb` (read, write or delete) for a table."""
    return verb in scopes or f"{verb}:{table}" in scopes


def needed(right: Right, verb: str) -> str:
    """Return the scope that a client needs to use a right."""
    return GRANT if "*" in right.granting and verb != "GET" else OF_METHOD[verb]


def require(scopes: Scopes, scope: str, table: str = "") -> None:
    """Require a scope, for one table or in general. Raises InsufficientScope.

    If the client has been granted single tables, the error asks for a single table, too.
    """
    if not permits(scopes, scope, table):
        single = table and any(one.startswith(f"{scope}:") for one in scopes)
        raise InsufficientScope(f"{scope}:{table}" if single else scope)


def of_claims(claims: Mapping[str, Any]) -> Scopes | None:
    """Return the scopes in a token's claims; None if there are none. Some issuers call the claim `scp`."""
    value = claims.get("scope", claims.get("scp"))
    if isinstance(value, str):
        return frozenset(value.split())
    return frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else None


class ScopedRights(DerivedRights):
    """The rights of a role, limited to those that the scopes include."""

    def __init__(self, rights: Rights, scopes: Scopes) -> None:
        super().__init__()
        self._inner, self._scopes = rights, scopes

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the role may call a routine; a routine may write, so it needs the scope `write`."""
        return WRITE in self._scopes and self._inner.routine(kind, name, verb)

    def _derive(self, table: Table, verb: str) -> Right | None:
        right = self._inner.right(table, verb)
        if right is None or not permits(self._scopes, needed(right, verb), table.name):
            return None
        right = replace(right, masked=right.masked | right.credentials)
        if (fields := right.granting - {"*"}) and not permits(self._scopes, GRANT, table.name):
            writable = frozenset(table.columns) if right.writable is None else right.writable
            right = replace(right, writable=writable - fields)
        if permits(self._scopes, READ, table.name):
            return right
        # Without the right to read, a write returns only the keys of its records and can only filter by them.
        keys = frozenset(name for name in table.key if right.can_read(name))
        return replace(
            right,
            readable=keys,
            computed=frozenset(),
            always_returned=frozenset(),
            rows_when_filtered_by={},
            xmin=False,
        )
