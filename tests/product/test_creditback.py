"""Credits returned for wrong values: by proof, by agreement of accounts, only once, and limited."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import dns.resolver
import pytest

from product.credits import creditback
from tests.helpers.product import Account, Product
from tests.helpers.support import ok

BAD_PHONE = "+120255501"
HOLD = 7_000_001  # advisory lock of a test
WAITING = """
    select count(*) from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database
                                                                where datname = current_database())
"""


async def _revealed(account: Account, person: Any, kind: str) -> None:
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": kind, "action": "reveal"}
    assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1


def _vote(person: Any, info: str, type_: str, **change: Any) -> dict[str, Any]:
    note = "+12025550188" if type_ == "phone" else "right@acme.example"
    vote = {"linkedin_url": f"linkedin.com/{person.key}", "info": info, "action": "downvote", "type": type_}
    return vote | {"downvotereason": "invalid", "reasonnote": note} | change


async def _cast(account: Account, vote: dict[str, Any]) -> int:
    response = await account.owner.table("POST", "contactfeedback", vote)
    return int(ok(response)["resource"][0].get("creditback", 0))


async def test_a_possibly_correct_value_returns_no_credit(product: Product, account: Account) -> None:
    person = await product.person()
    for kind, type_, info in (
        ("directdial", "phone", "+12025550123"),
        ("businessemail", "businessemail", "jd@acme.example"),
    ):
        await _revealed(account, person, kind)
        assert await _cast(account, _vote(person, info, type_)) == 0
    bad = await product.person(phones=[BAD_PHONE])
    await _revealed(account, bad, "directdial")
    assert await _cast(account, _vote(bad, BAD_PHONE, "phone", downvotereason="others")) == 0
    assert await _cast(account, _vote(bad, BAD_PHONE, "phone", action="upvote", downvotereason=None)) == 0
    other = await account.owner.table("POST", "contactfeedback", _vote(await product.person(), BAD_PHONE, "phone"))
    assert other.status_code == 404
    assert await product.db.fetchval("select count(*) from creditback where clientid = $1", account.clientid) == 0


@pytest.mark.parametrize(
    ("country", "number", "returned"),
    [
        ("DEU", "0151 12345678", 0),
        ("USA", "201-555-0123", 0),
        ("ITA", "06 1234 5678", 0),
        ("GBR", "00447911223456", 0),
        ("USA", "00447911223456", 0),
        ("MEX", "+52 1 55 1234 5678", 0),  # the mobile form of Mexico until 2019
        ("MEX", "044 55 1234 5678", 0),
        ("ARG", "+54 9 11 2345-6789", 0),
        ("USA", "+1 201 555 0123 ext. 4", 0),
        ("FRA", "+33\u202f1\u202f23\u202f45\u202f67\u202f89", 0),
        ("", "0151 12345678", 0),  # of an unknown country: no proof
        ("DEU", "ask reception", 0),
        ("DEU", "+49 123", 1),
        ("USA", "201-055-0123", 1),
    ],
)
async def test_only_a_number_that_cannot_exist_in_its_country_is_proved_wrong(
    product: Product, account: Account, country: str, number: str, returned: int
) -> None:
    """libphonenumber 9.0.42 with the country of the person; Mexico: IFT, plan of 3 August 2019."""
    person = await product.person(phones=[number], country=country)
    await _revealed(account, person, "directdial")
    assert await _cast(account, _vote(person, number, "phone")) == returned


async def test_an_impossible_number_returns_the_credit_once(product: Product, account: Account) -> None:
    person = await product.person(phones=[BAD_PHONE])
    before = await account.credits()
    await _revealed(account, person, "directdial")
    vote = _vote(person, BAD_PHONE, "phone")
    responses = await asyncio.gather(*(_cast(account, vote) for _ in range(4)))
    assert sorted(responses) == [0, 0, 0, 1]
    assert await _cast(account, vote | {"action": "withdraw"}) == 0
    assert await _cast(account, vote) == 0
    assert await account.credits() == before | {
        "contactcredit_bought": before["contactcredit_bought"] + 1
    }  # returned credits do not expire
    assert await account.ledger_fits()
    (row,) = (await account.owner.table("GET", "creditledger", filter="(reason=creditback)")).json()["resource"]
    assert (row["kind"], row["delta"]) == ("contactcredit", 1)
    (back,) = (await account.owner.table("GET", "creditback")).json()["resource"]
    assert (back["kind"], back["cause"]) == ("directdial", "proof")
    assert "personid" not in back
    mails = await product.mails(account.owner.email)
    assert [mail["Subject"] for mail in mails] == ["You got a credit back"]
    assert BAD_PHONE not in str(mails[0])
    again = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    assert (await account.owner.post("getcontact", **again)).json()["charged"] == 0
    events = await product.db.fetch("select event from auditlog where clientid = $1", account.clientid)
    assert "credit_returned" in {event["event"] for event in events}


async def test_the_card_shows_what_happened_to_the_price(product: Product, account: Account) -> None:
    person = await product.person(phones=[BAD_PHONE])
    await _revealed(account, person, "directdial")

    async def returned() -> str | None:
        body = {"linkedinurl": f"linkedin.com/{person.key}", "phone": True}
        (card,) = (await account.owner.post("searchurl", **body)).json()["data"]
        (earlier,) = card["revealed"]
        on: str | None = earlier["returnedon"]
        return on

    assert await returned() is None
    assert await _cast(account, _vote(person, BAD_PHONE, "phone")) == 1
    assert await returned() is not None


async def test_with_check_mx_a_domain_without_mail_returns_the_credit(
    product: Product, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(name: str, kind: str, **_: Any) -> Any:
        raise dns.resolver.NXDOMAIN if name.startswith("gone") else dns.resolver.NoNameservers

    monkeypatch.setattr("dns.asyncresolver.resolve", resolve)
    monkeypatch.setattr(product.scripts, "settings", product.scripts.settings.model_copy(update={"check_mx": True}))
    domain = f"gone-{secrets.token_hex(4)}.example"
    person = await product.person(business_emails=[f"jane@{domain}:valid", "jane@there.example"])
    await _revealed(account, person, "businessemail")
    row = (await account.owner.table("GET", "usercontact")).json()["resource"][0]
    assert row["verification"] == "invalid"
    assert await _cast(account, _vote(person, "jane@there.example", "businessemail")) == 0
    assert await _cast(account, _vote(person, f"jane@{domain}", "businessemail")) == 1
    assert await account.ledger_fits()


async def _three_accounts(product: Product) -> tuple[list[Account], dict[str, Any]]:
    """Return three accounts that have revealed the number of one person, and a downvote on it."""
    person = await product.person()
    accounts = [await product.account() for _ in range(3)]
    for account in accounts:
        await _revealed(account, person, "directdial")
    return accounts, _vote(person, "+12025550123", "phone", downvotereason="outofservice", reasonnote=None)


async def _all_agreed(product: Product, accounts: list[Account]) -> None:
    """Check that each account got its credit back because the accounts agree."""
    for account in accounts:
        assert await account.ledger_fits()
        back = await product.db.fetch("select cause from creditback where clientid = $1", account.clientid)
        assert [row["cause"] for row in back] == ["agreement"]


async def test_three_agreeing_accounts_all_get_the_credit(product: Product) -> None:
    accounts, vote = await _three_accounts(product)
    colleague = await accounts[0].user()
    assert [await _cast(account, vote) for account in accounts[:2]] == [0, 0]
    second = await colleague.table("POST", "contactfeedback", vote)  # balance of an account that has voted
    assert "creditback" not in second.json()["resource"][0]
    assert await _cast(accounts[2], vote) == 1
    await _all_agreed(product, accounts)


async def test_three_concurrent_votes_agree(product: Product) -> None:
    """Each vote stays uncommitted until all have arrived, so that none is visible to the others."""
    accounts, vote = await _three_accounts(product)
    await product.db.execute(
        "create function hold() returns trigger language plpgsql as"
        f" $$begin perform pg_advisory_xact_lock_shared({HOLD}); return new; end$$"
    )
    await product.db.execute("create trigger hold after insert on contactfeedback execute function hold()")
    try:
        async with product.db.transaction():
            await product.db.execute("select pg_advisory_xact_lock($1)", HOLD)
            votes = [asyncio.create_task(_cast(account, vote)) for account in accounts]
            while await product.db.fetchval(WAITING) < 3:  # noqa: ASYNC110 - locks send no notification
                await asyncio.sleep(0.01)
        assert sorted(await asyncio.gather(*votes)) == [0, 0, 1]
    finally:
        await product.db.execute("drop function hold cascade")
    await _all_agreed(product, accounts)


async def test_concurrent_votes_in_opposite_orders_do_not_deadlock(product: Product) -> None:
    persons = [await product.person() for _ in range(3)]
    accounts = [await product.account() for _ in range(4)]
    for account in accounts:
        for person in persons:
            await _revealed(account, person, "directdial")
    votes = [_vote(one, "+12025550123", "phone", downvotereason="outofservice", reasonnote=None) for one in persons]
    responses = await asyncio.gather(
        *(one.owner.table("POST", "contactfeedback", *votes[:: 1 if n % 2 else -1]) for n, one in enumerate(accounts))
    )
    assert [response.status_code for response in responses] == [200] * 4, [response.text for response in responses]
    given = "select count(*) from creditback where personid = any($1)"
    assert await product.db.fetchval(given, [person.personid for person in persons]) == 12


async def test_votes_do_not_refill_a_balance(
    product: Product, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(creditback, "_BOUND", creditback._BOUND.replace("greatest(10", "greatest(2"))
    given = 0
    for _ in range(4):
        person = await product.person(phones=[BAD_PHONE])
        await _revealed(account, person, "directdial")
        given += await _cast(account, _vote(person, BAD_PHONE, "phone"))
    assert given == 2
    assert await account.ledger_fits()


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
