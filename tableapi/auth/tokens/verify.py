"""Check the signature and the claims of a token."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tableapi.errors import Unauthorized

# The key type for each algorithm. `none` and algorithms not listed here are never accepted.
KEY_TYPES = {
    "HS256": "oct", "HS384": "oct", "HS512": "oct",
    "RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA",
    "ES256": "EC", "ES384": "EC", "ES512": "EC",
    "EdDSA": "OKP", "Ed25519": "OKP",
}  # fmt: skip
OF_SECRET, OF_KEYS = ("HS256",), ("RS256", "ES256", "EdDSA", "Ed25519")
MAX_TOKEN_CHARS = 8192
_MALFORMED = "The token is malformed: a signed token has three parts, with dots between them. API keys go to X-API-Key."


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """Requirements for tokens: the JWT_* settings."""

    keys: Any  # SecretKey or PublicKeys
    algorithms: frozenset[str]
    issuer: str
    audience: frozenset[str]
    role_claim: str
    default_role: str
    leeway: float


class BadToken(Unauthorized):
    """Raised for a rejected token. The response has the challenge of RFC 6750."""

    reason = "bad_token"

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        challenge = f'Bearer error="invalid_token", error_description="{message}"'
        super().__init__(message, reason=reason, headers={"WWW-Authenticate": challenge})


async def claims_of(token: str, settings: TokenSettings) -> Mapping[str, Any]:
    """Verify a token and return its claims.

    Raises:
        Unauthorized: `bad_token` or `token_expired`.
        KeysUnavailable: the issuer's keys could not be loaded.
    """
    from joserfc import jws
    from joserfc.errors import JoseError

    if len(token) > MAX_TOKEN_CHARS:
        raise BadToken("The token is too long.")
    try:
        signature = jws.extract_compact(token.encode())
        header = signature.headers()
        algorithm = header.get("alg")
        if algorithm not in settings.algorithms or {"crit", "b64"} & header.keys():
            raise BadToken("The token's algorithm is not accepted.")
        key_id = header.get("kid")
        keys = await settings.keys.candidates(key_id if isinstance(key_id, str) else None)
        if not any(_signed(signature, key, algorithm) for key in keys):
            raise BadToken("The token's signature is not valid.")
        claims = orjson.loads(signature.payload or b"")
    except (JoseError, ValueError, TypeError):
        raise BadToken(_MALFORMED) from None
    if not isinstance(claims, dict):
        raise BadToken(_MALFORMED)
    _check(claims, settings)
    return claims


def _signed(signature: Any, key: Any, algorithm: str) -> bool:
    """Return whether a key of the right type made the signature."""
    from joserfc import jws
    from joserfc.errors import JoseError

    if key.key_type != KEY_TYPES[algorithm] or key.get("alg") not in (None, algorithm):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the name EdDSA is deprecated, but issuers use it
            return jws.validate_compact(signature, key, [algorithm])
    except (JoseError, ValueError):
        return False


def _check(claims: Mapping[str, Any], settings: TokenSettings) -> None:
    """Check the times, the issuer and the audience of a token."""
    now, leeway = time.time(), settings.leeway
    for name in ("exp", "nbf", "iat"):
        value = claims.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise BadToken("A time claim of the token is not a number.")
    if claims.get("exp") is None:
        raise BadToken("The token has no expiry time (exp).")
    if claims["exp"] + leeway <= now:
        raise BadToken("The token has expired. Sign in again.", reason="token_expired")
    if max(claims.get("nbf") or 0, claims.get("iat") or 0) - leeway > now:
        raise BadToken("The token is not valid yet.")
    if settings.issuer and claims.get("iss") != settings.issuer:
        raise BadToken("The token was issued by another issuer.")
    if settings.audience:
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
        if not any(isinstance(name, str) and name in settings.audience for name in named):
            raise BadToken("The token was issued for another audience.")


def role_of(claims: Mapping[str, Any], settings: TokenSettings) -> str:
    """Return the role in a token: the claim with the configured name or path; "" if there is none."""
    value: Any = claims.get(settings.role_claim)
    if value is None:
        value = claims
        for part in settings.role_claim.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else settings.default_role
