"""Create, list and remove the triggers that record changes for streams."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from tableapi.config.command_error import CommandError
from tableapi.query.spelling import suggestion
from tableapi.schema import introspection
from tableapi.schema.model import Table

WHOLE_ROW = "*"  # instead of a column name: record the whole row, for webhooks
LOCK_TIMEOUT, MAX_ATTEMPTS, RETRY_SECONDS = "2s", 15, 2  # while DDL waits for a lock, writes queue up behind it
_OUTBOX = Path(__file__).with_name("outbox.sql")
_EVENTS = {  # each with the transition tables of its trigger
    "insert": "referencing new table as newrows",
    "update": "referencing old table as oldrows new table as newrows",
    "delete": "referencing old table as oldrows",
    "truncate": "",
}
_RECORDED = """
    select c.oid::int8 as oid, n.nspname as schema, c.relname as name, array_agg(t.tgname::text) as triggers,
           array_agg(distinct t.tgargs) as arguments, s.mark, coalesce(s.columns, '{}') as columns
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    left join lateral (
        select md5(string_agg(p::text, ';' order by p.oid) || c.relforcerowsecurity) as mark,
               array(select distinct a.attname::text from pg_policy q
                     join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = q.oid
                          and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
                     join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and a.attnum > 0
                     where q.polrelid = c.oid and q.polcmd in ('*', 'r') order by 1) as columns
        from pg_policy p where p.polrelid = c.oid
    ) s on c.relrowsecurity
    where t.tgfoid = (
        select f.oid from pg_namespace m join pg_proc f on f.pronamespace = m.oid and f.proname = 'record'
        join pg_class o on o.relnamespace = m.oid and o.relname = 'change'
        where m.nspname = 'tableapi_changes' and has_schema_privilege(m.oid, 'usage')
          and has_table_privilege(o.oid, 'select')
    ) and t.tgenabled <> 'D' and not t.tgisinternal
      and t.tgparentid = 0
    group by c.oid, n.nspname, c.relname, s.mark, s.columns
"""
_PERMIT = """
    grant usage on schema tableapi_changes to {role};
    grant select, delete on tableapi_changes.change to {role};
    grant select, insert, delete on tableapi_changes.mark to {role};
    grant select, insert on tableapi_changes.intact to {role};
    grant select, insert, update, delete on tableapi_changes.webhook, tableapi_changes.delivery to {role};
