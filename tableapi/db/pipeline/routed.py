"""Choose for each statement between a connection with others in flight and one of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from time import perf_counter
from typing import Any

from tableapi.db.connections import ConnectionPool
from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.pool import PipelinedPool
from tableapi.db.pipeline.request import DEPTH
from tableapi.db.pipeline.timing import Timing, Timings
from tableapi.observability import tracing


class RoutedPool:
    """A pool of connections for exclusive use, and of pipelined ones for short single statements.

    A slow statement, and one with types that only asyncpg knows, gets a connection of its own; so does every statement
    while no pipelined connection is open.
    """

    def __init__(self, direct: ConnectionPool, pipelined: PipelinedPool) -> None:
        self._direct, self._pipelined = direct, pipelined
        self._timings = Timings()
        self.slots = pipelined.size * DEPTH  # the largest number of pipelined statements in flight
        self.take, self.give_back, self.acquire = direct.take, direct.give_back, direct.acquire

    def fetchrow(self, sql: str, *args: Any) -> Awaitable[Any]:
        """Run one statement and return its first row.

        Raises:
            Busy: no connection became free in time.
        """
        timing = self._timings[sql]
        if timing.direct or not (self._pipelined.connections or self._pipelined.ready()):
            return self._fetchrow_alone(timing, sql, args)
        if tracing.tracer is None:
            return self._fetchrow_in_flight(timing, sql, args)
        return self._fetchrow_traced(timing, sql, args)

    async def _fetchrow_in_flight(self, timing: Timing, sql: str, args: tuple[Any, ...]) -> Any:
        request = self._pipelined.send(sql, args, timing)
        try:
            return await request.future
        except asyncio.CancelledError:
            self._pipelined.abandon(request)
            raise
        except Unencodable:
            return await self._fetchrow_alone(timing, sql, args)

    async def _fetchrow_traced(self, timing: Timing, sql: str, args: tuple[Any, ...]) -> Any:
        with tracing.statement(sql):
            return await self._fetchrow_in_flight(timing, sql, args)

    async def _fetchrow_alone(self, timing: Timing, sql: str, args: tuple[Any, ...]) -> Any:
        connection = await self._direct.take()
        began = perf_counter()
        try:
            return await connection.fetchrow(sql, *args)
        finally:
            timing.add(perf_counter() - began)
            self._direct.give_back(connection)

    def is_direct(self, sql: str) -> bool:
        """Return whether a statement runs on a connection of its own."""
        return not self._pipelined.connections or self._timings[sql].direct

    # -- both pools ----------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Start to open the first connections. Returns before they are connected."""
        self._direct.open()
        self._pipelined.open()

    async def close(self) -> None:
        """Close every connection."""
        await self._pipelined.close()
        await self._direct.close()

    @property
    def connected(self) -> bool:
        """Whether at least one connection is open."""
        return self._direct.connected or self._pipelined.connected

    @property
    def size(self) -> int:
        """The largest number of connections for exclusive use."""
        return self._direct.size

    @property
    def free(self) -> int:
        """The number of connections that no request uses."""
        return self._direct.free + self._pipelined.free

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""
        return self._direct.waiting + self._pipelined.waiting
