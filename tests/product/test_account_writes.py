"""Writes that target another account, or the columns with owner and author of a row."""

from __future__ import annotations

import secrets
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.helpers.product import TABLE, Account, Product, User
from tests.helpers.support import Serve
from tests.helpers.writes import ask, read_row, read_user, reason, ways

pytestmark = pytest.mark.usefixtures("unlimited")


@pytest.mark.parametrize("name", ["client_by_clientid", "Client_By_ClientId"])
@pytest.mark.parametrize("role", ["member", "admin", "client", "unverified"])
async def test_a_user_cannot_be_moved_to_another_account(
    product: Product, account: Account, other: Account, role: str, name: str
) -> None:
    user = account.owner if role in ("client", "unverified") else await account.user(role)
    if role == "unverified":
        await product.db.execute("update appuser set isverified = 0 where appuserid = $1", user.appuserid)
    before = await read_user(product, user)
    clients = await product.db.fetchval("select count(*) from client")
    for parent in ({"clientid": other.clientid}, {"ClientId": other.clientid}, {"clientid": 10**15}, None,
                   {"clientid": other.clientid, "companyname": "taken"}, {"companyname": "new"}):  # fmt: skip
        for way in ways("appuser", "appuserid", user.appuserid, {name: parent}):
            response = await ask(user, way)
            assert 400 <= response.status_code < 500, (parent, way, response.text)
            if way[0] != "POST" or "method" in way[2]:
                expected = "400" if "filter" in way[2] else "tenant_mismatch"
                assert reason(response) in (expected, "tenant_mismatch"), (parent, way, response.text)
            assert await read_user(product, user) == before, (parent, way)
    assert await product.db.fetchval("select count(*) from client") == clients
    assert (await read_row(product, "client", "clientid", other.clientid))["companyname"] == "Test Ltd"
    value = await product.db.fetchval(
        "select count(*) from auditlog where appuserid = $1 and event = 'tenant_mismatch' and target = $2",
        user.appuserid,
        str(other.clientid),
    )
    assert value >= 1


async def test_writing_the_callers_account_back_is_accepted(product: Product, account: Account) -> None:
    """Write a record back as read, with its parent."""
    member = await account.user()
    for user in (member, account.owner):
        parent = {"client_by_clientid": {"clientid": account.clientid}, "clientid": account.clientid}
        response = await user.table("PATCH", f"appuser/{user.appuserid}", {"name": "New Name"} | parent)
        assert response.status_code == 200, response.text
        assert (await read_user(product, user))["name"] == "New Name"
    renamed = {"client_by_clientid": {"clientid": account.clientid, "companyname": "Renamed"}}
    for user in (member, account.owner):
        refused = await user.http.patch(f"{TABLE}appuser/{user.appuserid}", json=renamed)
        assert refused.status_code == 403, refused.text
    assert refused.json()["error"]["context"]["reason"] == "not_nested"  # the table of clients has a hook
    done = await account.owner.http.patch(f"{TABLE}client/{account.clientid}", json={"companyname": "Renamed"})
    assert done.status_code == 200, done.text
    assert (await read_row(product, "client", "clientid", account.clientid))["companyname"] == "Renamed"


async def _contact(product: Product, user: User) -> int:
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    response = await user.post("getcontact", **body)
    return int(response.json()["contactdata"][0]["contactid"])


async def test_the_revealing_user_is_not_overwritten(product: Product, account: Account, other: Account) -> None:
    user, colleague = account.owner, await account.user()
    ident = await _contact(product, user)
    before = await read_row(product, "usercontact", "contactid", ident)
    for column, stored in (("revealedby", user.appuserid), ("dialrevealedby", None)):
        responses = []
        for whom in (colleague.appuserid, other.owner.appuserid, 10**15):
            for change in ({column: whom}, {f"appuser_by_{column}": {"appuserid": whom}}):
                for way in ways("usercontact", "contactid", ident, change):
                    response = await ask(user, way)
                    assert 400 <= response.status_code < 500, (way, response.text)
                path = f"{TABLE}usercontact/{ident}"
                response = await user.http.patch(path, json=change)
                responses.append((response.status_code, response.json()["error"]["context"]["reason"]))
        assert set(responses) == {(403, "field_not_writable")}
        same = {f"appuser_by_{column}": {"appuserid": stored} if stored else None, column: stored}
        assert (await user.http.patch(f"{TABLE}usercontact/{ident}", json=same)).status_code == 200
    children = [{"contactid": ident, name: None} for name in ("revealedby", "dialrevealedby")]
    for child in children:
        name = next(name for name in child if name != "contactid")
        own = f"{TABLE}appuser/{user.appuserid}"
        response = await user.http.patch(own, json={f"usercontact_by_{name}": [child]})
        assert response.status_code == (403 if name == "revealedby" else 200), response.text
    assert await read_row(product, "usercontact", "contactid", ident) == before


