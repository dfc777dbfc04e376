"""Calls that could take an account over ask for a proof of the user: password, code, or a sign-in just now."""

from __future__ import annotations

import json
import secrets
from typing import Any

import httpx2
import pytest

from product.accounts import passwords
from tests.helpers.oauth import OAuthClient, signed_in
from tests.helpers.product import API, TABLE, Product, User
from tests.helpers.support import rejection
from tests.product.test_second_factor import Phone

PASSWORD = "Sesame123"
STALE = "update usersession set signedinon = now() - interval '11 minutes' where appuserid = $1"
HOOK = {"url": "https://hooks.example.com/x", "events": ["credits.low"]}
KEY = {"purpose": "x"}


@pytest.fixture(scope="module")
async def hashed() -> str:
    return await passwords.hashed(PASSWORD)


@pytest.fixture
async def owner(product: Product, hashed: str) -> User:
    return (await product.account(password=hashed)).owner


@pytest.fixture
async def social(product: Product) -> User:
    """Return an owner without a password, with one identity."""
    owner = (await product.account()).owner
    await _link(product, owner)
    return owner


async def _link(product: Product, user: User) -> int:
    sql = "insert into socialaccount (provider, subject, appuserid, email) values ('google', $1, $2, $3)"
    await product.db.execute(sql, secrets.token_hex(8), user.appuserid, user.email)
    sql = "select max(identityid) from socialaccount where appuserid = $1"
    return int(await product.db.fetchval(sql, user.appuserid))


