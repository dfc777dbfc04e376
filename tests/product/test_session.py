"""/user/session: signing in, reading, extending and signing out."""

from __future__ import annotations

import secrets
import time
from typing import Any

import pytest

from product.accounts import passwords, tokens
from tests.helpers.product import API, Account, Product
from tests.helpers.support import ok

PASSWORD = "Sesame123"
SESSION = API + "user/session"


@pytest.fixture(scope="session")
async def hashed() -> str:
    return await passwords.hashed(PASSWORD)


def _email() -> str:
    return f"u-{secrets.token_hex(5)}@signin.example"


@pytest.mark.parametrize("body", [{}, {"email": "a@b.example"}, {"password": "x"}])
async def test_missing_email_or_password_is_400(product: Product, body: dict[str, str]) -> None:
    assert (await product.caller().post(SESSION, json=body)).status_code == 400


async def test_unknown_users_and_wrong_passwords_get_the_same_response(
    product: Product, account: Account, hashed: str
) -> None:
    user, wrong = await account.user(password=hashed), {"password": "Wrong1234"}
    bodies = [
        (await product.caller().post(SESSION, json=wrong | {"email": email}, headers={"X-Request-Id": "same"})).json()
        for email in (user.email, "nobody@signin.example")
    ]
    assert bodies[0] == bodies[1]
    assert bodies[0]["error"]["code"] == 401
    assert bodies[0]["success"] == 0


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"isactive": 0}, 800),
        ({"isactive": 0, "isdeleted": 1}, 801),
        ({"isverified": 0}, 802),
        ({"isactive": 0, "isverified": 0, "invitestatus": "pending"}, 803),
    ],
)
async def test_account_problems_are_disclosed_only_with_the_right_password(
    product: Product, account: Account, hashed: str, fields: dict[str, Any], code: int
) -> None:
    email = _email()
    await account.user(email=email, password=hashed, **fields)
    right = await product.caller().post(SESSION, json={"email": email, "password": PASSWORD})
    wrong = await product.caller().post(SESSION, json={"email": email, "password": "Wrong1234"})
    assert (right.status_code, right.json()["error"]["code"]) == (403, code)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (401, 401)
    assert ("checktoken" in right.json()["error"]["context"]) == (code == 802)


async def test_sign_in_returns_the_apps_data_without_secrets(product: Product, hashed: str) -> None:
    account = await product.account(email=(email := _email()), password=hashed)
    response = await product.caller().post(SESSION, json={"email": email.upper(), "password": PASSWORD})
    body = response.json()
    assert response.status_code == 200
    assert (body["success"], body["role"], body["email"]) == (1, "client", email)
    client = body["client_by_clientid"]
    assert client["clientid"] == account.clientid
    assert len(client["usercredit_by_clientid"]) == 1
    assert client["usersubscription_by_clientid"][0]["subscriptionplan_by_planid"]["name"] == "Business"
    assert "argon2" not in response.text
    assert "stripe_custid" not in response.text
    assert (body["session_id"], body["id"]) == (body["session_token"], body["appuserid"])
    stored = await product.db.fetchval(
        "select count(*) from usersession where usersession::text like $1", "%" + body["session_token"] + "%"
    )
    assert stored == 0


async def test_a_member_sees_balances_but_no_company(product: Product, account: Account) -> None:
    member = await account.user()
    client = (await member.http.get(SESSION)).json()["client_by_clientid"]
    assert set(client) == {"clientid", "companyname", "usercredit_by_clientid", "usersubscription_by_clientid"}
    assert "contactcredit_bought" not in client["usercredit_by_clientid"][0]


async def test_five_wrong_passwords_block_the_sixth_attempt_even_if_correct(
    product: Product, account: Account, hashed: str
) -> None:
    user = await account.user(password=hashed)
    http = product.caller()
    codes = [
        (await http.post(SESSION, json={"email": user.email, "password": password})).status_code
        for password in ["Wrong1234"] * 5 + [PASSWORD]
    ]
    assert codes == [401] * 5 + [429]
    elsewhere = await product.caller().post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert elsewhere.status_code == 200


async def test_silent_sign_in_by_token_and_by_query(product: Product, account: Account) -> None:
    token = account.owner.token
    body = await product.caller().post(SESSION, json={"session_token": token})
    query = await product.caller().get(SESSION, params={"session_token": token})
    assert body.json()["session_token"] == query.json()["session_token"] == token
    assert query.headers["referrer-policy"] == "no-referrer"
    assert query.headers["cache-control"] == "no-store"
    bad = await product.caller().get(SESSION, params={"session_token": "x"})
    none = await product.caller().get(SESSION)
    assert (bad.status_code, none.status_code) == (401, 401)


async def test_tokens_of_blocked_users_are_rejected(product: Product, account: Account) -> None:
    token = account.owner.token
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", account.owner.appuserid)
    body = await product.caller().post(SESSION, json={"session_token": token})
    query = await product.caller().get(SESSION, params={"session_token": token})
    for response in (body, query):
        assert (response.status_code, response.json()["error"]["code"]) == (403, 802), response.text
    # A sign-up session still reads itself by its header.
    assert (await account.owner.http.put(SESSION)).status_code == 200


async def test_a_session_can_read_its_own_row(product: Product, account: Account) -> None:
    ticket = await tokens.issue(product.ctx, "session", account.owner.appuserid)
    other = (await product.caller().get(SESSION, params={"session_token": ticket})).json()["usersessionid"]
    own = (await account.owner.http.put(SESSION)).json()["usersessionid"]
    assert own != other
    assert (await account.owner.table("DELETE", f"usersession/{other}")).status_code == 200
    assert (await account.owner.http.put(SESSION)).status_code == 200
    assert (await account.owner.table("DELETE", f"usersession/{own}")).status_code == 200
    assert (await account.owner.http.put(SESSION)).status_code == 401