async def test_other_accounts_are_rejected_on_every_table_and_verb(
    product: Product, account: Account, other: Account
) -> None:
    owner, member = account.owner, await account.user()
    key = (await owner.table("POST", "apikeys", {"purpose": "mine"})).json()["resource"][0]["keyid"]
    contact = await _contact(product, owner)
    subscription = await product.db.fetchval(
        "select subscriptionid from usersubscription where clientid = $1", account.clientid
    )
    sessions = await product.db.fetchval("select usersessionid from usersession where appuserid = $1", owner.appuserid)
    whom = other.clientid
    for named in ({"clientid": whom}, {"ClientID": str(whom)}, {"client_by_clientid": {"clientid": whom}}):
        for user, method, path, record in (
            (owner, "PATCH", "apikeys", {"keyid": key, "purpose": "taken"}),
            (owner, "PUT", "apikeys", {"keyid": key, "purpose": "taken"}),
            (owner, "PATCH", f"apikeys/{key}", {"purpose": "taken"}),
            (owner, "POST", "apikeys", {"purpose": "taken"}),
            (owner, "PATCH", "usersubscription",
             {"subscriptionid": subscription, "planid": 1, "type": "downgrade"}),
            (owner, "PATCH", f"usercontact/{contact}", {"deleted": 1}),
            (owner, "POST", "usercontact", {"name": "taken"}),
            (owner, "POST", "transactionhistory", {"planname": "taken"}),
            (owner, "PATCH", "usercredit", {"contactcredit": 5}),
            (owner, "PATCH", f"appuser/{owner.appuserid}", {"name": "Taken Name"}),
            (owner, "DELETE", "usersession", {"usersessionid": sessions}),
            (owner, "DELETE", "appuser", {"appuserid": member.appuserid}),
            (member, "POST", "appuser", {"email": "taken@x.example"}),
            (member, "PATCH", "client", {"companyname": "taken"}),
            (member, "POST", "contactfeedback", {"action": "upvote", "type": "phone"}),
        ):  # fmt: skip
            body = record | named if "/" in path else {"resource": [record | named]}
            response = await user.http.request(method, TABLE + path, json=body)
            error = response.json()["error"]
            if path == "client":  # the key of that table: a row of another account does not exist
                assert response.status_code in (403, 404), response.text
            else:
                outcome = (response.status_code, error["context"]["reason"], error["context"]["scope"])
                assert outcome == (403, "tenant_mismatch", "resource"), (method, path, named, response.text)
    assert (await read_row(product, "apikeys", "keyid", key))["purpose"] == "mine"
    assert (await read_row(product, "usercontact", "contactid", contact))["deleted"] == 0
    assert (await read_user(product, member))["isdeleted"] == 0
    assert (await owner.http.get("/api/v2/user/session")).status_code == 200
    value = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'tenant_mismatch' and target = $2",
        account.clientid,
        str(whom),
    )
    assert value >= 3 * 14


async def test_a_member_is_always_added_to_the_callers_account(
    product: Product, account: Account, other: Account
) -> None:
    """The ignored value is still recorded in the audit log."""
    email = f"m-{secrets.token_hex(4)}@team.example"
    record = {"name": "Mia Member", "email": email, "role": "member", "clientid": other.clientid}
    added = await account.owner.table("POST", "appuser", record)
    assert added.status_code == 200, added.text
    assert await product.db.fetchval("select clientid from appuser where email = $1", email) == account.clientid
    kept = "select count(*) from auditlog where clientid = $1 and event = 'tenant_mismatch'"
    assert await product.db.fetchval(kept, account.clientid) == 1


async def test_the_database_prevents_moving_users_and_owners(
    product: Product, account: Account, other: Account, product_url: str, module_serve: Serve, tmp_path: Any
) -> None:
    member = await account.user()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await product.db.execute(
            "update appuser set clientid = $2 where appuserid = $1", member.appuserid, other.clientid
        )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await product.db.execute("update appuser set role = 'member' where appuserid = $1", account.owner.appuserid)
    server = module_serve("--dataset", f"any={product_url}", "--open", cwd=tmp_path)
    async with httpx2.AsyncClient(base_url=server.url) as http:
        for ident, change in (
            (member.appuserid, {"clientid": other.clientid}),
            (account.owner.appuserid, {"role": "member"}),
        ):
            response = await http.patch(f"/api/v2/any/_table/appuser/{ident}", json=change)
            assert response.status_code == 403, response.text
    server.stop()
    async with product.db.transaction():  # an account can be transferred
        await product.db.execute("update appuser set role = 'member' where appuserid = $1", account.owner.appuserid)
        await product.db.execute("update appuser set role = 'client' where appuserid = $1", member.appuserid)
    assert ((await read_user(product, account.owner))["role"], (await read_user(product, member))["role"]) == (
        "member",
        "client",
    )
