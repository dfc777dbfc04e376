"""Staff accounts: created only by a job, signed in with a password, disabled at once."""

from __future__ import annotations

import secrets

import pytest

from tableapi.errors import ApiError
from tests.helpers.desk import PASSWORD, Staff, invited, staff
from tests.helpers.product import API, TABLE, Product
from tests.helpers.support import rejection, until


def address() -> str:
    return f"staff-{secrets.token_hex(4)}@desk.example"


async def _is_out(member: Staff) -> bool:
    return (await member.get("jobs")).status_code == 401


async def test_neither_calls_nor_table_writes_can_create_staff(product: Product) -> None:
    account = await product.account()
    owner, email = account.owner, address()
    before = await product.db.fetchval("select count(*) from staff")
    member = await account.user()
    for body in ({"role": "staff"}, {"staffid": 1, "role": "staff"}, {"role": "client"}):
        changed = await owner.http.patch(f"{TABLE}appuser/{member.appuserid}", json=body)
        assert changed.status_code in (400, 403, 422), changed.text
        added = await owner.table("POST", "appuser", {"email": address(), "name": "Eve Staff"} | body)
        assert added.status_code in (400, 403, 422), added.text
    for table in ("staff", "stafftoken", "staffsession"):
        assert (await owner.table("POST", table, {"email": email, "name": "Eve", "staffid": 1})).status_code == 404
    link = {"email": email, "code": secrets.token_urlsafe(32), "new_password": PASSWORD}
    assert (await product.caller().post(API + "user/password", json=link)).status_code == 404
    assert await product.db.fetchval("select count(*) from staff") == before
    row = await product.db.fetchrow("select role from appuser where appuserid = $1", member.appuserid)
    assert row is not None
    assert row["role"] == "member"


async def test_the_link_is_mailed_and_sets_the_password_once(product: Product) -> None:
    email, caller = address(), product.caller()
    assert "is queued as a mail to" in await product.scripts.run_job("addstaff", {"email": email, "name": "Ann Staff"})
    path, query = await product.link(email)
    assert (path, query["email"]) == ("/resetpassword", email)
    older, newer = query, await invited(product, email)
    body = {"new_password": PASSWORD, "confirm_password": PASSWORD}
    assert (await caller.post(API + "user/password", json=older | body)).status_code == 404
    weak = await caller.post(API + "user/password", json=newer | {"new_password": "short"})
    assert weak.status_code == 422
    other = newer | {"email": address()}
    assert (await caller.post(API + "user/password", json=other | body)).status_code == 404
    assert (await caller.post(API + "user/password", json=newer | body)).status_code == 200
    assert (await caller.post(API + "user/password", json=newer | body)).status_code == 404


async def test_a_session_of_staff_belongs_to_no_client(product: Product) -> None:
    member = await staff(product)
    response = await member.http.put(API + "user/session")
    session = response.json()
    assert (session["role"], session["email"], session["session_token"]) == ("staff", member.email, member.token)
    assert not {"clientid", "client_by_clientid", "appuserid", "password"} & session.keys()
    resumed = await product.caller().post(API + "user/session", json={"session_token": member.token})
    assert resumed.json()["role"] == "staff"
    assert (await member.http.delete(API + "user/session")).status_code == 200
    await until(lambda: _is_out(member))


async def test_wrong_passwords_are_rejected_and_throttled(product: Product) -> None:
    member, caller = await staff(product), product.caller()
    for _ in range(5):
        response = await caller.post(API + "user/session", json={"email": member.email, "password": "Wrong1234"})
        assert rejection(response) == (401, "bad_credentials")
    blocked = await caller.post(API + "user/session", json={"email": member.email, "password": PASSWORD})
    assert blocked.status_code == 429
    sql = "select count(*) from auditlog where event = 'signin_failed' and staffid = $1"
    assert await product.db.fetchval(sql, member.staffid) == 5


async def test_a_disabled_account_is_signed_out_at_once(product: Product) -> None:
    member = await staff(product)
    assert (await member.get("jobs")).status_code == 200
    said = await product.scripts.run_job("removestaff", {"email": member.email.upper()})
    assert member.email in said
    await until(lambda: _is_out(member))
    body = {"email": member.email, "password": PASSWORD}
    assert (await product.caller().post(API + "user/session", json=body)).status_code == 401
    with pytest.raises(ApiError, match="no staff account"):
        await product.scripts.run_job("removestaff", {"email": member.email})
    listed = await product.scripts.run_job("liststaff", {})
    (row,) = [row for row in listed if row["email"] == member.email]
    assert (row["isactive"], row["has_password"]) == (0, False)


async def test_an_address_belongs_to_either_a_user_or_staff(product: Product) -> None:
    account, member = await product.account(), await staff(product)
    with pytest.raises(ApiError) as refused:
        await product.scripts.run_job("addstaff", {"email": account.owner.email, "name": "Ann"})
    assert refused.value.reason == "email_exists"
    taken = await account.owner.table("POST", "appuser", {"email": member.email, "name": "Eve Member"})
    assert rejection(taken) == (409, "email_exists")
    record = {"type": "register", "email": member.email, "name": "Eve", "password": PASSWORD, "terms": True}
    registered = await product.caller().post(TABLE + "client", json={"resource": [record]})
    assert rejection(registered) == (409, "email_exists")
