"""Store responses for repeated requests, in a table of the project or a file of the server."""

from __future__ import annotations

import secrets
import sqlite3
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any, Protocol

import asyncpg
import orjson

from tableapi.auth.policy import Actor
from tableapi.config.secret_file import private_folder
from tableapi.crypto.vault import Vault
from tableapi.datasets.dataset import Dataset
from tableapi.datasets.transaction import pinned
from tableapi.db.database import Db, before_commit
from tableapi.db.errors import to_api_error
from tableapi.db.roles import RESET
from tableapi.errors import RETRY, ApiError, Conflict
from tableapi.http.response import Response, error_response
from tableapi.tables.batch import BatchError

LIFE_SECONDS = 24 * 3600
# A claim without a response belongs to a dead process once it is older than the limit of its request, and this.
DEAD_SECONDS = 25
DONE = 0  # status: the work was committed, but the response is not stored


@dataclass(frozen=True, slots=True)
class Claim:
    """One use of a key: the principal, the request, and the hash of everything that was sent."""

    principal: str
    key: str
    route: str
    digest: bytes
    seconds: float  # time limit of the request
    by: str = field(default_factory=lambda: secrets.token_hex(8))  # identifies this attempt among repeats

    @property
    def dead(self) -> float:
        """Return the age in seconds from which a claim of the same key belongs to a dead process."""
        return min(self.seconds + DEAD_SECONDS, LIFE_SECONDS)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response, or a claim without one yet (`status` None). `digest`: of the request."""

    digest: bytes
    status: int | None
    headers: dict[str, str]
    body: bytes


class Held(Protocol):
    """A request that writes through its `dataset`."""

    dataset: Dataset
    actor: Actor


class Backend(Protocol):
    """A store of claims and responses."""

    async def claim(self, claim: Claim) -> StoredResponse | None:
        """Claim a key. Returns None if it was free, else the entry stored under it."""

    async def keep(self, claim: Claim, response: Response) -> None:
        """Store the response of a claim."""

    async def drop(self, claim: Claim, error: BaseException) -> None:
        """Release the key. As far as is known, nothing was committed before `error`."""

    def marking(self, claim: Claim) -> Any:
        """Return a context in which each commit marks the claim."""


def still_running() -> Conflict:
    """Build the error for a repeat that arrives before the first request has ended."""
    return Conflict(
        "The first request with this key is still running. Try again later.", reason="still_running", headers=RETRY
    )


def _just_failed() -> Conflict:
    message = "The first request with this key has just failed. Send it again."
    return Conflict(message, reason="still_running", headers=RETRY)


_CLAIM = f"""
    insert into idempotency (principal, key, route, bodyhash, headers)
        values ($1, $2, $3, $4, jsonb_build_object('by', $5::text))
    on conflict (principal, key) do update set route = excluded.route, bodyhash = excluded.bodyhash,
        status = null, headers = excluded.headers, body = null, createdon = excluded.createdon
    where excluded.createdon - idempotency.createdon > interval '{LIFE_SECONDS} seconds'
       or (idempotency.status is null and excluded.createdon - idempotency.createdon > $6 * interval '1 second')
    returning key
"""  # noqa: S608 - constants only
_FIND = "select bodyhash, status, headers::json as headers, body from idempotency where principal = $1 and key = $2"
_KEEP = "update idempotency set status = $3, headers = $4::text::jsonb, body = $5 where principal = $1 and key = $2"
_DROP = "delete from idempotency where principal = $1 and key = $2 and status is null and headers->>'by' = $3"
_ALONE = "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as alone"
# Only a transaction that wrote something has an id, so one that only read leaves no mark.
_MARK = f"""
    update idempotency set status = {DONE} where principal = $1 and key = $2 and status is null
    and pg_current_xact_id_if_assigned() is not null
