"""Identify callers by signed tokens, before keys and sessions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping

import orjson

from tableapi.auth.authenticators import MAX_CACHED_ACTORS, Authenticator
from tableapi.auth.policy import Actor
from tableapi.auth.tokens import verify
from tableapi.auth.tokens.verify import BadToken, TokenSettings

CACHE_SECONDS = 60.0  # a verified token; a key that its issuer has withdrawn is in use for so long
_NEVER = frozenset(("", "*", "key"))


class TokenAuthenticator(Authenticator):
    """Identify the caller of a request by a signed token; of one without a token as `inner` does.

    roles: that a token may name. sessions: whether a bearer token that is no JWT is a session of `inner`.
    """

    def __init__(self, settings: TokenSettings, roles: frozenset[str], inner: Authenticator, *, sessions: bool) -> None:
        self._settings, self._roles, self._inner, self._sessions = settings, roles - _NEVER, inner, sessions
        self._cached: dict[bytes, tuple[float, float, Actor]] = {}

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        """Return the actor.

        Raises:
            Unauthorized: the token is not valid, or names no role that is served.
        """
        token = self._token(headers)
        if token is None:
            return await self._inner.actor(headers, ip)
        digest = hashlib.sha256(token.encode("latin-1", "replace")).digest()
        cached = self._cached.get(digest)
        if cached is not None and cached[0] > time.monotonic() and cached[1] > time.time():
            return cached[2]
        claims = await verify.claims_of(token, self._settings)
        actor = self._of(claims)
        if len(self._cached) >= MAX_CACHED_ACTORS:
            self._cached.clear()
        self._cached[digest] = (time.monotonic() + CACHE_SECONDS, claims["exp"] + self._settings.leeway, actor)
        return actor

    async def again(self, headers: Mapping[str, str], ip: str) -> Actor:
        if self._token(headers) is None:
            return await self._inner.again(headers, ip)
        return await self.actor(headers, ip)

    def _token(self, headers: Mapping[str, str]) -> str | None:
        """Return the signed token of a request; None when `inner` identifies its caller."""
        bearer = headers.get("authorization", "")
        if bearer[:7].lower() != "bearer ":
            return None
        token = bearer[7:].strip()
        return None if self._sessions and token.count(".") != 2 else token

    def _of(self, claims: Mapping[str, object]) -> Actor:
        """Return the actor of checked claims. Its values are the claims, also as `user.<claim>`."""
        role = verify.role_of(claims, self._settings)
        if role not in self._roles:
            raise BadToken("The token names no role that is served here.", reason="unknown_role")
        subject = claims.get("sub")
        identity = orjson.dumps([claims.get("iss"), subject, role] if subject is not None else claims)
        return Actor(
            role,
            {**claims, **{f"user.{name}": value for name, value in claims.items()}},
            session=hashlib.sha256(b"token:" + identity).hexdigest(),
            user={"sub": subject} if isinstance(subject, str) else {},
            claims=claims,
        )
