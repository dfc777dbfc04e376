"""One run: a pool, clients that read, write, lease, time out and are cancelled, and a faulty server.

The seed determines everything that happens. The invariants are checked at each reply and after the end.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import asyncpg

from tableapi.db import turns as turns_module
from tableapi.db.budget import Budget
from tableapi.db.pipeline import connection as connection_module
from tableapi.db.pool import Lane, Pool
from tableapi.db.session import connection_options, opener
from tableapi.db.turns import Turns
from tableapi.errors import Busy
from tests.system.simulation.loop import Stuck, VirtualLoop
from tests.system.simulation.postgres import STATEMENT_SECONDS, Server, Weather

LOST = (
    OSError, asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError, asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)  # fmt: skip
# Three queues (a turn, a statement, a lease), two statements ahead, the statement itself, and the end of a transaction.
MAX_SECONDS = 3 * 2.0 + 6 * STATEMENT_SECONDS
SETTLE_SECONDS = 65.0


# PostgreSQL reports that the statement had no effect.
REJECTED = (asyncpg.DivisionByZeroError, asyncpg.QueryCanceledError, asyncpg.InvalidCachedStatementError)


class Violation(AssertionError):
    """Raised when an invariant is violated."""


async def _nothing(_: asyncpg.Connection) -> None:
    """Leave a connection unchanged."""


class World:
    """One run by its seed. `log` gets a line for each event."""

    def __init__(self, seed: int, log: Callable[[str], None] = lambda line: None) -> None:
        self.seed, self.chance = seed, random.Random(seed)
        self._log = log
        self.loop = VirtualLoop()
        chance = self.chance
        rough = chance.random() < 0.7
        self.weather = Weather(
            kills=chance.choice((0.0, 0.01, 0.05)) * rough, cuts=chance.choice((0.0, 0.01, 0.05)) * rough,
            stale=chance.choice((0.0, 0.03)), refuses=chance.choice((0.0, 0.2)) * rough,
            delay=chance.choice((0.0001, 0.001, 0.02)),
        )  # fmt: skip
        self.server = Server(self.loop, chance, self.weather)
        self.writes: dict[int, str] = {}  # the outcome reported to the client of each write
        self.clients: list[asyncio.Future[str]] = []
        self.impatience = chance.choice((0.0, 0.0, 0.01, 0.04))
        self.loop.delivered = self._lose_patience
        self.turns_queues: dict[tuple[int, str], list[int]] = {}

    def note(self, line: str) -> None:
        self._log(f"{self.loop.time():10.4f} {line}")

    def run(self) -> None:
        """Run to the end. Raises Violation."""
        with self._virtual_time():
            asyncio.set_event_loop(self.loop)
            try:
                self.loop.run_until_complete(self._main())
            except Stuck as error:
                raise Violation(str(error)) from None
            finally:
                asyncio.set_event_loop(None)
                self.loop.close()

    @contextmanager
    def _virtual_time(self) -> Iterator[None]:
        clock = self.loop.time
        with (
            patch.object(connection_module, "perf_counter", clock),
            patch("tableapi.db.pool.perf_counter", clock),
            patch.object(turns_module, "time", SimpleNamespace(monotonic=clock)),
            patch("asyncpg.connection._uid", 0),  # the length of a name decides where a message is split
        ):
            yield

    async def _main(self) -> None:
        chance = self.chance
        self.budget = Budget(left=chance.randrange(8)) if chance.random() < 0.5 else None
        self.left = self.budget.left if self.budget else 0
        self.pool = Pool(budget=self.budget, idle=chance.choice((0.02, 0.3, 60.0)))
        options = connection_options(pooled=False) | {"dsn": "postgresql://u:p@/d?host=/simulated"}
        connect = opener(options, _nothing)
        leases, pipelined = chance.randint(1, 3), chance.randint(0, 3)
        self.lanes = (
            self.pool.lane(connect, leases, pipelined, sure=1),
            self.pool.lane(connect, chance.randint(1, 2), chance.randint(0, 2), first=0, sure=1),
        )
        try:
            await self.pool.open(needed=False)
            await self._traffic()
            await self._calm()
        finally:
            await self.pool.close()
        self._closed()

    # -- clients -------------------------------------------------------------------------------------------------------

    async def _traffic(self) -> None:
        chance = self.chance
        spread = chance.choice((0.002, 0.05, 2.0))
        tasks = []
        for number in range(1, chance.randint(5, 45)):
            lane = chance.choice(self.lanes)
            work = chance.choices((self._statement, self._lease, self._read), (5, 2, 3))[0]
            tasks.append(asyncio.create_task(self._client(number, work(number, lane), chance.random() * spread)))
        _, pending = await asyncio.wait(tasks, timeout=SETTLE_SECONDS)
        if pending:
            raise Violation(f"{len(pending)} requests have no outcome")
        for task in tasks:
            await task

    async def _client(self, number: int, work: Awaitable[str], delay: float) -> None:
        """Run one client, which may give up at a moment, at one of its awaits, or by a timeout."""
        chance, loop = self.chance, self.loop
        await asyncio.sleep(delay)
        task = asyncio.ensure_future(work)
        self.clients.append(task)
        fate = chance.random()
        if fate < 0.15:
            loop.call_later(chance.random() * chance.choice((0.003, 0.05, 3.0)), task.cancel)
        elif fate < 0.3:
            self._cancel_after(task, chance.randrange(25))
        began = loop.time()
        try:
            if 0.3 <= fate < 0.4:
                async with asyncio.timeout(chance.random() * chance.choice((0.005, 1.0))):
                    outcome = await task
            else:
                outcome = await task
        except asyncio.CancelledError:
            outcome = "cancelled"
        except TimeoutError:
            outcome = "timeout"
        except Busy:
            outcome = "busy"
        except REJECTED as error:
            outcome = type(error).__name__
        except LOST as error:
            outcome = f"lost ({type(error).__name__})"
        self.clients.remove(task)
        seconds = loop.time() - began
        self.note(f"{number}: {outcome} after {seconds:.4f}")
        for lane in self.lanes:
            self._awake(lane)
        if seconds > MAX_SECONDS:
            raise Violation(f"request {number} took {seconds:.1f} s")

    def _lose_patience(self) -> None:
        """Cancel a client just as something arrives, or a turn or two later."""
        if self.clients and self.chance.random() < self.impatience:
            self._cancel_after(self.chance.choice(self.clients), self.chance.randrange(4))

    def _cancel_after(self, task: asyncio.Future[Any], steps: int) -> None:
        """Cancel a task after a number of turns of the loop."""
        if steps:
            self.loop.call_soon(self._cancel_after, task, steps - 1)
        else:
            task.cancel()

    def _kind(self) -> str:
        kinds = ("read", "write", "nothing", "fail", "slow", "stall", "odd")
        return self.chance.choices(kinds, (30, 25, 5, 8, 8, 2, 6))[0]

    async def _statement(self, number: int, lane: Lane) -> str:
        """Run one statement."""
        return await self._run(lane.fetchrow, self._kind(), number)

    async def _run(self, fetchrow: Callable[..., Awaitable[Any]], kind: str, number: int, *, told: bool = True) -> str:
        if kind == "write":
            self.writes[number] = "unknown"
        began = self.loop.time()
        try:
            row = await fetchrow(f"{kind} {number % 4}", number)
        except (*REJECTED, Busy) as error:
            if isinstance(error, asyncpg.QueryCanceledError) and self.loop.time() - began < STATEMENT_SECONDS:
                raise Violation(f"request {number} was cancelled with another one") from None
            if kind == "write":
                self.writes[number] = "not done"
            raise
        if kind == "nothing":
            if row is not None:
                raise Violation(f"request {number} got a row of another request: {row}")
            return "done"
        if row is None or row["id"] != number:
            raise Violation(f"request {number} got the reply of another request: {row}")
        if kind == "fail":
            raise Violation(f"request {number} got a row instead of its error")
        if kind == "write" and told:
            self.writes[number] = "done"
        return "done"

    async def _read(self, number: int, lane: Lane) -> str:
        """Run one statement in the turn of one of two callers."""
        kind = self._kind()
        caller = "many" if number % 5 else "few"
        turns = lane.turns(f"{kind} {number % 4}")
        await self._turn(turns, caller, number)
        try:
            return await self._run(lane.fetchrow, kind, number)
        finally:
            turns.leave(caller)

    async def _turn(self, turns: Turns, caller: str, number: int) -> None:
        """Enter, and check that the turn is fair to other callers and to earlier reads of the same caller."""
        running = dict(turns._running)
        if turns.enter(caller):
            size = turns._size()
            others = sum(running.values()) - running.get(caller, 0)
            if others and size > 1 and running.get(caller, 0) + 1 >= max(2, size):
                raise Violation(f"the caller of request {number} has every connection")
            return
        if not running.get(caller):
            raise Violation(f"request {number} waits although its caller has no other")
        queue = self.turns_queues.setdefault((id(turns), caller), [])
        queue.append(number)
        try:
            await turns.wait(caller)
            if queue[0] != number:
                turns.leave(caller)
                raise Violation(f"request {number} overtook {queue[0]} of the same caller")
        finally:
            queue.remove(number)

    async def _lease(self, number: int, lane: Lane) -> str:
        """Run a few statements on one connection, in a transaction or not."""
        chance = self.chance
        count, style = chance.randint(1, 3), chance.choice(("plain", "transaction", "left open"))
        async with lane.acquire() as connection:
            if style == "left open":
                await connection.execute("BEGIN")
            if style != "transaction":
                numbers = [number * 1000 + step for step in range(count)]
                for one in numbers:
                    await self._run(connection.fetchrow, self._kind(), one, told=style == "plain")
                    if style == "left open" and self.writes.get(one) == "unknown":
                        self.writes[one] = "not done"
                return "done"
            await self._transaction(connection, [number * 1000 + step for step in range(count)])
        return "done"

    async def _transaction(self, connection: asyncpg.Connection, numbers: list[int]) -> None:
        writes: list[int] = []
        try:
            async with connection.transaction():
                for one in numbers:
                    kind = self._kind()
                    if kind == "write":
                        writes.append(one)
                    await self._run(connection.fetchrow, kind, one, told=False)
        except REJECTED:
            for one in writes:
                self.writes[one] = "not done"
            raise
        for one in writes:
            self.writes[one] = "done"

    # -- invariants ----------------------------------------------------------------------------------------------------

    async def _calm(self) -> None:
        """Let everything settle without faults, and check that the pool is intact."""
        weather = self.weather
        weather.kills = weather.cuts = weather.stale = weather.refuses = 0.0
        self.pool._idle = 1e6  # so that no connection is closing during a check
        await asyncio.sleep(SETTLE_SECONDS)
        for lane in self.lanes:
            self._whole(lane)
        for lane in self.lanes:
            # As many requests as there are slots; all must be served.
            numbers = range(9_000_000, 9_000_000 + lane.leases)
            async with asyncio.timeout(30):
                await asyncio.gather(*(self._run(lane.fetchrow, "odd", number) for number in numbers))
                await asyncio.gather(
                    *(self._run(lane.fetchrow, "read", number) for number in range(9_000_100, 9_000_112))
                )
                sure = lane.leases if self.budget is None else 1
                leased = [await lane.take() for _ in range(sure)]
                if len(set(leased)) != sure:
                    raise Violation("a connection is leased twice")
                for connection in leased:
                    lane.give_back(connection)
        await asyncio.sleep(SETTLE_SECONDS)
        for lane in self.lanes:
            self._whole(lane)
        for number, told in self.writes.items():
            times = self.server.executed[number]
            if times > 1 or (told == "done" and times != 1) or (told == "not done" and times):
                raise Violation(f"write {number} ran {times} times, and its client was told: {told}")

    def _awake(self, lane: Lane) -> None:
        """Check that no request waits while a slot is free."""
        idle = any(pipeline.idle and not pipeline.connection.is_closed() for pipeline in lane.pipelines)
        free = any(not connection.is_closed() for connection in lane._free)
        if lane._lease_waits() and (idle or free):
            raise Violation("a lease waits beside an idle connection")
        if not lane._lease_waits() and lane.statement_queue.first() is not None and idle:
            raise Violation("a statement waits beside an idle connection")
        if lane._statement_waits() and free:
            raise Violation("a statement waits beside a free connection")

        settled = len(lane._holders) == len(lane._open)
        if settled and self.budget is None and lane.wants:
            raise Violation("a request waits, and no connection is opened for it")

    def _whole(self, lane: Lane) -> None:
        """Check a lane that no request uses."""
        if lane.waiting:
            raise Violation(f"{lane.waiting} requests wait in an idle lane")
        if lane._leased:
            raise Violation(f"{lane._leased} leases have not ended")
        free = [id(connection) for connection in lane._free]
        free += [id(pipeline.connection) for pipeline in lane.pipelines]
        if len(free) != len(set(free)):
            raise Violation("a connection is free twice")
        if len(free) != len(lane._open):
            raise Violation(f"{len(lane._open)} connections are open, and {len(free)} are free")
        if any(pipeline.load or pipeline.blocked for pipeline in lane.pipelines):
            raise Violation("an idle connection is occupied")
        for turns in (lane.lease_turns, lane.statement_turns):
            if turns._running or turns._queues:
                raise Violation("a turn has not ended")
        count = sum(len(each._open) for each in self.lanes)
        if len(self.server.sessions) != count:
            raise Violation(f"the server has {len(self.server.sessions)} connections, the pool {count}")
        if count > sum(each._size for each in self.lanes):
            raise Violation(f"{count} connections are more than the limit")

    def _closed(self) -> None:
        """Check the state after the end."""
        if self.budget is not None and self.budget.left != self.left:
            raise Violation(f"the budget has {self.budget.left} connections instead of {self.left}")
        if self.loop.faults:
            raise Violation(f"an error was not handled: {self.loop.faults[0]}")


def check(seed: int, log: Callable[[str], None] = lambda line: None) -> str | None:
    """Run a seed. Return the violated invariant, or None."""
    try:
        World(seed, log).run()
    except Violation as error:
        return str(error)
    except Exception as error:  # any other error must not reach a client
        return f"{type(error).__name__}: {error}"
    return None
