"""Sign-in with Google and LinkedIn against an independent provider: state, replay, nonce, PKCE and errors."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import oidc_provider_mock
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from product.accounts import oauth
from product.vendors.oidc import Discovery, Provider
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import ok, rejection


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """Run an OpenID provider of a third-party package."""
    with oidc_provider_mock.run_server_in_thread(require_client_registration=False) as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def providers(product: Product, issuer: str) -> Iterator[Product]:
    """Configure both providers."""
    kept = product.scripts.vendors._providers
    by_name = {
        vendor: Provider(issuer, "client", "secret", nonce_needed=vendor == "google")
        for vendor in ("google", "linkedin")
    }
    kept.update(by_name)
    yield product
    kept.clear()


async def _user(issuer: str, **claims: Any) -> str:
    """Create a user at the provider and return the e-mail address."""
    email = f"social-{secrets.token_hex(4)}@company.example"
    body = {"email": email, "email_verified": True, "name": "Sofia Social"} | claims
    async with httpx2.AsyncClient() as http:
        (await http.put(f"{issuer}/users/{email}", json=body)).raise_for_status()
    return email


async def _popup(url: str, email: str) -> dict[str, str]:
    """Sign in in the popup and return the query of the redirect."""
    async with httpx2.AsyncClient(follow_redirects=False) as http:
        response = await http.post(url, data={"sub": email})
    assert response.status_code == 302, response.text
    return {name: values[0] for name, values in parse_qs(urlsplit(response.headers["location"]).query).items()}


async def _start(product: Product, vendor: str) -> tuple[httpx2.AsyncClient, str]:
    http = product.caller()
    response = await http.post(API + "socialstart", json={"provider": vendor})
    return http, ok(response)["url"]


async def _ticket(product: Product, http: httpx2.AsyncClient, vendor: str, back: dict[str, str]) -> httpx2.Response:
    body = {"code": back["code"], "state": back["state"], "redirect_uri": oauth.redirect_uri(product.ctx)}
    return await http.post(API + f"{vendor}_accesstoken", json=body)


async def _enter(http: httpx2.AsyncClient, vendor: str, ticket: str) -> tuple[dict[str, Any], dict[str, Any]]:
    details = (await http.post(API + f"{vendor}_userdetails", json={"access_token": ticket})).json()
    record = {"type": "social", "email": "ignored@x.example", "proof": details["proof"], "terms": True}
    entered = await http.post(TABLE + "client", json={"resource": [record]}, headers={"Accept-Language": "de"})
    return details, entered.json()["resource"][0]


@pytest.mark.parametrize("vendor", ["google", "linkedin"])
async def test_a_new_address_signs_up_and_a_known_one_signs_in(providers: Product, issuer: str, vendor: str) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, vendor)
    details, entered = await _enter(
        http, vendor, (await _ticket(providers, http, vendor, await _popup(url, email))).json()["access_token"]
    )
    assert (details["action"], details["email"], entered["action"]) == ("signup", email, "signup")
    user = entered["clientdata"]["user"]
    assert (user["email"], user["isverified"]) == (email, 1)
    language = "select language from appuser where appuserid = $1"
    assert await providers.db.fetchval(language, user["appuserid"]) == "de"
    await providers.db.execute("update appuser set language = null where appuserid = $1", user["appuserid"])

    http, url = await _start(providers, vendor)
    details, entered = await _enter(
        http, vendor, (await _ticket(providers, http, vendor, await _popup(url, email))).json()["access_token"]
    )
    assert (details["action"], entered["action"], entered["afid"]) == ("login", "login", user["afid"])
    session = await providers.caller(entered["session_token"]).get(API + "user/session")
    assert (session.json()["email"], session.json()["language"]) == (email, "de")

    # The first password comes by a mailed link.
    assert session.json()["haspassword"] == 0
    assert (await http.post(f"{API}user/password?reset=true", json={"email": email})).status_code == 200
    _, link = await providers.link(email)
    body = {"email": email, "code": link["code"], "new_password": "Fresh1234"}
    assert (await http.post(API + "user/password", json=body)).status_code == 200
    signed_in = (await http.post(API + "user/session", json={"email": email, "password": "Fresh1234"})).json()
    assert signed_in["haspassword"] == 1


async def test_state_binds_browser_vendor_and_redirect_and_works_once(providers: Product, issuer: str) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, "google")
    back = await _popup(url, email)
    wrong_state = await _ticket(providers, http, "google", back | {"state": "made-up"})
    other_browser = await _ticket(providers, providers.caller(), "google", back)
    assert [response.status_code for response in (wrong_state, other_browser)] == [400, 400]
    replay = await _ticket(providers, http, "google", back)  # the attempt of the other browser consumed the state
    assert rejection(replay) == (400, "bad_state")

    http, url = await _start(providers, "google")
    other_vendor = await _ticket(providers, http, "linkedin", await _popup(url, email))
    assert other_vendor.status_code == 400
    http, url = await _start(providers, "google")
    back = await _popup(url, email)
    body = {"code": back["code"], "state": back["state"], "redirect_uri": "https://evil.example/"}
    assert (await http.post(API + "google_accesstoken", json=body)).status_code == 400


async def test_an_unverified_address_is_rejected(providers: Product, issuer: str) -> None:
    email = await _user(issuer, email_verified=False)
    http, url = await _start(providers, "google")
    response = await _ticket(providers, http, "google", await _popup(url, email))
    assert rejection(response) == (400, "email_not_verified")


async def test_a_free_domain_cannot_sign_up(providers: Product, issuer: str) -> None:
    email = await _user(issuer, email=f"{secrets.token_hex(4)}@gmail.com")
    http, url = await _start(providers, "google")
    ticket = (await _ticket(providers, http, "google", await _popup(url, email))).json()["access_token"]
    details = (await http.post(API + "google_userdetails", json={"access_token": ticket})).json()
    entered = await http.post(TABLE + "client", json={"resource": [{"type": "social", "proof": details["proof"]}]})
    fields = list(entered.json()["error"]["context"]["fields"])
    assert (entered.status_code, fields) == (422, ["email"])  # before the terms are asked for


async def test_ticket_and_proof_work_once(providers: Product, issuer: str) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, "linkedin")
    ticket = (await _ticket(providers, http, "linkedin", await _popup(url, email))).json()["access_token"]
    details, _ = await _enter(http, "linkedin", ticket)
    again = await http.post(API + "linkedin_userdetails", json={"access_token": ticket})
    proof = await http.post(TABLE + "client", json={"resource": [{"type": "social", "proof": details["proof"]}]})
    none = await http.post(TABLE + "client", json={"resource": [{"type": "social", "email": email}]})
    assert [response.status_code for response in (again, proof, none)] == [400, 401, 401]


async def test_a_wrong_nonce_is_rejected(providers: Product, issuer: str) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, "google")
    response = await _ticket(providers, http, "google", await _popup(re.sub("nonce=[^&]+", "nonce=other", url), email))
    assert rejection(response) == (400, "not_proved")


async def test_the_verifier_matches_its_challenge(
    providers: Product, issuer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, "google")
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    sent: list[dict[str, str]] = []
    provider = providers.scripts.vendors.provider("google")
    assert provider is not None
    request = provider._client.request

    async def watched(method: str, where: str, **how: Any) -> httpx2.Response:
        sent.append(how.get("data") or {})
        response: httpx2.Response = await request(method, where, **how)
        return response

    monkeypatch.setattr(provider._client, "request", watched)
    assert (await _ticket(providers, http, "google", await _popup(url, email))).status_code == 200
    verifier = next(form["code_verifier"] for form in sent if "code_verifier" in form)
    digest = hashlib.sha256(verifier.encode()).digest()
    assert query["code_challenge_method"] == "S256"
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == query["code_challenge"]


async def test_a_missing_provider_is_reported(product: Product) -> None:
    response = await product.caller().post(API + "socialstart", json={"provider": "google"})
    assert rejection(response) == (404, "not_set_up")
    assert (await product.caller().post(API + "socialstart", json={"provider": "myspace"})).status_code == 422


async def test_an_unreachable_provider_is_502(product: Product) -> None:
    product.scripts.vendors._providers["google"] = Provider("http://127.0.0.1:9", "c", "s", nonce_needed=True)
    response = await product.caller().post(API + "socialstart", json={"provider": "google"})
    product.scripts.vendors._providers.clear()
    assert response.status_code == 502


@pytest.mark.parametrize("terms", [None, False, 0, "no"])
async def test_a_sign_up_needs_the_terms_and_a_sign_in_does_not(providers: Product, issuer: str, terms: object) -> None:
    email = await _user(issuer)
    http, url = await _start(providers, "google")
    ticket = (await _ticket(providers, http, "google", await _popup(url, email))).json()["access_token"]
    details = (await http.post(API + "google_userdetails", json={"access_token": ticket})).json()
    record = {"type": "social", "proof": details["proof"]}
    refused = await http.post(TABLE + "client", json={"resource": [record | {"terms": terms}]})
    assert refused.status_code == 422, refused.text
    assert refused.json()["error"]["context"]["fields"] == {"terms": "Please accept the terms and conditions"}
    assert await providers.db.fetchval("select count(*) from appuser where email = $1", email) == 0
    # The proof stays valid after the error, so that the app can show the terms and continue.
    entered = await http.post(TABLE + "client", json={"resource": [record | {"terms": True}]})
    assert entered.json()["resource"][0]["action"] == "signup"
    accepted = await providers.db.fetchval("select termsacceptedon is not null from appuser where email = $1", email)
    assert accepted is True
    subjects = [mail["Subject"] for mail in await providers.mails(email)]
    assert len([subject for subject in subjects if subject.startswith("Welcome")]) == 1

    http, url = await _start(providers, "google")
    ticket = (await _ticket(providers, http, "google", await _popup(url, email))).json()["access_token"]
    proof = (await http.post(API + "google_userdetails", json={"access_token": ticket})).json()["proof"]
    signed_in = await http.post(TABLE + "client", json={"resource": [{"type": "social", "proof": proof}]})
    assert (signed_in.status_code, signed_in.json()["resource"][0]["action"]) == (200, "login")


# -- ID tokens sent by the browser -------------------------------------------------------------------------------------


class _Signer:
    """A provider with tokens that the test signs."""

    def __init__(self) -> None:
        self.key = ECKey.generate_key("P-256", {"kid": "test"})
        self.provider = Provider("http://idp.example", "client", "secret", nonce_needed=True)
        issuer = "http://idp.example"
        self.provider._discovery = Discovery(
            issuer=issuer, authorization_endpoint=issuer, token_endpoint=issuer, jwks_uri=issuer
        )
        self.provider._keys = KeySet([self.key])
        self.provider._until = float("inf")

    def token(self, email: str, nonce: str, **more: Any) -> str:
        now = int(time.time())
        claims = {"iss": "http://idp.example", "aud": "client", "sub": email, "iat": now, "exp": now + 300}
        claims |= {"email": email, "email_verified": True, "name": "Sofia", "nonce": nonce}
        return jwt.encode({"alg": "ES256", "kid": "test"}, claims | more, self.key)


@pytest.fixture
def signer(product: Product) -> Iterator[_Signer]:
    key = _Signer()
    product.scripts.vendors._providers["google"] = key.provider
    yield key
    product.scripts.vendors._providers.clear()


def _encodings(token: str) -> list[str]:
    """Yield other encodings of the same signed claims: spare bits of the last character, the other valid signature."""
    head, claims, signature = token.split(".")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters.index(signature[-1])
    spare = [f"{signature[:-1]}{letters[last & ~15 | bits]}" for bits in (1, 5, 15)]
    raw = base64.urlsafe_b64decode(signature + "==")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    flipped = raw[:32] + (order - int.from_bytes(raw[32:])).to_bytes(32)
    other = base64.urlsafe_b64encode(flipped).rstrip(b"=").decode()
    return [f"{head}.{claims}.{encoding}" for encoding in (*spare, other, signature + "=", signature + "==")]


async def test_an_id_token_is_accepted_once_in_any_encoding(product: Product, signer: _Signer) -> None:
    email, nonce = f"social-{secrets.token_hex(4)}@company.example", secrets.token_urlsafe(16)
    token = signer.token(email, nonce)

    async def ask(credential: str) -> httpx2.Response:
        return await product.caller().post(API + "google_userdetails", json={"credential": credential, "nonce": nonce})

    assert (await ask(token)).status_code == 200
    for again in (token, *_encodings(token)):
        response = await ask(again)
        assert rejection(response) == (400, "not_proved")
    # Another token with the nonce, or the identifier, of a used one.
    assert (await ask(signer.token(email, nonce, iat=int(time.time()) - 5))).status_code == 400


async def test_the_identifier_of_an_id_token_is_accepted_once(product: Product, signer: _Signer) -> None:
    email = f"social-{secrets.token_hex(4)}@company.example"
    codes = []
    for _ in range(2):
        nonce = secrets.token_urlsafe(16)
        body = {"credential": signer.token(email, nonce, jti="one"), "nonce": nonce}
        codes.append((await product.caller().post(API + "google_userdetails", json=body)).status_code)
    assert codes == [200, 400]


@pytest.mark.parametrize("door", ["reset", "address"])
async def test_a_linked_identity_ends_with_a_mailed_reset_and_with_the_address(
    product: Product, account: Account, signer: _Signer, door: str
) -> None:
    async def action() -> str:
        """Return what a sign-in of the linked identity, which has an address of its own, would do."""
        nonce = secrets.token_urlsafe(16)
        token = signer.token("thief@elsewhere.example", nonce, sub=f"thief-{door}", jti=secrets.token_hex(8))
        body = {"credential": token, "nonce": nonce}
        return str((await product.caller().post(API + "google_userdetails", json=body)).json()["action"])

    user = await account.user()
    link = "insert into socialaccount (provider, subject, appuserid) values ('google', $1, $2)"
    await product.db.execute(link, f"thief-{door}", user.appuserid)
    assert await action() == "login"
    if door == "reset":
        await product.caller().post(f"{API}user/password?reset=true", json={"email": user.email})
        _, mailed = await product.link(user.email)
        body = {"email": user.email, "code": mailed["code"], "new_password": "Fresh1234"}
        response = await product.caller().post(API + "user/password", json=body)
    else:
        new = f"moved-{secrets.token_hex(4)}@newhome.example"
        await user.post("emailcodeverification", oldemail=user.email, newemail=new)
        _, mailed = await product.link(new)
        response = await user.post("emailupdate", type="update", newemail=new, code=mailed["code"])
    assert response.status_code == 200, response.text
    assert await action() == "signup"


async def test_a_token_may_expire_between_two_seconds(product: Product, signer: _Signer) -> None:
    email, nonce = f"social-{secrets.token_hex(4)}@company.example", secrets.token_urlsafe(16)
    body = {"credential": signer.token(email, nonce, exp=time.time() + 300.5), "nonce": nonce}
    assert (await product.caller().post(API + "google_userdetails", json=body)).status_code == 200


async def test_an_id_token_used_concurrently_signs_in_once(product: Product, signer: _Signer) -> None:
    email, nonce = f"social-{secrets.token_hex(4)}@company.example", secrets.token_urlsafe(16)
    token = signer.token(email, nonce)
    body = [{"credential": sign_in, "nonce": nonce} for sign_in in [token, *_encodings(token)[:4]]]
    responses = await asyncio.gather(
        *(product.caller().post(API + "google_userdetails", json=sign_in) for sign_in in body)
    )
    assert sorted(response.status_code for response in responses) == [200, 400, 400, 400, 400]
