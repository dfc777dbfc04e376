"""Run transactions as a role of PostgreSQL, with settings for its policies and functions.

The role and the settings are local to the transaction, so they end with it, however it ends. They travel in the message
that begins it and cost no round trip of their own.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
import orjson

from tableapi.db.connections import ConnectionPool
from tableapi.errors import Forbidden, MethodNotAllowed
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)
_SETTING = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")
RESET = "set constraints all immediate; set local role none"
_LOST_ROLE = (asyncpg.InvalidParameterValueError, asyncpg.InsufficientPrivilegeError)


def settings_sql(role: str, settings: Mapping[str, str]) -> str:
    """Return the statement that sets the role and the settings for the rest of a transaction.

    The names and values are one hexadecimal literal, so no character of them can act as SQL.
    """
    values = {name: value.replace("\0", "") for name, value in settings.items()} | {"role": role}
    packed = orjson.dumps(values).hex()
    return (
        "select count(set_config(key, value, true)) from "  # noqa: S608
        f"json_each_text(convert_from(decode('{packed}', 'hex'), 'UTF8')::json)"
    )


def is_setting(name: str) -> bool:
    """Return whether PostgreSQL accepts `request.jwt.claim.<name>` as the name of a setting."""
    return len(name) <= 40 and _SETTING.match(name) is not None


@asynccontextmanager
async def role_transaction(connection: Any, statement: str, *, readonly: bool) -> AsyncIterator[None]:
    """Run the `with` block in a transaction that begins with `statement` (see `settings_sql`).

    A connection that does not come back to its own role is closed.

    Raises:
        Forbidden: the role does not exist, or the connection may not become it.
        MethodNotAllowed: the block changes data, and the transaction is `readonly`.
    """
    transaction = connection.transaction(readonly=readonly)
    try:
        connection.begin_with = statement
        await transaction.start()
    except BaseException as error:
        await _abandon(connection)
        if isinstance(error, _LOST_ROLE):
            log.warning("database_role_refused", error=type(error).__name__)
            message = "The database role of your role cannot be used. Contact the administrator of the database."
            raise Forbidden(message, reason="database_role") from None
        raise
    finally:
        connection.begin_with = ""
    try:
        yield
    except BaseException as error:
        await _abandon(connection)
        if readonly and isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            raise _changes_data() from None
        raise
    if readonly:  # nothing to lose, so the response does not wait for the end of the transaction
        return
    try:
        await transaction.commit()
    except BaseException:
        await _abandon(connection)
        raise


def _changes_data() -> MethodNotAllowed:
    message = "This reads by changing data. Send it as POST to a function, or write to the table."
    return MethodNotAllowed(message, reason="changes_data", headers={"Allow": "POST"})


async def _abandon(connection: Any) -> None:
    """End the transaction of a connection without its changes; close the connection if that fails."""
    connection._top_xact = None
    try:
        if connection.is_in_transaction():
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                await connection.execute("rollback")
    finally:
        if not connection.is_closed() and connection.is_in_transaction():
            connection.terminate()


class RolePool:
    """Connections of a pool, each in a transaction of a database role.

    statement: sets the role and its settings. readonly: for reads; a write in them is refused.
    """

    def __init__(self, pool: Any, statement: str, *, readonly: bool) -> None:
        self._pool: ConnectionPool = pool
        self._statement, self._readonly = statement, readonly

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Hold one connection for one transaction. Raises Busy, or as `role_transaction`."""
        connection = await self._pool.take()
        try:
            async with role_transaction(connection, self._statement, readonly=self._readonly):
                yield connection
        finally:
            if not connection.is_closed() and connection.is_in_transaction():
                background.start(self._end(connection), "role_transaction")
            else:
                self._pool.give_back(connection)

    async def _end(self, connection: Any) -> None:
        try:
            await _abandon(connection)
        finally:
            self._pool.give_back(connection)

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """Run one statement in a transaction of its own and return its first row."""
        async with self.acquire() as connection:
            return await connection.fetchrow(sql, *args)

    def is_direct(self, sql: str) -> bool:
        """Return whether a statement runs on a connection of its own, which here is always so."""
        return True
