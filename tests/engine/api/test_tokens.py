"""Signed tokens: algorithms, keys, claims, and an issuer that rotates its keys or cannot be reached."""

from __future__ import annotations

import base64
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import OctKey, RSAKey

from tests.helpers.served import Served
from tests.helpers.support import Serve, tableapi
from tests.helpers.tokens import SECRET, Issuer, bearer, issuer, token

PATH = "/api/v2/shop/_table/item?fields=name"
ACCESS = {
    "keys": {"service": {"role": "*"}},
    "roles": {"reader": {"access": [{"component": "_table/item/*", "verb_mask": 1,
                                     "filters": [{"name": "owner", "operator": "=", "value": "{user.sub}"}]}]}},
}  # fmt: skip
SQL = """create table item (id integer primary key, owner text, name text);
insert into item values (1, 'ada', 'lamp'), (2, 'ben', 'desk')"""
CLAIMS = {"sub": "ada", "role": "reader", "iss": "https://issuer.example", "aud": ["shop", "other"]}
SERVED = Served(SQL)


@pytest.fixture(scope="module")
def peer() -> Iterator[Issuer]:
    with issuer() as running:
        yield running


@pytest.fixture(scope="module")
def http(peer: Issuer, url: str, module_serve: Serve) -> Iterator[httpx.Client]:
    started = module_serve(
        "--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=peer.url,
        JWT_ISSUER="https://issuer.example", JWT_AUDIENCE="shop", JWT_ALGORITHMS="RS256,ES256,EdDSA,Ed25519",
    )  # fmt: skip
    with httpx.Client(base_url=started.url, timeout=30) as client:
        yield client


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> dict[str, str]:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in (header, claims)]
    return {"Authorization": f"Bearer {'.'.join(parts)}.{signature}"}


def reason_of(response: httpx.Response) -> str:
    assert response.status_code == 401, response.text
    assert response.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token"')
    return str(response.json()["error"]["context"]["reason"])


def of(peer: Issuer, kind: str = "rsa", **claims: Any) -> dict[str, str]:
    algorithm = {"rsa": "RS256", "ec": "ES256", "ed": "EdDSA"}[kind]
    return bearer({**CLAIMS, **claims}, key=getattr(peer, kind), algorithm=algorithm, kid=kind)


def later(seconds: float) -> int:
    return int(time.time() + seconds)


def test_tokens_without_a_valid_signature_are_rejected(http: httpx.Client, peer: Issuer) -> None:
    claims = {**CLAIMS, "exp": later(600)}
    for algorithm in ("none", "None", "NONE", "HS256", "", None, 5, "RS256"):
        assert reason_of(http.get(PATH, headers=unsigned({"alg": algorithm, "kid": "rsa"}, claims))) == "bad_token"
    # The public key of the issuer as the secret of HS256.
    for form in (peer.rsa.as_pem(private=False), json.dumps(peer.rsa.as_dict(private=False)).encode()):
        confused = bearer(claims, key=OctKey.import_key(form.hex()), algorithm="HS256", kid="rsa")
        assert reason_of(http.get(PATH, headers=confused)) == "bad_token"
    stranger = RSAKey.generate_key(2048)
    response = http.get(PATH, headers=bearer(CLAIMS, key=stranger, algorithm="RS256", kid="rsa"))
    assert reason_of(response) == "bad_token"
    assert "Check the secret or the keys" in response.json()["error"]["message"]
    assert reason_of(http.get(PATH, headers=bearer(CLAIMS, key=peer.rsa, algorithm="RS512", kid="rsa"))) == "bad_token"
    good = of(peer)["Authorization"]
    for broken in (good[:-5], good + "x", good.replace(".", ".e30.", 1), "Bearer a.b.c", "Bearer ...", "Bearer x",
                   "Bearer " + "a" * 9000, "Bearer \u00e9.\u00e9.\u00e9"):  # fmt: skip
        assert reason_of(http.get(PATH, headers=[(b"Authorization", broken.encode("latin-1"))])) == "bad_token"


