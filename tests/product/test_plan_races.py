"""Plan changes of one account at once, or before the provider's event has arrived."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from sandbox.stripe import schedules
from tests.helpers.product import Account
from tests.helpers.shop import Shop
from tests.product.test_plan_changes import STRIPE, change

YEARLY = {5: 490, 6: 990, 7: 1990}


def _reason(answer: httpx2.Response) -> str:
    error: dict[str, Any] = answer.json().get("error", {"context": {"reason": "done"}})
    return str(error["context"]["reason"])


async def test_a_lower_plan_is_not_an_upgrade_before_the_event_arrives(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    assert (await change(trial, 7, sub)).status_code == 200
    assert await shop.plan(trial) == 5  # the event has not arrived
    preview = await trial.owner.http.get(STRIPE, params={"res": "invoice", "plan": 6, "subId": sub})
    assert preview.json()["resource"]["data"]["total"] == YEARLY[6] * 100  # at the end of the period
    refused = await change(trial, 6, sub)
    assert (refused.status_code, _reason(refused)) == (409, "no_downgrade_record")
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (7, (36000, 24000, 24000))
    assert [bill["price"] for bill in await shop.invoices(trial)] == [YEARLY[5], YEARLY[7] - YEARLY[5]]


async def test_concurrent_upgrades_to_several_plans_are_each_paid_once(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    responses = await asyncio.gather(*(change(trial, plan, sub) for plan in (7, 6) * 4))
    assert {_reason(response) for response in responses} <= {"done", "already_changed", "no_downgrade_record"}
    await shop.deliver()
    # A request for 7 that comes when 6 is done is an upgrade from it.
    ways: dict[int, tuple[list[int], ...]] = {6: ([490, 500],), 7: ([490, 1500], [490, 500, 1000])}
    assert [bill["price"] for bill in await shop.invoices(trial)] in ways[await shop.plan(trial)]
    assert await shop.balanced(trial)


async def test_a_concurrent_upgrade_and_downgrade_are_consistent(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 6)
    sub = await shop.record_downgrade(trial, 5)
    responses = await asyncio.gather(*(change(trial, plan, sub) for plan in (5, 7) * 4))
    assert {response.status_code for response in responses} <= {200, 409}, [response.text for response in responses]
    await shop.deliver()
    paid = {6: [990], 7: [990, 1000]}  # the downgrade, or the upgrade, came first
    assert [bill["price"] for bill in await shop.invoices(trial)] == paid[await shop.plan(trial)]
    assert await shop.balanced(trial)


class _Scheduled(httpx2.AsyncBaseTransport):
    """Stripe, where a simultaneous request schedules a change just before one of ours and releases it just after."""

    def __init__(self, shop: Shop, path: str, times: int) -> None:
        self._shop, self._path, self._times = shop, path, times

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method != "POST" or self._path not in request.url.path or not self._times:
            return await self._shop.transport.handle_async_request(request)
        self._times -= 1
        with self._shop.service.store.transaction() as state:
            [sub] = [sub for sub in state.all("subscription") if sub["status"] == "active"]
            schedule = schedules.create(state, {"from_subscription": sub["id"]})
        response = await self._shop.transport.handle_async_request(request)
        await response.aread()
        with self._shop.service.store.transaction() as state:
            schedules.release(state, state.get("subscription_schedule", schedule["id"]))
        return response


@pytest.mark.parametrize(("path", "planid"), [("/subscriptions/", 7), ("/subscription_schedules", 5)])
@pytest.mark.parametrize(("times", "status"), [(1, 200), (9, 502)])
async def test_a_change_is_repeated_after_the_schedule_that_blocked_it_is_released(
    path: str, planid: int, times: int, status: int, shop: Shop, trial: Account
) -> None:
    await shop.subscribe(trial, 6)
    sub = await shop.record_downgrade(trial, 5)
    adapters = vars(shop.product.scripts.vendors)
    direct, adapters["payments"] = adapters["payments"], shop.payments(_Scheduled(shop, path, times))
    response = await change(trial, planid, sub)
    assert response.status_code == status, response.text
    await adapters["payments"].close()
    adapters["payments"] = direct
    await shop.deliver()
    assert await shop.plan(trial) == (7 if (status, planid) == (200, 7) else 6)
    assert await shop.balanced(trial)


async def test_after_a_declined_upgrade_another_plan_can_be_chosen(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    await shop.new_card(trial, "chargeCustomerFail")
    assert [(await change(trial, plan, sub)).status_code for plan in (7, 6, 7)] == [402, 402, 402]
    await shop.new_card(trial, "visa")
    assert (await change(trial, 6, sub)).status_code == 200
    assert (await change(trial, 7, sub)).status_code == 200
    await shop.deliver()
    assert (await shop.plan(trial), await shop.balanced(trial)) == (7, True)


async def test_concurrent_repeats_of_a_downgrade_apply_it_once(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    sub = await shop.record_downgrade(trial, 2)
    responses = await asyncio.gather(*(change(trial, 2, sub) for _ in range(4)))
    assert [response.status_code for response in responses] == [200] * 4
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (2, (500, 100, 100))
