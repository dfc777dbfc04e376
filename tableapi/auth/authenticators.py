"""Headers -> Actor. Rights come from the session's row alone, never from the token or from what a client says."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Protocol

import orjson

from tableapi.auth.credentials import app_key, session_token
from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import Actor, Sessions
from tableapi.auth.rights import AccessFile
from tableapi.crypto.vault import token_hash
from tableapi.db.database import Db
from tableapi.errors import ApiError, Unauthorized
from tableapi.observability import background

NOBODY = Actor("")
ANONYMOUS = Actor("anyone")
MAX_CACHED_ACTORS = 10_000
TOUCH_SECONDS = 60.0


class Authenticator(Protocol):
    """Who a request is from. Raises Unauthorized for credentials that are bad, not for those that are missing."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor: ...


class OpenAuthenticator:
    """`--open`: whoever reaches the server may do everything; with `--api-key` only who knows the key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._actor = Actor("*")

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        if not self._key or hmac.compare_digest(app_key(headers).encode(), self._key):
            return self._actor
        raise Unauthorized("A valid API key is needed in X-API-Key.", reason="no_key")


class KeyAuthenticator:
    """`--access`: a key names its role and user."""

    def __init__(self, access: AccessFile) -> None:
        self._actors = {name: access.actor(name) for name in access.keys}

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        found = self._actors.get(app_key(headers))
        if found is None:
            raise Unauthorized("A valid API key is needed in X-API-Key.", reason="no_key")
        return found


class AnonymousAuthenticator:
    """A policy without users: every request has the role `anyone`."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        return ANONYMOUS


class SessionAuthenticator:
    """A project: an app key that names the app, and a session that names the user."""

    def __init__(self, db: Db, sessions: Sessions, app_keys: Iterable[str] | None, guesses: Guesses) -> None:
        """`app_keys`: a request must send one of them; None where none is needed."""
        self._db, self._sessions, self._guesses = db, sessions, guesses
        self._keys = None if app_keys is None else frozenset(app_keys)
        self._kept: dict[bytes, tuple[float, Actor]] = {}
        self._touched: dict[bytes, float] = {}
        self._untouched: dict[bytes, None] = {}
        self._touching: asyncio.Task[None] | None = None
        self._changes = 0

    def listen(self) -> None:
        self._db.listen(self._sessions.channel, self.changed)

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        key = app_key(headers)
        if self._keys is not None and key not in self._keys:
            return NOBODY
        token = session_token(headers)
        return await self.holder(token, key, ip) if token else Actor("key", key=key)

    async def tenant_mismatches(self, actor: Actor, target: str, detail: Mapping[str, str], ip: str) -> None:
        """Keep that somebody named another account as the session's."""
        if sql := self._sessions.tenant_mismatches:
            values = orjson.dumps(dict(actor.values), default=str).decode()
            await self._db.writes.fetchrow(sql, values, target, orjson.dumps(detail).decode(), ip)

    async def holder(self, token: str, key: str, ip: str) -> Actor:
        """The user of a session token. Raises Unauthorized for a bad one, and the refusals of policy.py.

        A token that this worker has not seen to be good is counted against its address before it is looked up.
        """
        mark = token_hash(token)
        kept = self._kept.get(mark)
        now = time.monotonic()
        if kept is not None and kept[0] > now:
            return kept[1]
        if kept is not None:
            return await self._looked_up(mark, key, now)
        async with self._guesses.counted(ip):
            return await self._looked_up(mark, key, now)

    async def _looked_up(self, mark: bytes, key: str, now: float) -> Actor:
        changes = self._changes
        row = await self._db.reads.fetchrow(self._sessions.lookup, mark)
        if row is None:
            self._kept.pop(mark, None)
            raise Unauthorized("Your account access session is expired")
        role = row["role"]
        if refusal := self._sessions.refusals.get(role):
            status, reason, message = refusal
            raise ApiError(message, status=status, reason=reason, scope="account")
        values, user = dict(row), self._sessions.user
        actor = Actor(
            role, values, session=mark.hex(), key=key, user={user: values[user]} if user else {},
            account=values.get(self._sessions.account),
        )  # fmt: skip
        if changes == self._changes:  # nothing changed while we looked
            if len(self._kept) >= MAX_CACHED_ACTORS:
                self._kept.clear()
            self._kept[mark] = (now + self._sessions.seconds, actor)
        self._touch(mark, now)
        return actor

    def _touch(self, mark: bytes, now: float) -> None:
        """Extend the idle life of the session, at most once a minute and beside the request."""
        if not self._sessions.touch or self._touched.get(mark, 0.0) > now - TOUCH_SECONDS:
            return
        if len(self._touched) >= MAX_CACHED_ACTORS:
            self._touched.clear()
        self._touched[mark] = now
        self._untouched[mark] = None
        if self._touching is None or self._touching.done():
            self._touching = background.start(self._touch_all(), "touch_sessions")

    async def _touch_all(self) -> None:
        """One after the other: after a restart everybody comes at once, and their requests need the lanes."""
        while self._untouched:
            mark, _ = self._untouched.popitem()
            with suppress(Exception):  # a session that is not extended now is at its next request
                await self._db.writes.fetchrow(self._sessions.touch, mark)

    def changed(self, payload: str) -> None:
        """A session, user or client changed: `<column>=<value>`; "" stands for anything."""
        self._changes += 1
        name, _, value = payload.partition("=")
        if not value:
            self._kept.clear()
            return
        for mark, (_, actor) in list(self._kept.items()):
            if (mark.hex() if name == "session" else str(actor.values.get(name))) == value:
                del self._kept[mark]
