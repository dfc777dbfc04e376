"""An OAuth 2.1 client that strictly follows RFC 9728, 8414, 7591, 7636, 8707 and 9207, for tests of /mcp."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from tests.helpers.agents import ACCEPTED, INITIALIZE, call
from tests.helpers.product import API, User
from tests.helpers.support import ok

AUTHORIZE = f"{API}oauth/authorize"
REDIRECT = "http://127.0.0.1:33418/callback"


class OAuthClient:
    """A client without a secret. Each step uses only what the server has returned before.

    http: a client of the server without credentials, for URLs of any host.
    """

    def __init__(self, http: httpx2.AsyncClient, redirect: str = REDIRECT) -> None:
        self.http, self.redirect = http, redirect
        self.resource: dict[str, Any] = {}
        self.server: dict[str, Any] = {}
        self.clientid = ""
        self.tokens: dict[str, Any] = {}
        self.verifier = self.state = ""

    async def discover(self) -> str:
        """Read the metadata of resource and server; returns the scope that the challenge names."""
        response = await self.http.post("/mcp", json=INITIALIZE, headers=ACCEPTED)
        assert response.status_code == 401
        challenge = response.headers["www-authenticate"]
        values: dict[str, str] = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
        assert challenge.startswith("Bearer ")
        self.resource = (await self.http.get(_path(values["resource_metadata"]))).json()
        assert self.resource["resource"].endswith("/mcp")
        issuer = self.resource["authorization_servers"][0]
        assert not urlsplit(issuer).path
        self.server = (await self.http.get("/.well-known/oauth-authorization-server")).json()
        assert self.server["issuer"] == issuer
        assert self.server["code_challenge_methods_supported"] == ["S256"]
        return values["scope"]

    async def register(self, **metadata: Any) -> httpx2.Response:
        """Register by RFC 7591."""
        body = {
            "client_name": "Test assistant", "redirect_uris": [self.redirect], "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "software_id": "unknown members are ignored", **metadata,
        }  # fmt: skip
        response = await self.http.post(_path(self.server["registration_endpoint"]), json=body)
        if response.status_code == 201:
            self.clientid = response.json()["client_id"]
        return response

    def request(self, scope: str, **changes: str) -> dict[str, str]:
        """Return the parameters of an authorization request."""
        self.verifier, self.state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        return {
            "response_type": "code", "client_id": self.clientid, "redirect_uri": self.redirect, "scope": scope,
            "state": self.state, "resource": self.resource["resource"], "code_challenge_method": "S256",
            "code_challenge": challenge_of(self.verifier), "prompt": "unknown parameters are ignored", **changes,
        }  # fmt: skip

    def code(self, redirect: str) -> str:
        """Return the code of an authorization response, after the checks of RFC 6749 and 9207."""
        values = answer_of(redirect)
        assert redirect.startswith(self.redirect)
        assert values["state"] == self.state
        assert values["iss"] == self.server["issuer"]
        return values["code"]

    async def token(self, **fields: str) -> httpx2.Response:
        """Call the token endpoint as a public client."""
        sent = {"client_id": self.clientid, "resource": self.resource["resource"], **fields}
        response = await self.http.post(_path(self.server["token_endpoint"]), data=sent)
        assert response.headers["cache-control"] == "no-store"
        if response.status_code == 200:
            self.tokens = response.json()
            assert self.tokens["token_type"] == "Bearer"
        return response

    async def redeem(self, code: str, **fields: str) -> httpx2.Response:
        """Exchange a code."""
        sent = {"grant_type": "authorization_code", "code": code, "code_verifier": self.verifier}
        return await self.token(**{**sent, "redirect_uri": self.redirect, **fields})

    async def refresh(self, token: str = "", **fields: str) -> httpx2.Response:
        """Exchange a refresh token, by default the newest."""
        return await self.token(
            grant_type="refresh_token", refresh_token=token or self.tokens["refresh_token"], **fields
        )

    async def revoke(self, token: str) -> httpx2.Response:
        """Revoke a token by RFC 7009."""
        sent = {"client_id": self.clientid, "token": token, "token_type_hint": "access_token"}
        return await self.http.post(_path(self.server["revocation_endpoint"]), data=sent)

    async def call(self, tool: str, arguments: dict[str, Any], token: str = "") -> httpx2.Response:
        """Call a tool with the access token."""
        bearer = {"Authorization": f"Bearer {token or self.tokens['access_token']}"}
        return await self.http.post("/mcp", json=call(tool, **arguments), headers=bearer | ACCEPTED)


async def consent(user: User, request: dict[str, Any], *scopes: str, allow: bool = True) -> str:
    """Decide like the app's screen, and return the address that the browser opens."""
    response = await user.http.post(AUTHORIZE, json={**request, "allow": allow, "scopes": list(scopes)})
    redirect: str = ok(response)["redirect"]
    return redirect


async def signed_in(client: OAuthClient, user: User, scope: str = "read") -> OAuthClient:
    """Sign a client in with some scopes."""
    code = client.code(await consent(user, client.request(scope), *scope.split()))
    assert (await client.redeem(code)).status_code == 200
    return client


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier (RFC 7636)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def answer_of(redirect: str) -> dict[str, str]:
    """Return the parameters of an authorization response."""
    return dict(parse_qsl(urlsplit(redirect).query))


def _path(address: str) -> str:
    return urlsplit(address).path
