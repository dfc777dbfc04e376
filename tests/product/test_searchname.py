"""POST /searchname: search own contacts by parts of names."""

from __future__ import annotations

from tests.helpers.product import API, Account, Product


async def _unlock(product: Product, account: Account, name: str) -> None:
    person = await product.person(full_name=name)
    url = f"linkedin.com/{person.key}"
    response = await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    assert response.status_code == 200


async def test_unauthenticated_and_invalid_requests_are_rejected(product: Product, account: Account) -> None:
    assert (await product.caller().post(API + "searchname", json={})).status_code == 401
    for body in ({"limit": 0}, {"limit": "x"}, {"offset": -1}, {"searchtext": "x" * 101}):
        assert (await account.owner.post("searchname", **body)).status_code == 422


async def test_part_of_the_name_matches_and_wildcards_are_literal(product: Product, account: Account) -> None:
    for name in ("Anna Percent%", "Bob Under_score", "Carl Back\\slash", "Anna Other"):
        await _unlock(product, account, name)

    async def names(text: str) -> list[str]:
        body = (await account.owner.post("searchname", searchtext=text, limit=25, offset=0)).json()
        assert body["meta"]["count"] == len(body["resource"])
        return sorted(row["name"] for row in body["resource"])

    assert await names("anna") == ["Anna Other", "Anna Percent%"]
    assert await names("%") == ["Anna Percent%"]
    assert await names("_") == ["Bob Under_score"]
    assert await names("\\") == ["Carl Back\\slash"]
    assert len(await names("")) == 4


async def test_pages_have_counts(product: Product, account: Account) -> None:
    for number in range(3):
        await _unlock(product, account, f"Page {number}")
    body = (await account.owner.post("searchname", limit=2, offset=2, searchtext="Page")).json()
    assert (len(body["resource"]), body["meta"]["count"]) == (1, 3)
    assert body["resource"][0]["phone_numbers"] == "+12025550123"


async def test_contacts_of_colleagues_and_other_accounts_are_not_found(
    product: Product, account: Account, other: Account
) -> None:
    await _unlock(product, account, "Hidden One")
    member = await account.user()
    for caller in (member, other.owner):
        assert (await caller.post("searchname", searchtext="Hidden")).json()["meta"]["count"] == 0