@pytest.mark.parametrize(
    ("claims", "reason", "words"),
    [
        ({"exp": 1000}, "token_expired", "Sign in again"),
        ({"exp": None}, "bad_token", "(exp)"),
        ({"exp": "soon"}, "bad_token", "not a number"),
        ({"exp": True}, "bad_token", "not a number"),
        ({"nbf": 9_999_999_999}, "bad_token", "Check the clocks"),
        ({"iat": 9_999_999_999}, "bad_token", "Check the clocks"),
        (
            {"iss": "https://other.example"},
            "bad_token",
            "claim iss is not the issuer that this server expects (JWT_ISSUER)",
        ),
        ({"iss": None}, "bad_token", "JWT_ISSUER"),
        ({"aud": "elsewhere"}, "bad_token", "claim aud"),
        ({"aud": None}, "bad_token", "claim aud"),
        ({"aud": [5, {}]}, "bad_token", "claim aud"),
        ({"role": "*"}, "unknown_role", "is not known here"),
        ({"role": "key"}, "unknown_role", "role 'key' is not known here"),
        ({"role": "postgres"}, "unknown_role", "role 'postgres' is not known here"),
        ({"role": None}, "unknown_role", "The token has no role"),
        ({"role": ["reader"]}, "unknown_role", "JWT_DEFAULT_ROLE"),
    ],
)
def test_claims_are_checked(http: httpx.Client, peer: Issuer, claims: dict[str, Any], reason: str, words: str) -> None:
    response = http.get(PATH, headers=of(peer, **claims))
    assert reason_of(response) == reason
    assert words in response.json()["error"]["message"]


@pytest.mark.parametrize("kind", ["rsa", "ec", "ed"])
def test_each_kind_of_key_signs_for_its_user(http: httpx.Client, peer: Issuer, kind: str) -> None:
    for user, name in (("ada", "lamp"), ("ben", "desk")):
        response = http.get(PATH, headers=of(peer, kind, sub=user))
        assert response.json() == {"resource": [{"name": name}]}
    assert http.post("/api/v2/shop/_table/item", json={"resource": [{"id": 9}]}, headers=of(peer)).status_code == 403
    assert http.get(PATH, headers={"X-API-Key": "service"}).status_code == 200
    assert http.get(PATH).json()["error"]["context"]["reason"] == "no_key"


def test_a_token_without_a_subject_reads_no_rows_of_anyone(http: httpx.Client, peer: Issuer) -> None:
    assert http.get(PATH, headers=of(peer, sub=None)).json() == {"resource": []}
    assert http.get(PATH, headers=of(peer, sub={"a": 1})).json() == {"resource": []}


def test_a_cached_token_expires_on_time(http: httpx.Client, peer: Issuer) -> None:
    ends = later(-7)  # the leeway is ten seconds
    headers = of(peer, exp=ends)
    assert http.get(PATH, headers=headers).status_code == 200
    while time.time() <= ends + 10:
        time.sleep(0.1)
    assert reason_of(http.get(PATH, headers=headers)) == "token_expired"


def test_unknown_keys_do_not_flood_the_issuer(http: httpx.Client, peer: Issuer) -> None:
    before = peer.requests
    for number in range(20):
        stranger = bearer(CLAIMS, key=peer.rsa, algorithm="RS256", kid=f"unknown-{number}")
        assert reason_of(http.get(PATH, headers=stranger)) == "bad_token"
    assert peer.requests - before <= 1


