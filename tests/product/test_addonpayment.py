"""Add-ons by card: accepted, declined, 3-D Secure, a repeated token, and rights."""

from __future__ import annotations

import asyncio

import pytest

from tests.helpers.product import Account
from tests.helpers.shop import Shop
from tests.helpers.support import rejection

BEFORE, AFTER = (500, 100, 100), (600, 100, 100)


@pytest.fixture
async def buyer(shop: Shop, trial: Account) -> Account:
    """Create a client on the Starter plan."""
    await shop.subscribe(trial, 2)
    return trial


async def buy(account: Account, token: str, **more: object) -> tuple[int, dict[str, object]]:
    response = await account.owner.post("addonpayment", **({"tokenid": token, "planid": 101} | more))
    body = response.json()
    return response.status_code, body.get("result") or body["error"]


async def test_members_and_other_accounts_cannot_buy(shop: Shop, buyer: Account, account: Account) -> None:
    member = await buyer.user("member")
    assert (await member.post("addonpayment", tokenid="tok_visa", planid=101)).status_code == 403
    assert (await buy(buyer, "tok_visa", clientid=account.clientid))[0] == 403
    assert (await buy(buyer, "tok_visa", planid=2))[0] == 404
    assert (await buy(buyer, "", planid=101))[0] == 422


async def test_the_free_plan_cannot_buy_addons(shop: Shop, trial: Account) -> None:
    status, error = await buy(trial, "tok_visa")
    assert (status, error["context"]["reason"]) == (409, "no_addons_on_free")  # type: ignore[index]
    assert (await trial.owner.post("addonpaymentintent", planid=101)).status_code == 409


