"""Paying for a plan, on the payment sandbox with its clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from product.billing.invoices import difference
from tests.helpers.product import API, Account, Product
from tests.helpers.shop import Shop, open_shop
from tests.helpers.support import ok

STARTER, PRO, BUSINESS, STARTER_YEARLY = (500, 100, 100), (1200, 600, 600), (3000, 2000, 2000), (6000, 1200, 1200)
STRIPE = API + "stripe"


async def test_syncplans_reports_changes_and_is_idempotent(product: Product, shop: Shop) -> None:
    first = str(await product.scripts.run_job("syncplans", {}))
    again = str(await product.scripts.run_job("syncplans", {}))
    assert first.count("price created") == again.count("unchanged") == 6
    assert "Enterprise" not in first


async def test_only_the_owner_can_check_out(product: Product, shop: Shop, trial: Account) -> None:
    assert (await product.caller(key="").post(STRIPE, json={"plan": 2})).status_code == 401
    assert (await product.caller().post(STRIPE, json={"plan": 2})).status_code == 401
    member = await trial.user("member")
    assert (await member.post("stripe", plan=2)).status_code == 403


@pytest.mark.parametrize(("plan", "status", "reason"), [
    (99999, 404, "not_found"), (1, 409, "not_payable"), (8, 409, "not_payable"), (101, 404, "not_found"),
    ("x", 422, "invalid"), (2**70, 422, "invalid"),
])  # fmt: skip
async def test_unavailable_plans_are_rejected(
    shop: Shop, trial: Account, plan: object, status: int, reason: str
) -> None:
    response = await trial.owner.post("stripe", plan=plan)
    assert response.status_code == status
    assert response.json()["error"]["context"]["reason"] == reason


async def test_amounts_from_the_client_are_ignored(shop: Shop, trial: Account) -> None:
    response = await trial.owner.post("stripe", plan=2, price=1, amount=1, env="live", email=trial.owner.email)
    await shop.pay(ok(response)["resource"]["url"])
    await shop.deliver()
    [bill] = await shop.invoices(trial)
    assert (bill["price"], bill["status"]) == (49, "paid")


async def test_the_customer_of_another_account_is_rejected(shop: Shop, trial: Account) -> None:
    response = await trial.owner.post("stripe", plan=2, custId="cus_of_somebody")
    assert response.status_code == 403
    assert response.json()["error"]["context"]["reason"] == "tenant_mismatch"


async def test_a_checkout_page_is_reused_and_replaced_by_that_of_another_plan(shop: Shop, trial: Account) -> None:
    first = (await trial.owner.post("stripe", plan=2)).json()["resource"]
    again = (await trial.owner.post("stripe", plan=2)).json()["resource"]
    other = (await trial.owner.post("stripe", plan=3)).json()["resource"]
    assert first == again
    assert other["data"] != first["data"]
    assert "expired" in (await shop.http.get(first["url"])).text


async def test_the_success_page_without_payment_grants_nothing(shop: Shop, trial: Account) -> None:
    before = await shop.credits(trial)
    await trial.owner.post("stripe", plan=4)
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (1, before)


async def test_a_declined_card_leaves_the_page_open_and_grants_nothing(shop: Shop, trial: Account) -> None:
    url = (await trial.owner.post("stripe", plan=2)).json()["resource"]["url"]
    page = await shop.pay(url, "declined")
    assert "Your card was declined." in page.text
    await shop.deliver()
    assert await shop.plan(trial) == 1
    assert (await shop.pay(url)).headers["location"].startswith("http")


async def test_a_failed_authentication_is_shown_and_can_be_retried(shop: Shop, trial: Account) -> None:
    url = (await trial.owner.post("stripe", plan=2)).json()["resource"]["url"]
    bank = await shop.http.post(url, data={"cardnumber": "4000 0027 6000 3184", "expiry": "12/34", "cvc": "123"})
    assert (bank.status_code, "/3ds/" in bank.headers["location"]) == (303, True), bank.text
    back = await shop.http.post(bank.headers["location"], data={"proof": "no"})
    assert back.headers["location"] == url
    assert "We are unable to authenticate your payment method" in (await shop.http.get(url)).text
    assert "We are unable" not in (await shop.http.get(url)).text
    await shop.deliver()
    assert await shop.plan(trial) == 1
    await shop.pay(url, "3ds")
    await shop.deliver()
    assert await shop.plan(trial) == 2


async def test_another_account_at_the_provider_needs_no_manual_step(
    product: Product, shop: Shop, trial: Account, tmp_path: Path
) -> None:
    """After a change of key and URL, the old prices and customers do not exist at the provider."""
    await trial.owner.post("stripe", plan=3)
    async with open_shop(product, tmp_path / "other") as other:
        await other.subscribe(trial, 2)
        assert (await other.plan(trial), await other.credits(trial)) == (2, STARTER)


async def test_without_settings_plans_are_visible_but_not_for_sale(product: Product, trial: Account) -> None:
    plans = await trial.owner.table("GET", "subscriptionplan", filter="(isaddon=0)")
    assert len(plans.json()["resource"]) > 5
    for path, body in (("stripe", {"plan": 2}), ("addonpaymentintent", {"planid": 101})):
        response = await trial.owner.post(path, **body)
        assert response.status_code in (409, 503)
    response = await trial.owner.post("stripe", plan=2)
    assert response.json()["error"]["context"]["reason"] == "payments_not_set_up"
    webhook = await product.caller(key="").post(API + "webhooks/payment", content=b"{}")
    assert webhook.status_code == 503


def test_an_upgrade_grants_the_prorated_difference() -> None:
    from decimal import Decimal
    from fractions import Fraction

    from product.billing.rows import PlanRow

    old, new = (PlanRow(2, "Starter", "starter", Decimal(49), 30, "", 5, 0, *plan) for plan in (STARTER, BUSINESS))
    assert tuple(difference(old, new, Fraction(1, 2)).values()) == (1250, 950, 950)
    assert set(difference(new, old, Fraction(1)).values()) == {0}
