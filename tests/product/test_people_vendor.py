"""The contact-data vendor (PEOPLE_URL): requested once, cached, and free when it fails."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from product.vendors.people import FAILURES, PeopleVendor
from tests.helpers.product import Account, Product
from tests.helpers.support import rejection

JANE = {
    "full_name": "Vera Vendor",
    "business_emails": "vera@acme.example:valid;v@acme.example",
    "phones": ["+4512345678"],
}
Answer = Callable[[httpx2.Request], httpx2.Response]


@pytest.fixture
def vendor(product: Product) -> Iterator[dict[str, Any]]:
    """Run a vendor that responds with `answer` and records requests in `asked`."""
    state: dict[str, Any] = {"asked": [], "answer": lambda request: httpx2.Response(200, json=JANE)}

    async def serve(request: httpx2.Request) -> httpx2.Response:
        state["asked"].append(request)
        response: httpx2.Response = state["answer"](request)
        return response

    product.scripts.vendors.__dict__["people"] = PeopleVendor(
        "http://vendor.example/find", "vendor-key", transport=httpx2.MockTransport(serve)
    )
    yield state
    product.scripts.vendors.__dict__["people"] = None


def _url() -> str:
    return f"linkedin.com/in/vendor-{secrets.token_hex(5)}"


async def test_a_person_is_requested_from_the_vendor_once(account: Account, vendor: dict[str, Any]) -> None:
    url = _url()
    response = await account.owner.post("searchurl", linkedinurl=url, business=True)
    assert response.json()["data"][0]["full_name"] == "Vera Vendor"
    reveal = await account.owner.post("getcontact", linkedinurl=url, type="businessemail", action="reveal")
    assert (reveal.json()["charged"], reveal.json()["contactdata"][0]["business_emails"]) == (
        1,
        "vera@acme.example,v@acme.example",
    )
    (request,) = vendor["asked"]
    assert request.headers["authorization"] == "Bearer vendor-key"
    assert request.url.params["linkedinurl"] == f"https://www.{url}"


async def test_unknown_to_the_vendor_is_not_found(account: Account, vendor: dict[str, Any]) -> None:
    for answer in (httpx2.Response(404), httpx2.Response(204), httpx2.Response(200, json={})):
        vendor["answer"] = lambda request, answer=answer: answer
        response = await account.owner.post("searchurl", linkedinurl=_url(), phone=True)
        assert response.json() == {"data": []}


@pytest.mark.parametrize(
    "answer",
    [
        lambda request: httpx2.Response(500),
        lambda request: httpx2.Response(200, text="<html>"),
        lambda request: httpx2.Response(200, json=["x"]),
        lambda request: httpx2.Response(200, json={"full_name": 5}),
        lambda request: (_ for _ in ()).throw(httpx2.ReadTimeout("slow", request=request)),
        lambda request: (_ for _ in ()).throw(httpx2.ConnectError("down", request=request)),
    ],
)
async def test_a_failure_is_503_and_costs_nothing(
    product: Product, account: Account, vendor: dict[str, Any], answer: Answer
) -> None:
    vendor["answer"] = answer
    before = await account.credits()
    reveal = await account.owner.post("getcontact", linkedinurl=_url(), type="directdial", action="reveal")
    assert rejection(reveal) == (503, "vendor_unavailable")
    assert "retry-after" in reveal.headers
    assert len(vendor["asked"]) == 2  # one retry within the request's time
    assert await account.credits() == before


async def test_a_failing_vendor_is_not_called_for_a_while(account: Account, vendor: dict[str, Any]) -> None:
    vendor["answer"] = lambda request: httpx2.Response(500)
    for _ in range(FAILURES + 3):
        await account.owner.post("searchurl", linkedinurl=_url(), phone=True)
    assert len(vendor["asked"]) == 2 * FAILURES


async def test_a_person_of_the_directory_needs_no_vendor(
    product: Product, account: Account, vendor: dict[str, Any]
) -> None:
    person = await product.person()
    await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", phone=True)
    vendor["asked"] = [request for request in vendor["asked"] if person.key in str(request.url)]
    assert vendor["asked"] == []


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (JANE | {"full_name": "Bob Roe", "company": "Globex"}, True),
        (JANE | {"full_name": "Bob Roe", "company": "Acme GmbH"}, False),
        (JANE | {"full_name": "Vendor, Vera", "company": "Globex"}, False),
    ],
)
async def test_an_answer_that_contradicts_the_stored_person_is_flagged_and_not_merged(
    product: Product, account: Account, vendor: dict[str, Any], answer: dict[str, str], kept: bool
) -> None:
    url = _url()
    vendor["answer"] = lambda request: httpx2.Response(200, json=JANE | {"company": "Acme"})
    reveal = {"linkedinurl": url, "type": "directdial", "action": "reveal"}
    assert (await account.owner.post("getcontact", **reveal)).json()["charged"] == 1
    key = url.removeprefix("linkedin.com/")
    old = "update person set updatedon = now() - interval '60 days' where profilekey = $1 returning personid"
    personid = await product.db.fetchval(old, key)
    vendor["answer"] = lambda request: httpx2.Response(200, json=answer)
    for _ in range(2):
        card = (await account.owner.post("searchurl", linkedinurl=url, phone=True)).json()["data"][0]
        assert (card["full_name"] == JANE["full_name"]) == kept
    assert len(vendor["asked"]) == 2  # not for each look-up
    flagged = "select count(*) from auditlog where event = 'person_contradicted' and target = $1"
    assert await product.db.fetchval(flagged, str(personid)) == int(kept)
    again = (await account.owner.post("getcontact", **reveal)).json()
    assert again["charged"] == 0
    assert (again["contactdata"][0]["name"] == "Vera Vendor") == kept
