"""Votes on contact data: only on paid values, with a matching reason, and one live vote per value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.product import Account, Product


@pytest.fixture
async def vote(product: Product, account: Account) -> dict[str, Any]:
    """Return a valid vote: the account has unlocked the work addresses of a person."""
    person = await product.person()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="businessemail", action="reveal")
    return {"linkedin_url": url, "info": "jane.doe@acme.example", "action": "downvote", "type": "businessemail",
            "downvotereason": "others", "reasonnote": "It bounces"}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"action": "maybe"}, "action"),
        ({"type": "fax"}, "type"),
        ({"downvotereason": None}, "downvotereason"),
        ({"downvotereason": "outofservice"}, "downvotereason"),
        ({"downvotereason": "others", "reasonnote": ""}, "reasonnote"),
        ({"downvotereason": "invalid", "reasonnote": "no address"}, "reasonnote"),
        ({"info": ""}, "info"),
        ({"linkedin_url": "example.com/x"}, "linkedinurl"),
    ],
)
async def test_errors_name_the_field(
    account: Account, vote: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    response = await account.owner.table("POST", "contactfeedback", vote | change)
    assert (response.status_code, list(response.json()["error"]["context"]["fields"])) == (422, [field])


async def test_a_locked_value_cannot_be_voted_on(account: Account, other: Account, vote: dict[str, Any]) -> None:
    hidden = {"type": "personalemail", "info": "jane@home.example"}
    phone = {"type": "phone", "info": "+12025550123"}
    for caller, change in ((account, hidden), (account, phone), (account, {"info": "x@y.example"}), (other, {})):
        response = await caller.owner.table("POST", "contactfeedback", vote | change)
        assert (response.status_code, response.json()["error"]["context"]["scope"]) == (404, "resource")


async def test_a_new_vote_replaces_the_old_and_is_sealed_at_rest(
    product: Product, account: Account, vote: dict[str, Any]
) -> None:
    first = await account.owner.table("POST", "contactfeedback", vote)
    second = await account.owner.table("POST", "contactfeedback", vote | {"action": "upvote"})
    assert first.status_code == second.status_code == 200, first.text
    listed = (await account.owner.table("GET", "contactfeedback")).json()["resource"]
    assert [(row["action"], row["info"], row["downvotereason"]) for row in listed] == [
        ("upvote", "jane.doe@acme.example", None)
    ]
    stored = await product.db.fetchval("select string_agg(f::text, ' ') from contactfeedback f")
    assert "jane.doe" not in stored
    colleague = await account.user()
    assert (await colleague.table("GET", "contactfeedback")).json()["resource"] == []


async def test_a_vote_can_be_withdrawn_only_by_its_user(account: Account, other: Account, vote: dict[str, Any]) -> None:
    back = {
        "linkedin_url": vote["linkedin_url"],
        "info": vote["info"].upper(),
        "type": vote["type"],
        "action": "withdraw",
    }
    colleague = await account.user()
    kept = (await account.owner.table("POST", "contactfeedback", vote)).json()["resource"]
    assert (await other.owner.table("POST", "contactfeedback", back)).status_code == 404
    assert (await colleague.table("POST", "contactfeedback", back)).json()["resource"] == [{"feedbackid": None}]
    assert len((await account.owner.table("GET", "contactfeedback")).json()["resource"]) == 1
    for answered in (kept, [{"feedbackid": None}]):  # a repetition finds no vote
        withdrawn = await account.owner.table("POST", "contactfeedback", back)
        assert (withdrawn.status_code, withdrawn.json()["resource"]) == (200, answered), withdrawn.text
        assert (await account.owner.table("GET", "contactfeedback")).json()["resource"] == []


async def test_votes_sent_together_all_count_or_none(account: Account, vote: dict[str, Any]) -> None:
    up = vote | {"action": "upvote"}
    bad = up | {"type": "phone", "info": "+12025550123"}
    refused = await account.owner.table("POST", "contactfeedback", up, bad)
    assert refused.status_code == 404, refused.text
    assert (await account.owner.table("GET", "contactfeedback")).json()["resource"] == []
    together = await account.owner.table("POST", "contactfeedback", up, up | {"info": "jd@acme.example"})
    assert len(together.json()["resource"]) == 2, together.text


async def test_a_vote_uses_the_profile_url_of_the_contact_list(account: Account, vote: dict[str, Any]) -> None:
    spelled = vote | {"linkedin_url": f"HTTPS://de.LinkedIn.com/{vote['linkedin_url'].partition('/')[2].upper()}/?x=1"}
    assert (await account.owner.table("POST", "contactfeedback", spelled)).status_code == 200
    contact = (await account.owner.table("GET", "usercontact")).json()["resource"][0]
    url = contact["linkedinurl"]
    response = await account.owner.table("GET", "contactfeedback", filter=f"linkedin_url in ('{url}')")
    assert [(row["info"], row["action"]) for row in response.json()["resource"]] == [(vote["info"], "downvote")]
