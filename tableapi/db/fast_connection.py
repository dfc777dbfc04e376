"""An asyncpg connection with a shorter path for prepared statements."""

from __future__ import annotations

from typing import Any

import asyncpg
from asyncpg.exceptions import InternalClientError, InvalidCachedStatementError, OutdatedSchemaCacheError

from tableapi.db.prepared import PreparedStatements
from tableapi.observability import tracing

MAX_PREPARED_STATEMENTS = 500


class FastConnection(asyncpg.Connection):
    """Run prepared statements by a single call of asyncpg's protocol.

    asyncpg's own `fetchrow` passes a lock, a cache and five coroutines, which is a sixth of its CPU time.

    After an InternalClientError the state of the protocol is unknown, and the next message could belong to another
    statement; so the connection is terminated. OutdatedSchemaCacheError is a subclass and harmless.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.begin_with = ""  # a statement to run in the message that begins the next transaction
        # Each is closed with its last reference.
        self._prepared = PreparedStatements[Any](MAX_PREPARED_STATEMENTS)

    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        """Run one statement and return its first row."""
        if tracing.tracer is None:
            return await self._fetchrow(query, *args, **options)
        with tracing.statement(query):
            return await self._fetchrow(query, *args, **options)

    async def _fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        prepared: Any = self._prepared.get(query)
        if prepared is None:
            # Without a statement cache (pgbouncer), prepared statements do not survive the transaction.
            if options or not self._config.statement_cache_size:  # type: ignore[attr-defined]
                return await super().fetchrow(query, *args, **options)
            prepared = await self.prepare(query)
            self._prepared.keep(query, prepared)
        try:
            rows = await self._protocol.bind_execute(  # type: ignore[attr-defined]
                prepared._state, args, "", 1, False, None
            )
        except (InvalidCachedStatementError, OutdatedSchemaCacheError):  # DDL has invalidated the statement
            self._prepared.clear()
            if self.is_in_transaction():
                raise
            return await super().fetchrow(query, *args)
        except InternalClientError:
            self.terminate()
            raise
        return rows[0] if rows else None

    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        """Run one statement and return its status, for example `DELETE 3`."""
        if self.begin_with and query.startswith("BEGIN"):
            query += self.begin_with
        try:
            return str(await super().execute(query, *args, **options))
        except InternalClientError as error:
            self._terminate_after(error)
            raise

    async def _execute(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._execute(*args, **options)  # type: ignore[misc]
        except InternalClientError as error:
            self._terminate_after(error)
            raise

    async def _prepare(self, *args: Any, **options: Any) -> Any:
        try:
            return await super()._prepare(*args, **options)  # type: ignore[misc]
        except InternalClientError as error:
            self._terminate_after(error)
            raise

    def _terminate_after(self, error: InternalClientError) -> None:
        if not isinstance(error, OutdatedSchemaCacheError):
            self.terminate()
