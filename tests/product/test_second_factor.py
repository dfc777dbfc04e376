"""Two-step sign-in: codes of an authenticator app, recovery codes, and everything that must not get past them."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from product.accounts import passwords
from tests.helpers.desk import staff
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import ok, rejection

PASSWORD, SESSION = "Sesame123", API + "user/session"
STEP = 30


@dataclass
class Phone:
    """An authenticator app."""

    secret: str

    def code(self, *, steps: int = 0) -> str:
        """Return the code of now, or of some steps of 30 seconds later."""
        totp = TOTP(base64.b32decode(self.secret), 6, SHA1(), STEP, enforce_key_length=False)
        return totp.generate(int(time.time()) + steps * STEP).decode()

    def wrong(self) -> str:
        """Return a code that is wrong now and shortly before and after."""
        near = {self.code(steps=steps) for steps in range(-2, 4)}
        return next(
            code for code in ("000000", "111111", "222222", "333333", "444444", "555555", "666666") if code not in near
        )


@pytest.fixture(scope="module")
async def hashed() -> str:
    return await passwords.hashed(PASSWORD)


@pytest.fixture
async def user(account: Account, hashed: str) -> User:
    return await account.user(password=hashed)


async def _on(user: User) -> tuple[Phone, list[str]]:
    """Turn two-step sign-in on. Its code was the one of 30 seconds ago, so the current one is unused."""
    setup = (await user.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    response = await user.post("user/mfa/confirm", setup=setup["setup"], code=phone.code(steps=-1))
    return phone, ok(response)["recoverycodes"]


async def _sign_in(product: Product, user: User, ip: str = "") -> tuple[httpx2.AsyncClient, dict[str, Any]]:
    """Send the password, and return the client with the answer's error."""
    http = product.caller(ip=ip)
    response = await http.post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert response.status_code == 403, response.text
    return http, response.json()["error"]


async def _complete(product: Product, user: User, code: str, ip: str = "") -> httpx2.Response:
    http, error = await _sign_in(product, user, ip)
    return await http.post(SESSION, json={"mfatoken": error["context"]["mfatoken"], "code": code})


def _missing(response: httpx2.Response) -> list[str]:
    """Return the parts of the proof that a call lacks."""
    assert rejection(response) == (403, "confirmation_required")
    missing: list[str] = response.json()["error"]["context"]["missing"]
    return missing


async def test_changes_need_a_session_and_the_password(product: Product, user: User) -> None:
    for call in ("setup", "recoverycodes", "disable"):
        body = {"password": PASSWORD}
        assert (await product.caller().post(f"{API}user/mfa/{call}", json=body)).status_code == 401
    for call in ("setup", "recoverycodes", "disable"):
        for body in ({}, {"password": ""}):
            refused = await user.post(f"user/mfa/{call}", **body)
            assert rejection(refused) == (403, "confirmation_required")
            assert refused.json()["error"]["context"]["missing"] == ["password"]
        assert (await user.post(f"user/mfa/{call}", password=None)).status_code == 422
    for call, password in (("setup", "Wrong1234"), ("recoverycodes", "Wrong1234"), ("disable", "Wrong1234")):
        refused = await user.post(f"user/mfa/{call}", password=password)
        assert (refused.status_code, list(refused.json()["error"]["context"]["fields"])) == (422, ["password"])


async def test_guesses_of_the_password_are_limited_together_with_those_of_its_change(user: User) -> None:
    codes = [
        (await user.post(f"user/mfa/{call}", password="Wrong1234")).status_code for call in ("setup", "disable") * 3
    ]
    assert codes == [422] * 5 + [429]
    change = {"old_password": PASSWORD, "new_password": "Better456"}
    assert (await user.post("user/password", **change)).status_code == 429


async def test_an_account_without_a_password_has_no_second_step(account: Account) -> None:
    social = await account.user()
    response = await social.post("user/mfa/setup", password=PASSWORD)
    assert (response.status_code, response.json()["error"]["context"]["case"]) == (409, "no_password")


