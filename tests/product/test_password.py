"""Forgotten, reset and changed passwords, and a changed e-mail address."""

from __future__ import annotations

import secrets

import pytest

from product.accounts import passwords
from tests.helpers.product import API, Account, Product, User

OLD, NEW = "Sesame123", "Better456"
PASSWORD, SESSION = API + "user/password", API + "user/session"


@pytest.fixture
async def user(account: Account) -> User:
    return await account.user(password=await passwords.hashed(OLD))


async def test_a_mailed_reset_link_works_once(product: Product, user: User) -> None:
    http = product.caller()
    assert (await http.post(PASSWORD, params={"reset": "true"}, json={"email": user.email})).json() == {"success": True}
    path, query = await product.link(user.email)
    assert path == "/resetpassword"
    body = {"email": query["email"], "code": query["code"], "new_password": NEW}
    weak = await http.post(PASSWORD, json=body | {"new_password": "weak"})
    foreign = await http.post(PASSWORD, json=body | {"email": "x@y.example"})
    good = await http.post(PASSWORD, json=body)
    again = await http.post(PASSWORD, json=body)
    assert [response.status_code for response in (weak, foreign, good, again)] == [422, 404, 200, 404]
    assert again.json()["error"]["context"]["scope"] == "resource"
    assert again.json()["error"]["context"]["case"] == "code_expired"
    rule = weak.json()["error"]["context"]["field_errors"]["new_password"]
    assert rule == {"case": "password_short", "limit": 8}
    assert (await user.http.get(SESSION)).status_code == 401
    codes = [
        (await product.caller().post(SESSION, json={"email": user.email, "password": word})).status_code
        for word in (OLD, NEW)
    ]
    assert codes == [401, 200]


async def test_a_new_request_invalidates_the_older_link(product: Product, user: User) -> None:
    links = []
    for _ in range(2):
        await product.caller().post(PASSWORD, json={"email": user.email})
        links.append((await product.link(user.email))[1]["code"])
    responses = [
        await product.caller().post(PASSWORD, json={"email": user.email, "code": code, "new_password": NEW})
        for code in links
    ]
    assert [response.status_code for response in responses] == [404, 200]


async def test_three_resets_an_hour_per_address(product: Product, user: User) -> None:
    codes = [(await product.caller().post(PASSWORD, json={"email": user.email})).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]


async def test_unknown_address_gets_no_mail(product: Product) -> None:
    await product.caller().post(PASSWORD, json={"email": "nobody@unknown.example"})
    assert await product.mails("nobody@unknown.example") == []


async def test_change_ends_the_other_sessions(product: Product, account: Account, user: User) -> None:
    elsewhere = product.caller(await account.session(user.appuserid))
    body = {"old_password": OLD, "new_password": NEW, "confirm_password": NEW}
    assert (await product.caller().post(PASSWORD, json=body)).status_code == 401
    for change, field in (
        ({"old_password": "Wrong1234"}, "old_password"),
        ({"new_password": OLD, "confirm_password": OLD}, "new_password"),
        ({"new_password": "weak"}, "new_password"),
        ({"confirm_password": "Other1234"}, "confirm_password"),
    ):
        refused = await user.http.post(PASSWORD, json=body | change)
        assert (refused.status_code, list(refused.json()["error"]["context"]["fields"])) == (422, [field])
    good = await user.http.post(PASSWORD, json=body, params={"reset": "true", "login": "true"})
    assert good.json()["success"] is True
    assert (await elsewhere.get(SESSION)).status_code == 401
    assert (await product.caller(good.json()["session_token"]).get(SESSION)).status_code == 200
    assert "changed" in (await product.mails(user.email))[-1]["Subject"]


async def test_invalid_new_addresses_are_rejected(product: Product, account: Account, user: User) -> None:
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    for fields, reason in (
        ({"oldemail": user.email, "newemail": user.email}, "newemail"),
        ({"oldemail": user.email, "newemail": "x@gmail.com"}, "newemail"),
        ({"oldemail": user.email, "newemail": "nonsense"}, "newemail"),
    ):
        refused = await user.post("emailcodeverification", **fields)
        assert (refused.status_code, list(refused.json()["error"]["context"]["fields"])) == (422, [reason])
    taken = await user.post("emailcodeverification", oldemail=user.email, newemail=account.owner.email, password=OLD)
    foreign = await user.post("emailcodeverification", oldemail=account.owner.email, newemail=new, password=OLD)
    assert (taken.status_code, foreign.status_code) == (409, 403)


async def test_the_mailed_code_changes_the_address(product: Product, user: User) -> None:
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    response = await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=OLD)
    assert response.json() == {"success": 1}
    path, query = await product.link(new)
    assert (path, query["newemail"]) == ("/dashboard/settings/myaccount", new)
    assert "about to change" in (await product.mails(user.email))[-1]["Subject"]
    missing = await user.post("emailupdate", type="update", newemail=new, code="")
    wrong = await user.post("emailupdate", type="update", newemail=new, code="x")
    other = await user.post("emailupdate", type="update", newemail="z@z.example", code=query["code"])
    assert [response.status_code for response in (missing, wrong, other)] == [422, 422, 422]
    assert wrong.json()["error"]["context"]["reason"] == "code_mismatch"
    good = await user.post("emailupdate", type="update", newemail=new, code=query["code"], afid="ignored")
    assert good.json()["success"] == 1
    assert (await user.http.get(SESSION)).status_code == 401
    assert (await product.caller(good.json()["session_token"]).get(SESSION)).json()["email"] == new


async def test_five_wrong_codes_invalidate_the_right_one(product: Product, user: User) -> None:
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=OLD)
    _, query = await product.link(new)
    for _ in range(5):
        await user.post("emailupdate", type="update", newemail=new, code="wrong")
    late = await user.post("emailupdate", type="update", newemail=new, code=query["code"])
    assert late.status_code == 422


async def test_no_token_or_password_is_in_the_database_in_clear(product: Product, user: User) -> None:
    await product.caller().post(PASSWORD, json={"email": user.email})
    _, query = await product.link(user.email)
    places = []
    tables = await product.db.fetch("select format('%I', relname) as name from pg_class where relkind = 'r'"
                                  " and relnamespace = 'public'::regnamespace")  # fmt: skip
    for table in tables:
        for secret in (query["code"], user.token, OLD):
            sql = f"select count(*) from {table['name']} t where position($1 in t::text) > 0"
            if await product.db.fetchval(sql, secret):
                places.append(table["name"])
    assert places == []
