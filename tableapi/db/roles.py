"""Run transactions as a PostgreSQL role, with settings for its policies and functions.

The role and the settings are local to the transaction, so they end with it in every case. They are sent along with
BEGIN and cost no extra round trip.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import orjson

from tableapi.db.pool import Lane
from tableapi.db.turns import Turns
from tableapi.errors import Forbidden, MethodNotAllowed
from tableapi.log import get_logger

log = get_logger(__name__)
_SETTING = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")
RESET = "set constraints all immediate; set local role none"


def settings_sql(role: str, settings: Mapping[str, str]) -> str:
    """Return the statement that sets the role and the settings for the rest of a transaction.

    Names and values are passed as one hexadecimal literal, so they cannot be interpreted as SQL.
    """
    values = {name: value.replace("\0", "") for name, value in settings.items()} | {"role": role}
    packed = orjson.dumps(values).hex()
    return (
        "select count(set_config(key, value, true)) from "  # noqa: S608
        f"json_each_text(convert_from(decode('{packed}', 'hex'), 'UTF8')::json)"
    )


def is_setting(name: str) -> bool:
    """Return whether PostgreSQL accepts `request.jwt.claim.<name>` as a setting name."""
    return len(name) <= 40 and _SETTING.match(name) is not None


class RoleLane:
    """The connections of a lane, each in a transaction that runs as a database role.

    statement: sets the role and its settings (see `settings_sql`). readonly: reject writes.
    """

    def __init__(self, lane: Lane, statement: str, *, readonly: bool) -> None:
        self._lane, self._statement, self._readonly = lane, statement, readonly

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Lease one connection for one transaction.

        The lane ends a transaction that is still open when the lease ends. An error therefore rolls it back, and the
        response to a read does not wait for the end of the transaction.

        Raises:
            Busy: no connection became free in time.
            Forbidden: the role does not exist, or the user of the connection is not a member of it.
            MethodNotAllowed: the block changes data, and the transaction is `readonly`.
        """
        async with self._lane.acquire() as connection:
            transaction = connection.transaction(readonly=self._readonly)
            await self._begin(connection, transaction)
            try:
                yield connection
            except asyncpg.ReadOnlySQLTransactionError:
                if self._readonly:
                    raise _changes_data() from None
                raise
            if not self._readonly:
                await transaction.commit()

    async def _begin(self, connection: Any, transaction: Any) -> None:
        connection.begin_with = self._statement
        try:
            await transaction.start()
        except (asyncpg.InvalidParameterValueError, asyncpg.InsufficientPrivilegeError) as error:
            log.warning("database_role_refused", error=type(error).__name__)
            message = "The database role of your role is not available. Contact the administrator of the database."
            raise Forbidden(message, reason="database_role") from None
        finally:
            connection.begin_with = ""

    def turns(self, _: str) -> Turns:
        """Return the turns that apply to its statements, which are never pipelined."""
        return self._lane.lease_turns

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """Run one statement in a transaction of its own and return its first row."""
        async with self.acquire() as connection:
            return await connection.fetchrow(sql, *args)


def _changes_data() -> MethodNotAllowed:
    message = "This read would change data. Send it as POST to a function, or write to the table."
    return MethodNotAllowed(message, reason="changes_data", headers={"Allow": "POST"})