async def test_bought_credits_stay_when_the_period_ends(shop: Shop, buyer: Account) -> None:
    status, done = await buy(buyer, "tok_visa", amount=1, price=0)
    assert status == 200
    await shop.deliver()
    assert await shop.credits(buyer) == AFTER
    bill = (await shop.invoices(buyer))[-1]
    assert (bill["transactionid"], bill["price"], bill["isaddon"]) == (done["transactionid"], 25, 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert await shop.credits(buyer) == AFTER
    assert await shop.balanced(buyer)


async def test_the_same_token_twice_pays_once(shop: Shop, buyer: Account) -> None:
    assert await buy(buyer, "pm_card_visa") == await buy(buyer, "pm_card_visa")
    await shop.deliver()
    assert await shop.credits(buyer) == AFTER


async def test_one_token_for_several_concurrent_addons_is_charged_once(shop: Shop, buyer: Account) -> None:
    responses = await asyncio.gather(*(buy(buyer, "pm_card_visa", planid=planid) for planid in (101, 102, 103) * 3))
    assert {status for status, _ in responses} == {200, 409}
    await shop.deliver()
    with shop.service.store.transaction() as state:
        charged = [item["amount"] for item in state.all("payment_intent") if item["status"] == "succeeded"]
    bought = [bill["price"] for bill in await shop.invoices(buyer) if bill["isaddon"]]
    assert [amount / 100 for amount in charged if amount != 4900] == [float(price) for price in bought]
    assert len(bought) == 1
    assert await shop.balanced(buyer)
    planid = {25: 102}.get(int(bought[0]), 101)
    status, error = await buy(buyer, "pm_card_visa", planid=planid)
    assert (status, error["context"]["reason"]) == (409, "token_used")  # type: ignore[index]


@pytest.mark.parametrize(
    ("token", "case"),
    [
        ("tok_chargeDeclined", "generic_decline"),
        ("tok_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("tok_chargeDeclinedExpiredCard", "expired_card"),
        ("tok_of_nobody", None),
        ("pm_of_nobody", None),
        ("NaN", None),
    ],
)
async def test_a_declined_card_grants_nothing(shop: Shop, buyer: Account, token: str, case: str | None) -> None:
    for told in (case, None):  # the second attempt does not reach the bank
        status, error = await buy(buyer, token)
        assert (status, error["message"]) == (402, "Payment Failed")
        context = error["context"]
        assert (context["reason"], context.get("case")) == ("card_refused", told)  # type: ignore[index,attr-defined]
    await shop.deliver()
    assert await shop.credits(buyer) == BEFORE


@pytest.mark.parametrize("yes", [True, False])
async def test_a_3d_secure_payment_grants_only_after_confirmation(shop: Shop, buyer: Account, yes: bool) -> None:
    status, asked = await buy(buyer, "tok_threeDSecure2Required")
    assert (status, asked["requires_action"]) == (200, 1)
    assert (await buy(buyer, "tok_threeDSecure2Required"))[1]["requires_action"] == 1  # not confirmed yet
    await shop.http.post(str(asked["url"]), data={"proof": "yes" if yes else "no"})
    status, _ = await buy(buyer, "tok_threeDSecure2Required")
    assert status == (200 if yes else 402)
    await shop.deliver()
    assert await shop.credits(buyer) == (AFTER if yes else BEFORE)


async def test_the_event_grants_credits_if_the_app_does_not_return(shop: Shop, buyer: Account) -> None:
    _, asked = await buy(buyer, "tok_threeDSecure2Required")
    await shop.http.post(str(asked["url"]), data={"proof": "yes"})
    await shop.deliver()
    assert await shop.credits(buyer) == AFTER
    assert "transactionid" in (await buy(buyer, str(asked["paymentintentid"])))[1]
    assert await shop.balanced(buyer)


async def test_a_payment_confirmed_by_the_browser_grants_credits(shop: Shop, buyer: Account, account: Account) -> None:
    payment = (await buyer.owner.post("addonpaymentintent", planid=101)).json()["result"]
    assert (payment["amount"], payment["currency"]) == (2500, "usd")
    assert (await buy(buyer, payment["paymentintentid"]))[0] == 402  # unpaid: no credits
    assert (await buy(account, payment["paymentintentid"]))[0] == 404  # nor that of another client
    payment = (await buyer.owner.post("addonpaymentintent", planid=101)).json()["result"]
    confirmed = await shop.http.post(
        f"/v1/payment_intents/{payment['paymentintentid']}/confirm",
        data={"payment_method": "pm_card_visa"}, headers={"Authorization": "Bearer sk_test_x"},
    )  # fmt: skip
    assert confirmed.status_code == 200
    assert "transactionid" in (await buy(buyer, payment["paymentintentid"]))[1]
    await shop.deliver()
    assert await shop.credits(buyer) == AFTER


@pytest.mark.parametrize("body", [
    {"tokenid": "4242424242424242"}, {"tokenid": 4242424242424242},
    {"tokenid": "tok_visa", "card": "4242 4242 4242 4242"},
    {"tokenid": "tok_visa", "card": {"number": "4242-4242-4242-4242"}},
])  # fmt: skip
async def test_a_card_number_is_rejected(shop: Shop, buyer: Account, body: dict[str, object]) -> None:
    response = await buyer.owner.post("addonpayment", **({"planid": 101} | body))
    assert rejection(response) == (400, "card_number")
    assert "4242" not in response.text


async def test_a_lost_response_charges_once(shop: Shop, buyer: Account) -> None:
    await shop.fault(status=500, times=1, after=True)
    assert (await buy(buyer, "tok_visa"))[0] == 200  # the HTTP client repeats with the same key
    await shop.fault(status=500, times=9, after=True)
    assert (await buy(buyer, "tok_mastercard"))[0] == 503
    await shop.fault(times=0)
    assert (await buy(buyer, "tok_mastercard"))[0] == 200
    await shop.deliver()
    assert await shop.credits(buyer) == (700, 100, 100)
    assert await shop.balanced(buyer)


async def test_a_receipt_is_sent_only_to_its_owner_and_at_most_three_times(
    shop: Shop, buyer: Account, account: Account
) -> None:
    _, done = await buy(buyer, "tok_visa")
    number = done["transactionid"]
    assert (await account.owner.post("addoncredits_email", transactionid=number)).status_code == 404
    codes = [(await buyer.owner.post("addoncredits_email", transactionid=number)).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    mail = (await shop.product.mails(buyer.owner.email))[-1]
    [attached] = list(mail.iter_attachments())
    assert attached.get_content_type() == "application/pdf"
    assert await shop.credits(buyer) == AFTER
