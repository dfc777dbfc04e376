"""The connections to one database: leased for exclusive use, or shared by statements in flight.

A lane holds the connections for one purpose: reads, writes, or single statements of scripts. A write that waits for a
lock therefore does not delay reads. Requests in a lane share its connections and are served in order of arrival.

Requests do not change session state, so connections are not reset between them. A few connections are faster than many,
because waiting here is cheaper than contention inside PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from time import perf_counter
from typing import Any

import asyncpg

from tableapi.db.budget import Budget
from tableapi.db.pipeline import internals
from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.connection import DEPTH, PipelinedConnection, Request
from tableapi.db.pipeline.timing import Timing, Timings
from tableapi.db.turns import Turns, WaitingQueue
from tableapi.log import get_logger
from tableapi.observability import background, tracing

log = get_logger(__name__)

MIN_RECONNECT_SECONDS, MAX_RECONNECT_SECONDS = 0.05, 1.0
CLOSE_SECONDS = 5
CHECK_SECONDS = 1.0  # interval between checks for statements that PostgreSQL does not end
SILENT_SECONDS = 2.0  # after the time limit of a statement, until its server counts as lost
Connect = Callable[[], Awaitable[asyncpg.Connection]]


class Pool:
    """The lanes of one database, and the timers that close their idle and lost connections.

    idle: a connection that was not needed for `idle` to `2 * idle` seconds is closed. statement_timeout: the sessions'
    setting, in seconds. budget: see `Lane`.
    """

    def __init__(
        self, *, budget: Budget | None = None, idle: float = 60.0, statement_timeout: float = math.inf
    ) -> None:
        self._budget, self._idle, self._statement_timeout = budget, idle, statement_timeout
        self._lanes: list[Lane] = []
        self._timer: asyncio.TimerHandle | None = None
        self._check_timer: asyncio.TimerHandle | None = None

    def lane(
        self, connect: Connect, leases: int, pipelined: int = 0, *, first: int = 1, sure: int | None = None
    ) -> Lane:
        """Add a lane; the arguments are those of `Lane`."""
        lane = Lane(connect, leases, pipelined, first=first, sure=sure, budget=self._budget)
        self._lanes.append(lane)
        return lane

    async def open(self, *, needed: bool = True) -> None:
        """Start opening the first connections, and wait for one if `needed`.

        Raises OSError or an asyncpg error if the database is unreachable or rejects the connection.
        """
        if self._timer is None:
            connection = await self._lanes[0].connect() if needed else None
            self._timer = asyncio.get_running_loop().call_later(self._idle, self._close_idle)
            self._check_timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check)
            for lane in self._lanes:
                lane.open(connection)
                connection = None

    async def close(self) -> None:
        """Close every connection."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._check_timer is not None:
            self._check_timer.cancel()
        await asyncio.gather(*(lane.close() for lane in self._lanes))

    def _check(self) -> None:
        for lane in self._lanes:
            lane.close_silent(self._statement_timeout + SILENT_SECONDS)
        self._check_timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check)

    def _close_idle(self) -> None:
        for lane in self._lanes:
            lane.close_idle()
        self._timer = asyncio.get_running_loop().call_later(self._idle, self._close_idle)


