"""A mailed temporary password permits nothing but changing the password."""

from __future__ import annotations

import pytest

from product.accounts import passwords
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import ok

PASSWORD, NEW = "Sesame123", "Better456"
SESSION = API + "user/session"


@pytest.fixture
async def user(account: Account) -> User:
    return await account.user(password=await passwords.hashed(PASSWORD), mustchangepassword=1)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "leads/_table"),
        ("GET", "leads/_table/appuser"),
        ("GET", "leads/_table/subscriptionplan"),
        ("GET", "leads/_table/usercontact?related=*"),
        ("PATCH", "leads/_table/appuser"),
        ("POST", "leads/_table/contactfeedback"),
        ("DELETE", "leads/_table/usersession"),
        ("GET", "leads/_schema/appuser"),
        ("GET", "leads/_spec"),
        ("GET", "_spec"),
        ("GET", ""),
        ("POST", "searchurl"),
        ("POST", "getcontact"),
        ("POST", "searchname"),
        ("POST", "emailcodeverification"),
        ("POST", "userimage"),
        ("POST", "registration_confirmation"),
        ("POST", "sendverificationemail"),
        ("POST", "checkemailexists"),
        ("POST", "getappuserbyemail"),
        ("POST", "bulklookup"),
        ("GET", "account/credits"),
        ("GET", "invoicepdf?invoicenumber=1"),
    ],
)
async def test_every_other_call_requires_the_password_change(user: User, method: str, path: str) -> None:
    response = await user.http.request(method, API + path, json={"resource": []} if method != "GET" else None)
    assert response.status_code == 403, response.text
    context = response.json()["error"]["context"]
    assert (context["reason"], context["scope"]) == ("password_change_required", "resource")


async def test_a_temporary_session_can_change_its_password(product: Product, user: User) -> None:
    signed = await product.caller().post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert (signed.status_code, signed.json()["mustchangepassword"]) == (200, 1)
    http = product.caller(signed.json()["session_token"])
    assert [(await http.request(method, SESSION)).json()["mustchangepassword"] for method in ("GET", "PUT")] == [1, 1]
    same = await http.post(API + "user/password", json={"old_password": PASSWORD, "new_password": PASSWORD})
    assert same.status_code == 422
    body = {"old_password": PASSWORD, "new_password": NEW}
    changed = await http.post(API + "user/password", json=body, params={"reset": "true", "login": "true"})
    assert (await http.get(SESSION)).status_code == 401
    http = product.caller(ok(changed)["session_token"])
    assert (await http.get(SESSION)).json()["mustchangepassword"] == 0
    assert (await http.get(TABLE + "appuser")).status_code == 200
    assert (await http.post(API + "searchname", json={})).status_code == 200


async def test_the_session_can_be_ended(user: User) -> None:
    assert (await user.http.delete(SESSION)).json() == {"success": True}
    assert (await user.http.get(SESSION)).status_code == 401


async def test_a_mailed_reset_counts_as_a_password_change(product: Product, user: User) -> None:
    await product.caller().post(API + "user/password", json={"email": user.email})
    _, query = await product.link(user.email)
    body = {"email": user.email, "code": query["code"], "new_password": NEW}
    assert (await product.caller().post(API + "user/password", json=body)).status_code == 200
    signed = await product.caller().post(SESSION, json={"email": user.email, "password": NEW})
    assert signed.json()["mustchangepassword"] == 0
    http = product.caller(signed.json()["session_token"])
    assert (await http.post(API + "searchname", json={})).status_code == 200


async def test_a_token_of_a_temporary_session_does_not_prevent_a_sign_in(
    product: Product, account: Account, user: User
) -> None:
    other = await account.user(password=await passwords.hashed(PASSWORD))
    signed = await user.http.post(SESSION, json={"email": other.email, "password": PASSWORD})
    assert (signed.status_code, signed.json()["email"]) == (200, other.email)
