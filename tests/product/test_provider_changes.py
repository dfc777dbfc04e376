"""Changes made at the payment provider: by its portal, its dashboard and its own rules, told by signed events."""

from __future__ import annotations

import itertools
import time
from typing import Any

import httpx2
import pytest

from product.vendors.money import Missing
from tests.helpers.product import API, Account, Product
from tests.helpers.refunds import STRIPE_KEY, buy, called, forged, invoice_payment, subjects
from tests.helpers.shop import BASE, Shop

STARTER, PRO, NONE = (500, 100, 100), (1200, 600, 600), (0, 0, 0)
STRIPE = API + "stripe"
DAY = 86400


class Recorder(httpx2.AsyncBaseTransport):
    """Passes requests on to the provider and keeps them, as method, path and body."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self.inner = inner
        self.sent: list[tuple[str, str, str]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append((request.method, request.url.path.partition("/v1/")[2], request.content.decode()))
        return await self.inner.handle_async_request(request)


@pytest.fixture
def recorder(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder(shop.transport)
    monkeypatch.setitem(vars(shop.product.scripts.vendors), "payments", shop.payments(recorder))
    return recorder


@pytest.fixture
async def sub(shop: Shop, trial: Account) -> str:
    """The id at the provider of a subscription to Starter."""
    await shop.subscribe(trial, 2)
    return str((await shop.row(trial))["stripe_subid"])


async def changed(shop: Shop, sub: str, path: str = "", **data: Any) -> dict[str, Any]:
    """Change a subscription at the provider, as its dashboard or portal does, and deliver the events."""
    result = await called(shop, "POST", f"subscriptions/{sub}{path}", **data)
    await shop.deliver()
    return result


async def told(shop: Shop, sub: str, **fields: Any) -> None:
    """Set fields of a subscription that only the provider's own rules change, and deliver the event."""
    with shop.service.store.transaction() as state:
        obj = state.get("subscription", sub) | fields
        state.put(obj)
        state.emit("customer.subscription.updated", obj)
    await shop.deliver()


async def plan_of(shop: Shop, account: Account) -> tuple[int, int, str, int]:
    row = await shop.row(account)
    return row["planid"], row["isactive"], row["status"], row["autorenew"]


async def period_end(shop: Shop, sub: str) -> int:
    found = await called(shop, "GET", f"subscriptions/{sub}")
    return int(found["items"]["data"][0]["current_period_end"])


# -- cancellations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [
    {"cancel_at": "1", "cancel_at_period_end": "false"}, {"cancel_at": "tomorrow"}, {"cancel_at_period_end": "1"},
    {"pause_collection[behavior]": "stop"}, {"pause_collection": "void"}, {"proration_behavior": "some"},
])  # fmt: skip
async def test_the_stand_in_rejects_what_the_types_exclude(shop: Shop, sub: str, value: dict[str, str]) -> None:
    response = await shop.http.post(f"{BASE}/v1/subscriptions/{sub}", data=value, headers=STRIPE_KEY)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")


async def test_the_stand_in_rejects_another_version_of_the_api(shop: Shop, sub: str) -> None:
    headers = STRIPE_KEY | {"Stripe-Version": "2020-08-27"}
    response = await shop.http.get(f"{BASE}/v1/subscriptions/{sub}", headers=headers)
    assert (response.status_code, "version" in response.text) == (400, True)


async def test_a_cancellation_of_the_portal_is_shown_and_can_be_taken_back_there(
    shop: Shop, trial: Account, sub: str
) -> None:
    await changed(shop, sub, cancel_at="max_period_end")
    found = await called(shop, "GET", f"subscriptions/{sub}")
    assert (found["cancel_at_period_end"], found["cancel_at"]) == (False, await period_end(shop, sub))
    assert await plan_of(shop, trial) == (2, 1, "active", 0)
    await changed(shop, sub, cancel_at="")
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)


