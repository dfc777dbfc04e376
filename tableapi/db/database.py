"""The connections to one database: pools for the table API and for scripts, transactions, and LISTEN.

The table API uses `reads` and `writes`. Scripts use a pool of the `databases` package, imported only here: every
statement of a task inside `transaction()` runs on the connection of that transaction.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any

import asyncpg
from databases import Database

from tableapi.db.budget import READS, WRITES, Budget
from tableapi.db.connections import ConnectionPool
from tableapi.db.fast_connection import FastConnection
from tableapi.db.pipeline.pool import PipelinedPool
from tableapi.db.pipeline.routed import RoutedPool
from tableapi.db.session import (
    POOLED,
    SESSION,
    address,
    connect,
    init_script_connection,
    init_table_connection,
    keep_alive,
    no_reset,
)  # fmt: skip
from tableapi.errors import RETRY, Busy
from tableapi.log import get_logger
from tableapi.observability import background, tracing

log = get_logger(__name__)

# `databases` drops the options of an address (sslmode, target_session_attrs) and supports a single host only. It gets
# the scheme alone; asyncpg reads the whole address from `dsn`.
_BACKEND = "postgresql://dsn"


# A statement with its arguments that each transaction of a script runs before it commits (idempotency).
before_commit: ContextVar[tuple[Any, ...] | None] = ContextVar("before_commit", default=None)
TablePool = ConnectionPool | RoutedPool
MAX_WAITING_SCRIPTS = 64
CONNECT_SECONDS = 10
LISTEN_RETRY_SECONDS = 0.5


class _BoundedPool:
    """Limit how many tasks wait for a connection of an asyncpg pool, and for how long."""

    def __init__(self, pool: Any, seconds: float, limit: int) -> None:
        self._pool, self._seconds, self._limit, self.waiting = pool, seconds, limit, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def acquire(self) -> Any:
        """Return a connection. Raises Busy."""
        if self.waiting >= self._limit:
            raise Busy("The server is busy. Try again in a moment.", headers=RETRY)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                return await self._pool.acquire()
        except TimeoutError:
            raise Busy("The database is busy. Try again in a moment.", headers=RETRY) from None
        finally:
            self.waiting -= 1


class Db:
    """Open and close the connections of one database, and run the statements of scripts.

    Arguments:
        reads: the largest number of connections of the table API.
        writes: further connections for its writes; 0 lets writes share those of `reads`.
        pipelined: further connections with several statements in flight, for single reads and for single writes; 0 for
            none, and there are none behind pgbouncer in transaction mode.
        pool: the largest number of connections for transactions of scripts; 0 when there are no scripts.
        statements: the largest number of connections for single statements of scripts outside a transaction.
        budget: connections beyond the first of `reads` and `writes` are borrowed from it.
        idle: seconds after which an unused connection is closed; the first of each purpose stays open.
        wait: seconds that a script waits for a connection.
        needed: whether `connect` fails when the database cannot be reached; otherwise connecting is retried.
    """

    def __init__(
        self,
        url: str,
        *,
        reads: int = 4,
        writes: int = 0,
        pipelined: tuple[int, int] = (0, 0),
        pool: int = 4,
        statements: int = 4,
        budget: Budget | None = None,
        idle: float = 60.0,
        statement_timeout: float = 5.0,
        lock_timeout: float = 3.0,
        wait: float = 2.0,
        name: str = "tableapi",
        needed: bool = True,
    ) -> None:
        self.url = url
        dsn, pooled = address(url)  # pgbouncer in transaction mode: prepared statements do not survive the transaction
        self._server_settings = SESSION | {
            "application_name": name,
            "statement_timeout": str(int(statement_timeout * 1000)),
            "lock_timeout": str(int(lock_timeout * 1000)),
            "idle_in_transaction_session_timeout": "15000",
        }
        if pooled:
            self._server_settings = {name: self._server_settings[name] for name in POOLED}
            pipelined = (0, 0)
        options: dict[str, Any] = {
            "dsn": dsn,
            "server_settings": self._server_settings,
            "reset": no_reset,
            "timeout": CONNECT_SECONDS,
            "statement_cache_size": 0 if pooled else 500,
            "max_inactive_connection_lifetime": idle,
            "connection_class": FastConnection,
        }
        options |= dict.fromkeys(("host", "port", "user", "password", "database"))  # the dsn holds all of them
        self._table_pool = Database(
            _BACKEND, min_size=1 if needed else 0, max_size=reads + writes + sum(pipelined),
            init=init_table_connection, **options,
        )  # fmt: skip
        self._script_pool = Database(
            _BACKEND, min_size=min(1, pool), max_size=max(pool, 1) + statements, init=init_script_connection, **options
        )
        self._with_scripts, self._wait = pool > 0, wait
        direct = ConnectionPool(self._table_pool, reads, sure=READS, budget=budget, idle=idle)
        self.reads = self._with_pipeline(direct, pipelined[0], budget, idle)
        # Writes wait for the disk and for row locks; with connections of their own they do not delay reads.
        self.writes = self.reads
        if writes:
            direct = ConnectionPool(self._table_pool, writes, first=0, sure=WRITES, budget=budget, idle=idle)
            self.writes = self._with_pipeline(direct, pipelined[1], budget, idle)
        self._statements = ConnectionPool(self._script_pool, statements, idle=idle)
        self._listeners: dict[str, list[Callable[[str], None]]] = {}
        self._listening: asyncio.Task[None] | None = None

    def _with_pipeline(self, direct: ConnectionPool, size: int, budget: Budget | None, idle: float) -> TablePool:
        """Return a pool that runs single statements on `size` pipelined connections."""
        if not size:
            return direct
        return RoutedPool(direct, PipelinedPool(self._table_pool, size, sure=0, budget=budget, idle=idle))

    async def connect(self) -> None:
        """Open the pools.

        Raises OSError or an error of asyncpg when the database cannot be reached or refuses.
        """
        await self._table_pool.connect()
        self.reads.open()
        self.writes.open()
        if self._with_scripts and not self._script_pool.is_connected:
            await self._script_pool.connect()
            backend: Any = self._script_pool._backend
            backend._pool = _BoundedPool(backend._pool, self._wait, MAX_WAITING_SCRIPTS)
            self._statements.open()

    async def close(self) -> None:
        """Stop listening and close every connection."""
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self.reads.close()
        await self.writes.close()
        await self._statements.close()
        for pool in (self._table_pool, self._script_pool):
            if pool.is_connected:
                await pool.disconnect()

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a connection."""
        return self.reads_waiting + self.scripts_waiting

    @property
    def reads_waiting(self) -> int:
        """The number of requests of the table API that wait for a connection."""
        return sum(pool.waiting for pool in {self.reads, self.writes})

    @property
    def scripts_waiting(self) -> int:
        """The number of scripts that wait for a connection."""
        backend: Any = self._script_pool._backend
        return getattr(backend._pool, "waiting", 0) + self._statements.waiting

    # -- scripts ---------------------------------------------------------------------------------------------------

    def transaction(self, **options: Any) -> Any:
        """Return a context manager for a transaction of the current task; nested ones are savepoints."""
        if before_commit.get() is not None:
            return self._transaction_with_mark(**options)
        return self._script_pool.transaction(**options)

    @contextlib.asynccontextmanager
    async def _transaction_with_mark(self, **options: Any) -> AsyncIterator[None]:
        """Run the statement of `before_commit` at the end of the outermost transaction."""
        mark = before_commit.get()
        token = before_commit.set(None)  # nested transactions are savepoints
        try:
            async with self._script_pool.transaction(**options):
                yield
                if mark is not None:
                    await self.execute(*mark)
        finally:
            before_commit.reset(token)

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold the raw connection of the current task's transaction, or another one of the pool."""
        transaction = self._transaction_with_mark() if before_commit.get() is not None else contextlib.nullcontext()
        async with transaction, self._script_pool.connection() as held:
            yield held.raw_connection

    def _for_statement(self) -> Any:
        """Return the connection of the current transaction, or any for a single statement.

        Acquiring a connection of the script pool costs more than running one statement does.
        """
        current: Any = self._script_pool._connection
        if before_commit.get() is not None or (current is not None and current._connection_counter):
            return self.connection()
        return self._statements.acquire()

    async def fetch(self, sql: str, *args: Any) -> list[asyncpg.Record]:
        """Run one statement and return its rows."""
        async with self._for_statement() as connection:
            with tracing.statement(sql):
                rows: list[asyncpg.Record] = await connection.fetch(sql, *args)
            return rows

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        """Run one statement and return its first row, or None."""
        async with self._for_statement() as connection:
            row: asyncpg.Record | None = await connection.fetchrow(sql, *args)  # FastConnection traces it
            return row

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Run one statement and return the first value of its first row, or None."""
        row = await self.fetchrow(sql, *args)
        return row[0] if row is not None else None

    async def execute(self, sql: str, *args: Any) -> str:
        """Run one statement and return its status, for example `DELETE 3`."""
        async with self._for_statement() as connection:
            with tracing.statement(sql):
                status: str = await connection.execute(sql, *args)
            return status

    # -- notifications ---------------------------------------------------------------------------------------------

    def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call `callback` with the payload of each NOTIFY on `channel`.

        After a lost connection it is called with "", because notifications may have been missed.
        """
        self._listeners.setdefault(channel, []).append(callback)
        if self._listening is not None:
            self._listening.cancel()
        self._listening = background.start(self._listen(), "listen")

    async def _listen(self) -> None:
        def notify(_: Any, __: int, channel: str, payload: object) -> None:
            for callback in self._listeners[channel]:
                callback(str(payload))

        first = True
        while True:
            connection: asyncpg.Connection | None = None
            try:
                connection = await connect(self.url, server_settings=self._server_settings, timeout=CONNECT_SECONDS)
                keep_alive(connection)
                closed = asyncio.Event()
                connection.add_termination_listener(lambda _, closed=closed: closed.set())
                for channel, callbacks in self._listeners.items():
                    await connection.add_listener(channel, notify)
                    for callback in callbacks if not first else ():
                        callback("")
                first = False
                await closed.wait()
            except Exception as error:  # any error: without a listener, caches would serve outdated data
                log.warning("listener_lost", error=type(error).__name__)
            finally:
                if connection is not None and not connection.is_closed():
                    connection.terminate()
            first = False
            await asyncio.sleep(LISTEN_RETRY_SECONDS)
