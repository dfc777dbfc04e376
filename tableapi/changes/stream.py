"""An open response of server-sent events, with a size-limited buffer of pending bytes."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from typing import Any, Self

from tableapi.errors import Busy, TooMany

RETRY_MILLISECONDS = 2000  # before a browser reconnects


class EventStream(ABC):
    """The stream of one client: an asynchronous iterator of bytes.

    limit: bytes that may be pending. beaten: time of the last heartbeat. checked: the number of changes of callers, as
    counted by the authenticator, at the last check of this one.
    """

    __slots__ = ("_chunks", "_closed", "_task", "_waiter", "beaten", "checked", "limit", "opened", "size")

    def __init__(self, limit: int) -> None:
        self.limit, self.checked = limit, -1
        self.opened = self.beaten = time.monotonic()
        self.size = 0  # pending bytes, including those being sent
        self._chunks: list[bytes] = [b"retry: %d\n\n" % RETRY_MILLISECONDS]
        self._waiter: asyncio.Future[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._closed = False

    @property
    def unread(self) -> bool:
        """Whether the stream has never been read."""
        return self._task is None

    def push(self, chunk: bytes) -> bool:
        """Add bytes to the stream. If the client reads too slowly, end the connection and return False."""
        if self._closed:
            return True
        self.size += len(chunk)
        if self.size > self.limit:
            self._closed = True
            self._chunks.clear()
            if self._task is not None:  # it is blocked on the client
                self._task.cancel()
            return False
        self._chunks.append(chunk)
        self._wake()
        return True

    def end(self) -> None:
        """Close the stream once its pending bytes are sent."""
        self._closed = True
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
            if self._closed:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
            self._waiter = None
        part = b"".join(self._chunks)
        self._chunks = []
        return part

    async def aclose(self) -> None:
        """Unsubscribe; safe to repeat."""
        self._closed = True
        self.removed()

    @abstractmethod
    def removed(self) -> None:
        """Forget the stream, which has ended."""


def check_limits(*, stopped: bool, own: int, most_own: int, open_: int, most: int, instead: str = "") -> None:
    """Reject a further stream.

    own, open_: the number of open streams of the caller, and of all callers. instead: advice for the error.

    Raises:
        Busy: the server is stopping, or has reached its maximum.
        TooMany: the caller has reached its maximum.
    """
    if stopped:
        raise Busy("The server is stopping. Try again in a moment.", headers={"Retry-After": "1"})
    if own >= most_own:
        raise TooMany(
            f"You have {most_own} streams open. Close one first.",
            reason="too_many_streams",
            headers={"Retry-After": "15"},
        )
    if open_ >= most:
        raise Busy(
            f"Too many streams are open on this server. Try again later{instead}.",
            reason="too_many_streams",
            headers={"Retry-After": "30"},
        )
