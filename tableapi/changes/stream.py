"""An open response of server-sent events, with a size-limited buffer of what is still to be sent."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Self

RETRY_MILLISECONDS = 2000  # before a browser reconnects


class EventStream:
    """The stream of one client: an asynchronous iterator of bytes.

    limit: bytes that may be pending. beaten: time of the last heartbeat.
    """

    __slots__ = ("_chunks", "_closed", "_task", "_waiter", "beaten", "limit", "opened", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
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

    def removed(self) -> None:
        """Forget the stream, which has ended."""
        raise NotImplementedError
