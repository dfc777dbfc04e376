"""POST /getcontact: errors, a reveal, and its repetition."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest

from tableapi.crypto.vault import derive_key, unb64
from tests.helpers.product import API, Account, Product
from tests.helpers.support import rejection

REVEAL = {"type": "businessemail", "action": "reveal"}


async def test_needs_an_app_key_and_a_session(product: Product) -> None:
    without_key = await product.caller(key="").post(API + "getcontact", json=REVEAL)
    without_session = await product.caller().post(API + "getcontact", json=REVEAL)
    assert (without_key.status_code, without_session.status_code) == (401, 401)
    assert without_session.json()["error"]["context"]["scope"] == "account"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"linkedinurl": "https://example.com/in/x"} | REVEAL, "linkedinurl"),
        ({"linkedinurl": "linkedin.com/in/x", "type": "fax", "action": "reveal"}, "type"),
        ({"linkedinurl": "linkedin.com/in/x", "type": "directdial", "action": "look"}, "action"),
        (REVEAL, "linkedinurl"),
        ({"linkedinurl": ["x"]} | REVEAL, "linkedinurl"),
    ],
)
async def test_errors_name_the_field(account: Account, body: dict[str, object], field: str) -> None:
    response = await account.owner.http.post(API + "getcontact", json=body)
    assert response.status_code == 422
    assert field in response.json()["error"]["context"]["fields"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff\xfe", b'{"linkedinurl": "a\\u0000b"}'])
async def test_bad_json_is_400(account: Account, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    response = await account.owner.http.post(API + "getcontact", content=body, headers=headers)
    assert response.status_code == 400


async def test_unknown_person_costs_nothing(account: Account) -> None:
    response = await account.owner.post("getcontact", linkedinurl="linkedin.com/in/nobody-at-all", **REVEAL)
    assert response.status_code == 200
    assert (response.json()["contactdata"], response.json()["charged"]) == ([], 0)
    assert await account.ledger_fits()


async def test_a_pasted_spelling_of_the_address_finds_the_same_person(product: Product, account: Account) -> None:
    url = f"https://www.linkedin.com/{(await product.person('pasted-person')).key}"
    mobile = "https://m.linkedin.com/mwlite/in/pasted-person"
    for spelling, charged in ((url, 1), (f"\ufeff{url}\u200b", 0), (f"{url}).", 0), (mobile, 0)):
        response = (await account.owner.post("getcontact", linkedinurl=spelling, **REVEAL)).json()
        assert (len(response["contactdata"]), response["charged"]) == (1, charged)


async def test_missing_kind_costs_nothing(product: Product, account: Account) -> None:
    person = await product.person(phones=[])
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    response = await account.owner.post("getcontact", **body)
    assert (response.status_code, response.json()["charged"]) == (200, 0)


async def test_without_credit_is_402(product: Product, account: Account) -> None:
    await account.set_credits(0)
    person = await product.person()
    response = await account.owner.post("getcontact", linkedinurl=person.key.join(["linkedin.com/", ""]), **REVEAL)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (402, "no_credit")
    assert error["context"]["kind"] == "businessemail"
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 0


async def test_expired_subscription_is_402_but_paid_stays_free(product: Product, account: Account) -> None:
    paid, fresh = await product.person(), await product.person()
    await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{paid.key}", **REVEAL)
    await product.db.execute(
        "update usersubscription set startdate = now() - interval '9 days', expirydate = now() - interval '1 day'"
        " where clientid = $1",
        account.clientid,
    )
    again = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{paid.key}", **REVEAL)
    new = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{fresh.key}", **REVEAL)
    assert (again.status_code, again.json()["charged"]) == (200, 0)
    assert rejection(new) == (402, "subscription_expired")


async def test_reveal_charges_one_credit_and_shows_only_the_kind(product: Product, account: Account) -> None:
    person = await product.person()
    before = await account.credits()
    response = await account.owner.post(
        "getcontact", linkedinurl=f"https://uk.linkedin.com/{person.key}/?x=1", **REVEAL
    )
    body = response.json()
    contact = body["contactdata"][0]
    assert body["charged"] == 1
    assert body["credits"]["bus_email_credits"] == before["bus_email_credits"] - 1
    assert contact["business_emails"] == "jane.doe@acme.example,jd@acme.example"
    assert contact["phone_numbers"] is None
    assert "home.example" not in response.text
    assert (contact["businessemailcost"], contact["phonecost"], contact["personalemailcost"]) == (1, 0, 0)
    assert (contact["revealedby"], contact["dialrevealedby"]) == (account.owner.appuserid, None)
    assert await account.ledger_fits()


async def test_second_reveal_and_a_colleagues_are_free(product: Product, account: Account) -> None:
    person, colleague = await product.person(), await account.user()
    body = {"linkedinurl": f"linkedin.com/{person.key}", **REVEAL}
    responses = [await who.post("getcontact", **body) for who in (account.owner, account.owner, colleague)]
    assert [response.json()["charged"] for response in responses] == [1, 0, 0]
    links = await product.db.fetchval(
        "select count(*) from usercontactlink where contactid = $1", responses[0].json()["contactdata"][0]["contactid"]
    )
    assert links == 2
    assert await account.ledger_fits()


async def test_another_client_pays_for_the_same_person(product: Product, account: Account, other: Account) -> None:
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", **REVEAL}
    responses = [await who.owner.post("getcontact", **body) for who in (account, other)]
    assert [response.json()["charged"] for response in responses] == [1, 1]


async def test_kinds_add_up_in_one_contact(product: Product, account: Account) -> None:
    person = await product.person()
    for kind in ("businessemail", "personalemail", "directdial"):
        response = await account.owner.post(
            "getcontact", linkedinurl=f"linkedin.com/{person.key}", type=kind, action="reveal"
        )
        assert response.json()["charged"] == 1
    contact = response.json()["contactdata"][0]
    assert contact["phone_numbers"] == "+12025550123"
    assert contact["emails"].count("business") == 2
    assert contact["emails"].count("personal") == 1


async def test_paid_values_remain_after_leaving_the_directory(product: Product, account: Account) -> None:
    person = await product.person()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="businessemail", action="reveal")
    await product.db.execute("update person set businesscipher = null where personid = $1", person.personid)
    response = await account.owner.post("getcontact", linkedinurl=url, type="personalemail", action="reveal")
    contact = response.json()["contactdata"][0]
    assert (contact["emails"].count("business"), contact["emails"].count("personal")) == (2, 1)
    listed = (await account.owner.table("GET", "usercontact")).json()["resource"][0]
    assert {name: listed[name] for name in contact} == contact


async def test_newer_values_are_free(product: Product, account: Account) -> None:
    person = await product.person()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    new = product.scripts.vault.seal_bytes(b'["+4512345678"]')
    await product.db.execute("update person set phonecipher = $2 where personid = $1", person.personid, new)
    again = await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    assert (again.json()["charged"], again.json()["contactdata"][0]["phone_numbers"]) == (0, "+4512345678")


async def test_wire_encryption_opens_with_the_session_token_only(product: Product, account: Account) -> None:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    person = await product.person()
    response = await account.owner.http.post(
        API + "getcontact",
        json={"linkedinurl": f"linkedin.com/{person.key}", **REVEAL},
        headers={"X-Field-Encryption": "session-v1"},
    )
    sealed = response.json()["contactdata"][0]["business_emails"]
    version, nonce, ciphertext = sealed.split(".")
    key = derive_key(account.owner.token.encode(), "contact-field-v1")
    assert version == "v1"
    assert AESGCM(key).decrypt(unb64(nonce), unb64(ciphertext), None) == b"jane.doe@acme.example,jd@acme.example"
    assert "acme.example" not in response.text


async def test_64_parallel_reveals_with_5_credits_left(product: Product, account: Account) -> None:
    await account.set_credits(5)
    persons = [await product.person() for _ in range(64)]
    seats = [await account.user() for _ in range(4)]
    responses = await asyncio.gather(
        *(
            seats[number % 4].post("getcontact", linkedinurl=f"linkedin.com/{person.key}", **REVEAL)
            for number, person in enumerate(persons)
        )
    )
    assert sorted({response.status_code for response in responses}) == [200, 402]
    assert sum(response.json()["charged"] for response in responses if response.status_code == 200) == 5
    assert (await account.credits())["bus_email_credits"] == 0
    assert await account.ledger_fits()
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 5


async def test_50_parallel_reveals_with_the_last_credit(product: Product, account: Account) -> None:
    """One of 50 people is paid for; earlier reveals stay free."""
    known = await product.person()
    await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{known.key}", **REVEAL)
    await account.set_credits(1)
    keys = [known.key if number % 5 == 0 else (await product.person()).key for number in range(50)]
    responses = await asyncio.gather(
        *(account.owner.post("getcontact", linkedinurl=f"linkedin.com/{key}", **REVEAL) for key in keys)
    )
    assert sorted(response.status_code for response in responses) == [200] * 11 + [402] * 39
    assert sum(response.json()["charged"] for response in responses if response.status_code == 200) == 1
    assert (await account.credits())["bus_email_credits"] == 0
    assert await account.ledger_fits()
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 2


async def test_20_parallel_reveals_of_one_field_charge_once(product: Product, account: Account) -> None:
    person = await product.person()
    seats = [await account.user() for _ in range(4)]
    body = {"linkedinurl": f"linkedin.com/{person.key}", **REVEAL}
    responses = await asyncio.gather(*(seats[number % 4].post("getcontact", **body) for number in range(20)))
    assert [response.status_code for response in responses] == [200] * 20
    assert sum(response.json()["charged"] for response in responses) == 1
    assert await account.ledger_fits()


async def test_an_old_address_finds_the_same_person(product: Product, account: Account) -> None:
    person, old = await product.person(), f"in/old-{account.clientid}"
    await product.db.execute("insert into personalias (profilekey, personid) values ($1, $2)", old, person.personid)
    responses = [
        await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{key}", **REVEAL)
        for key in (old, person.key, old)
    ]
    assert [response.json()["charged"] for response in responses] == [1, 0, 0]
    assert {response.json()["contactdata"][0]["linkedinurl"] for response in responses} == {
        f"https://www.linkedin.com/{person.key}"
    }
    # A removal by the current address also removes the person under the old one.
    hashed = product.scripts.vault.index("profile", person.key)
    await product.db.execute("insert into suppression (hash, kind) values ($1, 'profile')", hashed)
    gone = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{old}", **REVEAL)
    assert (gone.status_code, gone.json()["contactdata"]) == (200, [])


async def test_a_suppressed_person_is_not_found(product: Product, account: Account) -> None:
    person = await product.person()
    hashed = product.scripts.vault.index("profile", person.key)
    await product.db.execute("insert into suppression (hash, kind) values ($1, 'profile')", hashed)
    response = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", **REVEAL)
    assert (response.status_code, response.json()["contactdata"]) == (200, [])


KINDS = ["directdial", "businessemail", "personalemail"]


async def _people(product: Product, count: int, **values: Any) -> tuple[str, list[str]]:
    """Insert people with a common word in their names; return the word and their addresses."""
    mark = "r" + secrets.token_hex(4)
    urls = []
    for number in range(count):
        await product.person(f"{mark}-{number:03}", full_name=f"Person {number:03} {mark}", **values)
        urls.append(f"https://www.linkedin.com/in/{mark}-{number:03}")
    return mark, urls


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kinds": []},
        {"kinds": ["fax"]},
        {"linkedinurls": []},
        {"linkedinurls": ["linkedin.com/in/a"] * 101},
        {"linkedinurls": ["linkedin.com/in/a"], "search": {"name": "x"}},
        {"linkedinurls": ["linkedin.com/in/a"], "max_credits": -1},
        {"linkedinurls": [1]},
        {"search": {"phones": "1"}},
        {"search": {"name": "x"}, "first": 101},
        {"search": {"name": "x", "order": "phone"}},
    ],
)
async def test_invalid_input_is_rejected(account: Account, body: dict[str, Any]) -> None:
    response = await account.owner.post("revealmany", **({"kinds": ["directdial"]} | body if body else body))
    assert response.status_code == 422, response.text


async def test_only_signed_in_users_can_reveal(product: Product, account: Account) -> None:
    body = {"linkedinurls": ["linkedin.com/in/a"], "kinds": KINDS}
    assert (await product.caller().post(API + "revealmany", json=body)).status_code == 401
    assert (await product.caller(key="").post(API + "revealmany", json=body)).status_code == 401
    assert (await (await account.user()).post("revealmany", **body)).status_code == 200


async def test_price_ceiling_and_charge(product: Product, account: Account) -> None:
    _, urls = await _people(product, 3)
    await product.person("x" + urls[0][-6:], phones=[])
    body = {"linkedinurls": [*urls, urls[0], "linkedin.com/in/nobody-here", "example.com/x"], "kinds": ["directdial"]}
    before = await account.credits()

    dry = (await account.owner.post("revealmany", **body, dry_run=True)).json()
    assert (dry["price"], dry["charged"], dry["credits"]["contactcredit"]) == (3, 0, before["contactcredit"])
    over = await account.owner.post("revealmany", **body, max_credits=2)
    context = over.json()["error"]["context"]
    assert (over.status_code, context["reason"], context["price"]) == (402, "over_ceiling", 3)
    assert await account.credits() == before

    done = (await account.owner.post("revealmany", **body, max_credits=3)).json()
    assert (done["price"], done["charged"]) == (3, 3)
    assert done["credits"]["contactcredit"] == before["contactcredit"] - 3
    assert [(item["charged"], item["status"]) for item in done["resource"]] == [
        (1, "found"), (1, "found"), (1, "found"), (0, "found"), (0, "not_found"), (0, "invalid"),
    ]  # fmt: skip
    again = (await account.owner.post("revealmany", **body, max_credits=0)).json()
    assert (again["price"], again["charged"], again["resource"][0]["owned"]) == (0, 0, ["directdial"])
    assert await account.ledger_fits()
    listed = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert {row["linkedinurl"] for row in listed} == set(urls)


async def test_the_first_people_of_a_search_are_revealed_in_its_order(product: Product, account: Account) -> None:
    mark, urls = await _people(product, 5)
    body = {"search": {"name": mark, "order": "full_name DESC", "not": {"name": "004"}}, "first": 2, "kinds": KINDS}
    done = (await account.owner.post("revealmany", **body)).json()
    assert (done["price"], done["charged"]) == (6, 6)
    assert [item["linkedinurl"] for item in done["resource"]] == [urls[3], urls[2]]
    contact = (await account.owner.table("GET", "usercontact", fields="title,verification,checkedon")).json()
    assert contact["resource"][0]["verification"] == "valid"
    assert contact["resource"][0]["checkedon"] is not None


async def test_two_concurrent_reveals_share_too_few_credits(product: Product, account: Account) -> None:
    mark, _ = await _people(product, 60)
    await account.set_credits(25)
    member = await account.user()
    body = {"search": {"name": mark}, "first": 60, "kinds": ["directdial"]}
    responses = await asyncio.gather(account.owner.post("revealmany", **body), member.post("revealmany", **body))
    assert [response.status_code for response in responses] == [200, 200]
    assert sum(response.json()["charged"] for response in responses) == 25
    for response in responses:
        items = response.json()["resource"]
        assert len(items) == 60
        assert {item["status"] for item in items} <= {"found", "no_credit"}
    assert (await account.credits())["contactcredit"] == 0
    assert await account.ledger_fits()
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 25


async def test_a_repeat_with_a_key_returns_the_first_response(product: Product, account: Account) -> None:
    _, urls = await _people(product, 2)
    body = {"linkedinurls": urls, "kinds": ["personalemail"]}
    responses = [
        await account.owner.http.post(API + "revealmany", json=body, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert responses[0].json() == responses[1].json()
    assert responses[1].json()["charged"] == 2
    assert responses[1].headers["Idempotency-Replayed"] == "true"


async def test_other_kinds_are_revealed_without_credits_for_one(product: Product, account: Account) -> None:
    _, urls = await _people(product, 2)
    await product.db.execute("update usercredit set contactcredit = 0 where clientid = $1", account.clientid)
    done = (await account.owner.post("revealmany", linkedinurls=urls, kinds=KINDS)).json()
    assert (done["price"], done["charged"]) == (6, 4)
    assert [(item["status"], item["unpaid"]) for item in done["resource"]] == [("no_credit", ["directdial"])] * 2
