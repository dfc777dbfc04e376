"""POST /revealmany: quotes, the ceiling, a single charge per value, and races."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest

from tests.helpers.product import API, Account, Product

KINDS = ["directdial", "businessemail", "personalemail"]


async def _people(product: Product, count: int, **values: Any) -> tuple[str, list[str]]:
    """Insert people with a common word in their names; return the word and their addresses."""
    mark = "r" + secrets.token_hex(4)
    urls = []
    for number in range(count):
        await product.person(f"{mark}-{number:03}", full_name=f"Person {number:03} {mark}", **values)
        urls.append(f"https://www.linkedin.com/in/{mark}-{number:03}")
    return mark, urls


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kinds": []},
        {"kinds": ["fax"]},
        {"linkedinurls": []},
        {"linkedinurls": ["linkedin.com/in/a"] * 101},
        {"linkedinurls": ["linkedin.com/in/a"], "search": {"name": "x"}},
        {"linkedinurls": ["linkedin.com/in/a"], "max_credits": -1},
        {"linkedinurls": [1]},
        {"search": {"phones": "1"}},
        {"search": {"name": "x"}, "first": 101},
        {"search": {"name": "x", "order": "phone"}},
    ],
)
async def test_invalid_input_is_rejected(account: Account, body: dict[str, Any]) -> None:
    response = await account.owner.post("revealmany", **({"kinds": ["directdial"]} | body if body else body))
    assert response.status_code == 422, response.text


async def test_only_signed_in_users_can_reveal(product: Product, account: Account) -> None:
    body = {"linkedinurls": ["linkedin.com/in/a"], "kinds": KINDS}
    assert (await product.caller().post(API + "revealmany", json=body)).status_code == 401
    assert (await product.caller(key="").post(API + "revealmany", json=body)).status_code == 401
    assert (await (await account.user()).post("revealmany", **body)).status_code == 200


async def test_price_ceiling_and_charge(product: Product, account: Account) -> None:
    _, urls = await _people(product, 3)
    await product.person("x" + urls[0][-6:], phones=[])
    body = {"linkedinurls": [*urls, urls[0], "linkedin.com/in/nobody-here", "example.com/x"], "kinds": ["directdial"]}
    before = await account.credits()

    dry = (await account.owner.post("revealmany", **body, dry_run=True)).json()
    assert (dry["price"], dry["charged"], dry["credits"]["contactcredit"]) == (3, 0, before["contactcredit"])
    over = await account.owner.post("revealmany", **body, max_credits=2)
    context = over.json()["error"]["context"]
    assert (over.status_code, context["reason"], context["price"]) == (402, "over_ceiling", 3)
    assert await account.credits() == before

    done = (await account.owner.post("revealmany", **body, max_credits=3)).json()
    assert (done["price"], done["charged"]) == (3, 3)
    assert done["credits"]["contactcredit"] == before["contactcredit"] - 3
    assert [(item["charged"], item["status"]) for item in done["resource"]] == [
        (1, "found"), (1, "found"), (1, "found"), (0, "found"), (0, "not_found"), (0, "invalid"),
    ]  # fmt: skip
    again = (await account.owner.post("revealmany", **body, max_credits=0)).json()
    assert (again["price"], again["charged"], again["resource"][0]["owned"]) == (0, 0, ["directdial"])
    assert await account.ledger_fits()
    listed = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert {row["linkedinurl"] for row in listed} == set(urls)


async def test_the_first_people_of_a_search_are_revealed_in_its_order(product: Product, account: Account) -> None:
    mark, urls = await _people(product, 5)
    body = {"search": {"name": mark, "order": "full_name DESC", "not": {"name": "004"}}, "first": 2, "kinds": KINDS}
    done = (await account.owner.post("revealmany", **body)).json()
    assert (done["price"], done["charged"]) == (6, 6)
    assert [item["linkedinurl"] for item in done["resource"]] == [urls[3], urls[2]]
    contact = (await account.owner.table("GET", "usercontact", fields="title,verification,checkedon")).json()
    assert contact["resource"][0]["verification"] == "valid"
    assert contact["resource"][0]["checkedon"] is not None


async def test_two_concurrent_reveals_share_too_few_credits(product: Product, account: Account) -> None:
    mark, _ = await _people(product, 60)
    await account.set_credits(25)
    member = await account.user()
    body = {"search": {"name": mark}, "first": 60, "kinds": ["directdial"]}
    responses = await asyncio.gather(account.owner.post("revealmany", **body), member.post("revealmany", **body))
    assert [response.status_code for response in responses] == [200, 200]
    assert sum(response.json()["charged"] for response in responses) == 25
    for response in responses:
        items = response.json()["resource"]
        assert len(items) == 60
        assert {item["status"] for item in items} <= {"found", "no_credit"}
    assert (await account.credits())["contactcredit"] == 0
    assert await account.ledger_fits()
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 25


async def test_a_repeat_with_a_key_returns_the_first_response(product: Product, account: Account) -> None:
    _, urls = await _people(product, 2)
    body = {"linkedinurls": urls, "kinds": ["personalemail"]}
    responses = [
        await account.owner.http.post(API + "revealmany", json=body, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert responses[0].json() == responses[1].json()
    assert responses[1].json()["charged"] == 2
    assert responses[1].headers["Idempotency-Replayed"] == "true"


async def test_other_kinds_are_revealed_without_credits_for_one(product: Product, account: Account) -> None:
    _, urls = await _people(product, 2)
    await product.db.execute("update usercredit set contactcredit = 0 where clientid = $1", account.clientid)
    done = (await account.owner.post("revealmany", linkedinurls=urls, kinds=KINDS)).json()
    assert (done["price"], done["charged"]) == (6, 4)
    assert [(item["status"], item["unpaid"]) for item in done["resource"]] == [("no_credit", ["directdial"])] * 2
