"""The state of a subscription is the same in every call, and previews of a change are right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.shop import Shop
from tests.helpers.support import ok

STRIPE = API + "stripe"
LATE = """
    update usersubscription set startdate = now() - interval '31 days', expirydate = now() - interval '1 minute',
        graceuntil = $2::timestamptz where clientid = $1
"""


async def pass_end(account: Account, *, grace: bool = False) -> None:
    """Move the plan's expiry date into the past before a job closes it."""
    until = await account.product.db.fetchval("select now() + interval '3 days'") if grace else None
    await account.product.db.execute(LATE, account.clientid, until)


async def session(account: Account, verb: str = "GET") -> dict[str, Any]:
    response = await account.owner.http.request(verb, API + "user/session")
    [row] = response.json()["client_by_clientid"]["usersubscription_by_clientid"]
    record: dict[str, Any] = row
    return record


@pytest.mark.parametrize("verb", ["GET", "PUT"])
async def test_a_plan_past_its_date_is_expired_before_any_job_closes_it(account: Account, verb: str) -> None:
    assert (await session(account, verb))["isactive"] == 1
    await pass_end(account)
    row = await session(account, verb)
    assert (row["isactive"], row["status"]) == (0, "expired")


async def test_every_call_treats_an_expired_plan_as_ended(product: Product, shop: Shop, account: Account) -> None:
    person = await product.person()
    await pass_end(account)
    refused = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", type="directdial",
                                       action="reveal")  # fmt: skip
    assert refused.json()["error"]["context"]["reason"] == "subscription_expired"
    key = await account.owner.table("POST", "apikeys", {"purpose": "CRM"})
    assert "plan_without_api" in key.text
    member = await account.owner.table("POST", "appuser", {"name": "A B", "email": "a.b@test-company.example"})
    assert "no_plan" in member.text
    addon = await account.owner.post("addonpayment", planid=101, tokenid="tok_visa")
    assert addon.json()["error"]["context"]["reason"] == "no_plan"
    left = await account.owner.http.get(API + "account/credits")
    assert left.json()["plan"] is None
    page = await account.owner.post("stripe", plan=4)
    assert page.status_code == 200, page.text


async def test_a_plan_in_grace_works_everywhere(product: Product, shop: Shop, account: Account) -> None:
    person = await product.person()
    await pass_end(account, grace=True)
    assert (await session(account))["isactive"] == 1
    revealed = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", type="directdial",
                                        action="reveal")  # fmt: skip
    assert revealed.json()["charged"] == 1
    member = await account.owner.table("POST", "appuser", {"name": "A B", "email": "a.b2@test-company.example"})
    assert member.status_code in (200, 201), member.text
    assert (await account.owner.http.get(API + "account/credits")).json()["plan"] == "Business"


async def test_a_page_is_rejected_for_a_plan_below_current_use(shop: Shop, trial: Account) -> None:
    for _ in range(6):
        await trial.user("member")
    for plan, over in ((2, 1), (5, 1)):
        refused = await trial.owner.post("stripe", plan=plan)
        context = refused.json()["error"]["context"]
        assert (refused.status_code, context["reason"], context["members_over"]) == (409, "limit_exceeded", over)
    assert not await shop.product.db.fetchval("select count(*) from checkout where clientid = $1", trial.clientid)
    assert (await trial.owner.post("stripe", plan=3)).status_code == 200


async def test_a_higher_plan_with_too_few_keys_is_rejected_before_payment(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 4)
    sub = (await shop.row(trial))["subscriptionid"]
    assert (await trial.owner.table("POST", "apikeys", {"purpose": "CRM"})).status_code in (200, 201)
    refused = await trial.owner.http.patch(STRIPE, json={"res": "sub", "plan": 5, "subId": sub})
    context = refused.json()["error"]["context"]
    assert (refused.status_code, context["reason"], context["apis_over"]) == (409, "limit_exceeded", 1)
    await shop.deliver()
    assert (await shop.plan(trial), len(await shop.invoices(trial))) == (4, 1)
    await trial.owner.http.delete(STRIPE, params={"subId": sub})
    again = await trial.owner.post("stripe", plan=5)
    assert again.json()["error"]["context"]["apis_over"] == 1


async def test_the_free_plan_below_current_use_is_rejected(product: Product, account: Account) -> None:
    for _ in range(2):
        await account.user("member")
    refused = await account.owner.post("upgradeplan", planid=1)
    context = refused.json()["error"]["context"]
    assert (refused.status_code, context["reason"], context["members_over"]) == (409, "limit_exceeded", 1)


async def test_the_outcome_of_a_page_is_visible_to_its_account_only(
    shop: Shop, trial: Account, account: Account
) -> None:
    rows = (await trial.owner.post("stripe", plan=2)).json()["resource"]
    asked = {"res": "checkout", "session_id": rows["data"]}
    none = {"success": 2, "message": "No such checkout"}

    async def outcome() -> dict[str, Any]:
        response = await trial.owner.http.get(STRIPE, params=asked)
        body: dict[str, Any] = ok(response)["resource"]["data"]
        return body

    assert (await account.owner.http.get(STRIPE, params=asked)).json() == none
    for ident in ("", "cs_nothing", "{CHECKOUT_SESSION_ID}", "'"):
        response = await trial.owner.http.get(STRIPE, params={"res": "checkout", "session_id": ident})
        assert (response.status_code, response.json()) == (200, none)
    member = await trial.user("member")
    assert (await member.http.get(STRIPE, params=asked)).status_code == 403
    assert await outcome() == {"planid": 2, "status": "open", "settled": 0}
    await shop.pay(rows["url"])
    assert await outcome() == {"planid": 2, "status": "complete", "settled": 0}
    await shop.deliver()
    assert await outcome() == {"planid": 2, "status": "complete", "settled": 1}
    without = await trial.owner.http.get(STRIPE, params={"res": "invoice"})
    assert (without.status_code, list(without.json()["error"]["context"]["fields"])) == (422, ["plan"])


async def test_plans_without_a_session_have_no_subscriptions(product: Product, account: Account) -> None:
    app = product.caller()
    response = await app.get(f"{TABLE}subscriptionplan", params={"related": "usersubscription_by_planid"})
    assert {len(plan["usersubscription_by_planid"]) for plan in ok(response)["resource"]} == {0}
    plan = await app.get(f"{TABLE}subscriptionplan/4", params={"related": "usersubscription_by_planid"})
    assert (plan.status_code, plan.json()["usersubscription_by_planid"]) == (200, [])
    assert (await app.get(f"{TABLE}subscriptionplan", params={"related": "*"})).status_code == 200
    own = await account.owner.http.get(f"{TABLE}subscriptionplan/4", params={"related": "usersubscription_by_planid"})
    assert [sub["clientid"] for sub in own.json()["usersubscription_by_planid"]] == [account.clientid]
    sub = own.json()["usersubscription_by_planid"][0]["subscriptionid"]
    for verb, path in (("GET", ""), ("GET", f"/{sub}"), ("GET", "?ids=1"), ("PATCH", ""), ("POST", ""), ("DELETE", "")):
        refused = await app.request(verb, f"{TABLE}usersubscription{path}")
        assert refused.status_code in (401, 405), (verb, path, refused.text)
    hidden = await app.get(f"{TABLE}usersubscription", headers={"X-HTTP-Method": "GET"}, params={"fields": "planid"})
    assert hidden.status_code == 401
    assert (await product.caller(key="").get(f"{TABLE}subscriptionplan")).status_code == 401
