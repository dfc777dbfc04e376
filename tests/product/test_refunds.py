"""Refunds and disputes reverse the credits of a payment, with repeated events in any order."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

import pytest

from tableapi import Busy
from tests.helpers.product import Account, Product
from tests.helpers.refunds import STRIPE_KEY, addon, buy, called, forged, invoice_payment, payment, subjects, use
from tests.helpers.shop import BASE, Shop

STARTER = (500, 100, 100)


@pytest.fixture
async def buyer(shop: Shop, trial: Account) -> Account:
    """Create a client on Starter that has bought 100 cell numbers."""
    await shop.subscribe(trial, 2)
    await buy(shop, trial)
    assert await shop.credits(trial) == (600, 100, 100)
    return trial


async def test_a_refunded_addon_takes_its_credits_back_once(shop: Shop, buyer: Account) -> None:
    await called(shop, "POST", "refunds", payment_intent=await payment(buyer))
    events = shop.fresh()
    assert [shop.type_of(event) for event in events] == ["refund.created", "charge.refunded"]
    await shop.deliver([*events, *events])
    row = await addon(shop, buyer)
    assert (row["status"], row["refunded"]) == ("refunded", 25)
    assert await shop.credits(buyer) == STARTER
    assert await shop.balanced(buyer)
    assert len([subject for subject in await subjects(buyer) if "was refunded" in subject]) == 1
    shown = await buyer.owner.table("GET", "transactionhistory", filter="(isaddon=1)")
    assert [subject["status"] for subject in shown.json()["resource"]] == ["refunded"]
    ledger = await buyer.owner.table("GET", "creditledger", filter="(reason='refund')")
    assert [subject["delta"] for subject in ledger.json()["resource"]] == [-100]


async def test_concurrent_refunds_of_one_payment_take_the_credits_once(shop: Shop, buyer: Account) -> None:
    """Two parts and their events reach several workers at the same time, each of them twice."""
    intent = await payment(buyer)
    for amount in (1000, 1500):
        await called(shop, "POST", "refunds", payment_intent=intent, amount=amount)
    events = shop.fresh()
    for event in events:
        await shop.post(event)
    await shop.product.db.execute("delete from pgqueuer")
    workers = (shop.product.scripts.run_job("stripeevent", {"id": event}) for event in [*events, *events])
    ended = await asyncio.gather(*workers, return_exceptions=True)
    assert {type(error) for error in ended if error is not None} <= {Busy}, ended  # the queue runs these again
    await shop.deliver(events)
    row = await addon(shop, buyer)
    assert (row["status"], row["refunded"]) == ("refunded", 25)
    assert await shop.credits(buyer) == STARTER
    assert await shop.balanced(buyer)


async def test_partial_refunds_take_credits_pro_rata(shop: Shop, buyer: Account) -> None:
    intent = await payment(buyer)
    for amount, left, status in ((1000, 560, "paid"), (250, 550, "paid"), (1250, 500, "refunded")):
        await called(shop, "POST", "refunds", payment_intent=intent, amount=amount)
        await shop.deliver()
        assert (await shop.credits(buyer))[0] == left
        assert (await addon(shop, buyer))["status"] == status
    assert await shop.balanced(buyer)


async def test_spent_credits_become_a_debt_paid_by_the_next_grant(shop: Shop, buyer: Account) -> None:
    await use(buyer, 30)
    await called(shop, "POST", "refunds", payment_intent=await payment(buyer))
    await shop.deliver()
    assert (await shop.credits(buyer))[0] == 0
    assert await shop.balanced(buyer)
    await buy(shop, buyer, "tok_mastercard")
    assert (await shop.credits(buyer))[0] == 30
    await use(buyer, 0)
    await shop.pass_days(31)
    await shop.deliver()
    assert await shop.credits(buyer) == STARTER
    assert await shop.balanced(buyer)


async def test_a_debt_larger_than_the_next_grant_is_paid_by_the_one_after(shop: Shop, buyer: Account) -> None:
    await buy(shop, buyer, "tok_mastercard")
    await use(buyer, 0)
    rows = await buyer.product.db.fetch("select providerid from addonpayment where clientid = $1", buyer.clientid)
    for row in rows:
        await called(shop, "POST", "refunds", payment_intent=row["providerid"])
    await shop.deliver()
    await buy(shop, buyer, "tok_amex")
    assert (await shop.credits(buyer))[0] == 0
    await buy(shop, buyer, "pm_card_visa")
    assert (await shop.credits(buyer))[0] == 0
    await buy(shop, buyer, "pm_card_amex")
    assert (await shop.credits(buyer))[0] == 100
    assert await shop.balanced(buyer)


@pytest.mark.parametrize("status", ["won", "lost"])
async def test_a_dispute_takes_credits_and_a_won_one_returns_them(shop: Shop, buyer: Account, status: str) -> None:
    await use(buyer, 40)
    data = {"payment_intent": await payment(buyer)}
    dispute = (await shop.http.post(f"{BASE}/test/dispute", json=data)).json()["object"]
    await shop.deliver()
    assert ((await shop.credits(buyer))[0], (await addon(shop, buyer))["status"]) == (0, "refunded")
    text = "winning_evidence" if status == "won" else "losing_evidence"
    await called(shop, "POST", f"disputes/{dispute['id']}", **{"evidence[uncategorized_text]": text})
    await shop.deliver()
    after = (40, "paid", 0) if status == "won" else (0, "refunded", 25)
    row = await addon(shop, buyer)
    assert ((await shop.credits(buyer))[0], row["status"], row["refunded"]) == after
    assert await shop.balanced(buyer)
    items = [subject for subject in await subjects(buyer) if "disputed" in subject or "was restored" in subject]
    assert len(items) == (2 if status == "won" else 1)
    if status == "won":  # no debt remains
        await buy(shop, buyer, "tok_mastercard")
        assert (await shop.credits(buyer))[0] == 140


async def test_a_failed_refund_restores_the_credits(shop: Shop, buyer: Account) -> None:
    refund = await called(shop, "POST", "refunds", payment_intent=await payment(buyer))
    await shop.deliver()
    await shop.http.post(f"{BASE}/test/refundfailed", json={"refund": refund["id"]})
    await shop.deliver()
    assert ((await shop.credits(buyer))[0], (await addon(shop, buyer))["status"]) == (600, "paid")
    assert await shop.balanced(buyer)


async def test_an_immediately_disputed_payment_takes_its_credits(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    await buy(shop, trial, "tok_createDispute")
    assert ((await shop.credits(trial))[0], (await addon(shop, trial))["status"]) == (500, "refunded")
    assert await shop.balanced(trial)


@pytest.mark.parametrize("order", [*itertools.permutations(range(4))])
async def test_payment_and_dispute_in_any_order(shop: Shop, trial: Account, order: tuple[int, ...]) -> None:
    """Deliver the events of payment, dispute and won dispute twice each, in any order."""
    await shop.subscribe(trial, 2)
    asked = await trial.owner.post("addonpaymentintent", planid=101)
    intent = asked.json()["result"]["paymentintentid"]
    await called(shop, "POST", f"payment_intents/{intent}/confirm", payment_method="pm_card_createDispute",
                 return_url="http://x")  # fmt: skip
    [dispute] = (await called(shop, "GET", f"disputes?payment_intent={intent}"))["data"]
    await called(shop, "POST", f"disputes/{dispute['id']}", **{"evidence[uncategorized_text]": "winning_evidence"})
    events = [
        event for event in shop.fresh()
        if shop.type_of(event) in ("payment_intent.succeeded", "charge.dispute.created",
                                   "charge.dispute.funds_reinstated", "charge.dispute.closed")
    ]  # fmt: skip
    assert len(events) == 4
    for number in order:
        await shop.deliver([events[number], events[number]])
    assert await shop.credits(trial) == (600, 100, 100)
    assert (await addon(shop, trial))["status"] == "paid"
    assert await shop.balanced(trial)


async def test_a_refund_reported_before_its_payment(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    asked = await trial.owner.post("addonpaymentintent", planid=101)
    intent = asked.json()["result"]["paymentintentid"]
    await called(
        shop, "POST", f"payment_intents/{intent}/confirm", payment_method="pm_card_visa", return_url="http://x"
    )
    paid = shop.fresh()
    await called(shop, "POST", "refunds", payment_intent=intent)
    await shop.deliver()
    await shop.deliver(paid)
    assert (await shop.credits(trial), (await addon(shop, trial))["status"]) == (STARTER, "refunded")
    assert await shop.balanced(trial)


async def test_a_refunded_period_takes_its_credits_and_leaves_the_plan(shop: Shop, buyer: Account) -> None:
    bill = next(row for row in await shop.invoices(buyer) if not row["isaddon"])
    intent = await invoice_payment(shop, bill["providerid"])
    await called(shop, "POST", "refunds", payment_intent=intent, amount=2450)
    await shop.deliver()
    assert await shop.credits(buyer) == (350, 50, 50)
    await called(shop, "POST", "refunds", payment_intent=intent)
    await shop.deliver()
    assert await shop.credits(buyer) == (100, 0, 0)  # without the add-on
    statuses = {row["isaddon"]: row["status"] for row in await shop.invoices(buyer)}
    assert statuses == {0: "refunded", 1: "paid"}
    row = await shop.row(buyer)
    assert (row["planid"], row["isactive"]) == (2, 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert await shop.credits(buyer) == (600, 100, 100)
    assert await shop.balanced(buyer)


async def test_a_past_period_owes_the_credits_used(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    await use(trial, 420)
    await shop.pass_days(31)
    await shop.deliver()
    assert await shop.credits(trial) == STARTER
    await called(shop, "POST", "refunds", payment_intent=await invoice_payment(shop, bill["providerid"]))
    await shop.deliver()
    assert await shop.credits(trial) == (420, 100, 100)
    assert await shop.balanced(trial)


async def test_a_refunded_upgrade_takes_its_credits(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    sub = (await shop.row(trial))["subscriptionid"]
    changed = await trial.owner.http.patch("/api/v2/stripe", json={"res": "sub", "plan": 3, "subId": sub})
    assert changed.status_code == 200
    await shop.deliver()
    before = await shop.credits(trial)
    bill = (await shop.invoices(trial))[-1]
    await called(shop, "POST", "refunds", payment_intent=await invoice_payment(shop, bill["providerid"]))
    await shop.deliver()
    assert before > STARTER
    assert await shop.credits(trial) == STARTER
    assert await shop.balanced(trial)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
async def test_refunds_and_disputes_are_applied_from_signed_events_alone(
    shop: Shop, buyer: Account, order: tuple[int, ...]
) -> None:
    """Objects that the provider no longer lists have the state of their newest signed event."""
    intent, now = await payment(buyer), int(time.time())
    part = {"id": "ch_gone", "object": "charge", "payment_intent": intent, "amount": 2500, "status": "succeeded"}
    disputed = {"id": "dp_gone", "object": "dispute", "payment_intent": intent, "charge": "ch_gone", "amount": 1000}
    items: list[tuple[str, dict[str, Any], int]] = [
        ("charge.refunded", part | {"amount_refunded": 500}, now - 60),
        ("charge.refunded", part | {"amount_refunded": 1500, "refunded": False}, now - 30),
        ("charge.dispute.closed", disputed | {"status": "lost"}, now),
    ]
    for number in order:
        kind, about, moment = items[number]
        about = about | {"id": f"{about['id']}_{intent}"}
        await forged(shop, kind, about, f"evt_{number}_{intent}", moment)
        await forged(shop, kind, about, f"evt_{number}_{intent}", moment)
    assert (await addon(shop, buyer))["status"] == "refunded"
    assert await shop.credits(buyer) == STARTER
    assert await shop.balanced(buyer)


async def test_a_refund_of_an_unknown_customer_is_stored_and_changes_nothing(
    product: Product, shop: Shop, buyer: Account
) -> None:
    before = await shop.credits(buyer)
    strange: list[dict[str, Any]] = [
        {"id": "ch_x", "object": "charge", "payment_intent": "pi_unknown", "amount_refunded": 100},
        {"id": "ch_y", "object": "charge", "payment_intent": None, "amount_refunded": 100},
        {"id": "dp_x", "object": "dispute", "charge": "ch_unknown", "amount": 100, "status": "lost"},
    ]
    for number, about in enumerate(strange):
        ident = f"evt_nobody_{number}_{time.monotonic_ns()}"
        await forged(shop, f"charge.{'refunded' if number < 2 else 'dispute.closed'}", about, ident)
        row = await product.db.fetchrow("select handledon, note from stripeevent where id = $1", ident)
        assert row is not None
        assert (row["handledon"] is not None, row["note"]) == (True, "unknown payment")
    assert await shop.credits(buyer) == before


async def test_a_refund_is_caught_up_after_a_day_without_webhooks(shop: Shop, buyer: Account) -> None:
    await called(shop, "POST", "refunds", payment_intent=await payment(buyer))
    await shop.product.scripts.run_job("catchup", {})
    await shop.product.work()
    assert (await shop.credits(buyer), (await addon(shop, buyer))["status"]) == (STARTER, "refunded")


async def test_the_provider_rejects_excessive_refunds(shop: Shop, buyer: Account) -> None:
    intent = await payment(buyer)
    for data in ({"payment_intent": intent, "amount": 9999}, {"payment_intent": "pi_x"}, {"amount": 1}):
        response = await shop.http.post(f"{BASE}/v1/refunds", data=data, headers=STRIPE_KEY)
        assert response.status_code in (400, 404), response.text
    await called(shop, "POST", "refunds", payment_intent=intent)
    again = await shop.http.post(f"{BASE}/v1/refunds", data={"payment_intent": intent}, headers=STRIPE_KEY)
    assert again.json()["error"]["code"] == "charge_already_refunded"
