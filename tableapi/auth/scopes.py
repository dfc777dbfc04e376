"""Scopes of an access token: what the client of a user may do, out of what the user may do.

`read`, `write` and `delete` cover every table; `read:orders` covers one. A project adds scopes of its own for scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tableapi.auth.rights import DerivedRights, Right, Rights
from tableapi.errors import Forbidden
from tableapi.schema.model import Table

READ, WRITE, DELETE = "read", "write", "delete"
BASIC = (READ, WRITE, DELETE)
OF_METHOD = {"GET": READ, "QUERY": READ, "POST": WRITE, "PUT": WRITE, "PATCH": WRITE, "DELETE": DELETE}

Scopes = frozenset[str]


class InsufficientScope(Forbidden):
    """Raised when the token of a client lacks a scope that its user could grant. `needed` names it."""

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


def require(scopes: Scopes, needed: str, table: str = "") -> None:
    """Check that scopes include one, for a table or as a whole. Raises InsufficientScope.

    The error asks for a single table where the client was granted single tables.
    """
    if not permits(scopes, needed, table):
        single = table and any(scope.startswith(f"{needed}:") for scope in scopes)
        raise InsufficientScope(f"{needed}:{table}" if single else needed)


def of_claims(claims: Mapping[str, Any]) -> Scopes | None:
    """Return the scopes of a token; None for one that names none. Some issuers call the claim `scp`."""
    value = claims.get("scope", claims.get("scp"))
    if isinstance(value, str):
        return frozenset(value.split())
    return frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else None


class ScopedRights(DerivedRights):
    """The rights of a role without those that the scopes leave out."""

    def __init__(self, rights: Rights, scopes: Scopes) -> None:
        super().__init__()
        self._inner, self._scopes = rights, scopes

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the role may call a routine; a routine may write, so it needs the scope `write`."""
        return WRITE in self._scopes and self._inner.routine(kind, name, verb)

    def _derive(self, table: Table, verb: str) -> Right | None:
        right = self._inner.right(table, verb)
        if right is None or not permits(self._scopes, OF_METHOD[verb], table.name):
            return None
        if permits(self._scopes, READ, table.name):
            return right
        # A write without the right to read returns the keys of its records, and its filter uses these alone.
        keys = frozenset(name for name in table.key if right.sees(name))
        return replace(right, readable=keys, computed=frozenset(), always=frozenset(), rows_by={}, xmin=False)
