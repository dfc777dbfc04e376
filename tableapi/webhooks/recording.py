"""Start recording changes of tables with webhooks, and set the starting position of each webhook."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import asyncpg

from tableapi.changes import triggers
from tableapi.changes.triggers import WHOLE_ROW, CannotRecord, RecordedTable
from tableapi.schema.model import Table
from tableapi.webhooks import queue

_READY = """
    select exists (select from pg_attribute
                   where attrelid = to_regclass('tableapi_changes.webhook') and attname = 'gone')
"""


async def record(
    connection: asyncpg.Connection, tables: Mapping[str, Table], names: Collection[str], say: Callable[[str], None]
) -> None:
    """Create the missing triggers, and set the position of new webhooks to now. Safe to repeat.

    tables: those of the webhooks, by name. names: those of the webhooks, including their dataset.

    Raises:
        CannotRecord: the user of the connection lacks a right; the message says what the owner of the tables has to do.
    """
    try:
        await connection.execute(f"select pg_advisory_lock({queue.LOCK_CLASS}, 0)")
        try:
            present = await triggers.recorded(connection)
            missing = [table for table in tables.values() if not is_recorded(present, table)]
            if missing or not await connection.fetchval(_READY):
                wanted = {table.name: _parts(present, table) for table in missing or tables.values()}
                await triggers.install(connection, wanted, say)
            await connection.execute(queue.ADD, list(names))
        finally:
            await connection.execute(f"select pg_advisory_unlock({queue.LOCK_CLASS}, 0)")
    except (CannotRecord, asyncpg.InsufficientPrivilegeError) as error:
        words = " ".join(f"'{name}:{WHOLE_ROW}'" for name in tables)
        user = await connection.fetchval("select current_user")
        raise CannotRecord(
            f"{str(error).rstrip('.')}. The owner of the tables enables them: "
            f"tableapi changes install {words} --dataset NAME=postgresql://... --reader {user}"
        ) from None


def is_recorded(present: Mapping[tuple[str, str], RecordedTable], table: Table) -> bool:
    """Return whether whole rows of a table are recorded."""
    found = present.get((table.schema, table.bare))
    return found is not None and WHOLE_ROW in found.parts and found.key == table.key


def _parts(present: Mapping[tuple[str, str], RecordedTable], table: Table) -> frozenset[str]:
    """Return the columns to record for a table, including those needed by change streams."""
    found = present.get((table.schema, table.bare))
    return frozenset((WHOLE_ROW, *(found.parts if found else ())))
