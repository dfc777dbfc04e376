"""/sandbox/oidc/<vendor>: a stand-in for Google and LinkedIn.

It signs in any name and address typed into its form.

It is stateless: codes and access tokens are encrypted values that contain the identity and expire after a minute. Like
the real providers, it checks client, redirect URI and PKCE.
"""

from __future__ import annotations

import base64
import hashlib
import time
from html import escape
from typing import Any
from urllib.parse import urlencode

import orjson
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.jwk import ECKey
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from product.settings import Settings
from product.vendors.stand_ins import OIDC_CLIENT, oidc_issuer
from sandbox.page import page
from tableapi import Internal, Vault, derive_key

VENDORS = {"google": "Google", "linkedin": "LinkedIn"}
SECONDS = 60
_FIELDS = ("client_id", "redirect_uri", "state", "nonce", "code_challenge")
_FORM = """<main class="narrow"><h1>Sign in with {vendor}</h1>
<p class="quiet">This is not {vendor}. Choose who you want to be.</p><form method="post" class="panel">
<label for="email">Email</label><input id="email" name="email" type="email" required value="owner@acme-demo.com">
<label for="name">Name</label><input id="name" name="name" type="text" required value="Olivia Owner">
<label class="check"><input name="verified" type="checkbox" value="1" checked> Address is verified</label>
<button type="submit">Continue</button></form></main>"""


class Sandbox:
    """One provider per vendor name, at `{public_url}/sandbox/oidc/{vendor}`."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._vault = settings, Vault(settings.secret_keys)
        # Derived from SECRET_KEYS, so that every worker signs with the same key without storing it.
        number = int.from_bytes(derive_key(settings.secret_keys[0].encode(), "sandbox-oidc"), "big") >> 1
        pem = ec.derive_private_key(number, ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        self._key = ECKey.import_key(pem, {"kid": "sandbox", "use": "sig", "alg": "ES256"})

    def _issuer(self, request: Request) -> str | None:
        vendor = request.path_params["vendor"]
        return oidc_issuer(self._settings, vendor) if vendor in VENDORS else None

    async def discovery(self, request: Request) -> Response:
        if not (issuer := self._issuer(request)):
            return JSONResponse({"error": "not_found"}, 404)
        endpoints = {f"{name}_endpoint": f"{issuer}/{name}" for name in ("authorization", "token", "userinfo")}
        return JSONResponse(
            {
                "issuer": issuer,
                "jwks_uri": f"{issuer}/jwks",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"],
                "code_challenge_methods_supported": ["S256"],
                **endpoints,
            }
        )

    async def jwks(self, request: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    async def authorization(self, request: Request) -> Response:
        """Show the sign-in form, and redirect back with a code when it is submitted."""
        if not self._issuer(request):
            return HTMLResponse("Not found", 404)
        params = request.query_params
        problem = self._problem(params)
        if problem:
            return page(problem, f'<main class="narrow"><h1>{escape(problem)}</h1></main>', tag="SANDBOX", status=400)
        if request.method == "GET":
            vendor = VENDORS[request.path_params["vendor"]]
            return page(f"Sign in with {vendor}", _FORM.format(vendor=vendor), tag="SANDBOX")
        form = await request.form()
        email = str(form.get("email", "")).strip().lower()
        claims = {
            "sub": "sandbox-" + hashlib.sha256(email.encode()).hexdigest()[:20],
            "email": email,
            "name": str(form.get("name", "")).strip(),
            "email_verified": form.get("verified") == "1",
        }
        code = self._sealed({"claims": claims, **{name: params.get(name, "") for name in _FIELDS}})
        query = urlencode({"code": code, "state": params["state"]})
        return RedirectResponse(f"{params['redirect_uri']}?{query}", 303, headers={"Cache-Control": "no-store"})

    def _problem(self, params: Any) -> str:
        if params.get("client_id") != OIDC_CLIENT or params.get("response_type") != "code" or not params.get("state"):
            return "Unknown client, response type or no state."
        if not params.get("redirect_uri", "").startswith(self._settings.public_url + "/"):
            return "The redirect address does not belong to this app."
        return (
            "" if params.get("code_challenge_method") == "S256" and params.get("code_challenge") else "PKCE is needed."
        )

    async def token(self, request: Request) -> Response:
        """Exchange a code for an ID token after checking client, redirect URI and PKCE verifier."""
        form = await request.form()
        code = self._opened(str(form.get("code", "")))
        verifier = hashlib.sha256(str(form.get("code_verifier", "")).encode()).digest()
        valid = (
            code is not None
            and form.get("client_secret") == OIDC_CLIENT
            and form.get("redirect_uri") == code["redirect_uri"]
            and base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() == code["code_challenge"]
        )
        if not valid or code is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self._issuer(request),
            "aud": OIDC_CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": code["nonce"],
        }
        id_token = jwt.encode({"alg": "ES256", "kid": "sandbox"}, claims | code["claims"], self._key)
        access = self._sealed({"claims": code["claims"]})
        return JSONResponse(
            {"access_token": access, "token_type": "Bearer", "expires_in": SECONDS, "id_token": id_token}
        )

    async def userinfo(self, request: Request) -> Response:
        token = self._opened(request.headers.get("authorization", "").removeprefix("Bearer "))
        return JSONResponse(token["claims"]) if token else JSONResponse({"error": "invalid_token"}, 401)

    def _sealed(self, value: dict[str, Any]) -> str:
        return self._vault.seal(orjson.dumps(value | {"until": time.time() + SECONDS}).decode())

    def _opened(self, text: str) -> dict[str, Any] | None:
        try:
            value: dict[str, Any] = orjson.loads(self._vault.open(text))
        except (Internal, ValueError):
            return None
        return value if value.get("until", 0) > time.time() else None


def routes(settings: Settings) -> list[Route]:
    """Return the routes of the providers; none without DEMO."""
    if not settings.demo:
        return []
    sandbox, base = Sandbox(settings), "/sandbox/oidc/{vendor}"
    return [
        Route(base + "/.well-known/openid-configuration", sandbox.discovery),
        Route(base + "/jwks", sandbox.jwks),
        Route(base + "/authorization", sandbox.authorization, methods=["GET", "POST"]),
        Route(base + "/token", sandbox.token, methods=["POST"]),
        Route(base + "/userinfo", sandbox.userinfo),
    ]
