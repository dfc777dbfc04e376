"""Identify callers by signed tokens, before keys and sessions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace

import orjson

from tableapi.auth import scopes
from tableapi.auth.authenticators import MAX_CACHED_ACTORS, Authenticator, changes_of
from tableapi.auth.policy import Actor
from tableapi.auth.tokens import verify
from tableapi.auth.tokens.verify import BadToken, TokenSettings

CACHE_SECONDS = 60.0  # for a verified token; also how long a withdrawn key remains usable
_NEVER = frozenset(("", "*", "key"))
_NO_AUDIENCE: frozenset[str] = frozenset()


class TokenAuthenticator(Authenticator):
    """Identify callers by signed tokens, and delegate requests without one to `inner`.

    roles: the roles that a token may name. sessions: whether a bearer token other than a JWT is a session of `inner`.
    resources: accepted audiences of tokens for /mcp, instead of its address.
    """

    def __init__(
        self,
        settings: TokenSettings,
        roles: frozenset[str],
        inner: Authenticator,
        *,
        sessions: bool,
        resources: Iterable[str] = (),
    ) -> None:
        self._settings, self._roles, self._inner, self._sessions = settings, roles - _NEVER, inner, sessions
        self._resources = frozenset(resources)
        self._cached: dict[bytes, tuple[float, float, Actor]] = {}

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        """Return the actor.

        Raises:
            Unauthorized: the token is invalid, or names a role that does not exist.
        """
        token = self._token(headers)
        return await self._inner.actor(headers, ip) if token is None else await self._verified(token)

    async def client(self, headers: Mapping[str, str], ip: str, resource: str) -> Actor:
        token = self._token(headers)
        if token is None:
            return await self._inner.client(headers, ip, resource)
        if not self._settings.issuer:  # tokens signed with a shared secret, for which clients cannot sign in
            return await self._verified(token)
        return await self._verified(token, self._resources or frozenset((resource,)))

    async def _verified(self, token: str, audience: frozenset[str] = _NO_AUDIENCE) -> Actor:
        """Return the actor of a token; with `audience`, the actor of a client, with its token's scopes."""
        digest = hashlib.sha256(token.encode("latin-1", "replace") + b"\0".join(map(str.encode, audience))).digest()
        cached = self._cached.get(digest)
        if cached is not None and cached[0] > time.monotonic() and cached[1] > time.time():
            return cached[2]
        settings = replace(self._settings, audience=audience) if audience else self._settings
        claims = await verify.claims_of(token, settings)
        actor = self._of(claims)
        if audience:
            actor = replace(actor, scopes=scopes.of_claims(claims))
        if len(self._cached) >= MAX_CACHED_ACTORS:
            self._cached.clear()
        self._cached[digest] = (time.monotonic() + CACHE_SECONDS, claims["exp"] + self._settings.leeway, actor)
        return actor

    async def again(self, headers: Mapping[str, str], ip: str) -> Actor:
        if self._token(headers) is None:
            return await self._inner.again(headers, ip)
        return await self.actor(headers, ip)

    async def changes(self) -> int:
        return await changes_of(self._inner)

    def _token(self, headers: Mapping[str, str]) -> str | None:
        """Return the signed token of a request; None if `inner` identifies its caller."""
        bearer = headers.get("authorization", "")
        if bearer[:7].lower() != "bearer ":
            return None
        token = bearer[7:].strip()
        return None if self._sessions and token.count(".") != 2 else token

    def _of(self, claims: Mapping[str, object]) -> Actor:
        """Build the actor from verified claims, which become its values, also as `user.<claim>`."""
        role = verify.role_of(claims, self._settings)
        if role not in self._roles:
            raise BadToken(verify.unknown_role(role, self._settings), reason="unknown_role")
        subject = claims.get("sub")
        identity = orjson.dumps([claims.get("iss"), subject, role] if subject is not None else claims)
        return Actor(
            role,
            {**claims, **{f"user.{name}": value for name, value in claims.items()}},
            session=hashlib.sha256(b"token:" + identity).hexdigest(),
            user={"sub": subject} if isinstance(subject, str) else {},
            claims=claims,
        )
