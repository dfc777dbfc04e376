"""API keys that read the account's own contacts and usage, and their rotation."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from tests.helpers.desk import staff, view
from tests.helpers.product import API, KEY, Account, Product
from tests.helpers.support import ok, rejection


async def _key(account: Account, *scopes: str) -> tuple[int, str]:
    response = await account.owner.table("POST", "apikeys", {"purpose": "CRM", "scopes": list(scopes)})
    row = ok(response)["resource"][0]
    return int(row["keyid"]), str(row["apikey"])


async def _get(product: Product, key: str, path: str, **query: Any) -> httpx2.Response:
    return await product.caller(key=key).get(API + path, params=query)


@pytest.mark.parametrize(("path", "scope"), [("account/contacts", "contacts"), ("account/usage", "usage")])
async def test_a_key_needs_the_scope(product: Product, account: Account, path: str, scope: str) -> None:
    for wrong in ("", "nonsense", KEY):
        assert (await _get(product, wrong, path)).status_code == 401
    _, other = await _key(account, "lookup", "enrich", "search")
    refused = (await _get(product, other, path)).json()["error"]
    assert (refused["code"], refused["context"]["reason"], refused["context"]["needed"]) == (403, "scope", scope)
    _, key = await _key(account, scope)
    assert (await _get(product, key, path)).status_code == 200


async def test_contacts_of_the_account_with_user_and_time(product: Product, account: Account, other: Account) -> None:
    keyid, key = await _key(account, "contacts", "usage", "enrich")
    member = await account.user(name="Max Member")
    people = [await product.person(title="CEO", city="Oslo") for _ in range(3)]
    for user, kind in ((account.owner, "personalemail"), (member, "directdial")):
        body = {"linkedinurl": f"linkedin.com/{people[0].key}", "type": kind, "action": "reveal"}
        assert (await user.post("getcontact", **body)).json()["charged"] == 1
    wanted = [{"linkedinurl": f"linkedin.com/{person.key}"} for person in people[1:]]
    bought = await product.caller(key=key).post(API + "enrich", json={"people": wanted, "kinds": ["businessemail"]})
    assert bought.json()["charged"] == 2
    stranger = await product.person()
    await other.owner.post("getcontact", linkedinurl=f"linkedin.com/{stranger.key}", type="directdial", action="reveal")

    first = (await _get(product, key, "account/contacts", limit=2)).json()
    rest = (await _get(product, key, "account/contacts", limit=2, cursor=first["meta"]["next"])).json()
    rows = [*first["resource"], *rest["resource"]]
    assert (len(first["resource"]), rest["meta"]["next"]) == (2, None)
    assert {row["linkedinurl"].rpartition("/")[2] for row in rows} == {p.key.rpartition("/")[2] for p in people}
    row = rows[-1]
    assert (row["title"], row["city"], row["personal_emails"], row["business_emails"], row["phones"]) == (
        "CEO", "Oslo", list(people[0].personal), [], list(people[0].phones),
    )  # fmt: skip
    assert [(each["kind"], each["by"], each["keyid"]) for each in row["revealed"]] == [
        ("personalemail", "Test User", None), ("directdial", "Max Member", None),
    ]  # fmt: skip
    assert [(each["by"], each["keyid"]) for each in rows[0]["revealed"]] == [(None, keyid)]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert (await _get(product, key, "account/contacts", since=tomorrow)).json()["resource"] == []

    usage = (await _get(product, key, "account/usage", days=1)).json()
    assert {(day["kind"], day["reveals"]) for day in usage["days"]} == {
        ("personalemail", 1), ("directdial", 1), ("businessemail", 2),
    }  # fmt: skip
    assert {(each["by"], each["keyid"], each["reveals"]) for each in usage["callers"]} == {
        ("Test User", None, 1), ("Max Member", None, 1), (None, keyid, 2),
    }  # fmt: skip
    assert await product.db.fetchval("select lastused is not null from apikeys where keyid = $1", keyid)


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("account/contacts", {"limit": 0}, 422), ("account/contacts", {"limit": 501}, 422),
        ("account/contacts", {"cursor": "x"}, 400), ("account/contacts", {"cursor": "MjAyNi0wMS0wMXwx"}, 400),
        ("account/contacts", {"since": "yesterday"}, 422), ("account/usage", {"days": 400}, 422),
    ],
)  # fmt: skip
async def test_invalid_requests_are_rejected(
    product: Product, account: Account, path: str, query: dict[str, Any], status: int
) -> None:
    _, key = await _key(account, "contacts", "usage")
    assert (await _get(product, key, path, **query)).status_code == status


async def test_only_permitted_users_can_rotate_a_key(product: Product, account: Account, other: Account) -> None:
    keyid, key = await _key(account, "usage")
    member, watching = await account.user(), await view(await staff(product), account.owner)
    assert (await member.post("rotateapikey", keyid=keyid)).status_code == 403
    assert (await watching.post(f"{API}rotateapikey", json={"keyid": keyid})).status_code == 403
    assert (await other.owner.post("rotateapikey", keyid=keyid)).status_code == 404
    for wrong in ({}, {"keyid": "x"}, {"keyid": keyid, "hours": 169}, {"keyid": keyid, "hours": -1}):
        assert (await account.owner.post("rotateapikey", **wrong)).status_code == 422
    assert (await _get(product, key, "account/usage")).status_code == 200


async def test_the_old_key_works_for_the_hours_of_the_overlap(product: Product, account: Account) -> None:
    keyid, old = await _key(account, "usage")
    rotated = (await account.owner.post("rotateapikey", keyid=keyid, hours=2)).json()
    new = rotated["apikey"]
    assert rotated["keyid"] == keyid
    assert new != old
    assert [(await _get(product, key, "account/usage")).status_code for key in (old, new)] == [200, 200]
    (shown,) = (await account.owner.table("GET", "apikeys", filter=f"(keyid={keyid})")).json()["resource"]
    assert (shown["apikey"], shown["oldkeyuntil"] is not None, "oldkeyhash" in shown) == (new, True, False)
    await product.db.execute("update apikeys set oldkeyuntil = now() - interval '1 second' where keyid = $1", keyid)
    assert [(await _get(product, key, "account/usage")).status_code for key in (old, new)] == [401, 200]
    await product.scripts.run_job("tidyup", {})
    assert await product.db.fetchval("select oldkeyhash from apikeys where keyid = $1", keyid) is None
    # At once, and a key that is off is not brought back.
    newest = (await account.owner.post("rotateapikey", keyid=keyid, hours=0)).json()["apikey"]
    assert [(await _get(product, key, "account/usage")).status_code for key in (new, newest)] == [401, 200]
    await account.owner.table("PATCH", f"apikeys/{keyid}", {"isactive": 0})
    refused = await account.owner.post("rotateapikey", keyid=keyid)
    assert rejection(refused) == (409, "key_off")
    audited = "select detail->>'hours' from auditlog where clientid = $1 and event = 'key_rotated' order by auditid"
    assert [row["?column?"] for row in await product.db.fetch(audited, account.clientid)] == ["2", "0"]


async def test_an_old_key_that_works_is_ended_by_another_rotation_only_on_request(
    product: Product, account: Account
) -> None:
    async def statuses(*keys: str) -> list[int]:
        return [(await _get(product, key, "account/usage")).status_code for key in keys]

    keyid, first = await _key(account, "usage")
    answers = await asyncio.gather(*(account.owner.post("rotateapikey", keyid=keyid) for _ in range(5)))  # many clicks
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    second, until = next(
        (body["apikey"], body["oldkeyuntil"]) for answer in answers if "apikey" in (body := answer.json())
    )
    context = next(answer.json()["error"]["context"] for answer in answers if answer.status_code == 409)
    assert (context["reason"], datetime.fromisoformat(context["oldkeyuntil"])) == (
        "old_key_works", datetime.fromisoformat(until),
    )  # fmt: skip
    assert await statuses(first, second) == [200, 200]
    third = (await account.owner.post("rotateapikey", keyid=keyid, replace=True)).json()["apikey"]
    assert await statuses(first, second, third) == [401, 200, 200]


CALLS = {
    "lookup": {"keylookup"},
    "enrich": {"enrich", "findemail", "verifyemail", "agent/price", "agent/reveal"},
    "search": {"searchpeople", "searchcompanies"},
    "contacts": {"account/contacts", "agent/lists"},
    "usage": {"account/usage"},
}


async def test_a_key_that_is_not_live_gets_no_description(product: Product, account: Account) -> None:
    keyid, key = await _key(account, "lookup")
    await account.owner.table("PATCH", f"apikeys/{keyid}", {"isactive": 0})
    for wrong in ("", "wrong", key):
        assert (await _get(product, wrong, "_spec")).status_code == 401
    _, key = await _key(account, "lookup")
    assert (await _get(product, key, "leads/_spec")).status_code == 401
    assert (await _get(product, key, "leads/_table/client")).status_code == 401


@pytest.mark.parametrize("scopes", [*([scope] for scope in CALLS), ["search", "usage"], [*CALLS]])
async def test_a_key_fetches_the_description_of_exactly_its_calls(
    product: Product, account: Account, scopes: list[str]
) -> None:
    _, key = await _key(account, *scopes)
    document = (await _get(product, key, "_spec")).json()
    permitted = {"account/credits"}.union(*(CALLS[scope] for scope in scopes))
    assert {path.removeprefix(API) for path in document["paths"]} == permitted
    assert [*document["components"]["securitySchemes"]] == ["accountkey"]
    assert (document["tags"], set(document["components"]["schemas"]) & {"client", "usercontact", "apikeys"}) == (
        [{"name": tag["name"]} for tag in document["tags"]], set(),
    )  # fmt: skip
    described = (await product.caller().get(f"{API}_spec")).json()["paths"]
    for call in {"account/credits"}.union(*CALLS.values()):
        (verb,) = described[API + call]
        response = await product.caller(key=key).request(verb.upper(), API + call, json={} if verb == "post" else None)
        reason = response.json().get("error", {}).get("context", {}).get("reason", "")
        if call in permitted:
            assert document["paths"][API + call][verb]["security"] == [{"accountkey": []}]
            assert reason in ("", "invalid"), (call, response.text)
        else:
            assert reason in ("scope", "invalid"), (call, response.text)