@pytest.mark.parametrize(("plan", "after"), [(2, 2), (3, 3)])
@pytest.mark.parametrize("by", ["cancel_at", "cancel_at_period_end"])
async def test_the_app_takes_back_a_cancellation_by_the_parameter_that_made_it(
    shop: Shop, trial: Account, sub: str, recorder: Recorder, by: str, plan: int, after: int
) -> None:
    await changed(shop, sub, **{by: "min_period_end" if by == "cancel_at" else "true"})
    ident = (await shop.row(trial))["subscriptionid"]
    response = await trial.owner.http.patch(STRIPE, json={"res": "sub", "plan": plan, "subId": ident})
    assert response.status_code == 200, response.text
    await shop.deliver()
    [body] = [body for method, path, body in recorder.sent if method == "POST" and path.startswith("subscriptions/")]
    assert (f"{by}=" in body, body.count("cancel_at")) == (True, 1)
    found = await called(shop, "GET", f"subscriptions/{sub}")
    assert (found["cancel_at"], found["cancel_at_period_end"]) == (None, False)
    assert await plan_of(shop, trial) == (after, 1, "active", 1)


async def test_a_downgrade_takes_back_a_cancellation_of_the_portal(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    row = await shop.row(trial)
    await changed(shop, row["stripe_subid"], cancel_at="max_period_end")
    request = {"res": "sub", "plan": 2, "subId": row["subscriptionid"]}
    response = await trial.owner.http.patch(STRIPE, json=request)
    assert response.status_code == 200, response.text
    await shop.deliver()
    assert await plan_of(shop, trial) == (3, 1, "active", 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)


async def test_a_cancellation_within_the_period_ends_the_plan_then(shop: Shop, trial: Account, sub: str) -> None:
    when = int(time.time()) + 5 * DAY
    await changed(shop, sub, cancel_at=when)
    row = await shop.row(trial)
    assert (int(row["expirydate"].timestamp()), row["autorenew"]) == (when, 0)
    await shop.pass_days(6)
    await shop.deliver()
    assert (await plan_of(shop, trial))[1:3] == (0, "cancelled")
    assert (await shop.credits(trial), await shop.balanced(trial)) == (NONE, True)


async def test_a_cancellation_in_a_later_period_does_not_stop_the_next_one(
    shop: Shop, trial: Account, sub: str
) -> None:
    await changed(shop, sub, cancel_at=int(time.time()) + 50 * DAY)
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 0), STARTER)


# -- pauses -----------------------------------------------------------------------------------------------------------


async def test_a_paused_plan_is_not_live_and_keeps_its_credits_until_it_continues(
    product: Product, shop: Shop, trial: Account, sub: str
) -> None:
    person = await product.person()
    wanted = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    await changed(shop, sub, "/pause")
    assert (await plan_of(shop, trial))[1:3] == (0, "paused")
    rejected = await trial.owner.post("getcontact", **wanted)
    assert rejected.json()["error"]["context"]["reason"] == "subscription_expired"
    await changed(shop, sub, "/resume", **{"billing_cycle_anchor[type]": "unchanged"})
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)
    assert (await trial.owner.post("getcontact", **wanted)).json()["charged"] == 1
    assert not [subject for subject in await subjects(trial) if "ended" in subject]


async def test_a_pause_longer_than_the_period_is_followed_by_a_paid_one(shop: Shop, trial: Account, sub: str) -> None:
    await changed(shop, sub, "/pause")
    await shop.pass_days(60)
    await shop.deliver()
    assert ((await plan_of(shop, trial))[1:3], len(await shop.invoices(trial))) == ((0, "paused"), 1)
    await changed(shop, sub, "/resume")
    row = await shop.row(trial)
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    assert int(row["expirydate"].timestamp()) == await period_end(shop, sub)
    assert ([bill["price"] for bill in await shop.invoices(trial)], await shop.credits(trial)) == ([49, 49], STARTER)
    assert await shop.balanced(trial)


@pytest.mark.parametrize("order", [*itertools.permutations(range(4))])
async def test_events_of_pause_and_resumption_in_any_order_each_twice(
    shop: Shop, trial: Account, sub: str, order: tuple[int, ...]
) -> None:
    for path in ("/pause", "/resume"):
        await called(shop, "POST", f"subscriptions/{sub}{path}", **{"billing_cycle_anchor[type]": "unchanged"}
                     if path == "/resume" else {})  # fmt: skip
    events = shop.fresh()
    assert len(events) == 4
    for number in order:
        await shop.deliver([events[number], events[number]])
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)