async def test_a_ticket_is_exchanged_once(product: Product, account: Account) -> None:
    ticket = await tokens.issue(product.ctx, "session", account.owner.appuserid)
    first = await product.caller().get(SESSION, params={"session_token": ticket})
    again = await product.caller().get(SESSION, params={"session_token": ticket})
    assert ok(first)["session_token"] not in (ticket, account.owner.token)
    assert again.status_code == 401


async def test_extend_keeps_the_token_and_sign_out_ends_it(account: Account) -> None:
    http = account.owner.http
    assert (await http.put(SESSION)).json()["session_token"] == account.owner.token
    assert (await http.delete(SESSION)).json() == {"success": True}
    assert (await http.get(SESSION)).status_code == 401


async def test_a_disabled_or_deleted_user_is_rejected_with_the_reason(product: Product, account: Account) -> None:
    member = await account.user()
    await product.db.execute("update appuser set isactive = 0 where appuserid = $1", member.appuserid)
    disabled = await member.http.get(SESSION)
    await product.db.execute("update appuser set isdeleted = 1 where appuserid = $1", member.appuserid)
    deleted = await member.http.get(SESSION)
    assert (disabled.status_code, deleted.status_code) == (403, 404)
    assert deleted.json()["error"]["message"] == "You have been deleted by the admin"
    assert disabled.json()["error"]["context"]["scope"] == "account"


async def test_an_idle_or_old_session_is_rejected(product: Product, account: Account) -> None:
    for change in ("lastused = now() - interval '25 hours'", "expireson = now() - interval '1 second'"):
        token = await account.session(account.owner.appuserid)
        await product.db.execute(
            f"update usersession set {change} where usersessionid = (select max(usersessionid) from usersession)"
        )
        assert (await product.caller(token).get(SESSION)).status_code == 401


async def test_the_proof_of_a_rejected_sign_in_gets_the_verification_mail_and_the_state(
    product: Product, account: Account, hashed: str
) -> None:
    email = _email()
    await account.user(email=email, password=hashed, isverified=0)
    refused = await product.caller().post(SESSION, json={"email": email, "password": PASSWORD})
    proof = {"email": email, "checktoken": refused.json()["error"]["context"]["checktoken"]}
    state = await product.caller().post(API + "getappuserbyemail", json=proof)
    assert [(row["email"], row["isverified"]) for row in state.json()["resource"]] == [(email, 0)]
    other = await product.caller().post(API + "getappuserbyemail", json=proof | {"email": account.owner.email})
    assert other.json() == {"resource": []}
    assert (await product.caller().post(API + "sendverificationemail", json=proof)).json() == {"success": 1}
    assert (await product.link(email))[0] == "/emailverification"


async def test_unknown_addresses_take_as_long_as_known_ones(product: Product, account: Account, hashed: str) -> None:
    """Hash for unknown addresses too; otherwise their responses would be many times faster."""
    user = await account.user(password=hashed)
    spent: dict[str, list[float]] = {user.email: [], "nobody@timing.example": []}
    for _ in range(12):
        for email, times in spent.items():
            began = time.process_time()
            await product.caller().post(SESSION, json={"email": email, "password": "Wrong1234"})
            times.append(time.process_time() - began)
    fastest = [min(times) for times in spent.values()]  # other work of the process only adds to a time
    assert max(fastest) < 2 * min(fastest)


async def test_the_client_has_only_fields_visible_to_the_caller(product: Product, account: Account) -> None:
    owner = (await account.owner.table("GET", "client", related="*")).json()["resource"]
    assert len(owner) == 1
    assert len(owner[0]["usercredit_by_clientid"]) == 1
    assert owner[0]["usersubscription_by_clientid"][0]["planid"] == 4
    assert "usercontactlink_by_clientid" not in owner[0]
    member = (await (await account.user()).table("GET", "client", related="*")).json()["resource"][0]
    assert member["usercredit_by_clientid"][0]["contactcredit"] == 3000
    assert "creditledger_by_clientid" not in member
    assert "taxid" not in member
    person = await account.owner.table(
        "GET", "appuser", filter=f"(appuserid={account.owner.appuserid})", related="client_by_clientid"
    )
    assert person.json()["resource"][0]["client_by_clientid"]["clientid"] == account.clientid


async def test_a_session_shows_whether_the_account_has_a_password(product: Product, account: Account) -> None:
    for password, has in (("hash", 1), (None, 0)):
        await product.db.execute(
            "update appuser set password = $2 where appuserid = $1", account.owner.appuserid, password
        )
        assert (await account.owner.http.get(SESSION)).json()["haspassword"] == has


async def test_a_misspelt_dataset_and_relation_get_a_suggestion(product: Product, account: Account) -> None:
    misspelt = await account.owner.http.get("/api/v2/lead/_table/client")
    error = misspelt.json()["error"]
    assert (misspelt.status_code, error["context"]["reason"]) == (404, "unknown_service")
    assert error["message"].endswith("Did you mean 'leads'?")
    without_key = await product.caller(key="").get("/api/v2/lead/_table/client")
    assert "leads" not in without_key.text
    relation = await account.owner.http.get("/api/v2/leads/_table/client", params={"related": "usersubscription"})
    assert relation.json()["error"]["message"].endswith("Did you mean 'usersubscription_by_clientid'?")
