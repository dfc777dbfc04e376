"""Scopes of tokens: what they permit, and which scope an error asks for."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.auth.grants import GrantedRights
from tableapi.auth.policy import DatabaseRole
from tableapi.auth.rights import FullRights
from tableapi.auth.scopes import InsufficientScope, ScopedRights, of_claims, permits, require
from tableapi.schema.privileges import RolePrivileges
from tests.engine.unit.auth.test_rights import NOTE


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({}, None),
        ({"scope": 7}, None),
        ({"scope": "read write"}, {"read", "write"}),
        ({"scp": "read"}, {"read"}),
        ({"scp": ["read", 7, "write:note"]}, {"read", "write:note"}),
        ({"scope": "read", "scp": "write"}, {"read"}),
    ],
)
def test_scopes_are_read_from_the_claims(claims: dict[str, Any], scopes: set[str] | None) -> None:
    assert of_claims(claims) == scopes


@pytest.mark.parametrize(
    ("scopes", "needed", "table", "asks_for"),
    [
        ({"read"}, "read", "note", None),
        ({"read:note"}, "read", "note", None),
        ({"read"}, "write", "note", "write"),
        ({"write:other"}, "write", "note", "write:note"),
        ({"write:other"}, "write", "", "write"),
        ({"read:note"}, "write", "note", "write"),
    ],
)
def test_an_error_asks_for_the_missing_scope(scopes: set[str], needed: str, table: str, asks_for: str | None) -> None:
    granted = frozenset(scopes)
    assert permits(granted, needed, table) == (asks_for is None)
    if asks_for is None:
        require(granted, needed, table)
        return
    with pytest.raises(InsufficientScope) as raised:
        require(granted, needed, table)
    assert raised.value.needed == asks_for


@pytest.mark.parametrize(("scopes", "allowed"), [({"write"}, True), ({"read"}, False), ({"write:note"}, False)])
def test_a_routine_needs_the_scope_to_write(scopes: set[str], allowed: bool) -> None:
    clerk = GrantedRights(DatabaseRole("clerk"), RolePrivileges(routines={("public", "answer")}))
    rights = ScopedRights(clerk, frozenset(scopes))
    assert rights.routine("_func", "answer", "POST") is allowed
    assert not rights.routine("_func", "other", "POST")


def test_a_write_without_the_scope_to_read_returns_keys_only() -> None:
    rights = ScopedRights(FullRights(), frozenset(("write:note",)))
    assert rights.right(NOTE, "GET") is None
    right = rights.right(NOTE, "PATCH")
    assert right is not None
    assert [name for name in NOTE.columns if right.can_read(name)] == ["id"]
