"""OpenID Connect client: authorization code with PKCE, and ID tokens, over httpx2 and joserfc.

Returns an `Identity` or raises an error. Tokens of the provider never leave this module.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx2
import structlog
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import BaseModel, ValidationError

from product import emails
from tableapi import ApiError, tls_context

log = structlog.get_logger(__name__)
TIMEOUT_SECONDS, LEEWAY_SECONDS, CACHE_SECONDS = 5.0, 60, 3600.0


class ProviderFailed(ApiError):
    """The provider cannot be reached or returned an invalid response (502)."""

    status, reason = 502, "provider_failed"


class NotProved(ApiError):
    """The provider's response does not prove an identity (400)."""

    status, reason = 400, "not_proved"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity that the provider asserts."""

    subject: str
    email: str
    email_verified: bool
    name: str
    # Identify the ID token independently of its encoding: issuer with user and nonce, and issuer with token id.
    marks: tuple[str, ...] = ()
    until: int = 0  # seconds since 1970: when the ID token expires


class Discovery(BaseModel):
    """The fields that matter of a discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None


class Provider:
    """One provider, configured by the discovery document of its issuer."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, *, nonce_needed: bool) -> None:
        self._issuer, self._id, self._secret, self._nonce_needed = issuer, client_id, client_secret, nonce_needed
        self._client = httpx2.AsyncClient(verify=tls_context(), timeout=TIMEOUT_SECONDS, follow_redirects=False)
        self._discovery: Discovery | None = None
        self._keys: KeySet | None = None
        self._until = 0.0

    async def close(self) -> None:
        await self._client.aclose()

    async def authorize_url(self, *, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Return the authorization URL that the popup opens."""
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._id,
            "redirect_uri": redirect_uri,
            "scope": "openid profile email",
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{(await self._document()).authorization_endpoint}?{urlencode(query)}"

    async def exchange(self, code: str, *, redirect_uri: str, nonce: str, verifier: str) -> Identity:
        """Exchange an authorization code for an identity."""
        document = await self._document()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "client_id": self._id,
            "client_secret": self._secret,
            "code_verifier": verifier,
        }
        tokens = await self._json("POST", document.token_endpoint, form=form)
        claims = await self._claims(str(tokens.get("id_token", "")), nonce)
        if "email" not in claims and document.userinfo_endpoint:
            headers = {"Authorization": f"Bearer {tokens.get('access_token', '')}"}
            userinfo = await self._json("GET", document.userinfo_endpoint, headers=headers)
            if userinfo.get("sub") != claims["sub"]:
                raise NotProved(
                    "The provider's responses contradict each other. Please try again.", case="provider_answers_differ"
                )
            claims = userinfo | claims
        return _identity(claims)

    async def identity(self, credential: str, nonce: str) -> Identity:
        """Return the identity of an ID token that the provider issued to the browser."""
        return _identity(await self._claims(credential, nonce))

    async def _claims(self, token: str, nonce: str) -> dict[str, object]:
        """Return the claims of an ID token after checking signature, issuer, audience, expiry and nonce."""
        document = await self._document()
        try:
            assert self._keys is not None
            decoded = jwt.decode(token, self._keys, algorithms=["RS256", "ES256"])
            rules = jwt.JWTClaimsRegistry(
                leeway=LEEWAY_SECONDS,
                iss={"essential": True, "value": document.issuer},
                aud={"essential": True, "value": self._id},
                sub={"essential": True},
                exp={"essential": True},
            )
            rules.validate(decoded.claims)
        except (JoseError, ValueError) as error:
            log.warning("id_token_refused", error=type(error).__name__)
            raise NotProved(
                "The provider's response is not valid. Please try again.", case="provider_answer_invalid"
            ) from None
        claims = dict(decoded.claims)
        if claims.get("nonce") != nonce and (self._nonce_needed or "nonce" in claims):
            raise NotProved(
                "The provider's response belongs to another sign-in. Please try again.",
                case="provider_answer_of_another",
            )
        return claims

    async def _document(self) -> Discovery:
        """Return the discovery document; it and the keys are refreshed every hour."""
        if self._discovery is None or self._until < time.monotonic():
            try:
                document = Discovery.model_validate(
                    await self._json("GET", f"{self._issuer}/.well-known/openid-configuration")
                )
            except ValidationError:
                raise _failed("discovery") from None
            try:
                self._keys = KeySet.import_key_set(await self._json("GET", document.jwks_uri))  # type: ignore[arg-type]
            except (JoseError, ValueError, KeyError, TypeError):
                raise _failed("keys") from None
            self._discovery, self._until = document, time.monotonic() + CACHE_SECONDS
        return self._discovery

    async def _json(
        self, method: str, url: str, *, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
    ) -> dict[str, object]:
        try:
            response = await self._client.request(method, url, data=form, headers=headers)
            data = response.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise _failed(type(error).__name__) from None
        if response.status_code == 400 and method == "POST":  # the code was used, forged or issued to another client
            raise NotProved("The provider did not accept the sign-in. Please try again.", case="provider_declined")
        if not response.is_success or not isinstance(data, dict):
            raise _failed(str(response.status_code))
        return data


def _failed(why: str) -> ProviderFailed:
    log.warning("provider_failed", why=why)
    return ProviderFailed("The sign-in service is not responding. Please try again.")


def _identity(claims: dict[str, object]) -> Identity:
    verified = claims.get("email_verified")
    name = claims.get("name") or f"{claims.get('given_name', '')} {claims.get('family_name', '')}".strip()
    email = emails.normal(str(claims.get("email") or ""))
    parts = {"nonce": [claims["sub"], claims.get("nonce")], "jti": [claims.get("jti")]}
    marks = tuple(
        json.dumps([claims.get("iss"), part, *values]) for part, values in parts.items() if values[-1] is not None
    ) or (json.dumps([claims.get("iss"), "iat", claims["sub"], claims.get("iat"), claims.get("exp")]),)
    is_verified = verified is True or verified == "true"
    return Identity(
        str(claims["sub"]), email, is_verified, str(name or email), marks, int(float(str(claims.get("exp") or 0)))
    )
