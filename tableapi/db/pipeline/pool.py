"""A few connections with several statements in flight on each, and one queue for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import asyncpg

from tableapi.db.budget import Budget
from tableapi.db.held import HeldConnections
from tableapi.db.pipeline.connection import PipelinedConnection
from tableapi.db.pipeline.request import Request
from tableapi.db.pipeline.timing import Timing
from tableapi.db.waiting import WaitingQueue
from tableapi.log import get_logger

log = get_logger(__name__)

RETRY_SECONDS = 0.5  # between attempts to open the first connection


class PipelinedPool(HeldConnections):
    """Run single statements, the oldest first, on the connection with the fewest in flight.

    No connection is held while there are no requests. At most `queue` requests wait, each for at most `wait` seconds,
    and further ones are refused as by ConnectionPool. The other arguments are those of HeldConnections.
    """

    def __init__(
        self, pool: Any, size: int, *, sure: int | None = None, budget: Budget | None = None, idle: float = 60.0,
        wait: float = 2.0, queue: int = 1000,
    ) -> None:  # fmt: skip
        super().__init__(pool, size, first=0, sure=sure, budget=budget, idle=idle)
        self.connections: list[PipelinedConnection] = []
        self.queue: WaitingQueue[Request] = WaitingQueue(queue, wait)
        self._loop: asyncio.AbstractEventLoop
        self._try_at = 0.0

    # -- connections ---------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""
        return len(self.queue)

    @property
    def free(self) -> int:
        """The number of connections that no request uses."""
        return sum(not connection.load for connection in self.connections)

    def open(self) -> None:
        """Start to watch for idle connections; the first request opens one."""
        self._loop = asyncio.get_running_loop()
        super().open()

    async def close(self) -> None:
        """Close every connection."""
        self.queue.close()
        await super().close()

    def _opened(self, connection: asyncpg.Connection) -> None:
        pipelined = PipelinedConnection(connection, self._serve)
        try:
            pipelined.start()
        except (AttributeError, NotImplementedError):
            log.warning("pipeline_unavailable", transport=type(pipelined.transport).__name__)
            self._size = 0
            self._closing.add(connection)
            self._drop(connection)
            return
        self.connections.append(pipelined)
        self._serve(pipelined)

    def _ended(self, connection: asyncpg.Connection) -> None:
        for pipelined in self.connections:
            if pipelined.connection is connection:
                self.connections.remove(pipelined)
                pipelined.stop()
                return

    def _remove_free(self, count: int) -> list[asyncpg.Connection]:
        removed = [pipelined for pipelined in reversed(self.connections) if not pipelined.load][:count]
        for pipelined in removed:
            self.connections.remove(pipelined)
            pipelined.stop()
        return [pipelined.connection for pipelined in removed]

    def _unneeded(self) -> int:
        return sum(not connection.used and not connection.load for connection in self.connections)

    def _watch_again(self) -> None:
        for connection in self.connections:
            connection.used = False

    # -- requests ------------------------------------------------------------------------------------------------------

    def send(self, sql: str, args: tuple[Any, ...], timing: Timing) -> Request:
        """Send one statement now, or put it into the queue.

        Its future gets the first row, or an error: Busy when no connection became free in time, Unencodable when
        asyncpg has to run the statement, which was not sent. A request that is cancelled is to be abandoned.

        Raises:
            Busy: too many requests wait.
        """
        request = Request(sql, args, timing, self._loop.create_future())
        if not self.queue.entries:
            best: PipelinedConnection | None = None
            for connection in self.connections:
                if (best is None or connection.load < best.load) and connection.accepts(request.weight):
                    best = connection
                    if not connection.load:
                        break
            if best is not None:
                if best.load:
                    self._grow_if_useful()
                best.send(request)
                return request
        self.queue.put(request.future, request)
        self._grow_if_useful()
        return request

    def abandon(self, request: Request) -> None:
        """End a cancelled request."""
        if not request.future.cancelled():  # the answer came in the moment of the cancellation
            request.future.exception()
        elif request.connection is not None:
            request.connection.abandon(request)
        else:
            self.queue.remove(request.future)

    def _grow_if_useful(self) -> None:
        """Open a connection unless one is being opened."""
        if len(self._holders) < self._size and len(self._holders) <= len(self.connections):
            self.grow()

    def ready(self) -> bool:
        """Return whether statements can be sent; otherwise a connection is opened in the background."""
        if self.connections:
            return True
        if (now := self._loop.time()) >= self._try_at:
            self._try_at = now + RETRY_SECONDS
            self._grow_if_useful()
        return False

    def _serve(self, connection: PipelinedConnection) -> None:
        """Send waiting requests, the oldest first, while the connection accepts them."""
        if self.queue.entries:
            connection.send_all(self._accepted(connection))

    def _accepted(self, connection: PipelinedConnection) -> Iterator[Request]:
        """Remove the waiting requests that the connection accepts."""
        while (request := self.queue.first()) is not None and connection.accepts(request.weight):
            self.queue.entries.popleft()
            yield request
