"""Requests that should have no effect, but once disclosed or ended something for another caller."""

from __future__ import annotations

import pytest

from tests.helpers.desk import staff
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import rejection


@pytest.fixture
async def account(product: Product) -> Account:
    return await product.account()


async def test_a_staff_address_counts_as_taken(product: Product, account: Account) -> None:
    member = await staff(product)
    async with product.caller(ip="10.77.0.1") as http:
        responses = [
            (await http.post(API + "checkemailexists", json={"email": email})).json()
            for email in (member.email, account.owner.email)
        ]
    assert responses[0] == responses[1]
    assert responses[0]["result"]["exists"] == 1
    async with product.caller(account.owner.token) as http:
        change = {"newemail": member.email, "oldemail": account.owner.email}
        response = await http.post(API + "emailcodeverification", json=change)
    assert rejection(response) == (409, "email_exists")


async def test_a_selection_without_sessions_ends_none(product: Product, account: Account) -> None:
    other = await account.user("member")
    async with product.caller(account.owner.token) as http, product.caller(other.token) as second:
        for query in ("filter=usersessionid=999999999", "ids="):
            response = await http.delete(f"{TABLE}usersession?{query}")
            assert (response.status_code, response.json()) == (200, {"resource": []}), response.text
        bodies: list[object] = [{"resource": []}, []]
        for body in bodies:
            response = await http.request("DELETE", f"{TABLE}usersession", json=body)
            assert response.json()["error"]["context"]["reason"] == "no_records"
        ended = "select count(*) from usersession where appuserid = any($1) and revokedon is not null"
        assert await product.db.fetchval(ended, [account.owner.appuserid, other.appuserid]) == 0
        assert (await second.get(f"{TABLE}client")).status_code == 200


async def test_searches_are_counted_for_the_user(product: Product, account: Account) -> None:
    second = await account.session(account.owner.appuserid)
    left = []
    for token in (account.owner.token, second):
        async with product.caller(token) as http:
            response = await http.post(API + "searchurl", json={"linkedinurl": "linkedin.com/in/x", "personal": True})
            left.append(int(response.headers["X-RateLimit-Remaining"]))
    assert left[1] == left[0] - 1
