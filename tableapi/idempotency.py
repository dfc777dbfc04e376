"""Safe repeats: the answer to a write with an `Idempotency-Key` is kept for 24 hours (G12, table-api §16).

A key is claimed before the write runs and gets its answer after. When the server dies in between nobody knows whether
the write was done; a repeat is then refused, never run a second time.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any, Protocol

import orjson

from tableapi.access import Actor
from tableapi.crypto import Vault
from tableapi.db import Db
from tableapi.errors import BadRequest, Conflict, Invalid
from tableapi.faults import refusal
from tableapi.reading import Call
from tableapi.reply import Reply, refused
from tableapi.scripts import Scripts
from tableapi.settings import Settings

LIFE = 24 * 3600


@dataclass(frozen=True, slots=True)
class Claim:
    """One use of a key: who, which request, and the hash of all that was sent."""

    principal: str
    key: str
    route: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    digest: bytes
    status: int | None
    headers: dict[str, str]
    body: bytes


class Backend(Protocol):
    async def claim(self, claim: Claim) -> Kept | None:
        """None when the key is new and now this request's; else what is kept under it."""

    async def keep(self, claim: Claim, made: Reply) -> None: ...

    async def drop(self, claim: Claim) -> None: ...


class Answers:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def once(
        self, key: str, call: Call, verb: str, ident: str | None, run: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        """The answer of `run`, or the one that an equal request got before. Raises Invalid, Conflict, BadRequest."""
        route = f"{verb} {call.dataset.name}/{call.table.name}" + (f"/{ident}" if ident is not None else "")
        sent = orjson.dumps([sorted(call.query.items()), call.body], default=str)
        return await self.again(key, call.actor, route, sent, run)

    async def again(
        self, key: str, actor: Actor, route: str, sent: bytes, run: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        """The same for a script; `sent` is all that tells two requests apart."""
        who = f"user:{actor.values['appuserid']}" if "appuserid" in actor.values else f"key:{actor.key or actor.role}"
        if not 1 <= len(key) <= 64 or not key.isprintable():
            raise BadRequest("Idempotency-Key must have 1 to 64 characters.", reason="bad_idempotency_key")
        claim = Claim(who[:200], key, route[:500], hashlib.sha256(route.encode() + b"\0" + sent).digest())
        kept = await self._backend.claim(claim)
        if kept is not None:
            return _replayed(kept, claim)
        try:
            made = await run()
        except BaseException as error:
            await asyncio.shield(self._failed(claim, error))
            raise
        if made.status >= 500:
            await self._backend.drop(claim)
        else:
            await self._backend.keep(claim, made)
        return made

    async def _failed(self, claim: Claim, error: BaseException) -> None:
        known = refusal(error) if isinstance(error, Exception) else None
        if known is not None and not known.passing:
            await self._backend.keep(claim, refused(known))
        else:
            await self._backend.drop(claim)


def _replayed(kept: Kept, claim: Claim) -> Reply:
    if kept.digest != claim.digest:
        raise Invalid(
            {"Idempotency-Key": "This key was used for another request."},
            "This Idempotency-Key was used for another request.",
        )
    if kept.status is None:
        raise Conflict("The first request with this key has not ended. Try again later.", reason="still_running")
    return Reply(kept.body, kept.status, headers={**kept.headers, "Idempotency-Replayed": "true"})


def _just_failed() -> Conflict:
    return Conflict("The first request with this key has just failed. Send it again.", reason="still_running")


class InDatabase:
    """The table `idempotency` of a project, shared by all nodes. An answer may hold a session token or contact values:
    it is sealed like they are."""

    def __init__(self, db: Db, vault: Vault) -> None:
        self._db, self._vault = db, vault

    async def claim(self, claim: Claim) -> Kept | None:
        lanes = self._db.lanes
        new = await lanes.fetchrow(
            "insert into idempotency (principal, key, route, bodyhash) values ($1, $2, $3, $4)"
            " on conflict (principal, key) do update set route = excluded.route, bodyhash = excluded.bodyhash,"
            " status = null, headers = null, body = null, createdon = now()"
            " where idempotency.createdon < now() - interval '24 hours' returning key",
            claim.principal, claim.key, claim.route, claim.digest,
        )  # fmt: skip
        if new is not None:
            return None
        row = await lanes.fetchrow(
            "select bodyhash, status, headers::json as headers, body from idempotency"
            " where principal = $1 and key = $2",
            claim.principal, claim.key,
        )  # fmt: skip
        if row is None:
            raise _just_failed()
        headers = orjson.loads(row["headers"]) if row["headers"] else {}
        body = self._vault.open_bytes(row["body"]) if row["body"] else b""
        return Kept(row["bodyhash"], row["status"], headers, body)

    async def keep(self, claim: Claim, made: Reply) -> None:
        await self._db.lanes.fetchrow(
            "update idempotency set status = $3, headers = $4::text::jsonb, body = $5"
            " where principal = $1 and key = $2",
            claim.principal, claim.key, made.status, orjson.dumps(made.headers).decode(),
            self._vault.seal_bytes(made.body),
        )  # fmt: skip

    async def drop(self, claim: Claim) -> None:
        await self._db.lanes.fetchrow(
            "delete from idempotency where principal = $1 and key = $2 and status is null", claim.principal, claim.key
        )


class InFile:
    """For databases that are not ours to add a table to: a file shared by the workers of this node."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        self._db = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        with path.with_suffix(".gate").open("w") as gate:  # sqlite waits for no lock when it changes the journal
            flock(gate, LOCK_EX)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = off")
            self._db.execute(
                "create table if not exists answer (principal text, key text, digest blob, status int, headers text,"
                " body blob, at real, primary key (principal, key))"
            )

    async def claim(self, claim: Claim) -> Kept | None:
        now = time.time()
        self._db.execute("delete from answer where at < ?", (now - LIFE,))
        row: Any = self._db.execute(
            "insert or ignore into answer values (?, ?, ?, null, null, null, ?) returning key",
            (claim.principal, claim.key, claim.digest, now),
        ).fetchone()
        if row is not None:
            return None
        row = self._db.execute(
            "select digest, status, headers, body from answer where principal = ? and key = ?",
            (claim.principal, claim.key),
        ).fetchone()
        if row is None:
            raise _just_failed()
        return Kept(row[0], row[1], orjson.loads(row[2] or "{}"), row[3] or b"")

    async def keep(self, claim: Claim, made: Reply) -> None:
        self._db.execute(
            "update answer set status = ?, headers = ?, body = ? where principal = ? and key = ?",
            (made.status, orjson.dumps(made.headers).decode(), made.body, claim.principal, claim.key),
        )

    async def drop(self, claim: Claim) -> None:
        self._db.execute("delete from answer where principal = ? and key = ?", (claim.principal, claim.key))


def store(settings: Settings, scripts: Scripts | None) -> Answers:
    """Answers of a project live in its database, those of any other database beside the server."""
    if scripts is not None:
        return Answers(InDatabase(scripts.db, scripts.vault))
    return Answers(InFile(settings.run_dir / "idempotency.sqlite"))