async def test_a_paused_plan_that_is_cancelled_loses_its_credits(shop: Shop, trial: Account, sub: str) -> None:
    await changed(shop, sub, "/pause")
    await called(shop, "DELETE", f"subscriptions/{sub}")
    await shop.deliver()
    assert ((await plan_of(shop, trial))[1:3], await shop.credits(trial)) == ((0, "expired"), NONE)
    assert await shop.balanced(trial)


async def test_a_new_plan_replaces_a_paused_one(shop: Shop, trial: Account, sub: str) -> None:
    await changed(shop, sub, "/pause")
    await shop.subscribe(trial, 3)
    await shop.deliver()
    assert (await called(shop, "GET", f"subscriptions/{sub}"))["status"] == "canceled"
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((3, 1, "active", 1), PRO)
    assert await shop.balanced(trial)


async def test_the_free_plan_replaces_a_paused_one(shop: Shop, trial: Account, sub: str) -> None:
    await changed(shop, sub, "/pause")
    switched = await trial.owner.post("upgradeplan", planid=1)
    assert switched.status_code == 200, switched.text
    await shop.deliver()
    await shop.deliver()
    assert (await called(shop, "GET", f"subscriptions/{sub}"))["status"] == "canceled"
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((1, 1, "active", 1), NONE)
    assert await shop.balanced(trial)


@pytest.mark.parametrize(("behavior", "status"), [
    ("void", ["paid", "failed"]), ("mark_uncollectible", ["paid", "failed"]), ("keep_as_draft", ["paid"]),
])  # fmt: skip
async def test_a_period_without_collection_is_free_and_grants_nothing(
    shop: Shop, trial: Account, sub: str, behavior: str, status: list[str]
) -> None:
    """The provider keeps the subscription active, so the plan is live; only paid invoices grant credits."""
    await changed(shop, sub, **{"pause_collection[behavior]": behavior})
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    await shop.pass_days(31)
    await shop.deliver()
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    grants = "select count(*) from creditledger where clientid = $1 and kind = 'contactcredit' and reason = 'plan'"
    assert await shop.product.db.fetchval(grants, trial.clientid) == 2  # of the trial and of the paid period
    assert [bill["status"] for bill in await shop.invoices(trial)] == status
    await changed(shop, sub, pause_collection="")
    await shop.pass_days(31)
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)
    assert (await shop.product.db.fetchval(grants, trial.clientid), await shop.balanced(trial)) == (3, True)


# -- trials, failed payments ------------------------------------------------------------------------------------------


async def trialing(shop: Shop, account: Account, **data: Any) -> str:
    """Start a trial of Starter as staff do in the dashboard; return its id."""
    page = await account.owner.post("stripe", plan=2)
    assert page.status_code == 200, page.text
    custid = await shop.product.db.fetchval("select stripe_custid from client where clientid = $1", account.clientid)
    price = await shop.product.db.fetchval("select priceid from planprice where planid = 2 order by createdon desc")
    made = await called(shop, "POST", "subscriptions", customer=custid, **{"items[0][price]": price} | data)
    return str(made["id"])


async def test_a_trial_without_a_card_pauses_and_continues_when_resumed(shop: Shop, trial: Account) -> None:
    missing = "trial_settings[end_behavior][missing_payment_method]"
    sub = await trialing(shop, trial, trial_period_days=14, **{missing: "pause"})
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)
    await shop.pass_days(15)
    await shop.deliver()
    assert (await plan_of(shop, trial))[1:3] == (0, "paused")
    await changed(shop, sub, default_payment_method="pm_card_visa")
    await changed(shop, sub, "/resume")
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)
    assert [bill["price"] for bill in await shop.invoices(trial)] == [0, 49]
    assert await shop.balanced(trial)


async def test_a_trial_with_a_card_is_paid_at_its_end(shop: Shop, trial: Account) -> None:
    await trialing(shop, trial, trial_period_days=14, default_payment_method="pm_card_visa")
    await shop.pass_days(15)
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)
    assert ([bill["price"] for bill in await shop.invoices(trial)], await shop.balanced(trial)) == ([0, 49], True)


async def test_an_unpaid_plan_lives_until_the_end_of_its_grace_and_is_back_when_paid(
    shop: Shop, trial: Account, sub: str
) -> None:
    end = (await shop.row(trial))["expirydate"]
    await shop.new_card(trial, "chargeCustomerFail")
    await shop.pass_days(31)
    await shop.deliver()
    await told(shop, sub, status="unpaid")
    row = await shop.row(trial)
    assert (row["status"], row["expirydate"], (row["graceuntil"] - end).days) == ("past_due", end, 7)
    await shop.pay((await shop.invoices(trial))[-1]["payurl"])
    await told(shop, sub, status="active")
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((2, 1, "active", 1), STARTER)


