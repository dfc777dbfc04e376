"""Sealing, rotation of keys, and the bytes on the wire."""

from __future__ import annotations

import orjson
import pytest

from tableapi.crypto.unseal import Unsealer
from tableapi.crypto.vault import (
    HASHES,
    CannotOpen,
    Vault,
    Wire,
    b64,
    derive_key,
    hash_keys,
    key_error,
    unb64,
    unseal,
    wire_for,
)


def test_sealed_values_round_trip_and_disclose_nothing() -> None:
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


def test_a_changed_or_foreign_value_cannot_be_opened() -> None:
    vault = Vault(["secret"])
    sealed = bytearray(vault.seal_bytes(b"x"))
    sealed[-1] ^= 1
    for bad in (bytes(sealed), b"", b"\x02whatever"):
        with pytest.raises(CannotOpen):
            vault.open_bytes(bad)


def test_indexes_differ_by_purpose() -> None:
    vault = Vault(["secret"])
    assert vault.index("email", "x") != vault.index("phone", "x")


def test_the_wire_is_used_only_on_request() -> None:
    assert wire_for(None, "token") is None
    assert wire_for("session-v1", "") is None
    assert wire_for("something", "token") is None
    assert isinstance(wire_for("session-v1", "token"), Wire)


def test_unsealing_leaves_none_unchanged() -> None:
    vault = Vault(["secret"])
    assert unseal(vault, [None, vault.seal("x")], None) == [None, "x"]
    encrypted = unseal(vault, [None, vault.seal("x")], Wire("token"))
    assert encrypted[0] is None
    assert str(encrypted[1]).startswith("v1.")


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (["a"], ""),
        (["a", "b"], ""),
        (["a", HASHES + b64(bytes(32))], ""),
        ([HASHES + b64(bytes(32))], "the first key encrypts values"),
        (["a", HASHES + b64(bytes(31))], "key 2 is incomplete"),
        (["a", "b", HASHES + "?"], "key 3 is incomplete"),
    ],
)
def test_invalid_secret_keys_are_rejected(keys: list[str], problem: str) -> None:
    assert key_error(keys).startswith(problem)
    assert bool(key_error(keys)) is bool(problem)


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xfb\xff\xfe", bytes(32)])
def test_base64_without_padding_round_trips(data: bytes) -> None:
    assert unb64(b64(data)) == data
    assert not {"=", "+", "/"} & set(b64(data))


def test_a_hash_only_key_finds_indexes_and_cannot_open_values() -> None:
    old = Vault(["old"])
    new = Vault(hash_keys(["new", "old"]).split(","))

    assert old.index("email", "x") in new.indexes("email", "x")
    with pytest.raises(CannotOpen):
        new.open(old.seal("x"))
    assert hash_keys(hash_keys(["new", "old"]).split(",")) == hash_keys(["new", "old"])


def test_the_head_of_a_value_identifies_its_key() -> None:
    old, both = Vault(["old"]), Vault(["new", "old"])
    sealed = old.seal_bytes(b"x")

    assert [sealed.startswith(head) for head in both.heads] == [False, True]
    assert (old.is_newest(sealed), both.is_newest(sealed), both.is_newest(both.seal("x"))) == (True, False, True)


def test_an_empty_list_of_keys_is_rejected() -> None:
    with pytest.raises(ValueError, match="SECRET_KEYS must not be empty"):
        Vault([])


def test_a_derived_key_depends_on_secret_and_purpose() -> None:
    keys = {derive_key(secret, purpose) for secret in (b"a", b"b") for purpose in ("x", "y")}

    assert (len(keys), {len(key) for key in keys}) == (4, {32})


VAULT = Vault(["secret"])


@pytest.mark.parametrize("value", ["jane@acme.example", 'a "quoted" \\ text', "Ω\n", ""])
def test_a_token_becomes_its_value(value: str) -> None:
    body = orjson.dumps({"resource": [{"id": 1, "email": VAULT.seal(value), "note": "s1.short"}]})

    assert orjson.loads(Unsealer(VAULT).body(body, None)) == {
        "resource": [{"id": 1, "email": value, "note": "s1.short"}]
    }


def test_a_body_without_tokens_is_returned_unchanged() -> None:
    body = b'{"resource":[{"email":"s1."}]}'

    assert Unsealer(VAULT).body(body, None) is body


def test_a_value_is_encrypted_for_the_session() -> None:
    body = orjson.dumps([VAULT.seal("a"), VAULT.seal("b")])
    fields = orjson.loads(Unsealer(VAULT).body(body, Wire("token")))

    assert [field.split(".")[0] for field in fields] == ["v1", "v1"]
