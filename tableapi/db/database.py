"""Connections: the only file that imports `databases`. Pools, lanes, transactions, and LISTEN.

Two ways to the same database. *Lanes* (`lanes.py`) serve the table API. The *pool* serves scripts, whose transactions
are those of `databases`: every fetch of a task inside `transaction()` uses its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from datetime import date, datetime
from typing import Any

import asyncpg
import orjson
from databases import Database

from tableapi.db.budget import READS, WRITES, Budget
from tableapi.db.connections import ConnectionPool, FastConnection
from tableapi.errors import RETRY, Busy
from tableapi.log import get_logger
from tableapi.observability import background, tracing

log = get_logger(__name__)

# jit costs more than it gains on statements of milliseconds. UTC and ISO make text the same everywhere.
SESSION = {"timezone": "UTC", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "bytea_output": "hex", "jit": "off"}

# Of an address `databases` takes the scheme alone: it drops options (sslmode, target_session_attrs, ...) and knows one
# host only. asyncpg reads the whole address itself.
_BACKEND = "postgresql://dsn"


# A statement and its values that each transaction of a script in this context runs before it commits (idempotency.py).
before_commit: ContextVar[tuple[Any, ...] | None] = ContextVar("before_commit", default=None)
WAITING = 64  # scripts that may wait for a connection at once


def _as_is(value: bytes) -> bytes:
    return value


def _date(text: str) -> date | str:
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text)
    return text


def _moment(text: str) -> datetime | str:
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text)
    return text


def _keep_alive(connection: asyncpg.Connection) -> None:
    """Notice a database host that is gone without a word: after 10 seconds without an answer the connection is lost."""
    transport: Any = connection._transport  # type: ignore[attr-defined]
    found = transport.get_extra_info("socket")
    if found is not None and found.family in (socket.AF_INET, socket.AF_INET6) and hasattr(socket, "TCP_USER_TIMEOUT"):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3)):
            found.setsockopt(socket.IPPROTO_TCP, option, value)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000)


class _Bounded:
    """The pool of asyncpg, for whose connections nobody waits long, and never too many (`databases` asks it)."""

    def __init__(self, pool: Any, seconds: float, most: int) -> None:
        self._pool, self._seconds, self._most, self.waiting = pool, seconds, most, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def acquire(self) -> Any:
        if self.waiting >= self._most:
            raise Busy("The server is busy. Try again in a moment.", headers=RETRY)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                return await self._pool.acquire()
        except TimeoutError:
            raise Busy("The database is busy. Try again in a moment.", headers=RETRY) from None
        finally:
            self.waiting -= 1


async def _as_text(connection: asyncpg.Connection) -> None:
    """Lanes send JSON made by PostgreSQL to the client as bytes: never decoded, never encoded again. Dates are bound as
    text, because asyncpg takes 9999-12-31 for infinity."""
    _keep_alive(connection)
    await connection.set_type_codec("json", schema="pg_catalog", format="binary", encoder=_as_is, decoder=_as_is)
    await connection.set_type_codec("date", schema="pg_catalog", encoder=str, decoder=_date)
    for name in ("timestamp", "timestamptz"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=_moment)


async def _decode_json(connection: asyncpg.Connection) -> None:
    _keep_alive(connection)

    def encode(value: Any) -> str:
        return value if isinstance(value, str) else orjson.dumps(value).decode()

    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=encode, decoder=orjson.loads)


async def _no_reset(connection: asyncpg.Connection) -> None:
    """The reset query is half of PostgreSQL's work for a row by key, and nothing here changes a session's state."""


class Db:
    """One database: lanes for the table API, a pool for scripts, and one connection that listens."""

    def __init__(
        self,
        url: str,
        *,
        lanes: int = 4,
        writes: int = 0,
        pool: int = 4,
        singles: int = 4,
        budget: Budget | None = None,
        idle: float = 60.0,
        statement_timeout: float = 5.0,
        lock_timeout: float = 3.0,
        wait: float = 2.0,
        name: str = "tableapi",
        needed: bool = True,
    ) -> None:
        """How many connections at most: `lanes` for the table API, `writes` more for its writes (0: none), `pool` for
        transactions of scripts (0: no scripts), `singles` for their statements outside of one. Those that are idle for
        `idle` seconds are closed but for one of each. With `budget` lanes past the first are taken from it. `needed`:
        whether `connect` fails when the database cannot be reached; else its lanes come when it does."""
        self.url = url
        settings = SESSION | {
            "application_name": name,
            "statement_timeout": str(int(statement_timeout * 1000)),
            "lock_timeout": str(int(lock_timeout * 1000)),
            "idle_in_transaction_session_timeout": "15000",
        }
        common: dict[str, Any] = {"dsn": url, "server_settings": settings, "reset": _no_reset, "timeout": 10}
        common |= dict.fromkeys(("host", "port", "user", "password", "database"))  # all that is in the dsn
        if "statement_cache_size=0" in url:  # behind pgbouncer in transaction mode
            common["statement_cache_size"] = 0
        else:
            common["statement_cache_size"] = 500
        self._settings = settings
        common["max_inactive_connection_lifetime"] = idle
        least = 1 if needed else 0
        self._lane_pool = Database(
            _BACKEND, min_size=least, max_size=lanes + writes, init=_as_text, connection_class=FastConnection, **common
        )
        self._script_pool = Database(
            _BACKEND, min_size=min(1, pool), max_size=max(pool, 1) + singles, init=_decode_json,
            connection_class=FastConnection, **common,
        )  # fmt: skip
        self._with_scripts, self._wait = pool > 0, wait
        self.reads = ConnectionPool(self._lane_pool, lanes, sure=READS, budget=budget, idle=idle)
        # A write waits for the disk, and for rows that others hold: reads shall not wait behind it.
        self.writes = self.reads
        if writes:
            self.writes = ConnectionPool(self._lane_pool, writes, first=0, sure=WRITES, budget=budget, idle=idle)
        self._singles = ConnectionPool(self._script_pool, singles, idle=idle)
        self._listeners: dict[str, list[Callable[[str], None]]] = {}
        self._listening: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Raises OSError or asyncpg's errors when the database cannot be reached or refuses."""
        await self._lane_pool.connect()
        self.reads.open()
        self.writes.open()
        if self._with_scripts and not self._script_pool.is_connected:
            await self._script_pool.connect()
            backend: Any = self._script_pool._backend
            backend._pool = _Bounded(backend._pool, self._wait, WAITING)
            self._singles.open()

    async def close(self) -> None:
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self.reads.close()
        await self.writes.close()
        await self._singles.close()
        for pool in (self._lane_pool, self._script_pool):
            if pool.is_connected:
                await pool.disconnect()

    @property
    def waiting(self) -> int:
        """Requests that wait for a connection."""
        return self.reads_waiting + self.scripts_waiting

    @property
    def reads_waiting(self) -> int:
        return sum(lanes.waiting for lanes in {self.reads, self.writes})

    @property
    def scripts_waiting(self) -> int:
        backend: Any = self._script_pool._backend
        return getattr(backend._pool, "waiting", 0) + self._singles.waiting

    # -- scripts ---------------------------------------------------------------------------------------------------

    def transaction(self, **options: Any) -> Any:
        """`async with db.transaction():` one transaction of this task; nested ones are savepoints."""
        if before_commit.get() is not None:
            return self._marked(**options)
        return self._script_pool.transaction(**options)

    @contextlib.asynccontextmanager
    async def _marked(self, **options: Any) -> AsyncIterator[None]:
        """A transaction that runs one more statement of the engine at its end (`before_commit`)."""
        mark = before_commit.get()
        token = before_commit.set(None)  # those inside are savepoints
        try:
            async with self._script_pool.transaction(**options):
                yield
                if mark is not None:
                    await self.execute(*mark)
        finally:
            before_commit.reset(token)

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """The raw connection of this task's transaction, or one of the pool."""
        marked = self._marked() if before_commit.get() is not None else contextlib.nullcontext()
        async with marked, self._script_pool.connection() as held:
            yield held.raw_connection

    def _one(self) -> Any:
        """For one statement: the connection of this task's transaction, or any. To hold one of the pool for a single
        statement costs more than to run it."""
        held: Any = self._script_pool._connection
        if before_commit.get() is not None or (held is not None and held._connection_counter):
            return self.connection()
        return self._singles.one()

    async def fetch(self, sql: str, *args: Any) -> list[asyncpg.Record]:
        async with self._one() as connection:
            with tracing.statement(sql):
                found: list[asyncpg.Record] = await connection.fetch(sql, *args)
            return found

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        async with self._one() as connection:
            found: asyncpg.Record | None = await connection.fetchrow(sql, *args)  # a lane tells tracing itself
            return found

    async def fetchval(self, sql: str, *args: Any) -> Any:
        row = await self.fetchrow(sql, *args)
        return row[0] if row is not None else None

    async def execute(self, sql: str, *args: Any) -> str:
        """The status of the statement, for example "DELETE 3"."""
        async with self._one() as connection:
            with tracing.statement(sql):
                status: str = await connection.execute(sql, *args)
            return status

    # -- notifications ---------------------------------------------------------------------------------------------

    def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with the payload of each NOTIFY. After a lost connection it is called with "" for each channel,
        which stands for "anything may have changed"."""
        self._listeners.setdefault(channel, []).append(callback)
        if self._listening is not None:
            self._listening.cancel()
        self._listening = background.start(self._listen(), "listen")

    async def _listen(self) -> None:
        def heard(_: Any, __: int, channel: str, payload: object) -> None:
            for callback in self._listeners[channel]:
                callback(str(payload))

        first = True
        while True:
            connection: asyncpg.Connection | None = None
            try:
                connection = await asyncpg.connect(self.url, server_settings=self._settings, timeout=10)
                _keep_alive(connection)
                gone = asyncio.Event()
                connection.add_termination_listener(lambda _, gone=gone: gone.set())
                for channel, callbacks in self._listeners.items():
                    await connection.add_listener(channel, heard)
                    for callback in callbacks if not first else ():
                        callback("")
                first = False
                await gone.wait()
            except Exception as error:  # whatever it is: who does not listen serves what is old
                log.warning("listener_lost", error=type(error).__name__)
            finally:
                if connection is not None and not connection.is_closed():
                    connection.terminate()
            first = False
            await asyncio.sleep(0.5)
