"""Pages that anybody may read: /api/docs, the trust page and security.txt."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from product import design
from product.settings import Settings
from tests.helpers.product import API, Account, Product
from tests.helpers.support import ROOT


@pytest.mark.parametrize("name", ["tokens.json", "__init__.py", "__pycache__", "..%2Ftokens.json"])
async def test_no_other_file_of_the_folder_is_served(product: Product, name: str) -> None:
    assert (await product.caller().get(f"/api/docs/{name}")).status_code == 404


@pytest.mark.parametrize(
    ("name", "kind"),
    [("theme.css", "text/css"), ("logo.svg", "image/svg+xml"), ("instrument-sans.woff2", "font/woff2")],
)
async def test_the_page_has_the_look_of_the_project(product: Product, name: str, kind: str) -> None:
    file = await product.caller().get(f"/api/docs/{name}")
    assert file.content == (design.FOLDER / name).read_bytes()
    assert file.headers["content-type"].startswith(kind)


async def test_the_page_loads_its_look_and_allows_its_font(product: Product) -> None:
    page = await product.caller().get("/api/docs")
    assert '"/api/docs/theme.css"' in page.text
    assert "font-src 'self'" in page.headers["content-security-policy"]


async def test_key_lookup_is_described_with_the_key_of_the_account_and_its_limits(account: Account) -> None:
    document = (await account.owner.http.get("/api/v2/_spec?typed=true")).json()
    lookup = document["paths"]["/api/v2/keylookup"]["get"]
    assert lookup["security"] == [{"accountkey": []}]
    scheme = document["components"]["securitySchemes"]["accountkey"]
    assert (scheme["in"], scheme["name"]) == ("header", "X-API-Key")
    assert "scopes" in scheme["description"]
    assert "30 calls in 60 s per account" in lookup["description"]
    assert "5000 calls in 86400 s per account" in lookup["description"]
    # The query form stays, for programs that cannot set a header.
    assert {"name": "apikey", "in": "query", "required": False}.items() <= lookup["parameters"][-1].items()


async def test_balances_are_described_for_sessions_and_keys_of_the_account(account: Account) -> None:
    document = (await account.owner.http.get("/api/v2/_spec")).json()
    security = document["paths"]["/api/v2/account/credits"]["get"]["security"]
    assert security == [{"accountkey": []}, {"key": [], "session": []}, {"key": [], "bearer": []}]
    # Other public calls, such as signed events, take no credentials.
    assert document["paths"]["/api/v2/webhooks/payment"]["post"]["security"] == []


async def test_calls_with_their_own_group_come_first(account: Account) -> None:
    document = (await account.owner.http.get("/api/v2/_spec")).json()
    assert document["tags"][:2] == [{"name": "Enrichment"}, {"name": "Key lookup"}]
    assert document["paths"]["/api/v2/keylookup"]["get"]["tags"] == ["Key lookup"]
    assert document["paths"]["/api/v2/getcontact"]["post"]["tags"] == ["scripts"]


async def test_every_customer_call_has_a_group_and_its_own_title(account: Account) -> None:
    """product/design/reference.json: for missing entries, the page falls back to the names of tables and scripts."""
    guide = json.loads((design.FOLDER / "reference.json").read_text())
    grouped = {call for group in guide["groups"] for call in group["calls"]}
    assert len(grouped) == sum(len(group["calls"]) for group in guide["groups"])
    document = (await account.owner.http.get("/api/v2/_spec")).json()
    missing = set()
    for path, item in document["paths"].items():
        table = re.search(r"/_table/([^/{]+)", path)
        call = table[1] if table else re.sub(r"/\{.*", "", path.removeprefix("/api/v2/"))
        if call not in grouped or (table and call not in guide["words"]):
            missing.add(call)
        for verb, operation in item.items():
            if table is None and verb != "parameters" and operation["operationId"] not in guide["titles"]:
                missing.add(operation["operationId"])
    assert missing == set(), "add them to product/design/reference.json"


async def test_the_page_gets_the_groups_of_the_project(product: Product) -> None:
    file = await product.caller().get("/api/docs/reference.json")
    assert file.json() == json.loads((design.FOLDER / "reference.json").read_text())
    assert file.headers["content-type"] == "application/json"


async def test_the_page_for_language_models_names_every_call_by_key_and_its_pages(product: Product) -> None:
    text = (await product.caller(key="").get("/llms.txt")).text
    for script in product.scripts:
        if script.own_key is not None:
            assert script.name in text, script.name
    for page in sorted((ROOT / "docs" / "use").glob("*.md")):
        assert f"/docs/use/{page.stem}/)" in text, page


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
