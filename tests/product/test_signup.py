"""Sign-up: from the form to a verified account."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import httpx2
import pytest

from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import rejection

GOOD = {"type": "register", "name": "New Person", "password": "Sesame123", "terms": True}


def _email() -> str:
    return f"new-{secrets.token_hex(5)}@newcompany.example"


async def _register(product: Product, **fields: Any) -> httpx2.Response:
    record = GOOD | {"email": _email()} | fields
    return await product.caller().post(TABLE + "client", json={"resource": [record]})


async def _signed_up(product: Product) -> tuple[dict[str, Any], httpx2.AsyncClient]:
    response = await _register(product)
    body = response.json()["resource"][0]["clientdata"]
    return body["user"], product.caller(body["session_token"])


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"email": "nonsense"}, "email"),
        ({"email": "a@gmail.com"}, "email"),
        ({"email": "a@mailinator.com"}, "email"),
        ({"email": "a@mail.gmail.com"}, "email"),
        # Mail programs fold these to gmail.com and mailinator.com (UTS 46).
        ({"email": "a@ｇｍａｉｌ.com"}, "email"),
        ({"email": "a@ⓖmail.com"}, "email"),
        ({"email": "a@ｍailinator.com"}, "email"),
        ({"email": "a@mozmail.com"}, "email"),
        ({"email": "a@name.anonaddy.com"}, "email"),
        ({"email": ""}, "email"),
        ({"name": "   "}, "name"),
        ({"password": "short1A"}, "password"),
        ({"password": "alllower1"}, "password"),
        ({"password": "ALLUPPER1"}, "password"),
        ({"password": "NoDigitsHere"}, "password"),
        ({"password": "With Space1"}, "password"),
        ({"password": "Aa1" + "x" * 98}, "password"),
        ({"terms": False}, "terms"),
        ({"terms": None}, "terms"),
        ({"type": "other"}, "type"),
    ],
)
async def test_invalid_fields_are_reported_and_nothing_is_stored(
    product: Product, fields: dict[str, Any], field: str
) -> None:
    before = await product.db.fetchval("select count(*) from client")
    response = await _register(product, **fields)
    assert response.status_code == 422, response.text
    assert field in response.json()["error"]["context"]["fields"]
    assert await product.db.fetchval("select count(*) from client") == before


async def test_needs_an_app_key(product: Product) -> None:
    response = await product.caller(key="").post(TABLE + "client", json={"resource": [GOOD | {"email": _email()}]})
    assert response.status_code == 401


async def test_of_twenty_concurrent_sign_ups_one_gets_the_address(product: Product) -> None:
    email = _email()
    responses = await asyncio.gather(*(_register(product, email=email.upper() if n % 2 else email) for n in range(20)))
    assert sorted(response.status_code for response in responses) == [200] + [409] * 19
    refused = next(response for response in responses if response.status_code == 409)
    assert refused.json()["error"]["context"]["reason"] == "email_exists"
    assert await product.db.fetchval("select count(*) from appuser where lower(email) = $1", email) == 1


async def test_extra_fields_are_dropped(product: Product) -> None:
    response = await _register(product, role="admin", isverified=1, clientid=1, isactive=0)
    user = response.json()["resource"][0]["clientdata"]["user"]
    row = await product.db.fetchrow("select * from appuser where appuserid = $1", user["appuserid"])
    assert row is not None
    assert (row["role"], row["isverified"], row["isactive"]) == ("client", 0, 1)
    assert row["clientid"] != 1


async def test_five_sign_ups_an_hour_from_one_address(product: Product) -> None:
    http = product.caller()
    codes = []
    for _ in range(6):
        codes.append((await http.post(TABLE + "client", json={"resource": [GOOD | {"email": _email()}]})).status_code)
    assert codes == [200] * 5 + [429]


async def test_the_availability_of_an_address_is_reported(product: Product, account: Account) -> None:
    for path in ("checkemailexists", "checkemailavailable"):
        http = product.caller()
        taken = await http.post(API + path, json={"email": account.owner.email.upper()})
        free = await http.post(API + path, json={"email": _email()})
        blocked = await http.post(API + path, json={"email": "x@gmail.com"})
        assert taken.json() == {"result": {"exists": 1, "available": 0}}
        assert free.json() == {"result": {"exists": 0, "available": 1}}
        assert blocked.status_code == 422


async def test_invitations_do_not_count_as_sign_ups_of_the_network(product: Product, account: Account) -> None:
    stranger = product.caller(ip="10.9.9.9")
    owner = product.caller(account.owner.token, ip="10.9.9.9")
    codes = [(await stranger.post(API + "checkemailexists", json={"email": _email()})).status_code for _ in range(6)]
    assert codes == [200] * 5 + [429]
    codes = [(await owner.post(API + "checkemailexists", json={"email": _email()})).status_code for _ in range(31)]
    assert codes == [200] * 30 + [429]


@pytest.mark.parametrize(
    ("email", "valid"),
    [
        ("a@acme.example", 1),
        ("a@müller-firma.de", 1),
        ("a@gmail.com", 0),
        ("a@ｇｍａｉｌ.com", 0),
        ("a@gmail。com", 0),
        ("a@yopmail.com", 0),
        ("a@privaterelay.appleid.com", 0),
        ("nonsense", 0),
        ("", 0),
    ],
)
async def test_only_business_domains_are_valid(product: Product, email: str, valid: int) -> None:
    response = await product.caller().post(API + "validatedomain", json={"email": email})
    assert response.json() == {"result": {"valid": valid}}


async def test_two_spellings_of_a_mailbox_are_one_account(product: Product) -> None:
    """RFC 5891: a domain in Unicode and in ASCII is one domain; no limit counts them apart."""
    mailbox, domain = secrets.token_hex(5), "müller-firma.example"
    spellings = [f"{mailbox}@{domain}", f"{mailbox}@xn--mller-firma-thb.example", f"{mailbox.upper()}@{domain.upper()}"]
    assert (await _register(product, email=spellings[0])).status_code == 200
    for other in spellings:
        exists = await product.caller().post(API + "checkemailexists", json={"email": other})
        assert exists.json()["result"]["exists"] == 1
        signed_in = await product.caller().post(API + "user/session", json={"email": other, "password": "Sesame123"})
        assert signed_in.json()["error"]["code"] == 802, signed_in.text  # the password is right
        again = await _register(product, email=other)
        assert again.status_code in (200, 409)
    assert await product.db.fetchval("select count(*) from appuser where email like $1", f"{mailbox}@%") == 1
    wrong = []
    for number in range(6):
        guess = {"email": spellings[number % 3], "password": "x"}
        wrong.append((await product.caller(ip="10.9.9.8").post(API + "user/session", json=guess)).status_code)
    assert wrong == [401] * 5 + [429]


async def test_the_journey_to_a_verified_account(product: Product) -> None:
    user, http = await _signed_up(product)
    assert user["isverified"] == 0
    # The free plan is granted once; a repeated request changes nothing.
    for _ in range(3):
        credit = (await http.post(API + "updateclient_credit", json={"clientid": user["clientid"]})).json()
    assert (credit["success"], credit["resource"][0]["contactcredit"]) == (1, 5)
    # "Tell us more": company fields go to the client, the phone number to both.
    more = {
        "appuserid": user["appuserid"], "name": "New Person", "clientid": user["clientid"], "role": "client",
        "companyname": "New Company", "phonenumber": "+1 (202) 555-0147", "country": "DNK", "salespeoplecount": 3,
        "requiredleadcount": 10, "department": "Sales",
    }  # fmt: skip
    response = await http.patch(TABLE + "appuser", json={"resource": [more]})
    assert response.status_code == 200, response.text
    client = await product.db.fetchrow("select * from client where clientid = $1", user["clientid"])
    assert client is not None
    assert (client["companyname"], client["country"], client["phonenumber"]) == ("New Company", "DNK", "12025550147")
    assert (await http.post(API + "sendinvoice", json={"clientid": user["clientid"]})).json() == {
        "success": 1,
        "sent": 1,
    }
    # Other calls are rejected until the address is verified.
    search = await http.post(API + "searchurl", json={"linkedinurl": "linkedin.com/in/x", "phone": True})
    assert rejection(search) == (403, "unverified")

    sent = await http.post(API + "sendverificationemail", json={"email": user["email"]})
    assert sent.json() == {"success": 1}
    path, query = await product.link(user["email"])
    assert (path, query["email"]) == ("/emailverification", user["email"])
    looked = {"filter": f"(email={user['email']}) and (verifytoken={query['code']})"}
    response = await product.caller().get(TABLE + "appuser", params=looked)
    assert [row["appuserid"] for row in response.json()["resource"]] == [user["appuserid"]]
    used = {"email": user["email"], "verifytoken": query["code"]}
    first = await product.caller().post(API + "updatinvitedappuser", json=used)
    again = await product.caller().post(API + "updatinvitedappuser", json=used)
    assert (first.json()["success"], again.json()["already"]) == (1, 1)
    # The welcome mail is sent for any browser, and only once.
    subjects = [mail["Subject"] for mail in await product.mails(user["email"])]
    assert len([subject for subject in subjects if subject.startswith("Welcome")]) == 1
    for _ in range(2):
        assert (await http.post(API + "registration_confirmation", json={})).json() == {"success": 1}
    subjects = [mail["Subject"] for mail in await product.mails(user["email"])]
    assert len([subject for subject in subjects if subject.startswith("Welcome")]) == 1
    search = await http.post(API + "searchurl", json={"linkedinurl": "linkedin.com/in/x", "phone": True})
    assert search.status_code == 200


async def test_a_mailed_token_is_looked_up_in_exactly_one_way(product: Product) -> None:
    user, http = await _signed_up(product)
    await http.post(API + "sendverificationemail", json={"email": user["email"]})
    _, query = await product.link(user["email"])
    right = f"(email={user['email']}) and (verifytoken={query['code']})"
    for params, status in (
        ({"filter": right}, 200),
        ({"filter": right, "fields": "*"}, 401),
        ({"filter": right, "related": "client_by_clientid"}, 401),
        ({"filter": f"{right} or (appuserid > 0)"}, 401),
        ({"filter": f"(email={user['email']})"}, 401),
        ({"filter": "(appuserid > 0)"}, 401),
        ({}, 401),
    ):
        response = await product.caller().get(TABLE + "appuser", params=params)
        assert response.status_code == status, (params, response.text)
    for wrong in (
        f"(email={user['email']}) and (verifytoken=x)",
        f"(email=a@b.example) and (verifytoken={query['code']})",
    ):
        assert (await product.caller().get(TABLE + "appuser", params={"filter": wrong})).json() == {"resource": []}
    bad = await product.caller().post(API + "updatinvitedappuser", json={"email": user["email"], "verifytoken": "x"})
    assert (bad.status_code, bad.json()["error"]["context"]["scope"]) == (404, "resource")


async def test_the_state_of_a_user_needs_rights(product: Product, account: Account, other: Account) -> None:
    email = account.owner.email
    for caller in (product.caller(), other.owner.http, product.caller()):
        assert (await caller.post(API + "getappuserbyemail", json={"email": email})).json() == {"resource": []}
    own = (await account.owner.post("getappuserbyemail", email=email)).json()["resource"][0]
    assert (own["email"], own["isverified"]) == (email, 1)


async def test_known_and_unknown_addresses_get_the_same_response(product: Product, account: Account) -> None:
    for path in ("sendverificationemail", "getappuserbyemail", "user/password?reset=true"):
        bodies = [
            (await product.caller().post(API + path, json={"email": email})).json()
            for email in (account.owner.email, "nobody@nowhere.example")
        ]
        assert bodies[0] == bodies[1]


async def test_ids_of_another_account_are_rejected(product: Product, other: Account) -> None:
    _, http = await _signed_up(product)
    for path, body in (
        ("updateclient_credit", {"clientid": other.clientid}),
        ("sendinvoice", {"clientid": other.clientid}),
        ("registration_confirmation", {"appuserid": other.owner.appuserid}),
    ):
        response = await http.post(API + path, json=body)
        assert rejection(response) == (403, "tenant_mismatch")