def test_symmetric_and_short_keys_of_the_set_are_ignored(url: str, serve: Serve) -> None:
    with issuer() as weak:
        published, small = "a-published-secret-of-thirty-two-bytes", rsa.generate_private_key(65537, 1024)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            short = RSAKey.import_key(small.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        weak.extra = [
            OctKey.import_key(published).as_dict() | {"kid": "oct"}, short.as_dict(private=False) | {"kid": "short"},
            {"kty": "unknown"}, {"kty": "RSA", "n": "!", "e": 5}, "no object",
        ]  # fmt: skip
        started = serve("--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=weak.url)
        with httpx.Client(base_url=started.url, timeout=30) as http:
            assert reason_of(http.get(PATH, headers=bearer(CLAIMS, key=published, kid="oct"))) == "bad_token"
            weakly = bearer(CLAIMS, key=short, algorithm="RS256", kid="short")
            assert reason_of(http.get(PATH, headers=weakly)) == "bad_token"
            assert http.get(PATH, headers=of(weak)).status_code == 200


@pytest.mark.parametrize("broken", ["status", "json", "large"])
def test_a_failing_issuer_gives_a_clear_error(url: str, serve: Serve, broken: str) -> None:
    with issuer() as failing:
        failing.broken = broken
        started = serve("--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=failing.url)
        with httpx.Client(base_url=started.url, timeout=30) as http:
            response = http.get(PATH, headers=of(failing))
            assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
            assert response.json()["error"]["context"]["reason"] == "keys_unavailable"
            assert http.get(PATH, headers={"X-API-Key": "service"}).status_code == 200


def test_known_keys_stay_in_use_while_the_issuer_is_down(url: str, serve: Serve) -> None:
    with issuer() as peer:
        started = serve("--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=peer.url)
        with httpx.Client(base_url=started.url, timeout=30) as http:
            assert http.get(PATH, headers=of(peer)).status_code == 200
            peer.close()
            assert http.get(PATH, headers=of(peer, sub="ben")).json() == {"resource": [{"name": "desk"}]}


def test_a_shared_secret_and_a_nested_role_claim_are_supported(url: str, serve: Serve) -> None:
    started = serve(
        "--dataset", f"shop={url}", access=ACCESS, JWT_SECRET=SECRET,
        JWT_ROLE_CLAIM="app_metadata.role", JWT_DEFAULT_ROLE="reader",
    )  # fmt: skip
    with httpx.Client(base_url=started.url, timeout=30) as http:
        assert http.get(PATH, headers=bearer({"sub": "ada"})).status_code == 200
        nested = bearer({"sub": "ada", "app_metadata": {"role": "nobody"}})
        assert reason_of(http.get(PATH, headers=nested)) == "unknown_role"
        assert reason_of(
            http.get(PATH, headers=bearer({"sub": "ada"}, key="another-secret-of-thirty-two-bytes!!"))
        ) == ("bad_token")
        response = http.get(PATH, headers=bearer({"sub": "ada"}, algorithm="HS512"))
        assert reason_of(response) == "bad_token"
        assert "alg 'HS512', is not accepted. Use HS256." in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"JWT_SECRET": "short"}, "JWT_SECRET must be at least 32 bytes"),
        ({"JWT_SECRET": SECRET, "JWT_JWKS": "keys.json"}, "either JWT_SECRET or JWT_JWKS"),
        ({"JWT_SECRET": SECRET, "JWT_ALGORITHMS": "RS256"}, "RS256 does not match the type of the keys"),
        ({"JWT_SECRET": SECRET, "JWT_ALGORITHMS": "none"}, "none does not match the type of the keys"),
        ({"JWT_JWKS": "http://issuer.example/jwks"}, "JWT_JWKS: must be an https address"),
    ],
)
def test_contradictory_settings_prevent_the_start(
    url: str, tmp_path: Path, settings: dict[str, str], text: str
) -> None:
    (access := tmp_path / "access.json").write_text(json.dumps(ACCESS))
    done = tableapi("serve", "--dataset", f"shop={url}", "--access", str(access), cwd=tmp_path, **settings)
    assert done.returncode in (1, 2)
    assert text in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert token({}) not in done.stderr
