"""The trust page and security.txt: off without a contact, in the form of RFC 9116 with one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from product.settings import Settings
from tests.helpers.product import API, Product

TXT = "/.well-known/security.txt"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("security_contact", "security@acme.example"), ("security_contact", "http://acme.example"),
        ("security_contact", "mailto:a@b.example\nPolicy: x"), ("subprocessors", "Acme"), ("subprocessors", "Acme,"),
    ],
)  # fmt: skip
def test_invalid_settings_are_rejected(name: str, value: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({name: value})


async def test_without_a_contact_there_is_no_file(product: Product) -> None:
    assert (await product.caller(key="").get(TXT)).status_code == 404
    assert (await product.caller(key="").get(API + "trust")).status_code == 401
    told = (await product.caller().get(API + "trust")).json()
    assert told["securitycontact"] is None


async def test_the_contact_is_served(product: Product, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: Any = product.ctx.settings.__dict__  # otherwise frozen
    monkeypatch.setitem(settings, "security_contact", "mailto:security@acme.example")
    monkeypatch.setitem(settings, "subprocessors", "Acme Hosting, servers in Ireland; ")
    monkeypatch.setitem(settings, "stripe_secret_key", "sk_x")
    response = await product.caller(key="").get(TXT)
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.text.splitlines())
    assert fields["Contact"] == "mailto:security@acme.example"
    expires = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=170) < expires - datetime.now(UTC) < timedelta(days=365)
    assert (await product.caller(key="").post(TXT)).status_code == 405
    told = (await product.caller().get(API + "trust")).json()
    assert told["securitycontact"] == "mailto:security@acme.example"
    assert {"name": "Stripe", "purpose": "payment"} in told["subprocessors"]
    assert {"name": "Acme Hosting", "purpose": "servers in Ireland"} in told["subprocessors"]
