"""Accounts registered with another person's address, and codes mailed to an address before it changed."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from product.accounts import passwords, tokens
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import ok

PASSWORD, OTHER = "Sesame123", "Better456"
SESSION, RESET = API + "user/session", API + "user/password"


async def enter(product: Product, **fields: Any) -> httpx2.Response:
    """Sign in through the provider."""
    http = product.caller()
    details = await http.post(API + "google_userdetails", json={"credential": "x", "nonce": "x"})
    record = {"type": "social", "proof": details.json()["proof"], "terms": True} | fields
    return await http.post(TABLE + "client", json={"resource": [record]})


async def _register(product: Product, ip: str = "") -> tuple[str, int, httpx2.AsyncClient]:
    email = f"victim-{secrets.token_hex(5)}@target.example"
    record = {"type": "register", "email": email, "name": "A", "password": PASSWORD, "terms": True}
    response = await product.caller(ip=ip).post(TABLE + "client", json={"resource": [record]})
    body = response.json()["resource"][0]["clientdata"]
    return email, body["user"]["appuserid"], product.caller(body["session_token"])


async def _sign_in(product: Product, email: str, password: str = PASSWORD) -> httpx2.Response:
    return await product.caller().post(SESSION, json={"email": email, "password": password})


async def _verify(product: Product, email: str, session: httpx2.AsyncClient, browser: httpx2.AsyncClient) -> None:
    await session.post(API + "sendverificationemail", json={"email": email})
    _, query = await product.link(email)
    used = await browser.post(API + "updatinvitedappuser", json={"email": email, "verifytoken": query["code"]})
    assert used.status_code == 200, used.text


async def test_a_provider_evicts_an_earlier_registration(product: Product, google: Callable[..., None]) -> None:
    email, appuserid, registrant = await _register(product)
    await registrant.post(API + "sendverificationemail", json={"email": email})
    _, mailed = await product.link(email)
    refused = await _sign_in(product, email)
    check = refused.json()["error"]["context"]["checktoken"]
    google(email)
    entered = (await enter(product)).json()["resource"][0]
    assert entered["action"] == "login"

    assert (await registrant.get(SESSION)).status_code == 401
    assert (await registrant.get(TABLE + "appuser")).status_code == 401
    assert (await _sign_in(product, email)).status_code == 401
    late = await product.caller().post(
        API + "updatinvitedappuser", json={"email": email, "verifytoken": mailed["code"]}
    )
    state = await product.caller().post(API + "getappuserbyemail", json={"email": email, "checktoken": check})
    assert (late.status_code, state.json()) == (404, {"resource": []})
    owner = await product.caller(entered["session_token"]).get(SESSION)
    assert (owner.status_code, owner.json()["isverified"]) == (200, 1)
    events = await product.db.fetch("select event from auditlog where appuserid = $1 order by auditid", appuserid)
    items = [row["event"] for row in events]
    assert "signin" in items[items.index("account_claimed") :]
    subjects = [mail["Subject"] for mail in await product.mails(email)]
    assert "Your password was removed" in subjects
    # The same identity signs in again, and a password set by its owner stays.
    await product.caller().post(RESET, json={"email": email})
    _, query = await product.link(email)
    body = {"email": email, "code": query["code"], "new_password": OTHER}
    assert (await product.caller().post(RESET, json=body)).status_code == 200
    assert (await enter(product)).json()["resource"][0]["action"] == "login"
    assert (await _sign_in(product, email, OTHER)).status_code == 200


async def test_a_removed_password_is_reported_in_the_users_language(
    product: Product, google: Callable[..., None]
) -> None:
    email, appuserid, _ = await _register(product)
    await product.db.execute("update appuser set language = 'de' where appuserid = $1", appuserid)
    google(email)
    assert (await enter(product)).status_code == 200
    subjects = [mail["Subject"] for mail in await product.mails(email)]
    assert subjects == ["Ihr Passwort wurde entfernt", "Willkommen bei Openlead"]


async def test_an_identity_linked_before_the_proof_is_unlinked(product: Product, google: Callable[..., None]) -> None:
    email, appuserid, _ = await _register(product)
    sql = "insert into socialaccount (provider, subject, appuserid) values ('linkedin', $1, $2)"
    await product.db.execute(sql, f"earlier-{appuserid}", appuserid)
    google(email)
    assert (await enter(product)).status_code == 200
    rows = await product.db.fetch("select provider from socialaccount where appuserid = $1", appuserid)
    assert [row["provider"] for row in rows] == ["google"]


async def test_a_linked_identity_does_not_verify_another_address(product: Product, google: Callable[..., None]) -> None:
    _, appuserid, _ = await _register(product)
    google(f"other-{secrets.token_hex(4)}@else.example", "subject-of-another")
    sql = "insert into socialaccount (provider, subject, appuserid) values ('google', 'subject-of-another', $1)"
    await product.db.execute(sql, appuserid)
    refused = await enter(product)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, 802)
    assert await product.db.fetchval("select isverified from appuser where appuserid = $1", appuserid) == 0


@pytest.mark.parametrize("place", ["session", "network", "elsewhere"])
async def test_a_password_is_the_address_holders_when_its_browser_or_network_verified(
    product: Product, google: Callable[..., None], place: str
) -> None:
    email, _, registrant = await _register(product, ip="2001:db8:5:6::1" if place == "network" else "")
    browsers = {
        "session": registrant,
        "network": product.caller(ip="2001:db8:5:6:ffff::2"),
        "elsewhere": product.caller(),
    }
    await _verify(product, email, registrant, browsers[place])
    assert (await _sign_in(product, email)).status_code == 200
    google(email)
    assert (await enter(product)).status_code == 200
    kept = place != "elsewhere"
    assert (await _sign_in(product, email)).status_code == (200 if kept else 401)
    assert (await registrant.get(SESSION)).status_code == (200 if kept else 401)


async def test_an_unaccepted_invitation_stays_closed(
    product: Product, account: Account, google: Callable[..., None]
) -> None:
    email = f"invited-{secrets.token_hex(4)}@target.example"
    record = {"name": "Ina Invited", "email": email, "role": "member"}
    (added,) = (await account.owner.table("POST", "appuser", record)).json()["resource"]
    google(email)
    refused = await enter(product)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, 803)
    row = await product.db.fetchrow("select * from appuser where appuserid = $1", added["appuserid"])
    assert row is not None
    assert (row["invitestatus"], row["isverified"], row["isactive"]) == ("pending", 0, 0)


async def test_the_temporary_password_of_an_accepted_invitation_ends_with_the_provider(
    product: Product, account: Account, google: Callable[..., None]
) -> None:
    hashed = await passwords.hashed(PASSWORD)
    user = await account.user(password=hashed, mustchangepassword=1)
    google(user.email)
    entered = await enter(product)
    token = entered.json()["resource"][0]["session_token"]
    session = await product.caller(token).get(SESSION)
    assert (session.status_code, session.json()["mustchangepassword"]) == (200, 0)
    assert (await product.caller(token).post(API + "searchname", json={})).status_code == 200
    assert (await _sign_in(product, user.email)).status_code == 401


async def test_a_reset_verifies_the_address_and_evicts(product: Product) -> None:
    email, appuserid, registrant = await _register(product)
    await product.caller().post(RESET, json={"email": email})
    _, query = await product.link(email)
    body = {"email": email, "code": query["code"], "new_password": OTHER}
    assert (await product.caller().post(RESET, json=body)).status_code == 200
    assert (await registrant.get(SESSION)).status_code == 401
    assert (await _sign_in(product, email)).status_code == 401
    assert (await _sign_in(product, email, OTHER)).status_code == 200
    assert await product.db.fetchval("select isverified from appuser where appuserid = $1", appuserid) == 1
    assert any(str(mail["Subject"]).startswith("Welcome") for mail in await product.mails(email))


async def test_a_change_by_the_old_password_does_not_verify_the_address(
    product: Product, google: Callable[..., None]
) -> None:
    email, _, registrant = await _register(product)
    await _verify(product, email, registrant, product.caller())
    session = product.caller((await _sign_in(product, email)).json()["session_token"])
    changed = await session.post(RESET, json={"old_password": PASSWORD, "new_password": OTHER})
    google(email)
    assert (await enter(product)).status_code == 200
    assert (await product.caller(changed.json()["session_token"]).get(SESSION)).status_code == 401
    assert (await _sign_in(product, email, OTHER)).status_code == 401


# -- a changed address -------------------------------------------------------------------------------------------------


@pytest.fixture
async def user(account: Account) -> User:
    return await account.user(password=await passwords.hashed(PASSWORD))


async def _move(product: Product, user: User) -> tuple[str, httpx2.AsyncClient]:
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=PASSWORD)
    _, query = await product.link(new)
    done = await user.post("emailupdate", type="update", newemail=new, code=query["code"])
    return new, product.caller(ok(done)["session_token"])


async def test_codes_mailed_to_the_old_address_are_invalid_after_a_change(
    product: Product, account: Account, user: User
) -> None:
    await product.caller().post(RESET, json={"email": user.email})
    _, reset = await product.link(user.email)
    await account.owner.post("emailtonewuser", appuserid=user.appuserid, type="verification")
    _, verify = await product.link(user.email)
    check = await tokens.issue(product.ctx, "check", user.appuserid)
    ticket = await tokens.issue(product.ctx, "session", user.appuserid)
    new, _ = await _move(product, user)
    for email in (user.email, new):
        body = {"email": email, "code": reset["code"], "new_password": OTHER}
        assert (await product.caller().post(RESET, json=body)).status_code == 404
        used = {"email": email, "verifytoken": verify["code"]}
        assert (await product.caller().post(API + "updatinvitedappuser", json=used)).status_code == 404
        shown = await product.caller().get(
            TABLE + "appuser", params={"filter": f"(email={email}) and (verifytoken={verify['code']})"}
        )
        assert shown.json() == {"resource": []}
        state = await product.caller().post(API + "getappuserbyemail", json={"email": email, "checktoken": check})
        assert state.json() == {"resource": []}
    assert (await product.caller().get(SESSION, params={"session_token": ticket})).status_code == 401
    assert await product.db.fetchval("select count(*) from onetimetoken where appuserid = $1", user.appuserid) == 0
    assert (await _sign_in(product, new)).status_code == 200


async def test_a_token_is_rejected_after_a_change_of_address(product: Product, user: User) -> None:
    """Also reject a token stored after the change by a job that read the old address before."""
    new, _ = await _move(product, user)
    code = await tokens.issue(product.ctx, "reset", user.appuserid, email=user.email)
    body = {"email": new, "code": code, "new_password": OTHER}
    assert (await product.caller().post(RESET, json=body)).status_code == 404
    assert (await _sign_in(product, new)).status_code == 200


async def test_a_change_of_address_by_any_program_ends_the_tokens(product: Product, user: User) -> None:
    code = await tokens.issue(product.ctx, "reset", user.appuserid)
    await product.db.execute("update appuser set email = upper(email) where appuserid = $1", user.appuserid)
    assert await tokens.find(product.ctx, code, "reset") is not None  # the same address in other letter case
    await product.db.execute("update appuser set email = 'x' || email where appuserid = $1", user.appuserid)
    assert await tokens.find(product.ctx, code, "reset") is None


async def test_a_pending_change_ends_with_a_password_change(product: Product, user: User) -> None:
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=PASSWORD)
    _, query = await product.link(new)
    changed = await user.http.post(RESET, json={"old_password": PASSWORD, "new_password": OTHER})
    http = product.caller(changed.json()["session_token"])
    late = await http.post(API + "emailupdate", json={"type": "update", "newemail": new, "code": query["code"]})
    assert late.status_code == 422
