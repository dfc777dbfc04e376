"""Changing, renewing and cancelling a paid plan, on the payment sandbox with its clock."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.product import API, Account
from tests.helpers.shop import Shop
from tests.helpers.support import ok, rejection

STARTER, PRO, BUSINESS, STARTER_YEARLY = (500, 100, 100), (1200, 600, 600), (3000, 2000, 2000), (6000, 1200, 1200)
STRIPE = API + "stripe"


async def preview(account: Account, plan: int, sub: int | str) -> dict[str, Any]:
    response = await account.owner.http.get(STRIPE, params={"res": "invoice", "plan": plan, "subId": sub})
    body: dict[str, Any] = ok(response)
    return body


async def change(account: Account, plan: int, sub: int, date: object = None) -> httpx2.Response:
    return await account.owner.http.patch(
        STRIPE, json={"res": "sub", "plan": plan, "subId": sub, "proration_date": date}
    )


async def test_a_subscription_goes_through_every_transition(shop: Shop, trial: Account) -> None:
    """Go through trial, monthly, upgrade, downgrade at the period end, cancel, expiry and a new subscription."""
    await shop.subscribe(trial, 2)
    row = await shop.row(trial)
    assert (row["planid"], row["status"], row["autorenew"]) == (2, "active", 1)
    assert await shop.credits(trial) == STARTER

    # Upgrade after ten days: the unused part of 99 minus the unused part of 49.
    await shop.pass_days(10)
    offer = (await preview(trial, 3, row["subscriptionid"]))["resource"]["data"]
    start, end = (int(row[name].timestamp()) for name in ("startdate", "expirydate"))
    date = offer["subscription_proration_date"]
    assert start <= date <= end
    by_hand = round(9900 * (end - date) / (end - start)) - round(4900 * (end - date) / (end - start))
    assert abs(offer["total"] - by_hand) <= 1
    changed = await change(trial, 3, row["subscriptionid"], date)
    assert changed.status_code == 200, changed.text
    assert (await shop.plan(trial)) == 2  # only the provider's event changes plan and credits
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["planid"], int(row["expirydate"].timestamp())) == (3, end)
    bill = (await shop.invoices(trial))[-1]
    assert bill["price"] * 100 == offer["total"]
    assert await shop.credits(trial) > STARTER

    # Downgrade: recorded, then scheduled for the next period.
    refused = await change(trial, 2, row["subscriptionid"])
    assert refused.json()["error"]["context"]["reason"] == "no_downgrade_record"
    recorded = await trial.owner.table(
        "PATCH", "usersubscription",
        {"subscriptionid": row["subscriptionid"], "clientid": trial.clientid, "type": "downgrade", "planid": 2,
         "downgrade_startson": "2020-01-01"},
    )  # fmt: skip
    assert ok(recorded)["resource"][0]["downgrade_startson"][:10] == f"{row['expirydate']:%Y-%m-%d}"
    assert (await change(trial, 2, row["subscriptionid"])).status_code == 200
    await shop.deliver()
    assert await shop.plan(trial) == 3
    await shop.pass_days(25)
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["planid"], row["downgrade_planid"], row["status"]) == (2, None, "active")
    assert (await shop.invoices(trial))[-1]["price"] == 49
    assert await shop.credits(trial) == STARTER

    # Cancel: active until the end of the period, then expired.
    cancelled = await trial.owner.http.delete(STRIPE, params={"subId": row["subscriptionid"], "env": "dev"})
    again = await trial.owner.http.delete(STRIPE, params={"subId": row["subscriptionid"], "env": "dev"})
    assert cancelled.json() == again.json()
    assert cancelled.json()["resource"]["data"]["autorenew"] == 0
    assert await shop.credits(trial) == STARTER
    await shop.pass_days(32)
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["isactive"], row["status"], await shop.credits(trial)) == (0, "cancelled", (0, 0, 0))

    # Subscribe again, yearly.
    await shop.subscribe(trial, 5)
    row = await shop.row(trial)
    assert (row["planid"], row["isactive"], await shop.credits(trial)) == (5, 1, STARTER_YEARLY)
    assert (row["expirydate"] - row["startdate"]).days in (365, 366)
    assert await shop.balanced(trial)


async def test_renewals_end_old_credits_and_bring_new_ones(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    for _ in range(3):
        await shop.pass_days(31)
        await shop.deliver()
        assert await shop.credits(trial) == PRO
    assert len(await shop.invoices(trial)) == 4
    assert await shop.balanced(trial)


async def test_a_past_due_plan_has_a_grace_period_and_recovers_when_paid(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    end = (await shop.row(trial))["expirydate"]
    await shop.new_card(trial, "chargeCustomerFail")
    await shop.pass_days(31)
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["status"], row["expirydate"], (row["graceuntil"] - end).days) == ("past_due", end, 7)
    assert "did not go through" in (await shop.product.mails(trial.owner.email))[-1]["Subject"]
    bill = (await shop.invoices(trial))[-1]
    assert bill["status"] == "open"

    await shop.pay(bill["payurl"])
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["status"], row["graceuntil"], await shop.credits(trial)) == ("active", None, STARTER)
    assert (await shop.invoices(trial))[-1]["status"] == "paid"
    assert await shop.balanced(trial)


async def test_a_plan_that_is_never_paid_expires(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    await shop.new_card(trial, "chargeCustomerFail")
    await shop.pass_days(45)
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["isactive"], row["status"], await shop.credits(trial)) == (0, "expired", (0, 0, 0))
    assert await shop.balanced(trial)


async def test_another_interval_begins_a_new_period(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    assert (await change(trial, 5, sub)).status_code == 200
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["planid"], await shop.credits(trial)) == (5, STARTER_YEARLY)
    assert (row["expirydate"] - row["startdate"]).days in (365, 366)


async def test_a_declined_upgrade_has_no_effect(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    await shop.new_card(trial, "chargeCustomerFail")
    refused = await change(trial, 3, sub)
    assert refused.status_code == 402
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (2, STARTER)
    await shop.new_card(trial, "visa")  # and another card works
    assert (await change(trial, 3, sub)).status_code == 200
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (3, PRO)


async def test_a_double_click_changes_once(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    first, second = await change(trial, 3, sub), await change(trial, 3, sub)
    assert first.status_code == 200
    assert second.status_code in (200, 409)
    await shop.deliver()
    assert len(await shop.invoices(trial)) == 2
    assert (await change(trial, 3, sub)).json()["error"]["context"]["reason"] == "already_changed"


async def test_a_lost_response_is_safe_to_repeat(shop: Shop, trial: Account) -> None:
    """The provider applied the call, but its response was lost, also after the client's retry."""
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    await shop.fault(status=500, times=20)
    down = await change(trial, 3, sub)
    assert rejection(down) == (503, "payments_unavailable")
    await shop.fault(times=0)
    assert (await change(trial, 3, sub)).status_code == 200
    await shop.deliver()
    assert [bill["price"] for bill in await shop.invoices(trial)] == [49, 50]


