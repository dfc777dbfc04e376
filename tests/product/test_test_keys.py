"""Test keys: fixed people with every kind of result; nothing is spent, stored or read."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from product.sample.people import PEOPLE
from tests.helpers.product import API, Account, Product
from tests.helpers.support import ok

SCOPES = ["lookup", "enrich", "search", "contacts", "usage"]
KINDS = ["directdial", "businessemail", "personalemail"]
LEFT = {"contactcredit": 100, "bus_email_credits": 100, "personal_email_credits": 100}
# Every call by key with an input that a test key answers; test_keys_of_accounts.py compares the list with the code.
CALLS: dict[str, dict[str, Any]] = {
    "keylookup": {"linkedinurl": "linkedin.com/in/test_found", "type": "directdials"},
    "enrich": {"people": [{"linkedinurl": "linkedin.com/in/test_found"}], "kinds": KINDS},
    "findemail": {"name": "Ada Found", "domain": "test.example"},
    "verifyemail": {"email": "ada.found@test.example"},
    "searchpeople": {"name": "ada"}, "searchcompanies": {"name": "test"},
    "agent/price": {"linkedinurls": ["linkedin.com/in/test_found"], "kinds": KINDS},
    "agent/reveal": {"linkedinurls": ["linkedin.com/in/test_found"], "kinds": KINDS, "max_credits": 3},
    "agent/lists": {}, "account/contacts": {}, "account/usage": {}, "account/credits": {},
}  # fmt: skip
READ = ("keylookup", "account/contacts", "account/usage", "account/credits")
TABLES = ("reveal", "usercontact", "creditledger", "apiusage", "searchuse", "searchseen", "idempotency", "person")


def _url(slug: str) -> str:
    return f"https://www.linkedin.com/in/{slug}"


async def _key(account: Account, scopes: list[str] = SCOPES, **fields: Any) -> tuple[int, str]:
    record = {"purpose": "CRM", "scopes": scopes, "istest": 1} | fields
    response = await account.owner.table("POST", "apikeys", record)
    row = ok(response)["resource"][0]
    return int(row["keyid"]), str(row["apikey"])


async def _call(product: Product, key: str, path: str, body: dict[str, Any] | None = None) -> httpx2.Response:
    sent = CALLS[path] if body is None else body
    http = product.caller(key=key)
    if path in READ:
        return await http.get(API + path, params=sent)
    return await http.post(API + path, json=sent, headers={"Idempotency-Key": "one"})


async def _counts(product: Product) -> list[int]:
    return [await product.db.fetchval(f"select count(*) from {table}") for table in TABLES]


async def test_who_may_not_create_a_test_key_or_use_it_elsewhere(product: Product, account: Account) -> None:
    member, poor = await account.user(), await product.account(planid=2)
    record = {"purpose": "CRM", "istest": 1}
    assert (await member.table("POST", "apikeys", record)).status_code == 403
    assert (await poor.owner.table("POST", "apikeys", record)).json()["error"]["context"][
        "reason"
    ] == "plan_without_api"
    for wrong in (2, -1, "yes"):
        assert (await account.owner.table("POST", "apikeys", record | {"istest": wrong})).status_code == 422
    keyid, key = await _key(account)
    assert (await account.owner.table("PATCH", f"apikeys/{keyid}", {"istest": 0})).status_code in (400, 403)
    for path in ("leads/_table/usercontact", "getcontact", "searchurl", "user/session"):
        response = await product.caller(key=key).get(API + path)
        assert response.status_code in (401, 405), (path, response.text)
    await account.owner.table("PATCH", f"apikeys/{keyid}", {"isactive": 0})
    for path in CALLS:
        assert (await _call(product, key, path)).status_code == 401
        assert (await _call(product, "test_12345678901", path)).status_code == 401  # not a key of any account


@pytest.mark.parametrize("path", [path for path in CALLS if path != "account/credits"])
async def test_a_test_key_needs_the_scope_of_the_call(product: Product, account: Account, path: str) -> None:
    _, key = await _key(account)
    assert (await _call(product, key, path)).status_code == 200
    allowed = []
    for scope in SCOPES:
        _, one = await _key(account, [scope])
        response = await _call(product, one, path)
        reason = response.json().get("error", {}).get("context", {}).get("reason")
        assert (response.status_code, reason) in ((200, None), (403, "scope"))
        allowed += [scope] * (response.status_code == 200)
        await account.product.db.execute("update usercredit set apicallcount = 9 where clientid = $1", account.clientid)
    assert len(allowed) == 1


async def test_nothing_is_spent_stored_or_read(product: Product, account: Account) -> None:
    secret = await product.person(full_name="Ada Found", company="Test Company", company_domain="test.example")
    for kind in KINDS:
        body = {"linkedinurl": _url(secret.key.removeprefix("in/")), "type": kind, "action": "reveal"}
        await account.owner.post("getcontact", **body)
    _, key = await _key(account)
    before, left = await _counts(product), await account.credits()
    for path in CALLS:
        response = await _call(product, key, path)
        assert response.status_code == 200, (path, response.text)
        assert "acme.example" not in response.text, path
    named = {"people": [{"linkedinurl": _url(secret.key.removeprefix("in/"))}], "kinds": KINDS}
    (item,) = (await _call(product, key, "enrich", named)).json()["resource"]
    assert (item["status"], item["reason"]) == ("not_found", "unknown_person")
    contacts = (await _call(product, key, "account/contacts")).json()["resource"]
    assert [contact["name"] for contact in contacts] == ["Ada Found", "Ben Partial"]
    assert (await _call(product, key, "account/credits")).json()["credits"] == LEFT
    assert (await _counts(product), await account.credits()) == (before, left)
    assert await account.ledger_fits()


async def test_keylookup_has_every_kind_of_result(product: Product, account: Account) -> None:
    _, key = await _key(account)
    seen = {}
    for person in PEOPLE:
        for kind in ("directdials", "businessemails", "personalemails"):
            response = await _call(product, key, "keylookup", {"linkedinurl": _url(person.slug), "type": kind})
            body = response.json()
            data = body.get("data", {})
            seen[person.slug, kind] = data[kind] if data else (response.status_code, body["error"]["context"]["reason"])
            if data:
                assert (body["charged"], body["credits_left"], response.headers["x-credits-remaining"]) == (
                    0,
                    100,
                    "100",
                )
            if response.status_code == 429:
                assert int(response.headers["retry-after"]) > 0
    limited, broke = (429, "rate_limit"), (402, "no_credit")
    assert seen == {
        ("test_found", "directdials"): ["+12025550101"],
        ("test_found", "businessemails"): ["ada.found@test.example"],
        ("test_found", "personalemails"): ["ada.found@home.example"],
        ("test_partial", "directdials"): [],
        ("test_partial", "businessemails"): ["ben.partial@test.example"],
        ("test_partial", "personalemails"): [],
        **{("test_not_found", kind): [] for kind in ("directdials", "businessemails", "personalemails")},
        **{("test_no_credit", kind): broke for kind in ("directdials", "businessemails", "personalemails")},
        **{("test_rate_limit", kind): limited for kind in ("directdials", "businessemails", "personalemails")},
    }  # fmt: skip
    wrong = await _call(product, key, "keylookup", {"linkedinurl": "https://example.com", "type": "directdials"})
    assert wrong.status_code == 422


async def test_enrich_names_test_people_by_address_email_or_name(product: Product, account: Account) -> None:
    _, key = await _key(account)
    people = [
        {"linkedinurl": _url("test_found"), "reference": 1}, {"email": "BEN.PARTIAL@test.example"},
        {"name": "ada found", "company": "Test Company"}, {"linkedinurl": _url("test_no_credit")},
        {"linkedinurl": _url("test_not_found")}, {"name": "Ada"}, {"linkedinurl": "https://example.com/x"},
    ]  # fmt: skip
    response = await _call(product, key, "enrich", {"people": people, "kinds": KINDS})
    body = response.json()
    assert [(item["status"], item["reason"]) for item in body["resource"]] == [
        ("found", ""), ("found", ""), ("found", ""), ("no_credit", "no_credit"), ("not_found", "unknown_person"),
        ("not_found", "no_identifier"), ("not_found", "bad_profile"),
    ]  # fmt: skip
    ada, ben = body["resource"][0]["person"], body["resource"][1]["person"]
    assert (ada["phones"], [each["address"] for each in ada["personal_emails"]]) == (
        ["+12025550101"], ["ada.found@home.example"],
    )  # fmt: skip
    assert (ben["phones"], ben["business_emails"][0]["verification"], ben["personal_emails"]) == ([], "accept_all", [])
    assert (body["price"], body["charged"], body["credits"], body["resource"][0]["reference"]) == (5, 0, LEFT, 1)
    assert (response.headers["x-credits-price"], response.headers["x-credits-charged"]) == ("5", "0")
    dry = (await _call(product, key, "enrich", {"people": people, "kinds": KINDS, "dry_run": True})).json()
    assert (dry["price"], [item.get("person") for item in dry["resource"]]) == (5, [None] * len(people))
    over = await _call(product, key, "enrich", {"people": people, "kinds": KINDS, "max_credits": 4})
    assert (over.status_code, over.json()["error"]["context"]["price"]) == (402, 5)
    limited = [*people, {"linkedinurl": _url("test_rate_limit")}]
    assert (await _call(product, key, "enrich", {"people": limited, "kinds": KINDS})).status_code == 429


async def test_emails_are_found_and_verified(product: Product, account: Account) -> None:
    _, key = await _key(account)
    outcomes = {}
    for person in PEOPLE:
        found = await _call(product, key, "findemail", {"name": person.full_name, "domain": "www.test.example"})
        verified = await _call(product, key, "verifyemail", {"email": person.email})
        outcomes[person.slug] = (
            found.json().get("email") or found.json().get("reasons") or found.status_code,
            verified.json().get("verification") or verified.status_code,
        )
    assert outcomes == {
        "test_found": ("ada.found@test.example", "valid"), "test_partial": ("ben.partial@test.example", "accept_all"),
        "test_not_found": (["unknown_person"], "invalid"), "test_no_credit": (402, "unknown"),
        "test_rate_limit": (429, 429),
    }  # fmt: skip


async def test_searches_and_tools_find_the_test_people(product: Product, account: Account) -> None:
    _, key = await _key(account)
    everyone = (await _call(product, key, "searchpeople", {"country": "DEU"})).json()
    assert (everyone["meta"]["count"], [row["full_name"] for row in everyone["resource"]]) == (
        2, ["Ada Found", "Ben Partial"],
    )  # fmt: skip
    assert [row["has"] for row in everyone["resource"]] == [KINDS, ["businessemail"]]
    assert (await _call(product, key, "searchpeople", {"name": "cleo"})).json()["resource"] == []
    assert (await _call(product, key, "searchpeople", {"name": "Eve Ratelimit"})).status_code == 429
    (company,) = (await _call(product, key, "searchcompanies")).json()["resource"]
    assert (company["company"], company["people"]) == ("Test Company", 2)
    wanted = {"linkedinurls": [_url(person.slug) for person in PEOPLE[:4]], "kinds": KINDS}
    priced = (await _call(product, key, "agent/price", wanted)).json()
    assert (priced["price"], [row["price"] for row in priced["resource"]]) == (5, [3, 1, 0, 1])
    asked = (await _call(product, key, "agent/reveal", wanted)).json()
    assert (asked["charged"], "max_credits" in asked["note"], asked["resource"][0]["phones"]) == (0, True, [])
    assert (await _call(product, key, "agent/reveal", wanted | {"max_credits": 4})).status_code == 402
    done = (await _call(product, key, "agent/reveal", wanted | {"max_credits": 5})).json()["resource"]
    assert [row["status"] for row in done] == ["found", "found", "not_found", "no_credit"]
    assert done[0]["phones"] == ["+12025550101"]
    first = (await _call(product, key, "agent/price", {"search": {"name": "ben"}, "kinds": KINDS})).json()["resource"]
    assert [row["full_name"] for row in first] == ["Ben Partial"]
    (one,) = (await _call(product, key, "agent/lists")).json()["lists"]
    assert len((await _call(product, key, "agent/lists", {"listid": one["listid"]})).json()["resource"]) == 2
    assert (await _call(product, key, "agent/lists", {"listid": 2})).status_code == 404


async def test_another_key_gets_a_test_person_for_free(product: Product, account: Account) -> None:
    _, key = await _key(account, istest=0)
    before, left = await _counts(product), await account.credits()
    response = await _call(product, key, "keylookup")
    body = response.json()
    assert (body["data"]["full_name"], body["data"]["directdials"], body["charged"]) == (
        "Ada Found", ["+12025550101"], 0,
    )  # fmt: skip
    assert body["credits_left"] == left["contactcredit"]
    enriched = (await _call(product, key, "enrich")).json()
    assert (enriched["resource"][0]["status"], enriched["charged"]) == ("found", 0)
    assert (await _counts(product), await account.credits()) == (before, left)
    mixed = {"people": [*CALLS["enrich"]["people"], {"name": "A", "company": "B"}], "kinds": KINDS}
    statuses = [item["status"] for item in (await _call(product, key, "enrich", mixed)).json()["resource"]]
    assert statuses == ["not_found", "not_found"]
    _, narrow = await _key(account, ["search"], istest=0)
    assert (await _call(product, narrow, "keylookup")).status_code == 403


async def test_test_keys_have_limits_of_their_own(product: Product, account: Account) -> None:
    _, test = await _key(account)
    _, live = await _key(account, istest=0)
    statuses = [(await _call(product, test, "keylookup")).status_code for _ in range(31)]
    assert statuses == [200] * 30 + [429]
    assert (await _call(product, live, "keylookup")).status_code == 200


async def test_a_test_key_is_generated_rotated_and_listed_as_one(product: Product, account: Account) -> None:
    reserved = (await account.owner.post("generateapikey", test=True)).json()["apikey"]
    plain = (await account.owner.post("generateapikey")).json()["apikey"]
    assert (reserved[:5], len(reserved), len(plain), "_" in plain) == ("test_", 16, 16, False)
    keyid, key = await _key(account, apikey=reserved, istest=0)
    assert key == reserved
    _, other = await _key(account, apikey=plain)  # a test key, so not the reserved one
    assert other != plain
    assert other.startswith("test_")
    rotated = (await account.owner.post("rotateapikey", keyid=keyid, hours=0)).json()["apikey"]
    assert rotated.startswith("test_")
    assert [(await _call(product, each, "keylookup")).status_code for each in (key, rotated)] == [401, 200]
    rows = (await account.owner.table("GET", "apikeys", fields="apikey,istest,lastused")).json()["resource"]
    assert {row["istest"] for row in rows} == {1}
    assert any(row["lastused"] for row in rows)
