"""Sealed tokens in a response body become their values; everything else is unchanged."""

from __future__ import annotations

import orjson
import pytest

from tableapi.crypto.unseal import Unsealer
from tableapi.crypto.vault import Vault, Wire

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
