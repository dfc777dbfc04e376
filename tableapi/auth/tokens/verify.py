"""Check the signature and the claims of a token."""

from __future__ import annotations

import re
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
_SHOWN = re.compile("[A-Za-z0-9._:-]{1,60}")
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
            accepted = ", ".join(sorted(settings.algorithms))
            raise BadToken(f"The algorithm of the token, alg {_shown(algorithm)}, is not accepted. Use {accepted}.")
        key_id = header.get("kid")
        keys = await settings.keys.candidates(key_id if isinstance(key_id, str) else None)
        if not any(_signed(signature, key, algorithm) for key in keys):
            raise BadToken("The token's signature is not valid. Check the secret or the keys of issuer and server.")
        claims = orjson.loads(signature.payload or b"")
    except (JoseError, ValueError, TypeError):
        raise BadToken(_MALFORMED) from None
    if not isinstance(claims, dict):
        raise BadToken(_MALFORMED)
    _check(claims, settings)
    return claims


def _shown(value: object) -> str:
    """Return a value of an unverified token for a message, which also goes into a header."""
    return f"'{value}'" if isinstance(value, str) and _SHOWN.fullmatch(value) else "of the header"


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
        raise BadToken("The token is not valid yet: nbf or iat is in the future. Check the clocks of both machines.")
    if settings.issuer and claims.get("iss") != settings.issuer:
        raise BadToken("The claim iss is not the issuer that this server expects (JWT_ISSUER).")
    if settings.audience:
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
        if not any(isinstance(name, str) and name in settings.audience for name in named):
            raise BadToken("The claim aud does not name this server (JWT_AUDIENCE, or the address of /mcp).")


def role_of(claims: Mapping[str, Any], settings: TokenSettings) -> str:
    """Return the role in a token: the claim with the configured name or path; "" if there is none."""
    value: Any = claims.get(settings.role_claim)
    if value is None:
        value = claims
        for part in settings.role_claim.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else settings.default_role


def unknown_role(role: str, settings: TokenSettings) -> str:
    """Return the message for a token without a role, or with one that is not known here."""
    claim = settings.role_claim
    if not role:
        return f"The token has no role: the claim {claim} (JWT_ROLE_CLAIM) is missing. Add it, or set JWT_DEFAULT_ROLE."
    name = f"'{role}'" if _SHOWN.fullmatch(role) else "of its claim"
    return f"The token's role {name} is not known here. Correct the claim {claim}, or JWT_ROLES."