class Lane:
    """The connections for one purpose: up to `leases` for exclusive use, up to `pipelined` shared.

    A connection alternates between the two uses. `first` of them are always open; more are opened while requests wait.
    `sure` connections do not count towards the budget; each further one is taken from it.
    """

    def __init__(
        self, connect: Connect, leases: int, pipelined: int = 0, *, first: int = 1, sure: int | None = None,
        budget: Budget | None = None,
    ) -> None:  # fmt: skip
        self.connect = connect
        self.leases, self.pipelined = leases, pipelined
        self._size = leases + pipelined
        self._first, self._sure = min(first, leases), self._size if budget is None or sure is None else sure
        self._budget = budget
        if budget is not None:
            budget.join(self)
        self._holders: dict[asyncio.Task[None], None] = {}  # one task for each open or opening connection
        self._open: dict[asyncpg.Connection, asyncio.Event] = {}  # set when the connection should be closed
        self._closing: set[asyncpg.Connection] = set()
        self._closed = True
        self._loop: (
            asyncio.AbstractEventLoop
        )  # set by `open`, because asking for it is a system call (getpid) each time
        self._free: list[asyncpg.Connection] = []
        self._min_free = 0  # the minimum of free connections since the last `close_idle`
        self._leased = 0
        self.pipelines: list[PipelinedConnection] = []
        self._known: dict[asyncpg.Connection, PipelinedConnection] = {}  # keeps their prepared statements
        self.lease_queue: WaitingQueue[asyncio.Future[asyncpg.Connection]] = WaitingQueue()
        self.statement_queue: WaitingQueue[Request] = WaitingQueue()
        self.timings = Timings()
        self.lease_turns = Turns(lambda: leases)
        self.statement_turns = Turns(lambda: self.pipelined * DEPTH)

    # -- opening and closing -------------------------------------------------------------------------------------------

    def open(self, connection: asyncpg.Connection | None = None) -> None:
        """Add `connection`, if given, and start opening the remaining first ones."""
        self._closed = False
        self._loop = asyncio.get_running_loop()
        for _ in range(self._first):
            self._add(connection)
            connection = None

    def _add(self, connection: asyncpg.Connection | None = None) -> None:
        self._holders[background.start(self._hold(connection), "connection")] = None

    async def close(self) -> None:
        """Reject waiting requests, and close every connection."""
        self._closed = True
        self.lease_queue.close()
        self.statement_queue.close()
        for task in self._holders:
            task.cancel()
        await asyncio.gather(*self._holders, return_exceptions=True)
        if self._budget is not None:
            self._budget.left += max(0, len(self._holders) - self._sure)
        self._holders.clear()
        self._closing.clear()

    async def _hold(self, connection: asyncpg.Connection | None) -> None:
        """Keep one connection open, and reconnect with back-off when it fails."""
        pause = MIN_RECONNECT_SECONDS
        while True:
            try:
                held = connection or await self.connect()
                connection, pause = None, MIN_RECONNECT_SECONDS
                await self._hold_open(held)
                if held in self._closing:
                    self._closing.discard(held)
                    break
            except Exception as error:  # any error: if this task ended, the pool would shrink permanently
                log.warning("database_unreachable", error=type(error).__name__)
            if self._closed or (len(self._holders) > self._first and not self.lease_queue and not self.statement_queue):
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_RECONNECT_SECONDS)
        self._removed()

    async def _hold_open(self, connection: asyncpg.Connection) -> None:
        """Offer a connection to requests until it is lost or should be closed, then close it."""
        closed = self._open[connection] = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            self._free.append(connection)
            self._serve()
            await closed.wait()
        finally:
            del self._open[connection]
            if connection in self._free:
                self._free.remove(connection)
            pipeline = self._known.pop(connection, None)
            if pipeline is not None and pipeline in self.pipelines:
                self._unpipe(pipeline)
                self._serve()  # another connection may switch to pipelining instead
            if not connection.is_closed():
                with contextlib.suppress(Exception):  # asyncpg terminates the connection in that case
                    await connection.close(timeout=CLOSE_SECONDS)

    def _drop(self, connection: asyncpg.Connection) -> None:
        """Wake the task that holds a connection."""
        if closed := self._open.get(connection):
            closed.set()

    @property
    def connected(self) -> bool:
        """Whether at least one connection is open."""
        return any(not connection.is_closed() for connection in self._open)

    # -- growing and shrinking -----------------------------------------------------------------------------------------

    @property
    def free(self) -> int:
        """The number of connections that no request is using."""
        return len(self._free) + sum(pipeline.idle for pipeline in self.pipelines)

    @property
    def waiting(self) -> int:
        """The number of requests waiting for a connection or for their turn."""
        return (
            len(self.lease_queue) + len(self.statement_queue) + self.lease_turns.waiting + self.statement_turns.waiting
        )

    @property
    def spare(self) -> int:
        """The number of free connections that can be returned to the budget."""
        return min(self.free, len(self._holders) - len(self._closing) - max(self._sure, self._first))

    @property
    def wants(self) -> bool:
        """Whether requests are waiting and another connection would help."""
        return len(self._holders) < self._size and (self._lease_waits() or self._statement_waits())

    def _lease_waits(self) -> bool:
        return self._leased < self.leases and self.lease_queue.first() is not None

    def _statement_waits(self) -> bool:
        return len(self.pipelines) < self.pipelined and self.statement_queue.first() is not None

    def grow(self) -> None:
        """Open one more connection if the budget allows it."""
        if (
            not self._closed
            and len(self._holders) < self._size
            and (len(self._holders) < self._sure or (self._budget is not None and self._budget.take()))
        ):
            self._add()

    @property
    def _opening(self) -> int:
        return len(self._holders) - len(self._open.keys() | self._closing)

    def _grow_if_useful(self) -> None:
        """Open a connection unless enough are already being opened for the waiting requests."""
        needed = min(len(self.lease_queue), self.leases - self._leased) + self._statement_waits()
        if self._opening < needed:
            self.grow()

    def shrink(self, count: int) -> None:
        """Close up to `count` idle connections, least recently used first."""
        removed = self._free[:count]
        del self._free[:count]
        for pipeline in [pipeline for pipeline in reversed(self.pipelines) if pipeline.idle][: count - len(removed)]:
            self._unpipe(pipeline)
            removed.append(pipeline.connection)
        for connection in removed:
            self._closing.add(connection)
            self._drop(connection)

    def close_idle(self) -> None:
        """Close the connections that have been idle since the last pass."""
        unneeded = min(self._min_free, len(self._free))
        unneeded += sum(pipeline.idle and not pipeline.used for pipeline in self.pipelines)
        surplus = len(self._holders) - len(self._closing) - self._first
        self.shrink(max(0, min(unneeded, surplus)))
        self._min_free = len(self._free)
        for pipeline in self.pipelines:
            pipeline.used = False

    def close_silent(self, seconds: float) -> None:
        """Terminate each connection that has waited longer than `seconds` for one pipelined statement.

        Requests have their own time limit; this is for statements without a waiting request, such as a shared look-up.
        """
        for pipeline in [pipeline for pipeline in self.pipelines if pipeline.running > seconds]:
            log.warning("database_silent", seconds=round(pipeline.running, 1))
            pipeline.connection.terminate()

    def _removed(self) -> None:
        """Return the current task's connection to the budget."""
        task = asyncio.current_task()
        if task is not None:
            self._holders.pop(task, None)
        if self._budget is not None and len(self._holders) >= self._sure:
            self._budget.give()
        self._grow_if_useful()  # for a request that arrived while the connection was closing

    # -- connections for exclusive use ---------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Lease one connection for several statements, for example a transaction. Raises Busy."""
        connection = await self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    async def take(self) -> asyncpg.Connection:
        """Return a connection for exclusive use until `give_back`. Raises Busy."""
        if self._leased < self.leases and (connection := self._take_idle()) is not None:
            self._leased += 1
            return connection
        waiter: asyncio.Future[asyncpg.Connection] = self._loop.create_future()
        self.lease_queue.put(waiter, waiter)
        self._grow_if_useful()
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self.lease_queue.remove(waiter)
            elif waiter.exception() is None:  # the connection arrived just as the request was cancelled
                self.give_back(waiter.result())
            raise

    def give_back(self, connection: asyncpg.Connection) -> None:
        """End a lease. Statements or transactions left open are ended in the background."""
        closed = connection.is_closed()
        if not closed and not internals.is_clean(connection):
            background.start(self._clean(connection), "clean_connection")
            return
        self._leased -= 1
        if closed or connection not in self._open:
            self._drop(connection)
        else:
            self._free.append(connection)
        if self.lease_queue.entries or self.statement_queue.entries:
            self._serve()

    async def _clean(self, connection: asyncpg.Connection) -> None:
        """Wait for a statement that is being cancelled, and end the transaction."""
        try:
            internals.forget_transaction(connection)
            async with asyncio.timeout(CLOSE_SECONDS):
                await connection.execute("rollback")
        except Exception as error:  # any error: the lease must end
            log.warning("connection_not_cleaned", error=type(error).__name__)
            connection.terminate()
        if not (connection.is_closed() or internals.is_clean(connection)):
            connection.terminate()
        self.give_back(connection)

    def _take_idle(self, *, pipelined: bool = True) -> asyncpg.Connection | None:
        """Return the most recently used free connection, or an idle `pipelined` one."""
        while self._free:
            connection = self._free.pop()
            if len(self._free) < self._min_free:
                self._min_free = len(self._free)
            if not connection.is_closed():
                return connection
            self._drop(connection)
        self._min_free = 0
        for pipeline in [pipeline for pipeline in self.pipelines if pipeline.idle] if pipelined else ():
            self._unpipe(pipeline)
            if not pipeline.connection.is_closed():
                return pipeline.connection
        return None

    # -- statements in flight ------------------------------------------------------------------------------------------

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """Run one statement and return its first row.

        A slow statement, or one with types that only asyncpg supports, gets a connection of its own.

        Raises:
            Busy: no connection became free in time.
        """
        timing = self.timings[sql]
        if timing.direct or not self.pipelined:
            return await self._run_alone(timing, sql, args)
        request = Request(sql, args, timing, self._loop.create_future())
        try:
            if tracing.tracer is None:
                self._send(request)
                return await request.future
            with tracing.statement(sql):
                self._send(request)
                return await request.future
        except asyncio.CancelledError:
            self._abandon(request)
            raise
        except Unencodable:
            return await self._run_alone(timing, sql, args)

    def is_direct(self, sql: str) -> bool:
        """Return whether a statement runs on a connection of its own."""
        return not self.pipelined or self.timings[sql].direct

    def turns(self, sql: str) -> Turns:
        """Return the turns that apply to a statement."""
        return self.lease_turns if not self.pipelined or self.timings[sql].direct else self.statement_turns

    def _send(self, request: Request) -> None:
        """Send a statement on the connection with the fewest in flight, or queue it. Raises Busy."""
        best: PipelinedConnection | None = None
        if not self.statement_queue.entries and (not self.lease_queue.entries or self._leased >= self.leases):
            for pipeline in self.pipelines:
                if not pipeline.load:
                    if not pipeline.blocked:
                        best = pipeline
                        break
                elif (best is None or pipeline.load < best.load) and pipeline.accepts(request.weight):
                    best = pipeline
            if (best is None or best.load) and len(self.pipelines) < self.pipelined:
                best = self._another_pipeline() or best
        if best is not None:
            best.send(request)
        else:
            self.statement_queue.put(request.future, request)
            if len(self.pipelines) < self.pipelined:
                self._grow_if_useful()

    async def _run_alone(self, timing: Timing, sql: str, args: tuple[Any, ...]) -> Any:
        connection = await self.take()
        began = perf_counter()
        try:
            return await connection.fetchrow(sql, *args)
        finally:
            timing.add(perf_counter() - began)
            self.give_back(connection)

    def _another_pipeline(self) -> PipelinedConnection | None:
        """Return a free connection for pipelining, or start opening one."""
        if (connection := self._take_idle(pipelined=False)) is not None:
            return self._pipe(connection)
        if not self._opening:
            self.grow()
        return None

    def _abandon(self, request: Request) -> None:
        if not request.future.cancelled():  # the reply arrived just as the request was cancelled
            request.future.exception()
        elif request.connection is not None:
            request.connection.abandon(request)
        else:
            self.statement_queue.remove(request.future)

    def _pipe(self, connection: asyncpg.Connection) -> PipelinedConnection | None:
        """Switch a free connection to pipelining; None if its transport does not allow it."""
        pipeline = self._known.get(connection)
        if pipeline is None:
            pipeline = self._known[connection] = PipelinedConnection(connection, self._freed)
        try:
            pipeline.start()
        except NotImplementedError:
            log.warning("pipeline_unavailable", transport=type(pipeline.transport).__name__)
            self.pipelined = 0
            connection.terminate()
            while (request := self.statement_queue.take()) is not None:
                request.future.set_exception(Unencodable())
            return None
        self.pipelines.append(pipeline)
        return pipeline

    def _unpipe(self, pipeline: PipelinedConnection) -> None:
        self.pipelines.remove(pipeline)
        pipeline.stop()

    # -- handing out ---------------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Give idle connections to the oldest requests."""
        while True:
            lease, statement = self._lease_waits(), self._statement_waits()
            if lease and statement:
                lease = self.lease_queue.entries[0][0] <= self.statement_queue.entries[0][0]
            if lease:
                if (connection := self._take_idle()) is None:
                    break
                waiter = self.lease_queue.take()
                assert waiter is not None
                self._leased += 1
                waiter.set_result(connection)
            elif statement:
                if (connection := self._take_idle(pipelined=False)) is None:
                    break
                if (pipeline := self._pipe(connection)) is not None:
                    pipeline.send_all(self._accepted(pipeline))
            else:
                break
        self._grow_if_useful()

    def _freed(self, pipeline: PipelinedConnection) -> None:
        """Send waiting statements, unless an older request is waiting for an idle connection."""
        leases, statements = self.lease_queue.entries, self.statement_queue.entries
        if leases and self._lease_waits() and (not statements or leases[0][0] <= statements[0][0]):
            if pipeline.idle:
                self._serve()
        elif statements:
            pipeline.send_all(self._accepted(pipeline))

    def _accepted(self, pipeline: PipelinedConnection) -> Iterator[Request]:
        """Remove and yield the waiting requests that the connection accepts."""
        while (request := self.statement_queue.first()) is not None and pipeline.accepts(request.weight):
            self.statement_queue.entries.popleft()
            yield request
