"""Declarations of webhooks: the address, the secret, the changes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from tableapi.auth.webhook import Webhook, secrets


def secret(size: int) -> str:
    return "whsec_" + base64.b64encode(bytes(size)).decode()


def declared(**members: Any) -> Webhook:
    given = {"name": "orders", "table": "orders", "url": "https://hooks.example.com/x", "secret": secret(24)}
    return Webhook.model_validate(given | members)


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/x", "https://hooks.example.com", "https://hooks.example.com:8443/x?a=b"]
)
def test_addresses_of_web_servers_are_accepted(url: str) -> None:
    assert declared(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "", "x", "ftp://hooks.example.com/x", "https:///x", "https://hooks.example.com:0/x", "https://a:70000/x",
        "https://user@hooks.example.com/x", "https://hooks.example.com/x#part", "https://hooks.exämple.com/x",
        "https://hooks.example.com/a b", "https://hooks.example.com\\x", "https://[::1/x",
    ],
)  # fmt: skip
def test_other_addresses_are_rejected(url: str) -> None:
    with pytest.raises(ValidationError, match="must be a URL"):
        declared(url=url)


@pytest.mark.parametrize("size", [16, 128])
def test_a_secret_has_a_prefix_and_enough_bytes(size: int) -> None:
    assert secrets(secret(size)) == [bytes(size)]
    assert secrets(f"{secret(size)}  {secret(24)}") == [bytes(size), bytes(24)]


@pytest.mark.parametrize("text", [secret(15), secret(129), secret(24)[6:], "whsec_%%%", f"{secret(24)} x", "whsec_"])
def test_another_secret_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="random bytes in base64"):
        secrets(text)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_secret_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        secrets(text)


def test_at_least_one_kind_of_change_is_required() -> None:
    assert declared().on == ("created", "updated", "deleted")
    assert declared(on=["deleted"]).on == ("deleted",)
    with pytest.raises(ValidationError, match="must name at least one of"):
        declared(on=[])
