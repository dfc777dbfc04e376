"""The desk's calls: errors, effects, and repeats without effect."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.helpers.desk import Staff, unlimited_staff
from tests.helpers.product import Account, Product
from tests.helpers.support import ok, rejection, until

REASON = "They asked on the phone"


@pytest.fixture(scope="module")
async def member(product: Product) -> AsyncIterator[Staff]:
    async with unlimited_staff(product) as one:
        yield one


@pytest.fixture
async def client(product: Product) -> Account:
    return await product.account()


async def entries(product: Product, clientid: int | None, event: str) -> list[dict[str, Any]]:
    sql = "select * from auditlog where clientid is not distinct from $1 and event = $2 order by auditid"
    return [dict(row) for row in await product.db.fetch(sql, clientid, event)]


async def change(member: Staff, account: Account, amount: int, **fields: Any) -> Any:
    body = {"clientid": account.clientid, "kind": "contactcredit", "amount": amount, "reason": REASON}
    return await member.post("credits", **body | {"requestid": secrets.token_hex(8)} | fields)


@pytest.mark.parametrize(
    ("call", "body", "status"),
    [
        ("find", {}, 422),
        ("find", {"text": "  "}, 422),
        ("find", {"text": "a\0b"}, 400),
        ("find", {"text": "x" * 300}, 422),
        ("client", {"clientid": 0}, 422),
        ("client", {"clientid": 2**63 - 1}, 404),
        ("client", {"clientid": 2**63}, 422),
        ("credits", {"clientid": 1, "kind": "seatcount", "amount": 1, "reason": REASON, "requestid": "12345678"}, 422),
        ("credits", {"clientid": 2**60, "kind": "contactcredit", "amount": 1, "reason": REASON,
                     "requestid": "12345678"}, 404),
        ("plan", {"clientid": 1, "planid": 10**9, "reason": REASON}, 404),
        ("feedback", {"feedbackid": 10**12, "decision": "accepted", "reason": REASON}, 404),
        ("feedback", {"feedbackid": 1, "decision": "perhaps", "reason": REASON}, 422),
        ("suppress", {"email": "nobody", "reason": REASON}, 422),
        ("suppress", {"email": "a@b.example", "linkedinurl": "http://x.example/in/a", "reason": REASON}, 422),
        ("sessions", {"appuserid": 10**12, "reason": REASON}, 404),
        ("mail", {"kind": "receipt", "appuserid": 1}, 422),
        ("mail", {"kind": "invitation"}, 422),
        ("mail", {"kind": "receipt", "transactionid": 10**12}, 404),
        ("mail", {"kind": "poem", "appuserid": 1}, 422),
        ("jobs", {"id": 10**12}, 404),
        ("payments", {"id": "evt_none"}, 404),
        ("payments", {"id": "evt\n"}, 422),
        ("view", {"appuserid": 10**12, "reason": REASON}, 404),
    ],
)  # fmt: skip
async def test_invalid_input_is_rejected(member: Staff, call: str, body: dict[str, Any], status: int) -> None:
    response = await member.post(call, **body)
    assert response.status_code == status, response.text
    assert response.json()["error"]["context"]["reason"]


@pytest.mark.parametrize(
    "reason",
    ["", "no", "write to jane@home.example", "call +1 202 555 0123", "see http://x.example", "a\nb", "x" * 301],
)
async def test_a_reason_must_not_contain_addresses_or_numbers(member: Staff, client: Account, reason: str) -> None:
    response = await change(member, client, 5, reason=reason)
    assert response.status_code == 422, response.text
    assert "reason" in response.json()["error"]["context"]["fields"]


async def test_clients_are_found_by_common_details(product: Product, member: Staff) -> None:
    mark = secrets.token_hex(4)
    account = await product.account(email=f"ann@{mark}.example")
    other = await account.user(email=f"bob@mail.{mark}.example", name=f"Bob {mark}")
    sql = "update client set companyname = $2, stripe_custid = $3 where clientid = $1"
    await product.db.execute(sql, account.clientid, f"Zed{mark} 100% Ltd", f"cus_{mark}")
    for text in (
        f"ANN@{mark}.example", f"{mark}.example", f"@{mark}.example", f"mail.{mark}.example", f"zed{mark}",
        f"Zed{mark} 100%", f"bob {mark}", f"cus_{mark}", str(account.clientid), str(other.appuserid),
    ):  # fmt: skip
        response = await member.post("find", text=text)
        assert account.clientid in [row["clientid"] for row in ok(response)["resource"]], text
    for text in (f"ann@{mark}", f"_ed{mark}", "%", f"cus_{mark}x", f"x{mark}.example"):
        found = (await member.post("find", text=text)).json()["resource"]
        assert account.clientid not in [row["clientid"] for row in found], text
    entry = (await entries(product, account.clientid, "support_search"))[0]
    assert (entry["staffid"], entry["appuserid"]) == (member.staffid, None)
    assert mark not in str(entry["detail"])


async def test_a_search_uses_indexes(product: Product) -> None:
    from product.desk import clients

    async with product.db.transaction(), product.db.connection() as connection:
        await connection.execute("set local enable_seqscan = off")
        plan = await connection.fetch("explain " + clients._FIND, "a", 1, "b", "a", "a\U0010ffff", "a", 21)
    text = "\n".join(row[0] for row in plan)
    assert "Seq Scan on appuser" not in text, text
    assert "Seq Scan on client " not in text, text


async def test_one_client_is_shown_in_full_without_secrets(product: Product, member: Staff, client: Account) -> None:
    key = (await client.owner.table("POST", "apikeys", {"purpose": "crm"})).json()["resource"][0]["apikey"]
    await client.user(name="Mia Member")
    response = await member.post("client", clientid=client.clientid)
    assert response.status_code == 200, response.text
    shown = response.json()
    assert [user["name"] for user in shown["users"]] == ["Test User", "Mia Member"]
    assert shown["credits"][0]["contactcredit"] == 3000
    assert shown["subscriptions"][0]["plan"] == "Business"
    assert {row["delta"] for row in shown["ledger"]} == {3000, 2000}
    assert shown["keys"][0]["purpose"] == "crm"
    assert len(shown["sessions"]) == 2
    for secret in (key, "keyhash", '"apikey"', "tokenhash", '"password"', client.owner.token):
        assert secret not in response.text, secret
    other = await product.account()
    assert str(other.owner.email) not in response.text


async def test_credits_are_granted_and_deducted_once_each(product: Product, member: Staff, client: Account) -> None:
    granted = await change(member, client, 500, requestid="grant-0001")
    assert granted.json() == {"success": 1, "changed": True, "balance": 3500}
    again = await change(member, client, 500, requestid="grant-0001")
    assert again.json() == {"success": 1, "changed": False, "balance": 3500}
    reused = await change(member, client, 600, requestid="grant-0001")
    assert (reused.status_code, list(reused.json()["error"]["context"]["fields"])) == (422, ["requestid"])
    taken = await change(member, client, -3400)
    assert taken.json()["balance"] == 100
    too_many = await change(member, client, -101)
    assert rejection(too_many) == (409, "too_few_credits")
    balances = await client.credits()
    assert (balances["contactcredit"], balances["contactcredit_bought"]) == (100, 100)
    assert await client.ledger_fits()
    sql = "select delta, staffid, actor, reason from creditledger where clientid = $1 and source = 'support' order by 1"
    rows = [tuple(row.values()) for row in await product.db.fetch(sql, client.clientid)]
    assert rows == [(-3400, member.staffid, None, "support"), (500, member.staffid, None, "support")]
    assert len(await entries(product, client.clientid, "support_credits")) == 2
    ledger = (await client.owner.table("GET", "creditledger", filter="reason='support'")).json()["resource"]
    assert len(ledger) == 2
    assert all("staffid" not in row for row in ledger)


async def test_concurrent_deductions_never_fall_below_zero(member: Staff, client: Account) -> None:
    import asyncio

    responses = await asyncio.gather(*(change(member, client, -1000) for _ in range(6)))
    assert sorted(response.status_code for response in responses) == [200, 200, 200, 409, 409, 409]
    assert (await client.credits())["contactcredit"] == 0
    same = await asyncio.gather(*(change(member, client, 7, requestid="same-time") for _ in range(6)))
    assert [response.json()["changed"] for response in same].count(True) == 1
    assert (await client.credits())["contactcredit"] == 7


async def test_a_custom_plan_is_offered_to_one_client(product: Product, member: Staff, client: Account) -> None:
    bought = await member.post("plan", clientid=client.clientid, planid=3, reason=REASON)
    assert (bought.status_code, list(bought.json()["error"]["context"]["fields"])) == (422, ["planid"])
    refused = await client.owner.post("upgradeplan", planid=8)
    assert refused.status_code == 402
    for _ in range(2):
        done = await member.post("plan", clientid=client.clientid, planid=8, reason=REASON)
        assert done.json() == {"success": 1, "assigned": True}
    assert len(await entries(product, client.clientid, "support_plan_assigned")) == 1
    assert (await (await product.account()).owner.post("upgradeplan", planid=8)).status_code == 402
    assert (await client.owner.post("upgradeplan", planid=8)).status_code == 200
    assert (await member.post("plan", clientid=client.clientid, planid=8, assigned=False, reason=REASON)).json() == {
        "success": 1, "assigned": False,
    }  # fmt: skip


async def test_a_new_vote_reopens_decided_feedback(product: Product, member: Staff, client: Account) -> None:
    person = await product.person(full_name="Vote Person")
    reveal = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    await client.owner.post("getcontact", **reveal)
    vote = {"linkedin_url": f"linkedin.com/{person.key}", "info": "jd@acme.example", "action": "downvote",
            "type": "businessemail", "downvotereason": "others", "reasonnote": "jd@acme.example bounced"}  # fmt: skip

    async def mine() -> list[dict[str, Any]]:
        response = await member.get("feedback")
        assert "jd@acme.example" not in response.text
        return [row for row in response.json()["resource"] if row["clientid"] == client.clientid]

    await client.owner.table("POST", "contactfeedback", vote)
    (row,) = await mine()
    before = await client.credits()
    decided = await member.post("feedback", feedbackid=row["feedbackid"], decision="accepted", reason=REASON)
    assert decided.json() == {"success": 1, "decision": "accepted", "creditback": 1}
    assert await mine() == []
    assert (await client.credits())["bus_email_credits"] == before["bus_email_credits"] + 1
    again = await member.post("feedback", feedbackid=row["feedbackid"], decision="accepted", reason=REASON)
    assert again.json()["creditback"] == 0
    assert await client.ledger_fits()
    assert len(await entries(product, client.clientid, "support_feedback_accepted")) == 2
    await client.owner.table("POST", "contactfeedback", vote)
    assert len(await mine()) == 1


async def test_a_suppressed_person_is_not_found(product: Product, member: Staff, client: Account) -> None:
    person = await product.person(personal_emails=["gone@home.example"])
    search = {"linkedinurl": f"linkedin.com/{person.key}", "personal": True}
    assert (await client.owner.post("searchurl", **search)).json()["data"]
    body = {"email": "Gone@home.example", "linkedinurl": f"linkedin.com/{person.key}", "reason": REASON}
    assert (await member.post("suppress", **body)).json() == {"success": 1}
    await product.work()
    assert (await client.owner.post("searchurl", **search)).json()["data"] == []
    entry = (await entries(product, None, "support_person_suppressed"))[-1]
    assert "gone@" not in str(entry).lower()


async def test_the_sessions_of_a_user_can_be_ended(product: Product, member: Staff, client: Account) -> None:
    user = await client.user()
    assert (await user.table("GET", "usercontact")).status_code == 200
    assert (await member.post("sessions", appuserid=user.appuserid, reason=REASON)).json() == {"success": 1}

    async def is_out() -> bool:
        return (await user.table("GET", "usercontact")).status_code == 401

    await until(is_out)
    assert (await client.owner.table("GET", "usercontact")).status_code == 200
    assert len(await entries(product, client.clientid, "support_sessions_ended")) == 1


async def test_pending_mails_and_receipts_can_be_sent_again(product: Product, member: Staff, client: Account) -> None:
    pending = await client.user(email=f"p-{secrets.token_hex(3)}@team.example", isactive=0, isverified=0,
                                invitestatus="pending")  # fmt: skip
    fresh = await client.user(email=f"f-{secrets.token_hex(3)}@team.example", isverified=0)
    assert (await member.post("mail", kind="invitation", appuserid=pending.appuserid)).json() == {"success": 1}
    path, query = await product.link(pending.email)
    assert (path, query["email"]) == ("/acceptinvite", pending.email)
    assert (await member.post("mail", kind="verification", appuserid=fresh.appuserid)).json() == {"success": 1}
    assert (await product.link(fresh.email))[0] == "/emailverification"
    for kind in ("invitation", "verification"):
        refused = await member.post("mail", kind=kind, appuserid=client.owner.appuserid)
        assert rejection(refused) == (409, "not_pending")
    sql = """
        insert into transactionhistory (clientid, planid, invoicenumber, planname, price)
        values ($1, 4, $2, 'Business', 199) returning transactionid
    """
    paid = await product.db.fetchval(sql, client.clientid, f"INV-{secrets.token_hex(4)}")
    assert (await member.post("mail", kind="receipt", transactionid=paid)).json() == {"success": 1}
    assert "Receipt" in (await product.mails(client.owner.email))[-1]["Subject"]
    for _ in range(2):
        await member.post("mail", kind="receipt", transactionid=paid)
    assert (await member.post("mail", kind="receipt", transactionid=paid)).status_code == 429
