"""Sealing, rotation of keys, and the bytes on the wire."""

from __future__ import annotations

import pytest

from tableapi.crypto.vault import CannotOpen, Vault, Wire, unseal, wire_for


def test_what_is_sealed_opens_and_shows_nothing() -> None:
    vault = Vault(["secret"])
    token = vault.seal("jane@acme.example")
    assert vault.open(token) == "jane@acme.example"
    assert "jane" not in token
    assert vault.seal("jane@acme.example") != token


def test_a_new_key_in_front_seals_and_the_old_one_still_opens() -> None:
    old, both = Vault(["old"]), Vault(["new", "old"])
    token = old.seal("x")
    assert both.open(token) == "x"
    with pytest.raises(CannotOpen):
        old.open(both.seal("x"))
    assert old.index("email", "x") in both.indexes("email", "x")


def test_a_changed_or_strange_value_does_not_open() -> None:
    vault = Vault(["secret"])
    sealed = bytearray(vault.seal_bytes(b"x"))
    sealed[-1] ^= 1
    for bad in (bytes(sealed), b"", b"\x02whatever"):
        with pytest.raises(CannotOpen):
            vault.open_bytes(bad)


def test_indexes_differ_by_purpose() -> None:
    vault = Vault(["secret"])
    assert vault.index("email", "x") != vault.index("phone", "x")


def test_the_wire_is_used_only_when_asked_for() -> None:
    assert wire_for(None, "token") is None
    assert wire_for("session-v1", "") is None
    assert wire_for("something", "token") is None
    assert isinstance(wire_for("session-v1", "token"), Wire)


def test_unsealing_keeps_nothing_as_nothing() -> None:
    vault = Vault(["secret"])
    assert unseal(vault, [None, vault.seal("x")], None) == [None, "x"]
    encrypted = unseal(vault, [None, vault.seal("x")], Wire("token"))
    assert encrypted[0] is None
    assert str(encrypted[1]).startswith("v1.")
