"""Idempotency-Key: repeats get the stored response, which is encrypted in the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from tests.helpers.product import API, Account, Product
from tests.helpers.support import rejection

KEY = {"Idempotency-Key": "repeat-1"}


async def test_another_request_under_the_same_key_is_rejected(account: Account) -> None:
    url = API + "searchname"
    await account.owner.http.post(url, json={"limit": 1, "offset": 0, "searchtext": "a"}, headers=KEY)
    other = await account.owner.http.post(url, json={"limit": 2, "offset": 0, "searchtext": "a"}, headers=KEY)
    assert other.status_code == 422
    too_long = await account.owner.http.post(url, json={}, headers={"Idempotency-Key": "x" * 65})
    assert too_long.status_code == 400


async def test_a_repeat_gets_the_first_response_which_is_stored_encrypted(product: Product, account: Account) -> None:
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    first = await account.owner.http.post(API + "getcontact", json=body, headers=KEY)
    again = await account.owner.http.post(API + "getcontact", json=body, headers=KEY)
    assert first.status_code == 200, first.text
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    assert first.json()["charged"] == 1
    stored = await product.db.fetchval(
        "select body from idempotency where key = 'repeat-1' and route like '%getcontact'"
    )
    assert b"12025550123" in first.content
    assert b"12025550123" not in stored


async def test_of_many_concurrent_requests_one_runs(account: Account) -> None:
    body = {"resource": [{"purpose": "CRM", "name": "One"}]}
    url = API + "leads/_table/apikeys"
    responses = await asyncio.gather(*(account.owner.http.post(url, json=body, headers=KEY) for _ in range(8)))
    bodies = {response.content for response in responses if response.status_code == 200}
    assert len(bodies) == 1
    assert {response.status_code for response in responses} <= {200, 409}
    assert len((await account.owner.table("GET", "apikeys")).json()["resource"]) == 1


@asynccontextmanager
async def no_answer_can_be_kept(product: Product) -> AsyncIterator[None]:
    """Make the database reject storing responses, as if the server died right before."""
    await product.db.execute(
        "create function die() returns trigger language plpgsql as $$ begin"
        " if new.status > 0 then raise disk_full; end if; return new; end $$;"
        "create trigger die before update on idempotency for each row execute function die()"
    )
    try:
        yield
    finally:
        await product.db.execute("drop trigger die on idempotency; drop function die()")


async def _contact(product: Product, account: Account) -> int:
    person = await product.person()
    response = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", type="directdial",
                                    action="reveal")  # fmt: skip
    return int(response.json()["contactdata"][0]["contactid"])


async def test_a_write_and_its_stored_response_are_atomic(product: Product, account: Account) -> None:
    contact = await _contact(product, account)
    url, body = f"{API}leads/_table/usercontact/{contact}", {"deleted": 1}
    deleted = "select deleted from usercontact where contactid = $1"
    async with no_answer_can_be_kept(product):
        died = await account.owner.http.patch(url, json=body, headers=KEY)
    assert (died.status_code, await product.db.fetchval(deleted, contact)) == (503, 0)
    done = await account.owner.http.patch(url, json=body, headers=KEY)
    assert (done.status_code, await product.db.fetchval(deleted, contact)) == (200, 1)
    await product.db.execute("update usercontact set deleted = 0 where contactid = $1", contact)
    again = await account.owner.http.patch(url, json=body, headers=KEY)
    assert (again.content, again.headers["idempotency-replayed"]) == (done.content, "true")
    assert await product.db.fetchval(deleted, contact) == 0


async def test_an_error_is_stored_and_rolled_back(product: Product, account: Account) -> None:
    contact = await _contact(product, account)
    url = f"{API}leads/_table/usercontact/{contact}"
    first = await account.owner.http.patch(url, json={"name": "Mine"}, headers=KEY)
    again = await account.owner.http.patch(url, json={"name": "Mine"}, headers=KEY)
    assert (first.status_code, again.status_code) == (403, 403)
    assert again.headers["idempotency-replayed"] == "true"


async def test_a_script_that_committed_never_runs_again(product: Product, account: Account) -> None:
    """A response that cannot be stored after the commit: a repeat gets an error, and one key exists, not two."""
    url, body = API + "leads/_table/apikeys", {"resource": [{"purpose": "CRM", "name": "One"}]}
    async with no_answer_can_be_kept(product):
        first = await account.owner.http.post(url, json=body, headers=KEY)
        again = await account.owner.http.post(url, json=body, headers=KEY)
    assert first.status_code == 200
    assert rejection(again) == (409, "answer_lost")
    async with asyncio.timeout(30):  # it is stored as soon as possible
        while (again := await account.owner.http.post(url, json=body, headers=KEY)).status_code != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert again.content == first.content
    assert len((await account.owner.table("GET", "apikeys")).json()["resource"]) == 1


async def test_a_claim_lasts_as_long_as_its_call_may_run(product: Product, account: Account) -> None:
    """The limit of this call is 60 seconds, that of most others 15."""
    person = await product.person()
    body = {"linkedinurls": [f"https://www.linkedin.com/{person.key}"], "kinds": ["directdial"], "max_credits": 1}
    first = await account.owner.http.post(API + "revealmany", json=body, headers=KEY)
    assert first.status_code == 200, first.text
    unfinished = "update idempotency set status = null, createdon = now() - $2::interval where principal = $1"
    for age, status in ((41, 409), (86, 200)):
        mine = f"user:appuserid={account.owner.appuserid}"
        await product.db.execute(unfinished, mine, timedelta(seconds=age))
        again = await account.owner.http.post(API + "revealmany", json=body, headers=KEY)
        assert (age, again.status_code) == (age, status), again.text


async def test_a_dead_claim_without_commits_is_released(product: Product, account: Account) -> None:
    url, body = API + "leads/_table/apikeys", {"resource": [{"purpose": "CRM", "name": "One"}]}
    await account.owner.http.post(url, json=body, headers=KEY)
    await product.db.execute("delete from apikeys where clientid = $1", account.clientid)
    mine = f"user:appuserid={account.owner.appuserid}"
    unfinished = "update idempotency set status = null, createdon = now() - $2::interval where principal = $1"
    await product.db.execute(unfinished, mine, timedelta(seconds=5))
    young = await account.owner.http.post(url, json=body, headers=KEY)
    assert (young.status_code, young.headers["retry-after"]) == (409, "1")
    await product.db.execute(unfinished, mine, timedelta(seconds=41))
    old = await account.owner.http.post(url, json=body, headers=KEY)
    assert old.status_code == 200
