"""A write that names an account other than the session's is rejected and recorded in the audit log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.product import Account, Product, User
from tests.helpers.support import rejection


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
