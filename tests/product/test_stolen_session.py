"""A thief with one token of the owner, and a change of the address that is undone.

After the owner's reset nothing of the thief's works, and nothing that the owner needs is lost.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from product.accounts import passwords, tokens
from tests.helpers.changes import EventStream
from tests.helpers.oauth import OAuthClient, consent, signed_in
from tests.helpers.product import API, KEY, TABLE, Account, Product, User
from tests.helpers.support import ok
from tests.product.test_second_factor import Phone
from tests.product.test_takeover import enter

PASSWORD, FRESH_PASSWORD = "Sesame123", "Better456"
SESSION, RESET, UNDO = API + "user/session", API + "user/password", API + "emailundo"
HOOK = {"url": "https://hooks.example.com/x", "events": ["credits.low"]}
Google = Callable[..., None]


@pytest.fixture(scope="module")
async def hashed() -> str:
    return await passwords.hashed(PASSWORD)


@pytest.fixture
async def account(product: Product, hashed: str) -> Account:
    account = await product.account(password=hashed)
    await product.db.execute("update appuser set passwordproved = 1 where appuserid = $1", account.owner.appuserid)
    return account


async def _key(http: httpx2.AsyncClient, **proof: str) -> tuple[int, str]:
    sent = {"purpose": "x", "scopes": ["usage", "lookup", "contacts"]}
    made = await http.post(TABLE + "apikeys", json={"resource": [sent], **proof})
    row = ok(made)["resource"][0]
    return row["keyid"], row["apikey"]


async def _hook(http: httpx2.AsyncClient, **proof: str) -> int:
    made = await http.post(TABLE + "webhook", json={"resource": [HOOK], **proof})
    return int(ok(made)["resource"][0]["webhookid"])


async def _opens(product: Product, key: str) -> int:
    """Return the status of a call by an API key."""
    return (await product.caller(key=key).get(API + "account/credits")).status_code


async def _active(product: Product, webhookid: int) -> int:
    return int(await product.db.fetchval("select isactive from webhook where webhookid = $1", webhookid))


async def _reset(product: Product, email: str, password: str = FRESH_PASSWORD) -> None:
    await product.caller().post(RESET, json={"email": email})
    await _choose(product, email, password)


async def _choose(product: Product, email: str, password: str = FRESH_PASSWORD) -> None:
    """Set a password with the newest mailed code."""
    _, query = await product.link(email)
    body = {"email": email, "code": query["code"], "new_password": password}
    response = await product.caller().post(RESET, json=body)
    assert response.status_code == 200, response.text


async def _sign_in(product: Product, email: str, password: str) -> httpx2.Response:
    return await product.caller().post(SESSION, json={"email": email, "password": password})


async def test_after_a_reset_nothing_of_a_thief_works_and_the_owner_loses_nothing(
    product: Product, account: Account, client: OAuthClient
) -> None:
    owner, member = account.owner, await account.user()
    await account.set_credits(50)
    person = await product.person()
    asked = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    assert (await owner.post("getcontact", **asked)).status_code == 200
    _, own_key = await _key(owner.http, password=PASSWORD)
    own_hook = await _hook(owner.http, password=PASSWORD)
    before = await account.credits()

    # The owner has just signed in to the stolen session.
    stolen = await account.session(owner.appuserid)
    thief = User(owner.appuserid, owner.email, stolen, product.caller(stolen))
    _, key = await _key(thief.http)
    webhookid = await _hook(thief.http)
    await signed_in(client, thief, "read write grant")
    made = await client.call("create_records", {"table": "webhook", "records": [HOOK]})
    assert made.status_code == 200, made.text
    code = client.code(await consent(thief, client.request("read"), "read"))
    ticket = await tokens.issue(product.ctx, "session", owner.appuserid)
    link = "insert into socialaccount (provider, subject, appuserid) values ('google', 'thief', $1)"
    await product.db.execute(link, owner.appuserid)
    for path, body in (
        ("emailcodeverification", {"oldemail": owner.email, "newemail": "thief@evil.example"}),
        ("user/mfa/setup", {}),
        ("user/mfa/disable", {}),
        ("user/mfa/recoverycodes", {}),
    ):
        refused = await thief.post(path, **body)
        assert refused.json()["error"]["context"]["reason"] == "confirmation_required", path
    headers = {"X-API-Key": KEY, "X-Session-Token": stolen}
    async with EventStream(product.app, f"{TABLE}usercredit/_changes", headers, {}) as stream:
        assert await stream.next() == ("reset", {})
        assert await _opens(product, key) == 200
        await _reset(product, owner.email)
        assert await stream.ended()

    assert (await thief.http.get(SESSION)).status_code == 401
    assert (await product.caller().get(SESSION, params={"session_token": ticket})).status_code == 401
    assert await product.db.fetchval("select count(*) from socialaccount where subject = 'thief'") == 0
    assert await _opens(product, key) == 401
    assert await _active(product, webhookid) == 0
    assert (await client.call("query", {"table": "client"})).status_code == 401
    assert (await client.refresh()).json()["error"] == "invalid_grant"
    assert (await client.redeem(code)).json()["error"] == "invalid_grant"
    hooks = "select array_agg(webhookid) from webhook where clientid = $1 and isactive = 1"
    assert await product.db.fetchval(hooks, account.clientid) == [own_hook]

    again = await _sign_in(product, owner.email, FRESH_PASSWORD)
    http = product.caller(again.json()["session_token"])
    assert await _opens(product, own_key) == 200
    assert len((await http.get(TABLE + "usercontact")).json()["resource"]) == 1
    assert await account.credits() == before | {"apicallcount": before["apicallcount"] - 1}
    assert await account.ledger_fits()
    assert (await member.http.get(SESSION)).status_code == 200
    users = (await http.get(TABLE + "appuser")).json()["resource"]
    assert {row["appuserid"] for row in users} == {owner.appuserid, member.appuserid}


async def test_a_rotation_or_a_move_without_a_proof_ends_with_the_reset(product: Product, account: Account) -> None:
    owner = account.owner
    keyid, _ = await _key(owner.http, password=PASSWORD)
    kept, _ = await _key(owner.http)
    hook, kept_hook = await _hook(owner.http, password=PASSWORD), await _hook(owner.http)
    stolen = (await owner.post("rotateapikey", keyid=keyid)).json()["apikey"]
    own = (await owner.post("rotateapikey", keyid=kept, password=PASSWORD)).json()["apikey"]
    for webhookid, proof in ((hook, {}), (kept_hook, {"password": PASSWORD})):
        moved = {"webhookid": webhookid, "url": "https://hooks.example.com/moved"}
        done = await owner.http.patch(TABLE + "webhook", json={"resource": [moved], **proof})
        assert done.status_code == 200, done.text
    same = {"webhookid": kept_hook, "url": "https://hooks.example.com/moved", "isactive": 1}
    assert (await owner.table("PATCH", "webhook", same)).status_code == 200, "the address is the same"
    await _reset(product, owner.email)
    assert [await _opens(product, key) for key in (stolen, own)] == [401, 200]
    assert [await _active(product, one) for one in (hook, kept_hook)] == [0, 1]


async def test_a_members_reset_ends_no_key_of_the_account(product: Product, account: Account, hashed: str) -> None:
    _, key = await _key(account.owner.http)
    await _reset(product, (await account.user(password=hashed)).email)
    assert await _opens(product, key) == 200


async def test_a_change_of_the_password_by_its_owner_ends_no_key(product: Product, account: Account) -> None:
    _, key = await _key(account.owner.http)
    changed = await account.owner.post("user/password", old_password=PASSWORD, new_password=FRESH_PASSWORD)
    assert changed.status_code == 200
    assert await _opens(product, key) == 200


# -- the link of the notice --------------------------------------------------------------------------------------------


async def _ask(product: Product, user: User, password: str = PASSWORD, **proof: str) -> tuple[str, str, str]:
    """Ask for a change of the address. Returns the new one, its code, and the code that undoes it."""
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    asked = await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=password, **proof)
    assert asked.status_code == 200, asked.text
    _, code = await product.link(new)
    path, undo = await product.link(user.email)
    assert path == "/undoemail"
    return new, code["code"], undo["code"]


async def _move(product: Product, user: User, password: str = PASSWORD, **proof: str) -> tuple[User, str]:
    """Change the address. Returns the user with its new session, and the code that undoes it."""
    new, code, undo = await _ask(product, user, password, **proof)
    done = await user.post("emailupdate", type="update", newemail=new, code=code)
    token = ok(done)["session_token"]
    return User(user.appuserid, new, token, product.caller(token)), undo


async def _undo(product: Product, code: str, *, confirm: bool = True) -> httpx2.Response:
    return await product.caller().post(UNDO, json={"code": code, "confirm": confirm})


async def test_unknown_links_undo_nothing(product: Product, account: Account) -> None:
    _, undo = await _move(product, account.owner)
    for code in ("", "nonsense", "\u0000", "a" * 5000):
        assert (await _undo(product, code)).status_code in (400, 404), code
    await product.db.execute("update formeraddress set expireson = now() where appuserid = $1", account.owner.appuserid)
    for confirm in (False, True):
        late = await _undo(product, undo, confirm=confirm)
        assert (late.status_code, late.json()["error"]["context"]["case"]) == (404, "code_expired")
    assert (await product.caller(key="").post(UNDO, json={"code": undo})).status_code == 401


async def test_the_old_address_undoes_the_change_and_ends_what_followed_it(
    product: Product, account: Account, google: Google, client: OAuthClient
) -> None:
    owner = account.owner
    _, own_key = await _key(owner.http, password=PASSWORD)
    thief, undo = await _move(product, owner)
    _, key = await _key(thief.http, password=PASSWORD)
    hook = await _hook(thief.http, password=PASSWORD)
    await signed_in(client, thief, "read")
    google(thief.email, "thief")
    assert (await enter(product)).json()["resource"][0]["action"] == "login"
    setup = (await thief.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    on = await thief.post("user/mfa/confirm", setup=setup["setup"], code=phone.code())
    farther, _ = await _move(product, thief, code=ok(on)["recoverycodes"][0])
    _, back = await product.link(thief.email)

    shown = (await _undo(product, undo, confirm=False)).json()
    assert shown == {
        "success": 1, "state": "open", "email": owner.email, "newemail": thief.email, "changed": True,
    }  # fmt: skip
    assert (await farther.http.get(SESSION)).status_code == 200
    done = await _undo(product, undo)
    assert (done.status_code, done.json()["state"]) == (200, "used")

    assert (await farther.http.get(SESSION)).status_code == 401
    assert (await client.call("query", {"table": "client"})).status_code == 401
    assert [await _opens(product, one) for one in (key, own_key)] == [401, 200]
    assert await _active(product, hook) == 0
    assert (await enter(product)).json()["resource"][0]["action"] == "signup"
    for email in (owner.email, thief.email, farther.email):
        assert (await _sign_in(product, email, PASSWORD)).status_code == 401
    assert (await _undo(product, back["code"])).json()["state"] == "used"
    row = await product.db.fetchrow("select email, mfacipher from appuser where appuserid = $1", owner.appuserid)
    assert tuple(row or ()) == (owner.email, None)
    await _choose(product, owner.email)
    assert (await _sign_in(product, owner.email, FRESH_PASSWORD)).status_code == 200
    again = await _undo(product, undo)
    assert (again.status_code, again.json()["state"]) == (200, "used")
    assert (await _sign_in(product, owner.email, FRESH_PASSWORD)).status_code == 200
    events = await product.db.fetch("select event from auditlog where clientid = $1", account.clientid)
    assert [row["event"] for row in events].count("email_change_undone") == 1


async def test_the_second_factor_of_before_the_change_comes_back(product: Product, account: Account) -> None:
    owner = account.owner
    setup = (await owner.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    on = await owner.post("user/mfa/confirm", setup=setup["setup"], code=phone.code(steps=-1))
    codes = on.json()["recoverycodes"]
    thief, undo = await _move(product, owner, code=codes[0])
    assert (await thief.post("user/mfa/disable", password=PASSWORD, code=codes[1])).status_code == 200
    assert (await _undo(product, undo)).status_code == 200
    await _choose(product, owner.email)
    first = await _sign_in(product, owner.email, FRESH_PASSWORD)
    ticket = first.json()["error"]["context"]["mfatoken"]
    for code, status in ((codes[0], 401), (phone.code(), 200)):
        second = await product.caller().post(SESSION, json={"mfatoken": ticket, "code": code})
        assert second.status_code == status, second.text


async def test_the_link_also_stops_a_change_that_waits_for_its_code(product: Product, account: Account) -> None:
    owner = account.owner
    new, code, undo = await _ask(product, owner)
    assert (await _undo(product, undo, confirm=False)).json()["changed"] is False
    assert (await _undo(product, undo)).status_code == 200
    assert (await owner.post("emailupdate", type="update", newemail=new, code=code)).status_code == 401
    await _choose(product, owner.email)
    http = product.caller((await _sign_in(product, owner.email, FRESH_PASSWORD)).json()["session_token"])
    late = await http.post(API + "emailupdate", json={"type": "update", "newemail": new, "code": code})
    assert late.status_code == 422


async def test_the_old_address_is_reserved_for_72_hours(product: Product, account: Account, google: Google) -> None:
    owner, other = account.owner, (await product.account()).owner
    moved, _ = await _move(product, owner)
    google(owner.email)
    signup = {"type": "register", "email": owner.email, "name": "A", "password": PASSWORD, "terms": True}
    invited = {"name": "Ina Invited", "email": owner.email, "role": "member"}

    async def doors() -> list[int]:
        return [
            (await product.caller(ip="10.66.0.1").post(TABLE + "client", json={"resource": [signup]})).status_code,
            (await enter(product)).status_code,
            (await other.table("POST", "appuser", invited)).status_code,
            (await other.post("emailcodeverification", oldemail=other.email, newemail=owner.email)).status_code,
        ]

    assert await doors() == [409] * 4
    back = await moved.post("emailcodeverification", oldemail=moved.email, newemail=owner.email, password=PASSWORD)
    assert back.status_code == 200, back.text
    await product.db.execute("update formeraddress set expireson = now() where appuserid = $1", owner.appuserid)
    assert (await other.post("emailcodeverification", oldemail=other.email, newemail=owner.email)).status_code == 200


# -- the provider ------------------------------------------------------------------------------------------------------


async def test_a_provider_does_not_replace_the_second_step(product: Product, account: Account, google: Google) -> None:
    owner = account.owner
    setup = (await owner.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    await owner.post("user/mfa/confirm", setup=setup["setup"], code=phone.code(steps=-1))
    for proved in (1, 0):
        await product.db.execute("update appuser set passwordproved = $1 where appuserid = $2", proved, owner.appuserid)
        google(owner.email, f"google-{owner.appuserid}")
        first = await enter(product)
        error = first.json()["error"]
        assert (first.status_code, error["code"], error["context"]["reason"]) == (403, 804, "mfa_required")
        linked = "select count(*) from socialaccount where appuserid = $1"
        assert await product.db.fetchval(linked, owner.appuserid) == 1 - proved
        body: dict[str, Any] = {"mfatoken": error["context"]["mfatoken"], "code": phone.wrong()}
        assert (await product.caller().post(SESSION, json=body)).status_code == 401
        body["code"] = phone.code(steps=1 - proved)
        second = await product.caller().post(SESSION, json=body)
        assert (second.status_code, second.json()["email"]) == (200, owner.email)
        assert await product.db.fetchval(linked, owner.appuserid) == 1
        assert (await product.caller().post(SESSION, json=body)).status_code == 401
    assert (await _sign_in(product, owner.email, PASSWORD)).json()["error"]["code"] == 804
