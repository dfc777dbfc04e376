"""Seats and API keys in use beyond the plan: giving one up does not make it available again."""

from __future__ import annotations

from tests.helpers.product import Account, Product, User
from tests.helpers.shop import Shop
from tests.product.test_plan_changes import change


async def _add(owner: User, name: str) -> int:
    member = {"name": name, "email": f"{name.lower()}@test-company.example", "role": "member"}
    return (await owner.table("POST", "appuser", member)).status_code


async def _members(shop: Shop, account: Account) -> list[int]:
    sql = "select appuserid from appuser where clientid = $1 and role <> 'client' and isdeleted = 0"
    return [row["appuserid"] for row in await shop.product.db.fetch(sql, account.clientid)]


async def test_members_added_before_a_downgrade_do_not_keep_their_seats(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 4)
    changed = await change(trial, 2, await shop.record_downgrade(trial, 2))
    assert changed.status_code == 200, changed.text
    for number in range(7):
        assert await _add(trial.owner, f"Early{number}") == 200
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.plan(trial), len(await _members(shop, trial))) == (2, 7)

    for appuserid in (await _members(shop, trial))[:2]:
        assert (await trial.owner.table("DELETE", f"appuser/{appuserid}")).status_code == 200
    assert await _add(trial.owner, "Late") == 409  # five seats, five members
    assert (await trial.owner.table("DELETE", f"appuser/{(await _members(shop, trial))[0]}")).status_code == 200
    assert [await _add(trial.owner, name) for name in ("Anna", "Ben")] == [200, 409]


async def test_keys_beyond_the_plan_do_not_become_free(product: Product, account: Account) -> None:
    made = [(await account.owner.table("POST", "apikeys", {"purpose": "x"})).json()["resource"][0] for _ in range(5)]
    await product.db.execute(
        "with lower as (insert into subscriptionplan (planid, name, price, validity, details, availableseats,"
        " availableapicall, apiaccess) values (204, 'Small', 9, 30, '', 1, 4, 1) returning planid)"
        " update usersubscription s set planid = lower.planid from lower where s.clientid = $1 and s.isactive = 1",
        account.clientid,
    )
    again = []
    for key in made[:2]:
        gone = await account.owner.table("PATCH", "apikeys", {"keyid": key["keyid"], "isdeleted": 1})
        assert gone.status_code == 200
        again.append((await account.owner.table("POST", "apikeys", {"purpose": "y"})).status_code)
    assert again == [409, 200]