async def test_the_grace_does_not_follow_from_other_products_of_the_same_invoice(
    shop: Shop, trial: Account, sub: str
) -> None:
    end = (await shop.row(trial))["expirydate"]
    await shop.new_card(trial, "chargeCustomerFail")
    await shop.pass_days(31)
    with shop.service.store.transaction() as state:
        [first, *_] = [bill for bill in state.all("invoice") if bill["status"] == "paid"]
        line = first["lines"]["data"][0]
        other = {"price_details": {"price": "price_other", "product": "prod_other"}, "type": "price_details"}
        year = line["period"] | {"end": line["period"]["end"] + 365 * DAY}
        first["lines"]["data"].append(line | {"id": "il_other", "pricing": other, "period": year})
        state.put(first)
    await shop.deliver()
    assert (await shop.row(trial))["expirydate"] == end


async def test_an_uncollectible_invoice_grants_nothing_until_it_is_paid(shop: Shop, trial: Account, sub: str) -> None:
    await shop.new_card(trial, "chargeCustomerFail")
    await shop.pass_days(31)
    await shop.deliver()
    bill = (await shop.invoices(trial))[-1]
    await called(shop, "POST", f"invoices/{bill['providerid']}/mark_uncollectible")
    await told(shop, sub, status="active")
    assert await plan_of(shop, trial) == (2, 1, "active", 1)
    assert [row["status"] for row in await shop.invoices(trial)] == ["paid", "failed"]
    with shop.service.store.transaction() as state:
        paid = state.get("invoice", bill["providerid"]) | {"status": "paid", "amount_paid": 4900}
        state.put(paid)
        state.emit("invoice.paid", paid)
    await shop.deliver()
    assert [row["status"] for row in await shop.invoices(trial)] == ["paid", "paid"]
    assert (await shop.credits(trial), await shop.balanced(trial)) == (STARTER, True)


@pytest.mark.parametrize("status", ["incomplete", "incomplete_expired"])
async def test_a_subscription_that_was_never_paid_changes_nothing(shop: Shop, trial: Account, status: str) -> None:
    before = await plan_of(shop, trial), await shop.credits(trial)
    sub = await trialing(shop, trial, trial_period_days=14)
    await told(shop, sub, status=status)
    assert (await plan_of(shop, trial), await shop.credits(trial)) == before


# -- long lists -------------------------------------------------------------------------------------------------------


async def test_the_line_of_the_period_is_found_behind_many_others(
    shop: Shop, trial: Account, sub: str, recorder: Recorder
) -> None:
    """The provider includes ten lines in an invoice; invoice items have no price and come first."""
    for number in range(25):
        await called(
            shop, "POST", "invoiceitems", customer="x", subscription=sub, amount=0, description=f"Item {number}"
        )
    await shop.pass_days(31)
    await shop.deliver()
    bill = (await shop.invoices(trial))[-1]
    embedded = await called(shop, "GET", f"invoices/{bill['providerid']}")
    assert (len(embedded["lines"]["data"]), embedded["lines"]["has_more"]) == (10, True)
    assert f"invoices/{bill['providerid']}/lines" in {path for _, path, _ in recorder.sent}
    assert (len(bill["lines"]), bill["price"], bill["status"]) == (26, 49, "paid")
    grants = "select count(*) from creditledger where clientid = $1 and kind = 'contactcredit' and reason = 'plan'"
    assert await shop.product.db.fetchval(grants, trial.clientid) == 3
    assert (await shop.credits(trial), await shop.balanced(trial)) == (STARTER, True)


async def test_an_invoice_behind_a_hundred_others_is_booked(shop: Shop, trial: Account, sub: str) -> None:
    await shop.pass_days(31)
    with shop.service.store.transaction() as state:
        [bill, *_] = state.all("invoice")
        for number in range(130):
            other = {"id": f"in_other{number}", "number": f"X-{number}", "parent": None}
            state.put(bill | other)
    await shop.deliver()
    assert [row["price"] for row in await shop.invoices(trial)] == [49, 49]


