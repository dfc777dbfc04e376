"""One open stream, with a size-limited buffer of events to send."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tableapi.tables.request import TableRequest

if TYPE_CHECKING:
    from tableapi.changes.group import ListenerGroup

RETRY_MILLISECONDS = 2000  # before a browser reconnects
MAX_SENT = 2000  # rows for which a stream remembers the last content


class Listener:
    """The stream of one client: an asynchronous iterator of bytes.

    call: the request, with its caller as of the last check. sent: a hash of the last content sent, by row key. id: the
    last resume token written. closed: called at the end of the stream.
    """

    __slots__ = ("_chunks", "_closed", "_task", "_waiter", "beaten", "call", "caller", "closed", "group", "id", "ip",
                 "limit", "opened", "sent", "size")  # fmt: skip

    def __init__(
        self, call: TableRequest, caller: str, ip: str, limit: int, closed: Callable[[Listener], None]
    ) -> None:
        self.call, self.caller, self.ip, self.limit, self.closed = call, caller, ip, limit, closed
        self.sent: dict[Any, int] = {}
        self.group: ListenerGroup
        self.id = ""
        self.opened = self.beaten = time.monotonic()  # when the stream was opened, and time of the last heartbeat
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

    def __aiter__(self) -> Listener:
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
        self.closed(self)

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
