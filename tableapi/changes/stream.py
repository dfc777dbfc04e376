"""An open response of server-sent events, with a size-limited buffer of pending bytes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Self

from tableapi.auth.policy import Actor
from tableapi.config.settings import Settings
from tableapi.errors import Busy, TooMany
from tableapi.observability import metrics

RETRY_MILLISECONDS = 2000  # before a browser reconnects
Holders = tuple[str, str, str]  # a session, or a key and a network; its user; its account; "" for none


class EventStream:
    """The stream of one client: an asynchronous iterator of bytes.

    holders: the names under which it counts. headers, ip: of the request, for later checks of its caller. limit: bytes
    that may be pending. closed: called at its end. beaten: time of the last heartbeat. due: when the caller is checked
    next. checked: the number of changes of callers, as counted by the authenticator, at the last check of this one.
    """

    __slots__ = (
        "_chunks", "_ended", "_task", "_waiter", "beaten", "checked", "closed", "due", "headers", "holders", "ip",
        "limit", "opened", "size",
    )  # fmt: skip

    def __init__(
        self, holders: Holders, headers: Mapping[str, str], ip: str, limit: int, closed: Callable[[Any], None]
    ) -> None:
        self.holders, self.headers, self.ip, self.limit, self.closed = holders, headers, ip, limit, closed
        self.checked, self.due = -1, 0.0
        self.opened = self.beaten = time.monotonic()
        self.size = 0  # pending bytes, including those being sent
        self._chunks: list[bytes] = [b"retry: %d\n\n" % RETRY_MILLISECONDS]
        self._waiter: asyncio.Future[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._ended = False

    @property
    def unread(self) -> bool:
        """Whether the stream has never been read."""
        return self._task is None

    def push(self, chunk: bytes) -> None:
        """Add bytes to the stream. If the client reads too slowly, end the connection."""
        if self._ended:
            return
        self.size += len(chunk)
        if self.size > self.limit:
            self._ended = True
            self._chunks.clear()
            if self._task is not None:  # it is blocked on the client
                self._task.cancel()
            metrics.count("streams", "dropped")
            return
        self._chunks.append(chunk)
        self._wake()

    def end(self) -> None:
        """Close the stream once its pending bytes are sent."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._task = asyncio.current_task()
        self.size = sum(map(len, self._chunks))  # the previous chunk has been sent
        while not self._chunks:
            if self._ended:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
            self._waiter = None
        part = b"".join(self._chunks)
        self._chunks = []
        return part

    async def aclose(self) -> None:
        """Unsubscribe; safe to repeat."""
        self._ended = True
        self.closed(self)


def holders_of(actor: Actor, network: str) -> Holders:
    """Return the names under which a stream of a caller counts."""
    user = str(sorted(actor.user.items())) if actor.user else ""
    account = "" if actor.account is None else str(actor.account)
    return actor.session or f"{actor.key} {network}", user, account


class StreamCounts:
    """The open streams of a worker by caller, by user and by account.

    instead: advice for the error of a server that is full.
    """

    def __init__(self, settings: Settings, instead: str = "") -> None:
        self._most, self._instead = settings.changes_streams, instead
        self._limits = (
            ("You have", settings.changes_streams_per_caller),
            ("You have", settings.changes_streams_per_user),
            ("Your account has", settings.changes_streams_per_account),
        )
        self._open: tuple[Counter[str], ...] = Counter(), Counter(), Counter()
        self.stopped = False

    def __len__(self) -> int:
        return self._open[0].total()

    def check(self, holders: Holders) -> None:
        """Reject a further stream of these holders if there are too many.

        Raises:
            Busy: the server is stopping, or has reached its maximum.
            TooMany: the caller, its user or its account has reached its maximum.
        """
        if self.stopped:
            raise Busy("The server is stopping. Try again in a moment.", headers={"Retry-After": "1"})
        for holder, open_, (subject, most) in zip(holders, self._open, self._limits, strict=True):
            if holder and open_[holder] >= most:
                raise TooMany(
                    f"{subject} {most} streams open. Close one first.",
                    reason="too_many_streams",
                    headers={"Retry-After": "15"},
                )
        if len(self) >= self._most:
            raise Busy(
                f"Too many streams are open on this server. Try again later{self._instead}.",
                reason="too_many_streams",
                headers={"Retry-After": "30"},
            )

    def add(self, holders: Holders) -> None:
        """Count a stream. Raises Busy or TooMany as `check` does."""
        self.check(holders)
        for holder, open_ in zip(holders, self._open, strict=True):
            open_[holder] += 1

    def remove(self, holders: Holders) -> None:
        """Forget a stream that has ended."""
        for holder, open_ in zip(holders, self._open, strict=True):
            open_[holder] -= 1
            if not open_[holder]:
                del open_[holder]