async def test_a_subscription_behind_a_hundred_others_is_found(shop: Shop, trial: Account, sub: str) -> None:
    with shop.service.store.transaction() as state:
        obj = state.get("subscription", sub)
        for number in range(120):
            state.put(obj | {"id": f"sub_other{number}", "status": "incomplete_expired"})
    await changed(shop, sub, cancel_at="max_period_end")
    assert await plan_of(shop, trial) == (2, 1, "active", 0)


async def test_refunds_behind_a_hundred_others_count(shop: Shop, trial: Account, sub: str) -> None:
    await buy(shop, trial)
    intent = await shop.product.db.fetchval("select providerid from addonpayment where clientid = $1", trial.clientid)
    for _ in range(125):
        await called(shop, "POST", "refunds", payment_intent=intent, amount=20)
    await shop.deliver(shop.fresh()[-1:])
    assert (await shop.credits(trial), await shop.balanced(trial)) == (STARTER, True)


async def test_more_than_a_hundred_missed_events_are_caught_up(shop: Shop, trial: Account, sub: str) -> None:
    for number in range(120):
        await called(shop, "POST", f"subscriptions/{sub}", **{"metadata[n]": number})
    missed = shop.fresh()
    await shop.product.scripts.run_job("catchup", {})
    await shop.product.work()
    kept = "select count(*) from stripeevent where id = any($1) and handledon is not null"
    assert await shop.product.db.fetchval(kept, missed) == 120


# -- other products, quantities, schedules ----------------------------------------------------------------------------


async def other_price(shop: Shop) -> str:
    product = await called(shop, "POST", "products", name="Something else")
    price = {"product": product["id"], "unit_amount": 900, "currency": "usd", "recurring[interval]": "month"}
    return str((await called(shop, "POST", "prices", **price))["id"])


async def test_another_product_in_the_same_subscription_does_not_hide_the_plan(
    shop: Shop, trial: Account, sub: str
) -> None:
    other = await other_price(shop)
    for _ in range(12):
        await called(shop, "POST", "subscription_items", subscription=sub, price=other)
    await shop.deliver()
    await changed(shop, sub, cancel_at="max_period_end")
    assert await plan_of(shop, trial) == (2, 1, "active", 0)
    ident = (await shop.row(trial))["subscriptionid"]
    response = await trial.owner.http.patch(STRIPE, json={"res": "sub", "plan": 3, "subId": ident})
    assert response.status_code == 200, response.text
    await shop.deliver()
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((3, 1, "active", 1), PRO)


