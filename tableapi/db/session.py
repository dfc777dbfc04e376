"""A database connection: its settings, its value codecs and its prepared statements."""

from __future__ import annotations

import re
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from typing import Any

import asyncpg
import orjson
from asyncpg.exceptions import InternalClientError, InvalidCachedStatementError, OutdatedSchemaCacheError

from tableapi.db.pipeline import internals
from tableapi.db.pipeline.codecs import parse_date, parse_timestamp
from tableapi.db.pipeline.messages import PreparedStatements
from tableapi.observability import tracing

# JIT costs more than it saves on statements of a few milliseconds. UTC and ISO make the text form of values independent
# of the server configuration.
SESSION = {"timezone": "UTC", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "bytea_output": "hex", "jit": "off"}


# Connection parameters that pgbouncer accepts and tracks in transaction mode.
POOLED = "timezone", "datestyle", "application_name"
CONNECT_SECONDS = 10
DISTRIBUTED = "select exists (select from pg_extension where extname = 'citus')"
_UNTRACED = nullcontext()
MAX_PREPARED_STATEMENTS = 500  # per connection
_POOLED_URL = re.compile(r"[?&]statement_cache_size=0(?=&|$)")


def address(url: str) -> tuple[str, bool]:
    """Return the address for asyncpg, and whether it is pgbouncer's (`?statement_cache_size=0`)."""
    dsn, found = _POOLED_URL.subn("", url)
    return (dsn if "?" in dsn else dsn.replace("&", "?", 1)) if found else url, bool(found)


def connection_options(pooled: bool) -> dict[str, Any]:
    """Return the asyncpg options for the connections of a pool. pooled: behind pgbouncer."""
    return {
        "timeout": CONNECT_SECONDS,
        "statement_cache_size": 0 if pooled else MAX_PREPARED_STATEMENTS,
        "connection_class": UnpreparedConnection if pooled else Connection,
    }


async def connect(url: str, **options: Any) -> asyncpg.Connection:
    """Open a connection to the database at a URL. `options` are passed to asyncpg."""
    dsn, pooled = address(url)
    if pooled:
        options["statement_cache_size"] = 0
    return await asyncpg.connect(dsn, **options)


def opener(
    options: Mapping[str, Any], init: Callable[[asyncpg.Connection], Awaitable[None]]
) -> Callable[[], Awaitable[asyncpg.Connection]]:
    """Return a function that opens a connection with these asyncpg options and initialises it with `init`."""

    async def open_connection() -> asyncpg.Connection:
        connection: asyncpg.Connection = await asyncpg.connect(**options)
        try:
            await init(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    return open_connection


def _unchanged(value: bytes) -> bytes:
    return value


def keep_alive(connection: asyncpg.Connection) -> None:
    """Close the connection once the database host has been silent for 10 seconds."""
    sock = internals.transport(connection).get_extra_info("socket")
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6) and hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3)):
            sock.setsockopt(socket.IPPROTO_TCP, option, value)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000)


async def init_table_connection(connection: asyncpg.Connection) -> None:
    """Pass JSON through as bytes and bind dates as text.

    JSON rendered by PostgreSQL is sent to the client undecoded. asyncpg would bind 9999-12-31 as infinity.
    """
    keep_alive(connection)
    await connection.set_type_codec(
        "json", schema="pg_catalog", format="binary", encoder=_unchanged, decoder=_unchanged
    )
    await connection.set_type_codec("date", schema="pg_catalog", encoder=str, decoder=parse_date)
    for name in ("timestamp", "timestamptz"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=parse_timestamp)


async def init_script_connection(connection: asyncpg.Connection) -> None:
    """Convert JSON columns from and to Python values."""
    keep_alive(connection)

    def encode(value: Any) -> str:
        return value if isinstance(value, str) else orjson.dumps(value).decode()

    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=encode, decoder=orjson.loads)


async def no_reset(connection: asyncpg.Connection) -> None:
    """Skip asyncpg's reset query, since session state never changes."""


class Connection(internals.CancellingConnection):
    """A connection that keeps a prepared statement for each single-row query.

    asyncpg's own `fetchrow` goes through a lock, a cache and five coroutines, which cost a sixth of its CPU time.

    After an InternalClientError, the protocol is in an unknown state and the next message could belong to another
    statement, so the connection is terminated. Its subclass OutdatedSchemaCacheError is harmless.
    """

    prepares = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.begin_with = ""  # sent along with the BEGIN of the next transaction
        # Each is closed when its last reference is gone.
        self._prepared = PreparedStatements[tuple[Any, Any]](MAX_PREPARED_STATEMENTS)
        self._execute_prepared = internals.executor(self)

    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        """Run one statement and return its first row."""
        with tracing.statement(query) if tracing.tracer is not None else _UNTRACED:
            try:
                prepared = self._prepared.get(query)
                if prepared is None:
                    if options or not self.prepares:
                        return await super().fetchrow(query, *args, **options)
                    statement = await super().prepare(query)
                    prepared = statement, internals.state(statement)
                    self._prepared.keep(query, prepared)
                rows = await self._execute_prepared(prepared[1], args, "", 1, False, None)
                return rows[0] if rows else None
            except (InvalidCachedStatementError, OutdatedSchemaCacheError):  # DDL has invalidated the statement
                self._prepared.clear()
                if self.is_in_transaction():
                    raise
                return await super().fetchrow(query, *args, **options)
            except InternalClientError:
                self.terminate()
                raise

    async def fetch(self, query: str, *args: Any, **options: Any) -> list[Any]:
        """Run one statement and return its rows."""
        try:
            rows: list[Any] = await super().fetch(query, *args, **options)
        except InternalClientError as error:
            self._failed(error)
            raise
        return rows

    async def fetchval(self, query: str, *args: Any, **options: Any) -> Any:
        """Run one statement and return the first value of its first row."""
        try:
            return await super().fetchval(query, *args, **options)
        except InternalClientError as error:
            self._failed(error)
            raise

    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        """Run one statement and return its status, for example `DELETE 3`."""
        if self.begin_with and query.startswith("BEGIN"):
            query += self.begin_with
        try:
            return str(await super().execute(query, *args, **options))
        except InternalClientError as error:
            self._failed(error)
            raise

    def _failed(self, error: InternalClientError) -> None:
        if not isinstance(error, OutdatedSchemaCacheError):
            self.terminate()


class UnpreparedConnection(Connection):
    """A connection through pgbouncer, where prepared statements do not survive the transaction."""

    prepares = False