"""  # noqa: S608


class InDatabase:
    """The table `idempotency` of a project, shared by all nodes.

    Stored responses are encrypted, because they may contain session tokens or values of sealed fields.
    """

    def __init__(self, db: Db, vault: Vault) -> None:
        self._db, self._vault = db, vault

    async def whole(
        self,
        claim: Claim,
        held: Held,
        run: Callable[[], Awaitable[Response]],
        replayed: Callable[[StoredResponse, Claim], Response],
    ) -> Response:
        """Claim the key, write, and store the response in one transaction, so that a crash leaves all or none."""
        name = f"{claim.principal}\n{claim.key}"
        async with self._db.writes.acquire() as connection, connection.transaction():
            row = await connection.fetchrow(_ALONE, name)
            if row is None or not row["alone"]:
                raise still_running()
            stored = await self._claim(connection, claim)
            if stored is not None:
                return replayed(stored, claim)
            fault: Exception | None = None
            dataset, held.dataset = held.dataset, pinned(held.dataset, connection)
            try:
                async with connection.transaction():
                    if dataset.role_sql:
                        await connection.execute(dataset.role_sql)
                    response, fault = await _outcome(run)
                    if dataset.role_sql:
                        await connection.execute(RESET)
                    if response.status >= 500:
                        raise ApiError(status=response.status)  # rolls back the claim as well
            except Exception as error:
                api_error = to_api_error(error)
                if api_error is None or api_error.retryable:
                    raise
                response, fault = error_response(api_error), error
            finally:
                held.dataset = dataset
            await self._keep(connection, claim, response)
        if fault is not None:
            raise fault
        return response

    async def claim(self, claim: Claim) -> StoredResponse | None:
        async with self._db.writes.acquire() as connection:
            return await self._claim(connection, claim)

    async def _claim(self, connection: asyncpg.Connection, claim: Claim) -> StoredResponse | None:
        claimed = await connection.fetchrow(
            _CLAIM, claim.principal, claim.key, claim.route, claim.digest, claim.by, claim.dead
        )
        if claimed is not None:
            return None
        row = await connection.fetchrow(_FIND, claim.principal, claim.key)
        if row is None:
            raise _just_failed()
        headers = orjson.loads(row["headers"]) if row["headers"] else {}
        body = self._vault.open_bytes(row["body"]) if row["body"] else b""
        return StoredResponse(row["bodyhash"], row["status"], headers, body)

    async def keep(self, claim: Claim, response: Response) -> None:
        async with self._db.writes.acquire() as connection:
            await self._keep(connection, claim, response)

    async def _keep(self, connection: asyncpg.Connection, claim: Claim, response: Response) -> None:
        headers, body = orjson.dumps(response.headers).decode(), self._vault.seal_bytes(response.body)
        await connection.fetchrow(_KEEP, claim.principal, claim.key, response.status, headers, body)

    async def drop(self, claim: Claim, error: BaseException) -> None:
        """Delete the claim unless a commit marked it; waits for a transaction that is still committing."""
        await self._db.writes.fetchrow(_DROP, claim.principal, claim.key, claim.by)

    @contextmanager
    def marking(self, claim: Claim) -> Iterator[None]:
        token = before_commit.set((_MARK, claim.principal, claim.key))
        try:
            yield
        finally:
            before_commit.reset(token)


async def _outcome(run: Callable[[], Awaitable[Response]]) -> tuple[Response, Exception | None]:
    """Return the response of `run`, or the error of a batch that keeps some of its records."""
    try:
        return await run(), None
    except BatchError as error:
        if not error.kept:
            raise
        return error_response(error), error


_TABLE = """
    create table if not exists answer (principal text, key text, digest blob, status int, headers text, body blob,
                                       at real, primary key (principal, key))
"""


class InFile:
    """Stored responses for databases that may not get an additional table.

    `path`: a file shared by a node's worker processes; with None, they are stored in this process's memory.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            private_folder(path.parent)
            path.touch(mode=0o600)
        self._db = sqlite3.connect(path or ":memory:", timeout=5, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # an application may be created and never started
        if path is None:
            self._db.execute(_TABLE)
            return
        with path.with_suffix(".gate").open("w") as gate:  # SQLite does not wait for locks here
            flock(gate, LOCK_EX)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = off")
            self._db.execute(_TABLE)

    async def claim(self, claim: Claim) -> StoredResponse | None:
        now = time.time()
        self._db.execute("delete from answer where at < ?", (now - LIFE_SECONDS,))
        row: Any = self._db.execute(
            "insert or ignore into answer values (?, ?, ?, null, null, null, ?) returning key",
            (claim.principal, claim.key, claim.digest, now),
        ).fetchone()
        if row is not None:
            return None
        row = self._db.execute(
            "select digest, status, headers, body, at from answer where principal = ? and key = ?",
            (claim.principal, claim.key),
        ).fetchone()
        if row is None:
            raise _just_failed()
        if row[1] is None and row[4] < now - claim.dead:  # whether its process committed the write is unknown
            return StoredResponse(row[0], DONE, {}, b"")
        return StoredResponse(row[0], row[1], orjson.loads(row[2] or "{}"), row[3] or b"")

    async def keep(self, claim: Claim, response: Response) -> None:
        self._db.execute(
            "update answer set status = ?, headers = ?, body = ? where principal = ? and key = ?",
            (response.status, orjson.dumps(response.headers).decode(), response.body, claim.principal, claim.key),
        )

    async def drop(self, claim: Claim, error: BaseException) -> None:
        """Delete the claim. If the write may have been committed, keep it so that a repeat is rejected."""
        if isinstance(error, (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, ConnectionError)):
            sql = "update answer set status = 0 where principal = ? and key = ?"
        else:
            sql = "delete from answer where principal = ? and key = ?"
        self._db.execute(sql, (claim.principal, claim.key))

    @contextmanager
    def marking(self, claim: Claim) -> Iterator[None]:
        yield
