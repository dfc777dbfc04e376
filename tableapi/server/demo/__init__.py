"""A sample shop to try the API without a database: 30 tables with about 1,000,000 rows."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

DATASET = "shop"
MAX_CONNECTIONS = 4
_LAST = "visit"  # one of the shop's tables, all of which move to the schema `public` in one transaction
# Data is loaded into a separate schema, which the next load drops if this one is interrupted.
_STAGING = "shop_being_loaded"
_TABLE = re.compile(r"^create table (\w+)", re.MULTILINE)
_HEADING = re.compile(r"^-- (one by one|side by side): (.+)\n", re.MULTILINE)

# Statistics first, because the check of a reference is a join.
_CHECKS = f"""
select string_agg(command, '; ' order by command desc) from (
    select oid as of_table, format('analyze %s', oid::regclass) as command from pg_class
    where relnamespace = '{_STAGING}'::regnamespace and relkind = 'r'
    union all
    select conrelid, format('alter table %s validate constraint %I', conrelid::regclass, conname) from pg_constraint
    where connamespace = '{_STAGING}'::regnamespace and contype = 'f'
) commands group by of_table order by pg_relation_size(of_table) desc
"""  # noqa: S608 -- a constant
_PUBLISH = f"""
do $$ declare command text; begin
    for command in
        select format('alter table %s set schema public', oid::regclass) from pg_class
        where relnamespace = '{_STAGING}'::regnamespace and relkind in ('r', 'v')
        union all
        select format('alter type %s set schema public', oid::regtype) from pg_type
        where typnamespace = '{_STAGING}'::regnamespace and typtype in ('e', 'd')
    loop execute command; end loop;
end $$;
drop schema {_STAGING}
"""  # noqa: S608 -- a constant


@dataclass(frozen=True)
class Step:
    """A step of the load. Its statements may run in any order, on several connections."""

    name: str
    statements: tuple[str, ...]


def steps() -> list[Step]:
    """Return the steps of shop.sql. Statements that depend on each other form one step."""
    _, *parts = _HEADING.split((Path(__file__).parent / "shop.sql").read_text())
    return [
        Step(name, tuple(text.strip().removesuffix(";").split(";\n")) if kind == "side by side" else (text,))
        for kind, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


async def load(url: str, progress: Callable[[int, int, str], None]) -> bool:
    """Load the shop into an empty database, unless it is already there.

    `progress` is called with the number of finished statements, the total, and the name of the step. Returns whether
    anything was loaded.
    """
    async with _connections(url) as connections:
        first = connections[0]
        if await first.fetchval("select to_regclass($1) is not null", f"public.{_LAST}"):
            return False
        await first.execute(f"drop schema if exists {_STAGING} cascade; create schema {_STAGING}")
        planned = steps()
        done, total = 0, sum(len(step.statements) for step in planned) + len(_tables(planned)) + 1

        def finished(name: str) -> None:
            nonlocal done
            done += 1
            progress(done, total, name)

        progress(0, total, planned[0].name)
        for step in planned:
            await _run(connections, step, finished)
        checks = [row[0] for row in await first.fetch(_CHECKS)]
        await _run(connections, Step("Checks", tuple(checks)), finished)
        await _run(connections, Step("", (_PUBLISH,)), finished)
        return True


def _tables(planned: list[Step]) -> list[str]:
    return _TABLE.findall("".join(planned[0].statements))


async def _run(connections: list[asyncpg.Connection], step: Step, finished: Callable[[str], None]) -> None:
    """Run the statements of a step, each on the next free connection."""
    waiting = list(reversed(step.statements))

    async def work(connection: asyncpg.Connection) -> None:
        while waiting:
            await connection.execute(waiting.pop())
            finished(step.name)

    try:
        async with asyncio.TaskGroup() as group:
            for connection in connections[: len(step.statements)]:
                group.create_task(work(connection))
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None


@asynccontextmanager
async def _connections(url: str) -> AsyncIterator[list[asyncpg.Connection]]:
    settings = {
        "search_path": _STAGING,
        "synchronous_commit": "off",
        "maintenance_work_mem": "128MB",
        "max_parallel_maintenance_workers": "0",
    }
    count = min(MAX_CONNECTIONS, os.cpu_count() or 1)
    connections: list[asyncpg.Connection] = []
    try:
        for _ in range(count):
            connections.append(await asyncpg.connect(url, timeout=10, server_settings=settings))
        yield connections
    finally:
        for connection in connections:
            await connection.close()
