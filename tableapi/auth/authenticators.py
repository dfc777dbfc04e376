"""Identify the caller of a request from its headers.

Rights depend only on the session row, never on the contents of the token or other values in the request.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import orjson

from tableapi.auth.access_file import AccessFile
from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import Actor, Sessions
from tableapi.auth.shared_mark import SharedMark
from tableapi.crypto.vault import Vault, token_hash
from tableapi.db.database import Db
from tableapi.errors import Unauthorized
from tableapi.observability import background

_TABLES = re.compile(
    r'(?:\b(?:from|join)\s+(?:only\s+|lateral\s+)?|,\s*)(?:"[^"]+"\.|\w+\.)?("[^"]+"|[^\W\d]\w*)', re.IGNORECASE
)
NOBODY = Actor("")
ANONYMOUS = Actor("anyone", unproved=True)
MAX_CACHED_ACTORS = 10_000
_CLIENT = b"client:"  # cache key prefix for client tokens, before their hash
TOUCH_SECONDS = 60.0


Known = tuple[int, float, Actor]  # a caller, with the changes heard until then, and how long it may be used


class Headers(dict[str, str]):
    """The headers of a request by lower-case name, checked; nothing adds to them.

    A server keeps those that clients send again (server/http1.py), so that their caller is identified once.
    """

    caller: Known | None = None


def app_key(headers: Mapping[str, str]) -> str:
    """Return the application key, or ""."""
    return headers.get("x-api-key") or headers.get("x-dreamfactory-api-key") or ""


def session_token(headers: Mapping[str, str]) -> str:
    """Return the session token, or "".

    `Authorization` takes precedence over the session headers.
    """
    bearer = headers.get("authorization", "")
    if bearer[:7].lower() == "bearer ":
        return bearer[7:].strip()
    return headers.get("x-session-token") or headers.get("x-dreamfactory-session-token") or ""


class Authenticator(Protocol):
    """Identify the caller of a request."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        """Return the actor.

        Raises Unauthorized for invalid credentials. Without credentials, the actor has no rights.
        """
        ...

    async def again(self, headers: Mapping[str, str], ip: str) -> Actor:
        """Re-authenticate the actor of an earlier request without extending its session.

        Raises the same errors as `actor`.
        """
        return await self.actor(headers, ip)

    async def changes(self) -> int:
        """Return a number that differs once callers of earlier requests may have lost rights."""
        return 0

    async def client(self, headers: Mapping[str, str], ip: str, resource: str) -> Actor:
        """Return the actor of a message to `resource`, the address of /mcp, with the scopes of its token.

        Raises the same errors as `actor`, and Unauthorized for a token issued for another address.
        """
        return await self.actor(headers, ip)


async def changes_of(authenticator: Authenticator) -> int:
    """Return `changes()` of an authenticator; 0 for one of a host program that lacks the method."""
    changes = getattr(authenticator, "changes", None)
    return await changes() if changes is not None else 0


def _wrong_key(headers: Mapping[str, str]) -> Unauthorized:
    if app_key(headers):
        message = "The API key in X-API-Key is not valid. Check that it was copied completely."
    elif headers.get("authorization"):
        message = "Send the API key in the header X-API-Key; this server reads no keys from Authorization."
    else:
        message = "Send an API key in the header X-API-Key."
    return Unauthorized(message, reason="no_key")


class OpenAuthenticator(Authenticator):
    """`--open`: grant every right to every request, or with `--api-key` to requests with that key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._actor = Actor("*", unproved=not key)

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        if not self._key or hmac.compare_digest(app_key(headers).encode(), self._key):
            return self._actor
        raise _wrong_key(headers)


class KeyAuthenticator(Authenticator):
    """`--access`: map the key of a request to the role and user of the access file."""

    def __init__(self, access: AccessFile) -> None:
        self._actors = {name: access.actor(name) for name in access.keys}
        self._anonymous = Actor(access.anonymous, unproved=True) if access.anonymous else None

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        key = app_key(headers)
        actor = self._actors.get(key)
        if actor is None:
            if self._anonymous is not None and not key and not session_token(headers):
                return self._anonymous
            raise _wrong_key(headers)
        return actor


