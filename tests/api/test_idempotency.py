"""Safe repeats by Idempotency-Key: the same answer once more, and nothing in clear in the database (G12)."""

from __future__ import annotations

import asyncio

from tests.api.product import API, Account, World

KEY = {"Idempotency-Key": "repeat-1"}


async def test_another_request_under_the_same_key_is_refused(account: Account) -> None:
    url = API + "searchname"
    await account.owner.http.post(url, json={"limit": 1, "offset": 0, "searchtext": "a"}, headers=KEY)
    other = await account.owner.http.post(url, json={"limit": 2, "offset": 0, "searchtext": "a"}, headers=KEY)
    assert other.status_code == 422
    too_long = await account.owner.http.post(url, json={}, headers={"Idempotency-Key": "x" * 65})
    assert too_long.status_code == 400


async def test_a_repeat_gets_the_first_answer_and_the_database_holds_it_sealed(world: World, account: Account) -> None:
    person = await world.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    first = await account.owner.http.post(API + "getcontact", json=body, headers=KEY)
    again = await account.owner.http.post(API + "getcontact", json=body, headers=KEY)
    assert first.status_code == 200, first.text
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    assert first.json()["charged"] == 1
    stored = await world.db.fetchval("select body from idempotency where key = 'repeat-1' and route like '%getcontact'")
    assert b"12025550123" in first.content
    assert b"12025550123" not in stored


async def test_of_many_at_once_one_runs(account: Account) -> None:
    body = {"resource": [{"purpose": "CRM", "name": "One"}]}
    url = API + "leads/_table/apikeys"
    answers = await asyncio.gather(*(account.owner.http.post(url, json=body, headers=KEY) for _ in range(8)))
    made = {answer.content for answer in answers if answer.status_code == 200}
    assert len(made) == 1
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len((await account.owner.table("GET", "apikeys")).json()["resource"]) == 1
