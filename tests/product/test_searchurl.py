"""POST /searchurl is free and returns no unpaid value."""

from __future__ import annotations

import pytest

from tests.helpers.product import API, Account, Product
from tests.product.unit.test_profile_url import REJECTED, SPELLINGS

BOXES = {"personal": True, "business": True, "phone": True}


async def test_unauthenticated_and_invalid_requests_are_rejected(product: Product, account: Account) -> None:
    body = {"linkedinurl": "linkedin.com/in/x", **BOXES}
    assert (await product.caller(key="").post(API + "searchurl", json=body)).status_code == 401
    assert (await product.caller().post(API + "searchurl", json=body)).status_code == 401
    no_box = await account.owner.post("searchurl", linkedinurl="linkedin.com/in/x")
    assert (no_box.status_code, no_box.json()["error"]["message"]) == (422, "Please choose options")
    wrong = await account.owner.post("searchurl", linkedinurl="https://example.com/in/x", phone=True)
    assert wrong.json()["error"]["context"]["fields"] == {"linkedinurl": "Please input correct url"}
    assert (await account.owner.http.get(API + "searchurl")).status_code == 405


async def test_every_spelling_of_a_url_finds_one_person_and_others_are_rejected(
    product: Product, account: Account
) -> None:
    await product.person("jane-doe")
    for spellings, right in ((SPELLINGS, 200), (REJECTED, 422)):
        seat = await account.user()  # the limit is 60 a minute for one session
        for text in spellings:
            response = await seat.http.post(API + "searchurl", json={"linkedinurl": text, **BOXES})
            outcome = (response.status_code, text, response.text)
            if "\x00" in text:
                assert response.status_code == 400, outcome
            elif right == 422:
                assert response.status_code == 422, outcome
                assert response.json()["error"]["context"]["fields"] == {"linkedinurl": "Please input correct url"}, (
                    outcome
                )
            else:
                assert [person["linkedinurl"] for person in response.json()["data"]] == [
                    "https://www.linkedin.com/in/jane-doe"
                ], outcome


async def test_an_unknown_person_returns_an_empty_list(account: Account) -> None:
    response = await account.owner.post("searchurl", linkedinurl="linkedin.com/in/nobody-here", **BOXES)
    assert response.json() == {"data": []}


async def test_unpaid_values_are_never_returned(product: Product, account: Account) -> None:
    person = await product.person()
    response = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", **BOXES)
    body = response.json()["data"][0]
    assert "example" not in response.text
    assert "5550123" not in response.text
    assert body["full_name"] == "Jane Doe"
    assert {email["address"] for email in body["emails"]} == {"*****@****.***"}
    assert body["phone_numbers"] == ["+**********"]
    assert (body["phone_encrypted"], body["business_email_encrypted"], body["personal_email_encrypted"]) == (
        True,
        True,
        True,
    )
    assert body["bus_email_validation"] == "valid"


async def test_identity_is_free_and_contact_data_is_not(product: Product, account: Account) -> None:
    person = await product.person(title="Head of Sales", company="Acme", country="USA")
    response = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", phone=True)
    body = response.json()["data"][0]
    assert (body["title"], body["company"], body["country"]) == ("Head of Sales", "Acme", "USA")
    assert "5550123" not in response.text


async def test_unticked_kinds_are_not_returned(product: Product, account: Account) -> None:
    person = await product.person()
    body = (await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", phone=True)).json()
    assert body["data"][0]["emails"] == []
    assert body["data"][0]["business_email_encrypted"] is False


async def test_values_paid_by_a_colleague_are_plain_and_the_rest_masked(product: Product, account: Account) -> None:
    person, member = await product.person(), await account.user()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    body = (await member.post("searchurl", linkedinurl=url, **BOXES)).json()["data"][0]
    assert (body["phone_numbers"], body["phone_encrypted"]) == (["+12025550123"], False)
    assert body["business_email_encrypted"] is True


@pytest.mark.parametrize("header", ["session-v1"])
async def test_paid_values_are_encrypted_for_the_wire(product: Product, account: Account, header: str) -> None:
    person = await product.person()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    response = await account.owner.http.post(
        API + "searchurl", json={"linkedinurl": url, **BOXES}, headers={"X-Field-Encryption": header}
    )
    assert response.json()["data"][0]["phone_numbers"][0].startswith("v1.")
    assert "5550123" not in response.text
