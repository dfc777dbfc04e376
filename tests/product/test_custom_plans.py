"""A custom plan that staff assigned to an account: leaving it and returning to it."""

from __future__ import annotations

import asyncio

import pytest

from tests.helpers.product import API, Account, Product
from tests.helpers.shop import Shop


async def test_each_period_is_granted_once_even_if_the_plan_is_left_repeatedly(shop: Shop, trial: Account) -> None:
    await shop.product.db.execute("insert into clientplan (clientid, planid) values ($1, 8)", trial.clientid)
    assert (await trial.owner.post("upgradeplan", planid=8)).status_code == 200
    period = (await shop.row(trial))["expirydate"]
    url = f"https://www.linkedin.com/{(await shop.product.person()).key}"
    spent = await trial.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    assert spent.json()["charged"] == 1
    for _ in range(3):
        assert (await trial.owner.post("upgradeplan", planid=1)).status_code == 200
        assert await shop.credits(trial) == (0, 0, 0)
        back = await asyncio.gather(*(trial.owner.post("upgradeplan", planid=8) for _ in range(4)))
        assert {response.status_code for response in back} == {200}
        assert await shop.credits(trial) == (9999, 10000, 10000)
        assert (await shop.row(trial))["expirydate"] == period
    assert await shop.balanced(trial)


async def test_the_next_period_is_granted_after_the_end(shop: Shop, trial: Account) -> None:
    await shop.product.db.execute("insert into clientplan (clientid, planid) values ($1, 8)", trial.clientid)
    await trial.owner.post("upgradeplan", planid=8)
    await trial.set_credits(0)
    await trial.owner.post("upgradeplan", planid=1)
    await shop.product.db.execute(
        "update usersubscription set startdate = startdate - interval '31 days',"
        " expirydate = expirydate - interval '31 days' where clientid = $1",
        trial.clientid,
    )
    assert (await trial.owner.post("upgradeplan", planid=8)).status_code == 200
    assert await shop.credits(trial) == (10000, 10000, 10000)
    assert await shop.balanced(trial)


@pytest.mark.parametrize("planid", [1, 2, 3, 4, 5, 6, 7, 8, 9])
async def test_a_plan_that_is_sold_with_keys_has_the_api(product: Product, planid: int) -> None:
    account = await product.account(planid=planid)
    keys = await product.db.fetchval("select availableapicall from subscriptionplan where planid = $1", planid)
    created = await account.owner.table("POST", "apikeys", {"purpose": "CRM"})
    assert created.status_code == (200 if keys else 402), created.text
    if keys:
        key = created.json()["resource"][0]["apikey"]
        assert (await product.caller(key=key).get(f"{API}account/credits")).status_code == 200


async def test_the_features_of_every_plan_state_its_number_of_keys(product: Product, account: Account) -> None:
    """A plan by agreement has keys, although its card names no number."""
    listed = (await account.owner.table("GET", "subscriptionplan", order="planid")).json()["resource"]
    plans = [plan for plan in listed if plan["new_features_json"] and not plan["isaddon"]]
    values = {
        plan["name"]: next(one["value"] for one in plan["new_features_json"] if one["name"] == "API access")
        for plan in plans
    }
    keys = {plan["name"]: plan["availableapicall"] for plan in plans}
    assert values["Business"] == f"{keys['Business']} keys"
    assert values["Enterprise"] == "By agreement"
    assert {name for name, value in values.items() if value == "Not included"} == {n for n, k in keys.items() if not k}