async def _two_step(user: User) -> tuple[Phone, list[str]]:
    setup = (await user.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    on = await user.post("user/mfa/confirm", setup=setup["setup"], code=phone.code(steps=-1))
    return phone, on.json()["recoverycodes"]


def _missing(response: httpx2.Response) -> list[str]:
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (403, "confirmation_required"), response.text
    missing: list[str] = error["context"]["missing"]
    return missing


async def _call(user: User, call: str, **proof: Any) -> httpx2.Response:
    """Make one of the calls that ask for a proof."""
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    match call:
        case "apikeys":
            return await user.http.post(TABLE + call, json={"resource": [KEY], **proof})
        case "webhook":
            return await user.http.post(TABLE + call, json={"resource": [HOOK], **proof})
        case "rotateapikey":
            return await user.post(call, keyid=await _keyid(user), **proof)
        case "address of a webhook":
            row = (await user.table("GET", "webhook")).json()["resource"][0]
            moved = {"resource": {"url": "https://hooks.example.com/z"}, **proof}
            return await user.http.patch(f"{TABLE}webhook/{row['webhookid']}", json=moved)
        case "emailcodeverification":
            return await user.post(call, oldemail=user.email, newemail=new, **proof)
        case "identities":
            listed = (await user.http.get(API + "user/identities")).json()["resource"]
            body = {"identityid": listed[0]["identityid"], **proof}
            return await user.http.request("DELETE", API + "user/identities", json=body)
    return await user.post(f"user/mfa/{call}", **proof)


async def _keyid(user: User) -> int:
    return int((await user.table("GET", "apikeys")).json()["resource"][0]["keyid"])


FRESH = ("apikeys", "rotateapikey", "webhook", "address of a webhook")
STRICT = ("emailcodeverification", "recoverycodes", "identities", "disable")


async def test_a_session_alone_is_rejected(product: Product, owner: User) -> None:
    await _link(product, owner)
    await _call(owner, "apikeys")
    await _call(owner, "webhook")
    for call in STRICT:
        assert _missing(await _call(owner, call)) == ["password"], call
    await product.db.execute(STALE, owner.appuserid)
    for call in (*FRESH, *STRICT):
        assert _missing(await _call(owner, call)) == ["password"], call
        assert _missing(await _call(owner, call, password="", code="123456")) == ["password"], call
    counts = """
        select (select count(*) from apikeys where clientid = $1), (select count(*) from webhook where clientid = $1)
    """
    clientid = await product.db.fetchval("select clientid from appuser where appuserid = $1", owner.appuserid)
    assert tuple(await product.db.fetchrow(counts, clientid) or ()) == (1, 1)
    for call in (*FRESH[:3], "setup"):
        wrong = await _call(owner, call, password="Wrong1234")
        assert (wrong.status_code, list(wrong.json()["error"]["context"]["fields"])) == (422, ["password"])
    for call in (*FRESH, *STRICT[:1], "identities"):
        assert (await _call(owner, call, password=PASSWORD)).status_code == 200, call


async def test_wrong_proofs_are_limited_together_and_right_ones_do_not_count(product: Product, owner: User) -> None:
    for _ in range(7):
        assert (await _call(owner, "webhook", password=PASSWORD)).status_code == 200
    await _call(owner, "apikeys", password=PASSWORD)
    codes = [(await _call(owner, call, password="Wrong1234")).status_code for call in (*FRESH, "disable", "setup")]
    assert codes == [422] * 5 + [429]
    assert (await _call(owner, "apikeys", password=PASSWORD)).status_code == 429


async def test_two_step_sign_in_adds_a_code_that_works_once(product: Product, owner: User) -> None:
    await _link(product, owner)
    for call in FRESH[::2]:
        assert (await _call(owner, call)).status_code == 200
    phone, recovery = await _two_step(owner)
    await product.db.execute(STALE, owner.appuserid)
    for call in (*FRESH, *STRICT):
        assert _missing(await _call(owner, call)) == ["password", "code"], call
        assert _missing(await _call(owner, call, password=PASSWORD)) == ["code"], call
    assert _missing(await _call(owner, "apikeys", password=PASSWORD, code=phone.wrong())) == ["code"]
    code = phone.code()
    assert (await _call(owner, "apikeys", password=PASSWORD, code=code)).status_code == 200
    assert _missing(await _call(owner, "webhook", password=PASSWORD, code=code)) == ["code"]
    calls = (*FRESH, *(call for call in STRICT if call != "recoverycodes"))
    for call, one in zip(calls, recovery, strict=False):
        assert (await _call(owner, call, password=PASSWORD, code=one)).status_code == 200, call
    subjects = [str(mail["Subject"]) for mail in await product.mails(owner.email)]
    assert sum("recovery code was used" in subject for subject in subjects) == 7


async def test_an_account_without_a_password_signs_in_with_the_provider_again(product: Product, social: User) -> None:
    for call in (*FRESH[::2], "emailcodeverification"):
        assert (await _call(social, call)).status_code == 200, call
    await product.db.execute(STALE, social.appuserid)
    for call in (*FRESH, "emailcodeverification", "identities", "disable"):
        assert _missing(await _call(social, call)) == ["signin"], call
        assert _missing(await _call(social, call, password="x")) == ["signin"], call


async def test_the_last_identity_of_an_account_without_a_password_stays(product: Product, social: User) -> None:
    listed = (await social.http.get(API + "user/identities")).json()["resource"]
    assert [(row["provider"], row["email"]) for row in listed] == [("google", social.email)]
    kept = await _call(social, "identities")
    assert rejection(kept) == (409, "last_identity")
    other = await _link(product, social)
    for ident, status in ((2**62, 404), (0, 422), (other, 200), (other, 404)):
        response = await social.http.request("DELETE", API + "user/identities", json={"identityid": ident})
        assert response.status_code == status, response.text


async def test_an_identity_of_another_user_is_not_found(product: Product, owner: User, social: User) -> None:
    foreign = (await social.http.get(API + "user/identities")).json()["resource"][0]["identityid"]
    body = {"identityid": foreign, "password": PASSWORD}
    response = await owner.http.request("DELETE", API + "user/identities", json=body)
    assert (response.status_code, response.json()["error"]["context"]["case"]) == (404, "no_such_identity")
    assert (await owner.http.get(API + "user/identities")).json() == {"resource": []}


async def test_a_session_that_continues_another_is_not_fresh(product: Product, owner: User) -> None:
    await product.db.execute(STALE, owner.appuserid)
    await _call(owner, "emailcodeverification", password=PASSWORD)
    moved = await product.db.fetchval("select max(newemail) from formeraddress where appuserid = $1", owner.appuserid)
    _, query = await product.link(moved)
    done = await owner.post("emailupdate", type="update", newemail=moved, code=query["code"])
    http = product.caller(done.json()["session_token"])
    assert _missing(await http.post(TABLE + "apikeys", json={"resource": [KEY]})) == ["password"]
    changed = await http.post(
        API + "user/password", json={"old_password": PASSWORD, "new_password": "Better456", "code": ""}
    )
    http = product.caller(changed.json()["session_token"])
    assert (await http.post(TABLE + "apikeys", json={"resource": [KEY]})).status_code == 200


async def test_an_agent_is_as_fresh_as_the_session_that_allowed_it(
    product: Product, owner: User, client: OAuthClient
) -> None:
    await signed_in(client, owner, "read write grant")
    create = {"table": "webhook", "records": [HOOK]}
    assert (await client.call("create_records", create)).status_code == 200
    await product.db.execute(STALE, owner.appuserid)
    for tool, arguments in (
        ("create_records", create),
        ("create_records", {"table": "apikeys", "records": [KEY]}),
        ("create_records", {"table": "apikeys", "records": [KEY | {"password": PASSWORD}]}),
    ):
        refused = (await client.call(tool, arguments)).text
        assert "confirmation_required" in refused
        assert "password" not in refused
    await signed_in(client, owner, "read write grant")
    assert "confirmation_required" in (await client.call("create_records", create)).text


async def test_a_batch_and_a_nested_record_make_no_key(product: Product, owner: User) -> None:
    await product.db.execute(STALE, owner.appuserid)
    step = {"method": "POST", "path": "_table/apikeys", "body": {"resource": [KEY], "password": PASSWORD}}
    batch = await owner.http.post(f"{API}leads/_batch", json={"requests": [step]})
    nested = await owner.table("PATCH", "client", {"clientid": 1, "apikeys_by_clientid": [KEY]})
    assert (batch.status_code, nested.status_code // 100) == (400, 4)
    keys = "select count(*) from apikeys k join appuser u using (clientid) where u.appuserid = $1"
    assert await product.db.fetchval(keys, owner.appuserid) == 0


async def test_a_proof_is_stored_nowhere(product: Product, owner: User) -> None:
    headers = {"Idempotency-Key": secrets.token_hex(8), "Prefer": "handling=strict"}
    body = {"resource": [KEY], "password": PASSWORD, "code": "vwxyz1"}
    made = [await owner.http.post(TABLE + "apikeys", json=body, headers=headers) for _ in range(2)]
    assert [response.status_code for response in made] == [200, 200], made[0].text
    assert made[0].json() == made[1].json()
    key = made[0].json()["resource"][0]
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    rotations = [
        await owner.http.post(API + "rotateapikey", json={"keyid": key["keyid"], "password": one}, headers=headers)
        for one in (PASSWORD, "Other1234")
    ]
    assert [response.status_code for response in rotations] == [200, 200]
    assert rotations[0].json() == rotations[1].json(), "the hash is not of the password"
    tables = await product.db.fetch(
        "select format('%I', relname) as name from pg_class where relkind = 'r'"
        " and relnamespace = 'public'::regnamespace"
    )
    for table in tables:
        for secret in (PASSWORD, "vwxyz1"):
            sql = f"select count(*) from {table['name']} t where position($1 in t::text) > 0"
            assert await product.db.fetchval(sql, secret) == 0, table
    assert PASSWORD not in json.dumps(made[0].json())
