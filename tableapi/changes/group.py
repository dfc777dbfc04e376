"""Open streams of the changes of a table; those with the same plan and values share one read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import Any

import asyncpg

from tableapi import exact_json
from tableapi.changes.outbox import Position, RowChange
from tableapi.changes.stream import EventStream, Holders
from tableapi.changes.subscription import BATCHES, Subscription
from tableapi.datasets import answer_size
from tableapi.db.errors import UNREACHABLE
from tableapi.errors import ApiError, Busy, Forbidden, MethodNotAllowed
from tableapi.observability import background, metrics
from tableapi.schema.types import as_read
from tableapi.tables.read import unseal
from tableapi.tables.request import TableRequest

MAX_SENT = 2000  # rows for which a stream remembers the last content
MAX_PENDING = 2000  # rows waiting to be read; above it, the streams are reset
READ_SECONDS = 2.0  # limit of one read; if it is exceeded, the streams are reset
ROLE_REST = 4  # pause between the reads of a group under a database role, as a multiple of the last read's duration
BUSY_SECONDS = 0.1  # before retrying a read that got no connection
_LINES = bytes.maketrans(b"\r\n", b"  ")
Key = tuple[Any, ...]


class Listener(EventStream):
    """The stream of one client.

    call: the request, with its caller as of the last check. sent: a hash of the last content sent, by row key. id: the
    last resume token written.
    """

    __slots__ = ("call", "group", "id", "sent")

    def __init__(
        self, call: TableRequest, holders: Holders, ip: str, limit: int, closed: Callable[[Listener], None]
    ) -> None:
        super().__init__(holders, call.headers, ip, limit, closed)
        self.call, self.sent, self.id = call, dict[Any, int](), ""
        self.group: ListenerGroup

    def remember(self, key: Any, content: bytes) -> bool:
        """Remember the content of a row, and return whether it differs from the last content sent."""
        mark = hash(content)
        if self.sent.get(key) == mark:
            return False
        self.sent.pop(key, None)
        if len(self.sent) >= MAX_SENT:
            del self.sent[next(iter(self.sent))]
        self.sent[key] = mark
        return True


class ListenerGroup:
    """Read the changed rows for streams that receive the same events.

    Each group reads on its own, one batch after another, so a slow read does not delay other groups. Changes that
    arrive meanwhile are collected; several changes of one row are merged.

    reading: limits the number of groups that read at once. check: ends streams that may receive nothing any more.
    """

    def __init__(
        self, subscription: Subscription, position: Position, reading: asyncio.Semaphore,
        check: Callable[[Iterable[Listener]], Awaitable[None]],
    ) -> None:  # fmt: skip
        self.subscription, self.listeners = subscription, set[Listener]()
        self._reading, self._position, self._check = reading, position, check
        self._pending: dict[Key, bool] = {}  # whether the caller may know that the row existed
        self._late: dict[Key, set[Listener]] = {}  # rows missed by these streams only
        self._reset = False
        self._rested = 0.0  # when the group may read again
        self._task: asyncio.Task[None] | None = None

    # -- collecting changes
    # ----------------------------------------------------------------------------------------------

    def add(self, change: RowChange) -> None:
        if change.key is None or len(self._pending) >= MAX_PENDING:
            self.reset()
        elif self.subscription.concerns(change):
            self._pending[change.key] = self._pending.get(change.key, False) or self.subscription.existed(change)

    def add_missed(self, listener: Listener, changes: Iterable[RowChange]) -> None:
        """Collect the changes missed by one resumed stream."""
        for change in changes:
            if change.key is not None and self.subscription.concerns(change):
                self._late.setdefault(change.key, set()).add(listener)

    def reset(self) -> None:
        """Tell every stream to read its list again, and drop pending changes."""
        self._pending.clear()
        self._late.clear()
        self._reset = True

    def advance(self, position: Position) -> None:
        """Note that every change before `position` has been collected, and read the pending ones."""
        self._position = position
        if (self._pending or self._late or self._reset) and self._task is None:
            self._task = background.start(self._work(), "changes_group")

    @property
    def idle(self) -> bool:
        """Whether every collected change has been sent, so that `token` is a valid position to resume from."""
        return self._task is None

    @property
    def token(self) -> str:
        """The resume token of the group when it is idle."""
        return self._position.token

    # -- reading -------------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        try:
            while (self._pending or self._late or self._reset) and self.listeners:
                if (rest := self._rested - time.monotonic()) > 0:  # changes that arrive meanwhile join one read
                    await asyncio.sleep(rest)
                position, reset, self._reset = self._position, self._reset, False
                pending, self._pending = self._pending, {}
                late, self._late = self._late, {}
                if reset:
                    self._send_reset(self.listeners, position)
                if pending or late:
                    await self._send(pending, late, position)
        finally:
            self._task = None

    async def _send(self, pending: dict[Key, bool], late: dict[Key, set[Listener]], position: Position) -> None:
        keys = list(dict.fromkeys((*pending, *late)))
        try:
            async with self._reading, asyncio.timeout(READ_SECONDS):
                rows = await self._timed(keys)
        except (Forbidden, MethodNotAllowed):  # raised for the database role; a new stream is rejected
            self.end()
            return
        except (*UNREACHABLE, TimeoutError, asyncpg.InterfaceError, ApiError):  # the list may still be readable
            self._send_reset(self.listeners, position)
            return
        except asyncpg.PostgresError:  # DDL since the plan was made: a new stream gets a new plan or an error
            self.end()
            return
        await self._check(self.listeners)
        for listener in list(self.listeners):
            mine = [key for key in keys if key in pending or listener in late.get(key, ())]
            self._send_rows(listener, mine, rows, pending, late, position)

    async def _timed(self, keys: list[Key]) -> dict[Key, bytes]:
        """Read rows, then pause if every caller has its own reads."""
        if not self.subscription.dataset.role_sql:
            return await self._rows(keys)
        began = time.monotonic()
        try:
            return await self._rows(keys)
        finally:
            now = time.monotonic()
            self._rested = now + ROLE_REST * (now - began)

    async def _rows(self, keys: list[Key]) -> dict[Key, bytes]:
        """Return the rows that the caller may read and that match the filter, by key."""
        rows: dict[Key, bytes] = {}
        dataset, places = self.subscription.dataset, iter(keys)
        while chunk := list(islice(places, BATCHES[-1])):
            count = next(count for count in BATCHES if count >= len(chunk))
            plan = await self.subscription.plan(count)
            idents = [list(key) for key in chunk]
            values = self.subscription.bindings(idents + idents[-1:] * (count - len(idents)))
            try:
                async with dataset.db.reads.acquire() as connection:
                    await answer_size.check(dataset.limits, connection.fetchrow, plan, values)
                    found = await connection.fetch(plan.sql, *plan.args(values))
            except Busy:
                await asyncio.sleep(BUSY_SECONDS)
                rows |= await self._rows(chunk)
                continue
            rows |= {chunk[place]: row["body"] for row in found if (place := row.get("place", 0)) < len(chunk)}
        return rows

    def _send_rows(
        self, listener: Listener, keys: list[Key], rows: dict[Key, bytes], pending: dict[Key, bool],
        late: dict[Key, set[Listener]], position: Position,
    ) -> None:  # fmt: skip
        """Send the events of one stream.

        The deletion of a row is sent if the caller may know that the row existed. A resumed stream may have known it
        before, so it is reset, and so is a stream if its caller may not read the key.
        """
        if any(key not in rows and listener in late.get(key, ()) for key in keys):
            self._send_reset([listener], position)
            return
        events = []
        for key in keys:
            body = rows.get(key)
            if body is None:
                if listener.sent.pop(key, None) is None and not pending.get(key):
                    continue
                if not self.subscription.names_rows:
                    send_reset(listener, position)
                    return
                events.append(b"event: gone\ndata: " + self._key(key) + b"\n\n")
            elif listener.remember(key, body):
                body = unseal(listener.call, self.subscription.sealed, body)
                events.append(b"event: row\ndata: " + body.translate(_LINES) + b"\n\n")
        if events:
            metrics.count("streams", "events", by=len(events))
            # Only the last event moves the resume position; the others are sent again if it does not arrive.
            listener.id = position.token
            events[-1] = b"id: " + position.token.encode() + b"\n" + events[-1]
            listener.push(b"".join(events))

    def _key(self, key: Key) -> bytes:
        columns = self.subscription.columns
        return exact_json.dumps({c.name: as_read(c.type, part) for c, part in zip(columns, key, strict=True)})

    def _send_reset(self, listeners: Iterable[Listener], position: Position) -> None:
        for listener in list(listeners):
            send_reset(listener, position)

    def end(self) -> None:
        """End every stream of the group."""
        for listener in list(self.listeners):
            listener.end()


def send_reset(listener: Listener, position: Position) -> None:
    """Tell a stream to read its list again."""
    listener.sent.clear()
    listener.id = position.token
    metrics.count("streams", "events")
    listener.push(b"id: " + position.token.encode() + b"\nevent: reset\ndata: {}\n\n")


class GroupIndex:
    """The groups of one table; `by` has those that follow one value of a recorded column."""

    def __init__(self) -> None:
        self.all: dict[ListenerGroup, None] = {}
        self.by: dict[tuple[str, str], dict[ListenerGroup, None]] = {}

    def of(self, group: ListenerGroup) -> dict[ListenerGroup, None]:
        """Return the index entry to which a group belongs."""
        fixed = group.subscription.fixed
        return self.by.setdefault(fixed[0], {}) if fixed else self.all

    def concerned(self, change: RowChange) -> list[ListenerGroup]:
        """Return the groups that a change may affect."""
        groups = dict(self.all)
        for column, values in change.parts.items():
            for value in values:
                if value is not None:
                    groups |= self.by.get((column, value), {})
        if change.key is None:
            for members in self.by.values():
                groups |= members
        return list(groups)
