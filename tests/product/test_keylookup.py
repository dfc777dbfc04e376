"""GET /keylookup, and creating, changing, deleting and counting API keys."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import ok, rejection


async def _key(account: Account, **fields: Any) -> dict[str, Any]:
    response = await account.owner.table("POST", "apikeys", {"purpose": "CRM"} | fields)
    return dict(ok(response)["resource"][0])


async def _look(product: Product, key: str, url: str, type_: str = "directdials", **headers: str) -> httpx2.Response:
    query = {"linkedinurl": url, "type": type_} | ({"apikey": key} if key else {})
    return await product.caller(key="").get(API + "keylookup", params=query, headers=headers)


async def test_only_an_owner_can_create_keys(product: Product, account: Account) -> None:
    member = await account.user()
    assert (await member.table("POST", "apikeys", {"purpose": "x"})).status_code == 403
    assert (await member.table("GET", "apikeys")).status_code in (403, 404)
    assert (await member.post("generateapikey")).status_code == 403


async def test_a_key_needs_a_purpose_a_plan_with_the_api_and_a_free_slot(product: Product, account: Account) -> None:
    empty = await account.owner.table("POST", "apikeys", {"purpose": "  "})
    assert (empty.status_code, list(empty.json()["error"]["context"]["fields"])) == (422, ["purpose"])
    cheap = await product.account(planid=2)
    without = await cheap.owner.table("POST", "apikeys", {"purpose": "x"})
    assert rejection(without) == (402, "plan_without_api")
    assert rejection(await cheap.owner.post("generateapikey")) == (402, "plan_without_api")
    await product.db.execute("update usercredit set apicallcount = 1 where clientid = $1", account.clientid)
    responses = await asyncio.gather(*(account.owner.table("POST", "apikeys", {"purpose": "x"}) for _ in range(2)))
    assert sorted(response.status_code for response in responses) == [200, 409]


async def test_a_key_in_the_body_must_have_been_reserved(product: Product, account: Account, other: Account) -> None:
    reserved = (await account.owner.post("generateapikey")).json()["apikey"]
    foreign = (await other.owner.post("generateapikey")).json()["apikey"]
    assert len(reserved) == 16
    assert (await _key(account, apikey=reserved))["apikey"] == reserved
    for strange in (foreign, "0123456789abcdef", reserved):
        key = (await _key(account, apikey=strange))["apikey"]
        assert key != strange
        assert len(key) == 16


async def test_keys_are_listed_in_clear_to_their_owner_and_that_is_audited(product: Product, account: Account) -> None:
    key = await _key(account)
    query = {"filter": "(isactive=1) and (isdeleted=0)", "include_count": "true", "related": "apiusage_by_apikey"}
    listed = (await account.owner.table("GET", "apikeys", **query)).json()
    assert [row["apikey"] for row in listed["resource"]] == [key["apikey"]]
    assert "keyhash" not in listed["resource"][0]
    events = await product.db.fetch("select event from auditlog where clientid = $1", account.clientid)
    assert {"key_created", "keys_read"} <= {row["event"] for row in events}
    stored = await product.db.fetchval("select apikey from apikeys where keyid = $1", key["keyid"])
    assert key["apikey"] not in stored


async def test_only_editable_fields_of_a_key_can_be_changed(account: Account, other: Account) -> None:
    key = await _key(account)
    left = (await account.credits())["apicallcount"]

    async def change(**fields: Any) -> int:
        return (await account.owner.table("PATCH", "apikeys", {"keyid": key["keyid"]} | fields)).status_code

    assert await change(purpose="Other", apikey=key["apikey"]) == 200
    assert await change(apikey="0123456789abcdef") == 403
    assert (await other.owner.table("PATCH", "apikeys", {"keyid": key["keyid"], "isdeleted": 1})).status_code == 404
    assert [await change(isactive=0), await change(isactive=1)] == [200, 403]
    assert [await change(isactive=0, isdeleted=1) for _ in range(2)] == [200, 200]
    assert (await account.credits())["apicallcount"] == left + 1
    assert await change(isdeleted=0) == 403


@pytest.mark.parametrize("key", ["", "wrong", "0123456789abcdef"])
async def test_an_invalid_key_gets_401_without_ending_the_session(product: Product, key: str) -> None:
    response = await _look(product, key, "linkedin.com/in/x")
    assert (response.status_code, response.json()["error"]["context"]["scope"]) == (401, "resource")


@pytest.mark.parametrize("path", ["leads/_table/usercontact", "leads/_table/client", "user/session"])
async def test_the_error_for_an_account_key_instead_of_an_app_key_names_its_calls(
    product: Product, account: Account, path: str
) -> None:
    key = (await _key(account))["apikey"]
    async with product.caller(key=key) as http:
        response = await http.get(API + path)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (401, "no_key")
    assert "GET /api/v2/account/credits" in error["message"]
    assert "expired" not in error["message"]


async def test_a_key_lists_its_scopes(product: Product, account: Account) -> None:
    key = (await _key(account))["apikey"]
    caller = product.caller(key=key)
    for path in ("leads/_table/usercontact", "leads/_table/usercontact/1", "leads/_table/appuser"):
        response = await caller.get(API + path)
        error = response.json()["error"]
        assert (response.status_code, error["context"]["reason"]) == (401, "no_key"), path
        assert "serves GET /api/v2/account/credits, and by its scopes keylookup" in error["message"], path
    response = await caller.post(API + "getcontact", json={})
    assert rejection(response) == (401, "no_key")
    assert "account/credits, and by its scopes" in response.json()["error"]["message"]
    assert (await caller.get(API + "account/credits")).status_code == 200
    none = await product.caller(key="").get(API + "leads/_table/usercontact")
    assert (none.status_code, none.json()["error"]["message"]) == (401, "Send a valid API key in X-API-Key.")
    expired = await product.caller().get(API + "leads/_table/usercontact")
    assert expired.json()["error"]["message"] == "Your account access session is expired"


async def test_invalid_lookups_are_rejected(product: Product, account: Account) -> None:
    key = (await _key(account))["apikey"]
    assert (await _look(product, key, "example.com/x")).status_code == 422
    assert (await _look(product, key, "linkedin.com/in/x", "fax")).status_code == 422


async def test_looks_up_charges_once_and_counts_each_call(product: Product, account: Account) -> None:
    key, person = (await _key(account))["apikey"], await product.person()
    url = f"linkedin.com/{person.key}"
    first = await _look(product, key, url)
    again = await _look(product, "", url, **{"X-API-Key": key})
    missing = await _look(product, key, "linkedin.com/in/nobody-at-all")
    assert [response.status_code for response in (first, again, missing)] == [200, 200, 200]
    assert first.json()["data"]["directdials"] == ["+12025550123"]
    assert first.json()["data"]["businessemails"] == []
    assert [response.json()["charged"] for response in (first, again, missing)] == [1, 0, 0]
    assert missing.json()["data"]["directdials"] == []
    assert first.headers["x-credits-remaining"] == str(first.json()["credits_left"])
    assert await account.ledger_fits()
    # A reveal that the key has paid for is free in the app.
    app = await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    assert app.json()["charged"] == 0
    counted = await product.db.fetchrow(
        "select count(*) as calls, sum(found) as found, sum(charged) as charged, sum(directdialscount) as dials"
        " from apiusage where clientid = $1",
        account.clientid,
    )
    assert counted is not None
    assert tuple(counted) == (3, 2, 1, 1)


async def test_a_deleted_key_and_an_empty_balance_are_rejected(product: Product, account: Account) -> None:
    key, person = await _key(account), await product.person()
    await account.set_credits(0)
    none = await _look(product, key["apikey"], f"linkedin.com/{person.key}")
    assert rejection(none) == (402, "no_credit")
    await account.owner.table("PATCH", "apikeys", {"keyid": key["keyid"], "isdeleted": 1})
    assert (await _look(product, key["apikey"], f"linkedin.com/{person.key}")).status_code == 401


async def test_each_key_has_thirty_lookups_a_minute(product: Product, account: Account) -> None:
    key = (await _key(account))["apikey"]
    responses = await asyncio.gather(*(_look(product, key, "linkedin.com/in/nobody-at-all") for _ in range(31)))
    assert sorted({response.status_code for response in responses}) == [200, 429]


async def test_reveals_by_a_key_are_in_the_owners_list(product: Product, account: Account) -> None:
    person, member = await product.person(full_name="Kay Lookup"), await account.user()
    key = (await _key(account))["apikey"]
    body = (await _look(product, key, f"linkedin.com/{person.key}")).json()
    assert body["charged"] == 1

    async def listed(user: Any) -> list[str]:
        rows = (await user.table("GET", "usercontact", include_count="true")).json()
        assert rows["meta"]["count"] == len(rows["resource"])
        searched = (await user.post("searchname", limit=10, offset=0, searchtext="kay")).json()["resource"]
        assert len(searched) == len(rows["resource"])
        return [row["name"] for row in rows["resource"]]

    assert (await listed(account.owner), await listed(member)) == (["Kay Lookup"], [])
    [row] = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert row["phone_numbers"] == "+12025550123"
    again = (await _look(product, key, f"linkedin.com/{person.key}", "businessemails")).json()
    assert again["charged"] == 1
    assert await listed(account.owner) == ["Kay Lookup"]
    meta = await account.owner.post("contactmeta_addupdate", contactid=row["contactid"], tags=["api"], note="")
    assert meta.status_code == 200, meta.text


async def test_reading_keys_is_recorded_and_reading_their_uses_is_not(product: Product, account: Account) -> None:
    count = "select count(*) from auditlog where clientid = $1 and event = 'keys_read'"
    for recorded, query in (
        (0, {"fields": "keyid,lastused", "filter": "(isactive=1)"}),
        (1, {"select": "keyid,apikey"}),
        (2, {"fields": "keyid,apikey"}),
        (3, {}),
    ):
        assert (await account.owner.http.get(TABLE + "apikeys", params=query)).status_code == 200
        assert await product.db.fetchval(count, account.clientid) == recorded, query


@pytest.mark.parametrize("path", ["keylookup?linkedinurl=linkedin.com/in/x&type=directdials", "account/credits"])
@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Send an API key of your account, from Settings > API, in the header X-API-Key."),
        ({"Authorization": "Bearer abcdefghij123456"}, "Send the API key in the header X-API-Key instead of"),
        ({"X-API-Key": "abcdefghij123456"}, "The API key is not valid."),
    ],
)
async def test_the_error_without_a_live_key_says_what_to_send(
    product: Product, path: str, headers: dict[str, str], message: str
) -> None:
    async with product.caller(key="") as http:
        response = await http.get(f"{API}{path}", headers=headers)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"], error["context"]["scope"]) == (401, "bad_key", "resource")
    assert error["message"].startswith(message)