"""


class CannotRecord(CommandError):
    """The triggers for change streams cannot be created. The message names the table."""


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """A table with recorded changes.

    key: its identifying columns. parts: columns recorded with each change; `*` is the whole row. policies: a digest of
    its row-level security policies, None if disabled. policy_columns: the columns used by those policies.
    """

    oid: int
    key: tuple[str, ...]
    parts: tuple[str, ...]
    policies: str | None = None
    policy_columns: tuple[str, ...] = ()


async def recorded(connection: asyncpg.Connection) -> dict[tuple[str, str], RecordedTable]:
    """Return the recorded tables by schema and name, without those that lack a trigger.

    None if the user of the connection may not read the outbox.
    """
    tables = {}
    for row in await connection.fetch(_RECORDED):
        if len(row["triggers"]) == len(_EVENTS) and len(row["arguments"]) == 1:
            count, *columns = row["arguments"][0].decode().split("\0")[:-1]
            key, parts = columns[: int(count)], columns[int(count) :]
            tables[row["schema"], row["name"]] = RecordedTable(
                row["oid"], tuple(key), tuple(parts), row["mark"], tuple(row["columns"])
            )
    return tables


async def install(
    connection: asyncpg.Connection,
    tables: Mapping[str, Iterable[str]],
    say: Callable[[str], None],
    *,
    only: bool = False,
) -> None:
    """Create the outbox, and the triggers of these tables, each with the columns to record.

    Existing triggers are left alone, so that a repeated call takes no locks.

    only: remove the triggers of all other tables.

    Raises:
        CannotRecord: a table does not exist, has no key or is not a table, or the database rejects the statement.
    """
    try:
        schema, _ = await introspection.read(connection)
        wanted: dict[tuple[str, str], tuple[Table, tuple[str, ...]]] = {}
        for name, parts in tables.items():
            table = schema.find(name)
            if table is None or table.kind not in "rp" or not table.key:
                missing = "does not exist" if table is None else "is not a table with a primary key"
                hint = suggestion(name, schema.tables) if table is None else ""
                raise CannotRecord(f"'{name}' {missing}, so its changes cannot be followed.{hint}")
            if table.distributed:
                raise CannotRecord(f"'{name}' is distributed by Citus, and the outbox is on the coordinator alone.")
            if unknown := [part for part in parts if part not in table.columns and part != WHOLE_ROW]:
                hint = suggestion(unknown[0], table.columns)
                raise CannotRecord(f"'{name}' has no column '{unknown[0]}'.{hint}")
            wanted[table.schema, table.bare] = table, tuple(sorted(parts))
        if wanted and not await _current(connection):
            await connection.execute(_OUTBOX.read_text())
        present = await recorded(connection)
        for place, (table, parts) in wanted.items():
            old = present.get(place)
            if old is None or (old.key, old.parts) != (table.key, parts):
                await _patiently(connection, _created(table, parts))
                purpose = "webhooks" if WHOLE_ROW in parts else "streams"
                say(f"Changes of {table.name} are recorded for {purpose}.")
        for schema_name, name in present.keys() - wanted.keys() if only else ():
            await _drop(connection, schema_name, name)
            say(f"Changes of {name} are no longer recorded.")
    except asyncpg.InsufficientPrivilegeError as error:
        raise CannotRecord(f"Recording changes requires more rights in the database: {error}.") from None


async def permit(connection: asyncpg.Connection, role: str) -> None:
    """Allow a role to read and clean the outbox, for servers that connect as a user that does not own it.

    Raises:
        CannotRecord: the role does not exist, or the database rejects the statement.
    """
    try:
        await connection.execute(_PERMIT.format(role=_quoted(role)))
    except (asyncpg.UndefinedObjectError, asyncpg.InsufficientPrivilegeError) as error:
        raise CannotRecord(f"The role '{role}' cannot be granted access to the recorded changes: {error}.") from None


async def remove(connection: asyncpg.Connection, say: Callable[[str], None]) -> None:
    """Remove all triggers and the outbox."""
    for schema, name in await recorded(connection):
        await _drop(connection, schema, name)
    await connection.execute("drop schema if exists tableapi_changes cascade")
    say("No changes are recorded any longer.")


async def _current(connection: asyncpg.Connection) -> bool:
    """Return whether the outbox exists in the current version."""
    comment = await connection.fetchval("select obj_description(to_regnamespace('tableapi_changes'), 'pg_namespace')")
    return comment is not None and f"'{comment}'" in _OUTBOX.read_text()


def _created(table: Table, parts: tuple[str, ...]) -> str:
    """Return the statements that create the triggers of a table, or replace those with other arguments."""
    arguments = ", ".join(_literal(text) for text in (str(len(table.key)), *table.key, *parts))
    name = f"{_quoted(table.schema)}.{_quoted(table.bare)}"
    return "\n".join(
        f"create or replace trigger tableapi_changes_{event} after {event} on {name}"
        f" {rows} for each statement execute function tableapi_changes.record({arguments});"
        for event, rows in _EVENTS.items()
    )


async def _drop(connection: asyncpg.Connection, schema: str, name: str) -> None:
    table = f"{_quoted(schema)}.{_quoted(name)}"
    await _patiently(
        connection, "\n".join(f"drop trigger if exists tableapi_changes_{event} on {table};" for event in _EVENTS)
    )


async def _patiently(connection: asyncpg.Connection, sql: str) -> None:
    """Run DDL in a transaction, and retry while it cannot get a lock."""
    for left in reversed(range(MAX_ATTEMPTS)):
        try:
            async with connection.transaction():
                await connection.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
                await connection.execute(sql)
            return
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            if not left:
                raise
            await asyncio.sleep(RETRY_SECONDS)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
