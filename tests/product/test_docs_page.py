"""The page /api/docs of the product: its look, and the order of its groups."""

from __future__ import annotations

import pytest

from scripts._shared import design
from tests.helpers.product import Account, Product


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


async def test_calls_with_a_group_of_their_own_come_first(account: Account) -> None:
    document = (await account.owner.http.get("/api/v2/_spec")).json()
    assert document["tags"][0] == {"name": "Key lookup"}
    assert document["paths"]["/api/v2/keylookup"]["get"]["tags"] == ["Key lookup"]
    assert document["paths"]["/api/v2/getcontact"]["post"]["tags"] == ["scripts"]
