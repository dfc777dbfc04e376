"""Payment webhooks: signed events twice each, in every order, with losses, reach the same state."""

from __future__ import annotations

import itertools
import time

import pytest

from sandbox.stripe.deliver import signature
from tests.helpers.product import Account, Product
from tests.helpers.shop import SECRET, WEBHOOK, Shop
from tests.helpers.support import rejection

STARTER = (500, 100, 100)


async def test_nothing_is_stored_without_a_valid_signature(product: Product, shop: Shop, trial: Account) -> None:
    await trial.owner.post("stripe", plan=2)
    event = shop.fresh()[0]
    body = shop.service.deliverer.body(event)
    now = int(time.time())
    headers = [
        {},
        {"Stripe-Signature": ""},
        {"Stripe-Signature": "t=x,v1=y"},
        {"Stripe-Signature": signature("whsec_other", body, now)},
        {"Stripe-Signature": signature(SECRET, body + b" ", now)},
        {"Stripe-Signature": signature(SECRET, body, now - 301)},
    ]
    for header in headers:
        response = await shop.webhook.post(WEBHOOK, content=body, headers=header)
        assert rejection(response) == (400, "bad_signature")
    nonsense = b'{"id":1}'
    response = await shop.webhook.post(
        WEBHOOK, content=nonsense, headers={"Stripe-Signature": signature(SECRET, nonsense, now)}
    )
    assert response.status_code == 400
    assert not await product.db.fetchval("select count(*) from stripeevent where id = $1", event)


async def renewal(shop: Shop, trial: Account) -> list[str]:
    """Renew a client on Starter, and return its five undelivered events."""
    await shop.subscribe(trial, 2)
    await shop.pass_days(31)
    events = shop.fresh()
    assert [shop.type_of(event) for event in events] == [
        "invoice.created", "invoice.finalized", "customer.subscription.updated", "invoice.paid",
        "invoice.payment_succeeded",
    ]  # fmt: skip
    return events


async def check(shop: Shop, trial: Account) -> None:
    row = await shop.row(trial)
    assert (row["planid"], row["status"], await shop.credits(trial)) == (2, "active", STARTER)
    bills = await shop.invoices(trial)
    assert [(bill["price"], bill["status"]) for bill in bills] == [(49, "paid"), (49, "paid")]
    assert row["transactionid"] == bills[-1]["transactionid"]
    grants = "select count(*) from creditledger where clientid = $1 and kind = 'contactcredit' and reason = 'plan'"
    assert await shop.product.db.fetchval(grants, trial.clientid) == 3  # trial, first period, second period
    assert await shop.balanced(trial)


@pytest.mark.parametrize("order", [*itertools.permutations(range(5))])
async def test_a_renewals_events_in_any_order_each_twice(shop: Shop, trial: Account, order: tuple[int, ...]) -> None:
    events = await renewal(shop, trial)
    for number in order:
        assert (await shop.post(events[number])).json() == {"received": True}
        assert (await shop.post(events[number])).json() == {"received": True}
        await shop.product.work()
    await check(shop, trial)
    receipts = [mail for mail in await shop.product.mails(trial.owner.email) if mail["Subject"].startswith("Receipt")]
    assert len(receipts) == 2


@pytest.mark.parametrize("only", range(5))
async def test_one_event_is_enough(shop: Shop, trial: Account, only: int) -> None:
    events = await renewal(shop, trial)
    await shop.deliver([events[only]])
    await check(shop, trial)


async def test_a_day_without_webhooks_is_caught_up(shop: Shop, trial: Account) -> None:
    await renewal(shop, trial)
    await shop.product.scripts.run_job("catchup", {})
    await shop.product.work()
    await check(shop, trial)
    again = await shop.product.scripts.run_job("catchup", {})
    assert again == "0 events had been missed."


async def test_an_event_lost_long_before_the_latest_one_is_caught_up(shop: Shop, trial: Account) -> None:
    """While the server was down, an event was lost; the first delivery after it does not hide the gap."""
    lost = await renewal(shop, trial)
    await shop.pass_days(1)
    await shop.new_card(trial, "visa")
    await shop.deliver()
    await shop.product.scripts.run_job("catchup", {})
    await shop.product.work()
    kept = await shop.product.db.fetch("select id from stripeevent where id = any($1)", lost)
    assert {row["id"] for row in kept} == {event for event in lost if shop.type_of(event) != "invoice.created"}
    await check(shop, trial)


async def test_two_concurrent_workers_on_one_client_grant_once(shop: Shop, trial: Account) -> None:
    import asyncio

    events = await renewal(shop, trial)
    for event in events:
        await shop.post(event)
    await shop.product.db.execute("delete from pgqueuer")
    await asyncio.gather(*(shop.product.scripts.run_job("stripeevent", {"id": event}) for event in events[:3]))
    await shop.deliver(events)
    await check(shop, trial)


async def test_a_worker_that_dies_before_its_commit_leaves_no_changes(shop: Shop, trial: Account) -> None:
    """Another worker applies the stored event again from the beginning."""
    events = await renewal(shop, trial)
    await shop.post(events[3])
    await shop.product.db.execute("delete from pgqueuer")  # claimed by a worker that was killed
    assert await shop.credits(trial) == STARTER
    await shop.product.db.execute("update stripeevent set keptat = now() - interval '1 hour' where id = $1", events[3])
    await shop.product.scripts.run_job("catchup", {})
    await shop.product.work()
    await check(shop, trial)


async def test_an_event_of_an_unknown_customer_is_stored_and_changes_nothing(
    product: Product, shop: Shop, trial: Account
) -> None:
    await shop.subscribe(trial, 2)
    await product.db.execute("update client set stripe_custid = null where clientid = $1", trial.clientid)
    await shop.pass_days(31)
    events = shop.fresh()
    await shop.deliver(events)
    notes = await product.db.fetch("select note from stripeevent where id = any($1)", events)
    assert {row["note"] for row in notes} == {"unknown customer"}


async def test_an_event_is_retried_while_stripe_is_down(shop: Shop, trial: Account) -> None:
    from product.vendors.money import PaymentsDown

    events = await renewal(shop, trial)
    await shop.post(events[0])
    await shop.fault(status=503, times=50)
    with pytest.raises(PaymentsDown):
        await shop.product.scripts.run_job("stripeevent", {"id": events[0]})
    await shop.fault(times=0)
    await shop.deliver(events)
    await check(shop, trial)
