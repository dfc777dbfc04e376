"""A write that names an account other than the session's is rejected and recorded in the audit log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.desk import staff
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import ok, rejection


async def kept(product: Product, user: User) -> list[tuple[str, dict[str, Any]]]:
    rows = await product.db.fetch(
        "select target, detail from auditlog where appuserid = $1 and event = 'tenant_mismatch' order by auditid",
        user.appuserid,
    )
    return [(row["target"], row["detail"]) for row in rows]


@pytest.mark.parametrize("ways", ["alone", "of several", "continue", "idempotent", "by filter"])
async def test_another_account_is_rejected_and_recorded(
    product: Product, account: Account, other: Account, ways: str
) -> None:
    user, whom = account.owner, other.clientid
    me = {"appuserid": user.appuserid, "clientid": whom, "name": "Somebody"}
    if ways == "alone":
        response = await user.http.patch(f"/api/v2/leads/_table/appuser/{user.appuserid}", json=me)
    elif ways == "by filter":
        query = {"filter": f"appuserid={user.appuserid}"}
        response = await user.table("PATCH", "appuser", {"clientid": whom}, **query)
    else:
        query = {"continue": "true"} if ways == "continue" else {}
        user.http.headers |= {"Idempotency-Key": "once"} if ways == "idempotent" else {}
        response = await user.table("PATCH", "appuser", me, *([me] if ways == "of several" else []), **query)
    error = response.json()["error"]
    if ways == "alone":
        assert (response.status_code, error["context"]["reason"]) == (403, "tenant_mismatch")
    else:  # a batch responds with 400 and an error per record
        assert (response.status_code, error["context"]["resource"][0]["code"]) == (400, 403), error
        assert "Your role may not set" in error["context"]["resource"][0]["message"]
    path = "/api/v2/leads/_table/appuser" + (f"/{user.appuserid}" if ways == "alone" else "")
    assert await kept(product, user) == [(str(whom), {"field": "clientid", "call": path})]
    row = await product.db.fetchrow("select clientid, name from appuser where appuserid = $1", user.appuserid)
    assert row is not None
    assert (row["clientid"], row["name"] == "Somebody") == (account.clientid, False)


async def test_another_role_is_recorded_too(product: Product, account: Account) -> None:
    member = await account.user()
    response = await member.http.patch(f"/api/v2/leads/_table/appuser/{member.appuserid}", json={"role": "client"})
    assert rejection(response) == (403, "tenant_mismatch")
    assert [target for target, _ in await kept(product, member)] == ["client"]


async def test_values_of_the_callers_session_are_not_recorded(product: Product, account: Account) -> None:
    user = account.owner
    record = {"appuserid": user.appuserid, "clientid": account.clientid, "name": "Olga Owner"}
    assert (await user.table("PATCH", "appuser", record)).status_code == 200
    verified = await user.http.patch(f"/api/v2/leads/_table/appuser/{user.appuserid}", json={"isverified": 0})
    assert verified.json()["error"]["context"]["reason"] == "field_not_writable"
    assert await kept(product, user) == []


@pytest.mark.parametrize("field", ["clientid", "ClientId", "revealedby", "appuserid", "afid", "role"])
async def test_a_call_with_the_values_of_another_caller_is_rejected(
    product: Product, account: Account, other: Account, field: str
) -> None:
    user, person = account.owner, await product.person()
    foreign: Any = {"clientid": other.clientid, "role": "staff", "afid": "x"}.get(field.lower(), other.owner.appuserid)
    url = f"linkedin.com/{person.key}"
    for call, body in (
        ("searchurl", {"linkedinurl": url, "phone": True}),
        ("getcontact", {"linkedinurl": url, "type": "directdial", "action": "reveal"}),
        ("searchname", {"searchtext": "x"}),
        ("datascript/appcounters", {}),
        ("generateapikey", {}),
    ):
        response = await user.post(call, **body, **{field: foreign})
        context = response.json().get("error", {}).get("context", {})
        outcome = (response.status_code, context.get("reason"), context.get("scope"))
        assert outcome == (403, "tenant_mismatch", "resource"), (call, response.text)
    assert [target for target, _ in await kept(product, user)] == [str(foreign)] * 5
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 0


async def test_a_call_with_the_values_of_its_caller_is_served(product: Product, account: Account) -> None:
    user, person = await account.user(), await product.person()
    mine = {
        "clientid": account.clientid,
        "appuserid": str(user.appuserid),
        "revealedby": user.appuserid,
        "role": "member",
    }
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    response = await user.post("getcontact", **body, **mine, custId=None)
    assert (response.status_code, response.json()["charged"]) == (200, 1)
    assert await kept(product, user) == []


async def test_a_seat_cannot_be_created_or_changed_inside_another_record(product: Product, account: Account) -> None:
    owner = account.owner
    member = await account.user()
    before = await product.db.fetch("select * from appuser where clientid = $1 order by appuserid", account.clientid)
    fresh = {"name": "By The Back Door", "email": "door@test-company.example", "role": "member"}
    for nested in (
        fresh,
        {"appuserid": member.appuserid, "isactive": 0},
        {"appuserid": member.appuserid, "role": "admin"},
    ):
        record = {"clientid": account.clientid, "companyname": "Same", "appuser_by_clientid": [nested]}
        response = await owner.table("PATCH", "client", record)
        assert response.status_code in (400, 403), response.text
    after = await product.db.fetch("select * from appuser where clientid = $1 order by appuserid", account.clientid)
    assert after == before


async def test_a_paid_contact_cannot_be_created_inside_another_record(product: Product, account: Account) -> None:
    record = {"clientid": account.clientid, "usercontact_by_clientid": [{"name": "X", "phonecost": 1}]}
    response = await account.owner.table("PATCH", "client", record)
    assert response.status_code in (400, 403), response.text
    assert await product.db.fetchval("select count(*) from usercontact where clientid = $1", account.clientid) == 0


async def test_staff_can_see_the_rule_of_a_role(product: Product, account: Account) -> None:
    member = await staff(product)
    asked = {"Prefer": f"explain=rights; role=member; clientid={account.clientid}; appuserid=1"}
    response = await member.http.get(f"{TABLE}savedsearch", headers=asked)
    said = ok(response)
    assert (said["role"], said["allowed"], said["rule"]) == ("member", None, "POLICY['savedsearch'].read")
    assert "clientid = your clientid" in said["rows"]
    assert "refusal" not in said


async def test_users_may_not_explain_rights(product: Product, account: Account) -> None:
    response = await account.owner.http.get(f"{TABLE}appuser", headers={"Prefer": "explain=rights"})
    assert rejection(response) == (403, "no_explain")


@pytest.fixture
async def account(product: Product) -> Account:
    return await product.account()


async def test_a_staff_address_counts_as_taken(product: Product, account: Account) -> None:
    member = await staff(product)
    async with product.caller(ip="10.77.0.1") as http:
        responses = [
            (await http.post(API + "checkemailexists", json={"email": email})).json()
            for email in (member.email, account.owner.email)
        ]
    assert responses[0] == responses[1]
    assert responses[0]["result"]["exists"] == 1
    async with product.caller(account.owner.token) as http:
        change = {"newemail": member.email, "oldemail": account.owner.email}
        response = await http.post(API + "emailcodeverification", json=change)
    assert rejection(response) == (409, "email_exists")


async def test_a_selection_without_sessions_ends_none(product: Product, account: Account) -> None:
    other = await account.user("member")
    async with product.caller(account.owner.token) as http, product.caller(other.token) as second:
        for query in ("filter=usersessionid=999999999", "ids="):
            response = await http.delete(f"{TABLE}usersession?{query}")
            assert (response.status_code, response.json()) == (200, {"resource": []}), response.text
        bodies: list[object] = [{"resource": []}, []]
        for body in bodies:
            response = await http.request("DELETE", f"{TABLE}usersession", json=body)
            assert response.json()["error"]["context"]["reason"] == "no_records"
        ended = "select count(*) from usersession where appuserid = any($1) and revokedon is not null"
        assert await product.db.fetchval(ended, [account.owner.appuserid, other.appuserid]) == 0
        assert (await second.get(f"{TABLE}client")).status_code == 200


async def test_searches_are_counted_for_the_user(product: Product, account: Account) -> None:
    second = await account.session(account.owner.appuserid)
    left = []
    for token in (account.owner.token, second):
        async with product.caller(token) as http:
            response = await http.post(API + "searchurl", json={"linkedinurl": "linkedin.com/in/x", "personal": True})
            left.append(int(response.headers["X-RateLimit-Remaining"]))
    assert left[1] == left[0] - 1