async def test_setup_changes_nothing_until_the_first_code(
    product: Product, account: Account, user: User, hashed: str
) -> None:
    setup = (await user.post("user/mfa/setup", password=PASSWORD)).json()
    phone = Phone(setup["secret"])
    address = urlsplit(setup["uri"])
    query = parse_qs(address.query)
    assert (address.scheme, address.netloc, query["secret"]) == ("otpauth", "totp", [phone.secret])
    other = await account.user(password=hashed)
    for http, sent, name in (
        (user, {"setup": setup["setup"], "code": phone.wrong()}, "code"),
        (user, {"setup": setup["setup"], "code": ""}, "code"),
        (user, {"setup": "nonsense", "code": phone.code()}, "setup"),
        (other, {"setup": setup["setup"], "code": phone.code()}, "setup"),
    ):
        refused = await http.post("user/mfa/confirm", **sent)
        assert (refused.status_code, list(refused.json()["error"]["context"]["fields"])) == (422, [name])
    plain = await product.caller().post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert (plain.status_code, plain.json()["hasmfa"]) == (200, 0)
    await product.db.execute("update onetimetoken set expireson = now() where purpose = 'mfasetup'")
    late = await user.post("user/mfa/confirm", setup=setup["setup"], code=phone.code())
    assert late.json()["error"]["context"]["field_errors"] == {"setup": {"case": "mfa_setup_expired"}}


async def test_turning_it_on_ends_other_sessions_and_asks_for_a_code(
    product: Product, account: Account, user: User
) -> None:
    elsewhere = product.caller(await account.session(user.appuserid))
    phone, codes = await _on(user)
    assert (len(set(codes)), {len(code) for code in codes}) == (10, {11})
    assert (await elsewhere.get(SESSION)).status_code == 401
    assert (await user.http.get(SESSION)).json()["hasmfa"] == 1
    assert "is on" in (await product.mails(user.email))[-1]["Subject"]
    again = await user.post("user/mfa/setup", password=PASSWORD)
    refused = await user.post(
        "user/mfa/confirm", setup=again.json()["setup"], code=Phone(again.json()["secret"]).code()
    )
    assert (refused.status_code, refused.json()["error"]["context"]["case"]) == (409, "mfa_on")

    http, error = await _sign_in(product, user)
    assert (error["code"], error["context"]["reason"], error["context"]["expires_in"]) == (804, "mfa_required", 300)
    token = error["context"]["mfatoken"]
    assert (await product.caller(token).get(SESSION)).status_code == 401
    assert rejection(await http.post(SESSION, json={"mfatoken": token, "code": phone.wrong()})) == (
        401,
        "mfa_code_wrong",
    )
    spaced = f"{phone.code()[:3]} {phone.code()[3:]}"
    good = await http.post(SESSION, json={"mfatoken": token, "code": spaced})
    assert (good.status_code, good.json()["email"]) == (200, user.email)
    assert (await product.caller(good.json()["session_token"]).get(SESSION)).status_code == 200
    assert rejection(await http.post(SESSION, json={"mfatoken": token, "code": phone.code(steps=1)})) == (
        401,
        "mfa_expired",
    )
    events = await product.db.fetch(
        "select event, detail->>'second' as second from auditlog where appuserid = $1 order by auditid", user.appuserid
    )
    seen = [(row["event"], row["second"]) for row in events]
    assert seen[-4:] == [
        ("mfa_enabled", None), ("signin_first_step", None), ("signin_failed", "wrong_code"), ("signin", "code"),
    ]  # fmt: skip


async def test_a_code_works_once(product: Product, user: User) -> None:
    phone, _ = await _on(user)
    code = phone.code()
    assert (await _complete(product, user, code)).status_code == 200
    assert rejection(await _complete(product, user, code)) == (401, "mfa_code_wrong")
    assert rejection(await _complete(product, user, phone.code(steps=-1))) == (401, "mfa_code_wrong")
    assert (await _complete(product, user, phone.code(steps=1))).status_code == 200


async def test_a_recovery_code_works_once_and_is_mailed(product: Product, user: User) -> None:
    _, codes = await _on(user)
    assert (await _complete(product, user, codes[3].upper())).status_code == 200
    mail = (await product.mails(user.email))[-1]
    body = mail.get_body(("plain",))
    assert "recovery code was used" in mail["Subject"]
    assert body is not None
    assert "Unused recovery codes: 9" in body.get_content()
    assert rejection(await _complete(product, user, codes[3])) == (401, "mfa_code_wrong")
    assert (await _complete(product, user, codes[4].replace("-", ""))).status_code == 200


async def test_new_recovery_codes_replace_the_earlier_ones(product: Product, user: User) -> None:
    assert (await user.post("user/mfa/recoverycodes", password=PASSWORD)).status_code == 409
    phone, old = await _on(user)
    sent = {"password": PASSWORD, "code": phone.code()}
    new = (await user.post("user/mfa/recoverycodes", **sent)).json()["recoverycodes"]
    assert not set(old) & set(new)
    assert rejection(await _complete(product, user, old[0])) == (401, "mfa_code_wrong")
    assert (await _complete(product, user, new[0])).status_code == 200