async def test_events_of_other_products_of_the_account_are_stored_without_an_alarm(
    shop: Shop, trial: Account, sub: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = await plan_of(shop, trial)
    other = {"id": "sub_theirs", "object": "subscription", "customer": "cus_theirs", "metadata": {"shop": "1"}}
    await forged(shop, "customer.subscription.updated", other)
    await forged(shop, "customer.deleted", {"id": "cus_theirs", "object": "customer", "metadata": {}})
    assert "unknown_customer" not in capsys.readouterr().out
    await forged(shop, "customer.subscription.updated", other | {"metadata": {"clientid": "7"}})
    assert "unknown_customer" in capsys.readouterr().out
    assert await plan_of(shop, trial) == before


async def test_a_refund_of_another_products_invoice_raises_no_alarm(
    shop: Shop, trial: Account, sub: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = await shop.credits(trial)
    with shop.service.store.transaction() as state:
        [bill, *_] = state.all("invoice")
        payment = bill["payments"]["data"][0] | {"invoice": "in_theirs", "payment": {"payment_intent": "pi_theirs"}}
        payments = bill["payments"] | {"data": [payment]}
        state.put(bill | {"id": "in_theirs", "customer": "cus_theirs", "payments": payments})
    refund = {
        "id": "re_theirs",
        "object": "refund",
        "payment_intent": "pi_theirs",
        "amount": 4900,
        "status": "succeeded",
    }
    await forged(shop, "refund.created", refund)
    assert "unknown_payment" not in capsys.readouterr().out
    assert await shop.credits(trial) == before


async def test_a_quantity_multiplies_the_credits_of_the_plan(shop: Shop, trial: Account, sub: str) -> None:
    item = (await called(shop, "GET", f"subscriptions/{sub}"))["items"]["data"][0]
    await changed(shop, sub, **{"items[0][id]": item["id"], "items[0][quantity]": 3,
                                "proration_behavior": "always_invoice"})  # fmt: skip
    assert await shop.credits(trial) == tuple(3 * amount for amount in STARTER)
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.invoices(trial))[-1]["price"] == 147
    assert (await shop.credits(trial), await shop.balanced(trial)) == (tuple(3 * n for n in STARTER), True)


@pytest.mark.parametrize("way", ["release", "cancel"])
async def test_a_schedule_ended_at_the_provider_drops_the_downgrade(shop: Shop, trial: Account, way: str) -> None:
    await shop.subscribe(trial, 3)
    ident = await shop.record_downgrade(trial, 2)
    assert (await trial.owner.http.patch(STRIPE, json={"res": "sub", "plan": 2, "subId": ident})).status_code == 200
    await shop.deliver()
    row = await shop.row(trial)
    assert row["downgrade_planid"] == 2
    await called(shop, "POST", f"subscription_schedules/{row['stripe_scheduleid']}/{way}")
    await shop.deliver()
    row = await shop.row(trial)
    assert (row["downgrade_planid"], row["stripe_scheduleid"]) == (None, None)
    live = (1, "active") if way == "release" else (0, "expired")
    assert (row["isactive"], row["status"]) == live
    assert await shop.credits(trial) == (PRO if way == "release" else NONE)


async def test_a_recorded_downgrade_without_a_schedule_stays(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    await shop.record_downgrade(trial, 2)
    await shop.new_card(trial, "visa")
    await shop.deliver()
    assert (await shop.row(trial))["downgrade_planid"] == 2


async def test_a_credit_note_changes_credits_by_its_refund_alone(shop: Shop, trial: Account, sub: str) -> None:
    [bill] = await shop.invoices(trial)
    note = {"id": "cn_1", "object": "credit_note", "invoice": bill["providerid"], "amount": 2450, "currency": "usd",
            "customer": await shop.product.db.fetchval("select stripe_custid from client where clientid = $1",
                                                       trial.clientid)}  # fmt: skip
    await forged(shop, "credit_note.created", note)
    assert await shop.credits(trial) == STARTER
    intent = await invoice_payment(shop, bill["providerid"])
    await called(shop, "POST", "refunds", payment_intent=intent, amount=2450)
    await shop.deliver()
    assert (await shop.credits(trial), await shop.balanced(trial)) == ((250, 50, 50), True)


# -- deleted customers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [*itertools.permutations(range(2))])
async def test_a_deleted_customer_loses_the_plan_and_can_buy_again(
    shop: Shop, trial: Account, sub: str, order: tuple[int, ...]
) -> None:
    custid = await shop.product.db.fetchval("select stripe_custid from client where clientid = $1", trial.clientid)
    await called(shop, "DELETE", f"customers/{custid}")
    events = shop.fresh()
    assert [shop.type_of(event) for event in events] == ["customer.subscription.deleted", "customer.deleted"]
    for number in order:
        await shop.deliver([events[number], events[number]])
    assert ((await plan_of(shop, trial))[1:3], await shop.credits(trial)) == ((0, "expired"), NONE)
    await shop.subscribe(trial, 3)
    assert (await plan_of(shop, trial), await shop.credits(trial)) == ((3, 1, "active", 1), PRO)
    await buy(shop, trial)
    assert await shop.balanced(trial)


async def test_an_unknown_customer_at_the_provider_ends_no_plan_and_hinders_no_other_account(
    shop: Shop, trial: Account, sub: str
) -> None:
    """As after a change to the key of another account of the provider."""
    late = "update usersubscription set expirydate = now() - interval '2 hours', startdate = now() - interval '1 day'"
    other = await shop.product.account(planid=1)
    await shop.subscribe(other, 2)
    await shop.product.db.execute("update client set stripe_custid = 'cus_x' where clientid = $1", trial.clientid)
    for one in (trial, other):
        await shop.product.db.execute(f"{late} where clientid = $1 and isactive = 1", one.clientid)
    await shop.product.scripts.run_job("catchup", {})
    assert (await shop.row(trial))["isactive"] == 1
    assert int((await shop.row(other))["expirydate"].timestamp()) > time.time()
    with pytest.raises(Missing):
        await shop.product.scripts.vendors.payments.subscriptions("cus_x")