class AnonymousAuthenticator(Authenticator):
    """A policy without sessions: give every request the role `anyone`."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        return ANONYMOUS


class SessionAuthenticator(Authenticator):
    """A policy with sessions: an app key identifies the application, a session token the user."""

    def __init__(
        self, db: Db, sessions: Sessions, app_keys: Iterable[str] | None, guesses: Guesses, vault: Vault | None = None,
        *, shared: Path | None = None,
    ) -> None:  # fmt: skip
        """Require one of `app_keys`, unless it is None. The vault computes the hashes of account keys.

        shared: a file by which the workers of a server tell each other of ended sessions.
        """
        self._vault = vault
        self._mark = SharedMark(shared)
        self._heard = self._mark.read()
        self._hearing = asyncio.Lock()
        self._db, self._sessions, self._guesses = db, sessions, guesses
        self._keys = None if app_keys is None else frozenset(app_keys)
        self._cached: dict[bytes, tuple[float, Actor]] = {}
        self._touched: dict[bytes, float] = {}
        self._to_touch: dict[bytes, None] = {}
        self._touching: asyncio.Task[None] | None = None
        self._changes = 0

    def listen(self) -> None:
        """Start dropping cached actors when the database announces a change."""
        self._db.watch(_tables_in(f"{self._sessions.lookup} {self._sessions.client_lookup}"))
        self._db.listen(self._sessions.channel, self.changed)

    def known(self, caller: Known) -> Actor | None:
        """Return the caller of headers that were identified before; None if something may have changed since."""
        if self._mark.value[:] != self._heard:
            return None
        changes, until, actor = caller
        return actor if changes == self._changes and until > time.monotonic() else None

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        if self._mark.value[:] != self._heard:
            await self._hear()
        now, key = time.monotonic(), app_key(headers)
        if self._keys is not None and key not in self._keys:
            return self._unknown(key)
        token = session_token(headers)
        if not token:
            return Actor("key", key=key, unproved=self._keys is None)
        digest = token_hash(token)
        cached = self._cached.get(digest)
        if cached is None:
            # A token that this worker has not cached counts against the client's address until it is found valid.
            async with self._guesses.counted(ip):
                return await self._look_up(digest, key, now)
        if cached[0] <= now:
            return await self._look_up(digest, key, now)
        if isinstance(headers, Headers):
            headers.caller = (self._changes, *cached)
        return cached[1]

    async def client(self, headers: Mapping[str, str], ip: str, resource: str) -> Actor:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not self._sessions.client_lookup:
            return await self.of_account(headers, ip) or await self.actor(headers, ip)
        token = token.strip()
        if not token.startswith(self._sessions.client_prefix):
            return await self.actor(headers, ip)
        if self._mark.value[:] != self._heard:
            await self._hear()
        # A client's token needs no app key, because the client has an identifier of its own.
        digest, now = token_hash(token), time.monotonic()
        cached = self._cached.get(_CLIENT + digest)
        if cached is not None and cached[0] > now:
            return cached[1]
        async with self._guesses.counted(ip):
            return await self._look_up(digest, app_key(headers), now, touch=False, client=True)

    async def of_account(self, headers: Mapping[str, str], ip: str) -> Actor | None:
        """Return the actor of an account key; None if there is no such key."""
        key = app_key(headers)
        if not key or self._vault is None or not self._sessions.key_lookup or key in (self._keys or ()):
            return None
        async with self._guesses.counted(ip):
            hashes = self._vault.indexes(self._sessions.key_purpose, key)
            row = await self._db.reads.fetchrow(self._sessions.key_lookup, hashes)
            if row is None:
                raise _wrong_key(headers)
        values = dict(row)
        scopes = values.pop("scopes", None)
        return Actor(
            values["role"], values, key=key, user=dict(list(values.items())[:1]),
            account=values.get(self._sessions.account), key_scopes=None if scopes is None else frozenset(scopes),
        )  # fmt: skip

    async def again(self, headers: Mapping[str, str], ip: str) -> Actor:
        # This token was known before, so it is not counted as a guess.
        key, token = app_key(headers), session_token(headers)
        if self._keys is not None and key not in self._keys:
            return self._unknown(key)
        if not token:
            return Actor("key", key=key, unproved=self._keys is None)
        if self._mark.value[:] != self._heard:
            await self._hear()
        digest, now = token_hash(token), time.monotonic()
        cached = self._cached.get(digest)
        if cached is not None and cached[0] > now:
            return cached[1]
        return await self._look_up(digest, key, now, touch=False)

    def _unknown(self, key: str) -> Actor:
        return Actor("", key_error=self._sessions.unknown_key) if key else NOBODY

    async def tenant_mismatches(self, actor: Actor, target: str, detail: Mapping[str, str], ip: str) -> None:
        """Record that a request named an account other than the one of its session."""
        if sql := self._sessions.tenant_mismatches:
            await self.record(sql, [(_values(actor), target, orjson.dumps(detail).decode(), ip)])

    async def credentials_read(self, actor: Actor, table: str, detail: Mapping[str, str], ip: str) -> None:
        """Record that a response shows credentials in clear."""
        if sql := self._sessions.credentials_read:
            await self.record(sql, [(_values(actor), table, orjson.dumps(detail).decode(), ip)])

    async def reads(self, actor: Actor, table: str, entries: Iterable[tuple[object, str]], ip: str) -> None:
        """Record a read of a recorded caller. entries: the account, or None, and details as JSON."""
        sql, values = self._sessions.recorded[actor.role], _values(actor)
        await self.record(sql, [(values, account, table, detail, ip) for account, detail in entries])

    async def record(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Run a statement of the audit for each row, in a transaction of its own.

        It outlasts the transaction of the request: a dry run, a batch or a failed request does not undo it.
        """
        async with self._db.writes.acquire() as connection, connection.transaction():
            for row in rows:
                await connection.fetchrow(sql, *row)

    async def _look_up(self, digest: bytes, key: str, now: float, *, touch: bool = True, client: bool = False) -> Actor:
        """Return the actor of a session token or, with `client`, of a client's access token."""
        changes, cached_as = self._changes, _CLIENT + digest if client else digest
        lookup = self._sessions.client_lookup if client else self._sessions.lookup
        row = await self._db.reads.fetchrow(lookup, digest) if lookup else None
        if row is None:
            self._cached.pop(cached_as, None)
            raise self._sessions.ended()
        role = row["role"]
        if role in self._sessions.rejected:
            raise self._sessions.error("rejected", role)
        values = dict(row)
        # A client's tokens change during its session.
        session = values.pop("session") if client else digest.hex()
        actor = Actor(
            role, values, session=session, key=key, user=self._sessions.user_of(values),
            account=values.get(self._sessions.account),
            scopes=frozenset(values.pop("scopes").split()) if client else None,
        )  # fmt: skip
        if changes == self._changes:  # no change was announced during the look-up
            if len(self._cached) >= MAX_CACHED_ACTORS:
                self._cached.clear()
            self._cached[cached_as] = (now + self._sessions.seconds, actor)
        if touch:
            self._touch(digest, now)
        return actor

    def _touch(self, digest: bytes, now: float) -> None:
        """Extend the idle time of the session in the background, at most once a minute."""
        if not self._sessions.touch or self._touched.get(digest, 0.0) > now - TOUCH_SECONDS:
            return
        if len(self._touched) >= MAX_CACHED_ACTORS:
            self._touched.clear()
        self._touched[digest] = now
        self._to_touch[digest] = None
        if self._touching is None or self._touching.done():
            self._touching = background.start(self._touch_all(), "touch_sessions")

    async def _touch_all(self) -> None:
        """Update sessions one at a time, so that requests after a restart find free connections."""
        while self._to_touch:
            digest, _ = self._to_touch.popitem()
            with suppress(Exception):  # the session's next request retries it
                await self._db.writes.fetchrow(self._sessions.touch, digest)

    async def catch_up(self) -> None:
        """Drop the cached actors of the sessions that a committed transaction has changed.

        The notification comes on a connection of its own and may be later than the response of the transaction. The
        other workers of this server find the mark changed. In a distributed database no trigger notifies, because a
        transaction of several machines cannot, so each of these writes drops the actors of every node.
        """
        if self._db.distributed:
            await self._db.notify(self._sessions.channel)
        self._mark.change()
        await self._hear()

    async def changes(self) -> int:
        if self._mark.value[:] != self._heard:
            await self._hear()
        return self._changes

    async def _hear(self) -> None:
        """Wait for the notifications of the transactions that were committed when the mark was last changed.

        Without cached actors, too: a look-up under way may have read a session before it ended.
        """
        async with self._hearing:
            mark = self._mark.read()
            if mark == self._heard:
                return
            if not await self._db.has_heard():
                self.changed("")
            self._heard = mark

    def changed(self, payload: str) -> None:
        """Drop the cached actors with `<column>=<value>`, for example after a sign-out; "" drops all."""
        self._changes += 1
        name, _, value = payload.partition("=")
        if not value:
            self._cached.clear()
            return
        for digest, (_, actor) in list(self._cached.items()):
            if (actor.session if name == "session" else str(actor.values.get(name))) == value:
                del self._cached[digest]


def _values(actor: Actor) -> str:
    return orjson.dumps(dict(actor.values), default=str).decode()


def _tables_in(sql: str) -> frozenset[str]:
    """Return the names after FROM, JOIN and commas, in lower case, without a schema; not all are tables."""
    return frozenset(name.strip('"').lower() for name in _TABLES.findall(sql))
