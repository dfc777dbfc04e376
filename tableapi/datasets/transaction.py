"""A dataset on one connection, inside one transaction."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from tableapi.datasets import answer_size
from tableapi.errors import BadRequest
from tableapi.query.limits import Limits
from tableapi.query.plan import Bindings, Plan

# An offset with minutes, which PostgreSQL interprets as POSIX does: +05:30 is west. A plus in a URL arrives as a space.
_OFFSET = re.compile(r"([+ -]?)(\d\d?):?(\d\d)", re.ASCII)


class _Connections:
    """The pools of a pinned dataset, which all return its connection."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self.reads = self.writes = self

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        yield self._connection

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        return await self._connection.fetchrow(sql, *args)


class Widened:
    """A dataset with different limits, for the reads of one request."""

    def __init__(self, dataset: Any, limits: Limits) -> None:
        self._dataset, self.limits = dataset, limits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)


class Pinned:
    """A dataset that runs all statements on one connection, inside its transaction."""

    pinned = True

    def __init__(self, dataset: Any, connection: asyncpg.Connection) -> None:
        self._dataset, self._connection = dataset, connection
        self.db = _Connections(connection)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    async def fetchrow(self, plan: Plan, values: Bindings, caller: str) -> Any:
        """Run the plan of a read, and return its row."""
        row = await answer_size.fetchrow(self._dataset.limits, self._connection.fetchrow, plan, values)
        answer_size.check_body(self._dataset.limits, plan, row)
        return row


@asynccontextmanager
async def kept(dataset: Any) -> AsyncIterator[Pinned]:
    """Yield the dataset in a transaction that is committed at the end.

    Deferred constraints are checked first.
    """
    async with dataset.db.writes.acquire() as connection, connection.transaction():
        yield Pinned(dataset, connection)
        await connection.execute("set constraints all immediate")


@asynccontextmanager
async def undone(dataset: Any) -> AsyncIterator[Pinned]:
    """Yield the dataset in a transaction that is rolled back at the end.

    Deferred constraints are checked first.
    """
    async with dataset.db.writes.acquire() as connection, _rolled_back(connection):
        yield Pinned(dataset, connection)
        await connection.execute("set constraints all immediate")


@asynccontextmanager
async def _rolled_back(connection: asyncpg.Connection, *, readonly: bool = False) -> AsyncIterator[None]:
    """Run the block in a transaction, or in a savepoint of an outer one, that is rolled back at the end."""
    transaction = connection.transaction(readonly=readonly)
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


@asynccontextmanager
async def in_zone(dataset: Any, zone: str) -> AsyncIterator[Pinned]:
    """Yield the dataset in a read-only transaction with a time zone.

    It is rolled back, so that inside a longer transaction the zone applies to this read only.

    Raises:
        BadRequest: `unknown_timezone`.
    """
    async with dataset.db.reads.acquire() as connection, _rolled_back(connection, readonly=True):
        try:
            await connection.execute("select set_config('TimeZone', $1, true)", _named(zone))
        except asyncpg.InvalidParameterValueError:
            raise BadRequest(
                f"Unknown time zone '{zone[:100]}'. Send one such as Europe/Oslo.",
                reason="unknown_timezone",
                context={"option": "timezone"},
            ) from None
        yield Pinned(dataset, connection)


def _named(zone: str) -> str:
    """Return a name of the zone that PostgreSQL interprets as in ISO 8601."""
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return zone
    sign, hours, minutes = match.groups()
    east, west = ("-", "+") if sign == "-" else ("+", "-")
    return f"<{east}{hours}{minutes}>{west}{hours}:{minutes}"