async def test_a_cancelled_plan_can_be_resumed_before_its_end(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    await trial.owner.http.delete(STRIPE, params={"subId": sub})
    assert (await shop.row(trial))["autorenew"] == 0
    offer = (await preview(trial, 2, sub))["resource"]["data"]
    assert offer["total"] == 0
    assert (await change(trial, 2, sub)).status_code == 200
    assert (await shop.row(trial))["autorenew"] == 1
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.row(trial))["status"] == "active"


async def test_a_second_subscription_is_rejected_while_one_is_active(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    reasons = [(await trial.owner.post("stripe", plan=plan)).json()["error"]["context"]["reason"] for plan in (2, 3)]
    assert reasons == ["already_subscribed", "change_instead"]


async def test_the_subscription_of_another_account_looks_missing(shop: Shop, trial: Account, account: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    none = {"success": 2, "message": "No such subscription"}
    assert await preview(account, 3, sub) == await preview(account, 3, 99999) == await preview(account, 3, "") == none
    assert (await change(account, 3, sub)).status_code == 404
    gone = await account.owner.http.delete(STRIPE, params={"subId": sub})
    assert (gone.status_code, gone.json()["error"]["context"]["scope"]) == (404, "resource")
    record = {"subscriptionid": sub, "type": "downgrade", "planid": 1}
    by_path = await account.owner.http.patch(f"/api/v2/leads/_table/usersubscription/{sub}", json=record)
    assert by_path.status_code == 404


async def test_the_free_plan_has_nothing_to_cancel_and_no_invoice(shop: Shop, trial: Account) -> None:
    sub = (await shop.row(trial))["subscriptionid"]
    assert (await preview(trial, 2, sub))["success"] == 2
    refused = await trial.owner.http.delete(STRIPE, params={"subId": sub})
    assert rejection(refused) == (409, "nothing_to_cancel")


async def test_a_downgrade_below_current_use_is_rejected(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    for _ in range(7):
        await trial.user("member")
    sub = (await shop.row(trial))["subscriptionid"]
    record = {"subscriptionid": sub, "type": "downgrade", "planid": 2}
    refused = await trial.owner.http.patch(f"/api/v2/leads/_table/usersubscription/{sub}", json=record)
    context = refused.json()["error"]["context"]
    assert (refused.status_code, context["reason"], context["members_over"]) == (409, "limit_exceeded", 2)
    hidden = await trial.owner.http.patch(
        f"/api/v2/leads/_table/usersubscription/{sub}", json=record | {"expirydate": "2099-01-01"}
    )
    assert rejection(hidden) == (403, "field_not_writable")


async def test_switching_to_the_free_plan_ends_the_paid_one_permanently(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    await trial.owner.http.delete(STRIPE, params={"subId": sub})
    assert (await trial.owner.post("upgradeplan", planid=1)).status_code == 200
    await shop.deliver()
    await shop.pass_days(60)
    await shop.deliver()
    assert await shop.plan(trial) == 1
    assert len(await shop.invoices(trial)) == 1
    assert await shop.balanced(trial)


async def test_subscribing_again_replaces_the_cancelled_plan(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    old = await shop.row(trial)
    await trial.owner.http.delete(STRIPE, params={"subId": old["subscriptionid"]})
    await shop.subscribe(trial, 3)
    row = await shop.row(trial)
    assert (row["planid"], row["autorenew"], await shop.credits(trial)) == (3, 1, PRO)
    await shop.deliver()
    ended = await shop.http.get(f"/v1/subscriptions/{old['stripe_subid']}", headers={"Authorization": "Bearer sk_x"})
    assert ended.json()["status"] == "canceled"
    assert (await shop.plan(trial), await shop.credits(trial), await shop.balanced(trial)) == (3, PRO, True)


async def test_a_custom_plan_from_staff_replaces_a_cancelled_one(shop: Shop, trial: Account) -> None:
    assert (await trial.owner.post("upgradeplan", planid=8)).status_code == 402
    await shop.subscribe(trial, 2)
    row = await shop.row(trial)
    await shop.product.db.execute("insert into clientplan (clientid, planid) values ($1, 8)", trial.clientid)
    running = await trial.owner.post("upgradeplan", planid=8)
    assert rejection(running) == (409, "paid_plan")
    await trial.owner.http.delete(STRIPE, params={"subId": row["subscriptionid"]})
    assert (await trial.owner.post("upgradeplan", planid=8)).status_code == 200
    await shop.deliver()
    await shop.pass_days(40)
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (8, (10000, 10000, 10000))
    assert len(await shop.invoices(trial)) == 1
    assert await shop.balanced(trial)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_an_unavailable_stripe_gives_a_clear_503_and_changes_nothing(
    shop: Shop, trial: Account, status: int
) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    before = await shop.row(trial)
    await shop.fault(status=status, times=99)
    responses = [
        await trial.owner.http.get(STRIPE, params={"res": "invoice", "plan": 3, "subId": sub}),
        await change(trial, 3, sub),
        await trial.owner.http.delete(STRIPE, params={"subId": sub}),
        await trial.owner.post("addonpayment", planid=101, tokenid="tok_visa"),
    ]
    await shop.fault(times=0)
    assert {response.status_code for response in responses} == {503}
    assert {response.json()["error"]["context"]["reason"] for response in responses} == {"payments_unavailable"}
    assert all(response.headers["retry-after"] for response in responses)
    await shop.deliver()
    assert dict(await shop.row(trial)) == dict(before)
    assert await shop.credits(trial) == STARTER