async def test_five_wrong_codes_block_the_network(product: Product, user: User) -> None:
    phone, _ = await _on(user)
    wrong = phone.wrong()
    codes = [(await _complete(product, user, wrong, ip="10.99.1.1")).status_code for _ in range(5)]
    blocked = await _complete(product, user, phone.code(), ip="10.99.1.1")
    assert codes == [401] * 5
    assert (blocked.status_code, int(blocked.headers["retry-after"]) > 800) == (429, True)
    assert (await _complete(product, user, phone.code())).status_code == 200


async def test_a_changed_password_ends_a_sign_in_under_way(product: Product, user: User) -> None:
    phone, _ = await _on(user)
    http, error = await _sign_in(product, user)
    change = {"old_password": PASSWORD, "new_password": "Better456"}
    assert _missing(await user.post("user/password", **change)) == ["code"]
    assert _missing(await user.post("user/password", **change, code=phone.wrong())) == ["code"]
    changed = await user.post("user/password", **change, code=phone.code())
    assert changed.status_code == 200
    response = await http.post(SESSION, json={"mfatoken": error["context"]["mfatoken"], "code": phone.code(steps=1)})
    assert rejection(response) == (401, "mfa_expired")


async def test_a_sign_in_fails_if_the_user_was_disabled_meanwhile(product: Product, user: User) -> None:
    phone, _ = await _on(user)
    http, error = await _sign_in(product, user)
    await product.db.execute("update appuser set isactive = 0 where appuserid = $1", user.appuserid)
    response = await http.post(SESSION, json={"mfatoken": error["context"]["mfatoken"], "code": phone.code()})
    assert (response.status_code, response.json()["error"]["code"]) == (403, 800)


@pytest.mark.parametrize("token", ["", "nonsense", "a" * 5000, "\u0000"])
async def test_other_tokens_are_not_a_challenge(product: Product, user: User, token: str) -> None:
    phone, _ = await _on(user)
    setup = (await user.post("user/mfa/setup", password=PASSWORD)).json()["setup"]
    for sent in (token, setup, user.token):
        response = await product.caller().post(SESSION, json={"mfatoken": sent, "code": phone.code()})
        assert response.status_code in (400, 401), response.text


async def test_the_password_and_a_code_turn_it_off(product: Product, user: User) -> None:
    phone, codes = await _on(user)
    assert _missing(await user.post("user/mfa/disable")) == ["password", "code"]
    for call in ("disable", "recoverycodes"):
        assert _missing(await user.post(f"user/mfa/{call}", password=PASSWORD)) == ["code"]
        assert _missing(await user.post(f"user/mfa/{call}", password=PASSWORD, code=phone.wrong())) == ["code"]
    off = [(await user.post("user/mfa/disable", password=PASSWORD, code=codes[0])).status_code for _ in range(2)]
    assert off == [200, 200]
    subjects = [mail["Subject"] for mail in await product.mails(user.email)]
    assert sum("turned off" in subject for subject in subjects) == 1
    plain = await product.caller().post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert plain.status_code == 200


async def test_support_turns_it_off_for_a_lost_phone(product: Product, user: User) -> None:
    member = await staff(product)
    off = await member.post("secondfactor", appuserid=user.appuserid, reason="Lost phone, called back")
    assert (off.status_code, off.json()["error"]["context"]["case"]) == (409, "mfa_off")
    await _on(user)
    assert (await user.post("desk/secondfactor", appuserid=user.appuserid, reason="My own")).status_code in (403, 404)
    done = await member.post("secondfactor", appuserid=user.appuserid, reason="Lost phone, called back")
    assert done.status_code == 200, done.text
    plain = await product.caller().post(SESSION, json={"email": user.email, "password": PASSWORD})
    assert plain.status_code == 200
    assert "Support turned" in (await product.mails(user.email))[-1]["Subject"]


async def test_the_stored_factor_is_sealed_and_never_returned(product: Product, user: User) -> None:
    phone, codes = await _on(user)
    stored = await product.db.fetchval("select mfacipher from appuser where appuserid = $1", user.appuserid)
    assert phone.secret not in stored
    rows = await user.http.get(f"{TABLE}appuser", params={"fields": "*"})
    me = await user.http.get(SESSION)
    for text in (rows.text, me.text):
        assert "mfacipher" not in text
        assert codes[0] not in text
