"""One database: the lanes of its pool, the statements and transactions of scripts, and LISTEN.

The table API uses the lanes `reads` and `writes`. Statements run on the connection of the current task's transaction,
or outside one in a third lane, which converts JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Collection
from contextvars import ContextVar
from dataclasses import Field, fields
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

import asyncpg
from pydantic import BaseModel

from tableapi.db.budget import READS, WRITES, Budget
from tableapi.db.errors import RETRYABLE
from tableapi.db.pipeline import internals
from tableapi.db.pool import Pool
from tableapi.db.session import (
    CONNECT_SECONDS,
    DISTRIBUTED,
    POOLED,
    SESSION,
    address,
    connect,
    connection_options,
    init_script_connection,
    init_table_connection,
    keep_alive,
    no_reset,
    opener,
)  # fmt: skip
from tableapi.db.transaction import Transactions
from tableapi.db.turns import WAIT_SECONDS
from tableapi.log import get_logger
from tableapi.observability import background, tracing

log = get_logger(__name__)
V = TypeVar("V")

_NOTIFY = "select pg_notify($1, '')"
# A statement and its arguments, run just before each script transaction commits (idempotency).
before_commit: ContextVar[tuple[Any, ...] | None] = ContextVar("before_commit", default=None)
LISTEN_RETRY_SECONDS = 0.5
HEARD_SECONDS = 1.0
MAX_NOTED = 10_000
MAX_ATTEMPTS = 4  # of a single statement
# The name of a table that a statement writes, without its schema.
_WRITTEN = re.compile(
    r"\b(?:update|insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?"
    r'(?:(?:"[^"]+"|\w+)\s*\.\s*)?"?(\w+)',
    re.IGNORECASE,
)


class _Writing(dict[str, bool]):
    """For each statement, whether it writes one of some tables; filled as statements are asked for."""

    def __init__(self, tables: frozenset[str]) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, sql: str) -> bool:
        if len(self) >= MAX_NOTED:
            self.clear()
        self[sql] = writes = not self._tables.isdisjoint(map(str.lower, _WRITTEN.findall(sql)))
        return writes


class DataclassRow(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=DataclassRow | BaseModel)


@cache
def _columns(kind: type[Any]) -> tuple[str, ...]:
    return tuple(kind.model_fields) if issubclass(kind, BaseModel) else tuple(field.name for field in fields(kind))


def of_record(kind: type[R], record: asyncpg.Record) -> R:
    """Return the columns of `record` that `kind` has as fields. Raises TypeError if it lacks one of them."""
    try:
        return kind(**{name: record[name] for name in _columns(kind)})  # type: ignore[arg-type]  # a class is hashable
    except KeyError as error:
        raise TypeError(f"{kind.__name__}: the statement returns no column {error}") from None


class Db:
    """Open and close the connections of one database, and run the statements of scripts.

    Arguments:
        reads: maximum number of connections for the table API.
        writes: additional connections for its writes; with 0, writes share those of `reads`.
        pipelined: additional connections that pipeline statements, for single reads and for single writes; 0 for none.
            Ignored behind pgbouncer in transaction mode.
        pool: maximum number of connections for script transactions; 0 without scripts.
        statements: maximum number of connections for script statements outside a transaction.
        budget: lends all connections beyond the first of `reads` and of `writes`.
        idle: seconds after which an unused connection is closed; the first of each purpose stays open.
        wait: seconds that a script waits for a connection.
        direct: the address for LISTEN when `url` is that of a pooler in transaction mode.
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
        wait: float = WAIT_SECONDS,
        name: str = "tableapi",
        direct: str = "",
        needed: bool = True,
    ) -> None:
        self.url, self._direct = url, direct or url
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
        options = connection_options(pooled) | {"dsn": dsn, "server_settings": self._server_settings}
        self._pool = Pool(budget=budget, idle=idle, statement_timeout=statement_timeout)
        open_table = opener(options, init_table_connection)
        self.reads = self._pool.lane(open_table, reads, pipelined[0], sure=READS)
        # Writes wait for the disk and for row locks; on connections of their own they do not delay reads.
        self.writes = self.reads
        if writes:
            self.writes = self._pool.lane(open_table, writes, pipelined[1], first=0, sure=WRITES)
        self._with_scripts, self._needed = pool > 0, needed
        first = min(1, pool)
        self._scripts = self._pool.lane(opener(options, init_script_connection), statements, first=first)
        options = options | {
            "init": init_script_connection,
            "reset": no_reset,
            "max_inactive_connection_lifetime": idle,
        }
        self._transactions = Transactions(pool, options, wait=wait)
        self._listeners: dict[str, list[Callable[[str], None]]] = {}
        self._listening: asyncio.Task[None] | None = None
        self._listener: asyncpg.Connection | None = None
        self._asking = asyncio.Lock()
        self.distributed = False  # by Citus, once connected
        self.watched_writes = 0
        self.watched = frozenset[str]()
        self._writing = _Writing(self.watched)

    async def connect(self) -> None:
        """Open the pool.

        Raises OSError or an asyncpg error if the database is unreachable or rejects the connection.
        """
        internals.check()
        await self._pool.open(needed=self._needed)
        if self._needed:
            row = await self.reads.fetchrow(DISTRIBUTED)
            self.distributed = row is not None and row[0]
        if self._with_scripts:
            await self._transactions.open()

    async def close(self) -> None:
        """Stop listening and close every connection."""
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._pool.close()
        await self._transactions.close()

    @property
    def waiting(self) -> int:
        """The number of requests waiting for a connection or for their turn."""
        return self.reads_waiting + self.scripts_waiting

    @property
    def reads_waiting(self) -> int:
        """The number of table requests waiting for a connection."""
        return sum(lane.waiting for lane in {self.reads, self.writes})

    @property
    def scripts_waiting(self) -> int:
        """The number of scripts waiting for a connection."""
        return self._transactions.waiting + self._scripts.waiting

    # -- scripts ---------------------------------------------------------------------------------------------------

    def transaction(self, **options: Any) -> Any:
        """Return a context manager for a transaction in the current task; nested ones are savepoints."""
        if before_commit.get() is not None:
            return self._transaction_with_mark(**options)
        return self._transactions.begin(**options)

    @contextlib.asynccontextmanager
    async def _transaction_with_mark(self, **options: Any) -> AsyncIterator[None]:
        """Run the statement of `before_commit` at the end of the outermost transaction."""
        mark = before_commit.get()
        token = before_commit.set(None)  # nested transactions are savepoints
        try:
            async with self._transactions.begin(**options):
                yield
                if mark is not None:
                    await self.execute(*mark)
        finally:
            before_commit.reset(token)

    @contextlib.asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold the connection of the current task's transaction, or a free one."""
        transaction = self._transaction_with_mark() if before_commit.get() is not None else contextlib.nullcontext()
        async with transaction, self._transactions.connection() as connection:
            yield connection

    def watch(self, tables: Collection[str]) -> None:
        """Count the statements of scripts that write one of these tables, in `watched_writes`."""
        self.watched = frozenset(name.lower() for name in tables)
        self._writing = _Writing(self.watched)

    async def fetch(self, sql: str, *args: Any) -> list[asyncpg.Record]:
        """Run one statement and return its rows."""
        rows: list[asyncpg.Record] = await self._run("fetch", sql, args)
        return rows

    async def fetchrow(self, sql: str, *args: Any) -> asyncpg.Record | None:
        """Run one statement and return its first row, or None."""
        row: asyncpg.Record | None = await self._run("fetchrow", sql, args)
        return row

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Run one statement and return the first value of its first row, or None."""
        row = await self.fetchrow(sql, *args)
        return row[0] if row is not None else None

    async def all(self, kind: type[R], sql: str, *args: object) -> list[R]:
        """Run one statement and return its rows. The fields of `kind` name the columns."""
        return [of_record(kind, record) for record in await self.fetch(sql, *args)]

    async def first(self, kind: type[R], sql: str, *args: object) -> R | None:
        """Run one statement and return its first row as a `kind`, or None."""
        record = await self.fetchrow(sql, *args)
        return None if record is None else of_record(kind, record)

    async def one(self, kind: type[R], sql: str, *args: object) -> R:
        """Return the row of a statement that always has one. Raises LookupError if there is none."""
        if (row := await self.first(kind, sql, *args)) is None:
            raise LookupError(f"No {kind.__name__}: the statement returned no row.")
        return row

    async def value(self, kind: type[V], sql: str, *args: object) -> V:
        """Return the value of a statement that always has one. Raises LookupError if it is missing or NULL."""
        if (value := await self.first_value(kind, sql, *args)) is None:
            raise LookupError(f"No {kind.__name__}: the statement returned no value.")
        return value

    async def first_value(self, kind: type[V], sql: str, *args: object) -> V | None:
        """Run one statement and return the first value of its first row, of type `kind`, or None.

        Raises TypeError for a value of another type.
        """
        value = await self.fetchval(sql, *args)
        if value is None or isinstance(value, kind):
            return value
        raise TypeError(f"The statement returned {type(value).__name__} in place of {kind.__name__}.")

    async def execute(self, sql: str, *args: Any) -> str:
        """Run one statement and return its status, for example `DELETE 3`."""
        status: str = await self._run("execute", sql, args)
        return status

    async def _run(self, method: str, sql: str, args: tuple[Any, ...]) -> Any:
        """Run one statement by a method of the connection.

        Outside a transaction, a statement that a deadlock or a conflict ended had no effect and is repeated.
        """
        self.watched_writes += self._writing[sql]
        held = self._transactions.held.get(asyncio.current_task())
        attempts = MAX_ATTEMPTS if held is None else 1
        while True:
            attempts -= 1
            own: Any = self._scripts.acquire() if held is None else contextlib.nullcontext(held)
            try:
                async with own if before_commit.get() is None else self.connection() as connection:
                    # the connection traces `fetchrow` itself
                    with tracing.statement(sql) if method != "fetchrow" else contextlib.nullcontext():
                        return await getattr(connection, method)(sql, *args)
            except RETRYABLE:
                if not attempts:
                    raise

    # -- notifications ---------------------------------------------------------------------------------------------

    def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call `callback` with the payload of each NOTIFY on `channel`.

        After a lost connection, the payload is "", because notifications may have been missed.
        """
        self._listeners.setdefault(channel, []).append(callback)
        if self._listening is not None:
            self._listening.cancel()
        self._listening = background.start(self._listen(), "listen")

    async def notify(self, channel: str) -> None:
        """Send "" to every listener of a channel.

        A failure is logged, because the caller has committed its write.
        """
        try:
            await self.writes.fetchrow(_NOTIFY, channel)
        except Exception as error:  # any error: the listeners drop what they have cached when it expires
            log.warning("notify_failed", error=type(error).__name__)

    async def has_heard(self) -> bool:
        """Wait until the callbacks have got every notification of the transactions that are committed by now.

        Returns False if that cannot be known, because the connection for notifications is lost or does not answer.
        """
        async with self._asking:
            if (listener := self._listener) is None:
                return False
            try:  # a server sends pending notifications before the end of its answer
                await listener.execute("select 1", timeout=HEARD_SECONDS)
            except Exception as error:  # any error: the caller drops its cache
                log.warning("listener_silent", error=type(error).__name__)
                return False
            return True

    async def listening_connection(self, lost: Callable[[], None]) -> asyncpg.Connection:
        """Return a separate connection for notifications, without a pooler. `lost` is called when it ends."""
        connection = await connect(self._direct, server_settings=self._server_settings, timeout=CONNECT_SECONDS)
        keep_alive(connection)
        connection.add_termination_listener(lambda _: lost())
        return connection

    async def _listen(self) -> None:
        def notify(_: Any, __: int, channel: str, payload: object) -> None:
            for callback in self._listeners[channel]:
                callback(str(payload))

        first = True
        while True:
            connection: asyncpg.Connection | None = None
            try:
                closed = asyncio.Event()
                connection = await self.listening_connection(closed.set)
                for channel, callbacks in self._listeners.items():
                    await connection.add_listener(channel, notify)
                    for callback in callbacks if not first else ():
                        callback("")
                first, self._listener = False, connection
                await closed.wait()
            except Exception as error:  # any error: without a listener, caches would serve stale data
                log.warning("listener_lost", error=type(error).__name__)
            finally:
                self._listener = None
                if connection is not None and not connection.is_closed():
                    connection.terminate()
            first = False
            await asyncio.sleep(LISTEN_RETRY_SECONDS)
