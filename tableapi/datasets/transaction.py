"""A dataset on one connection, inside one transaction."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest

# An offset with minutes, which PostgreSQL interprets as POSIX does: +05:30 is west. A plus in a URL arrives as a space.
_OFFSET = re.compile(r"([+ -]?)(\d\d?):?(\d\d)", re.ASCII)


class _Single:
    """The lanes of a transaction, which all return its connection. Its reads wait for no turn."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self.fetchrow = connection.fetchrow
        self.reads = self.writes = self

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        yield self._connection

    def turns(self, _: str) -> _Single:
        return self

    def enter(self, _: str) -> bool:
        return True

    async def wait(self, _: str) -> None:
        pass

    def leave(self, _: str) -> None:
        pass


def pinned(dataset: Dataset, connection: asyncpg.Connection) -> Dataset:
    """Return the dataset with all statements on one connection, inside its transaction."""
    return dataset.view(_Single(connection), pinned=True)


@asynccontextmanager
async def kept(dataset: Dataset) -> AsyncIterator[Dataset]:
    """Yield the dataset in a transaction that is committed at the end.

    Deferred constraints are checked first.
    """
    async with dataset.db.writes.acquire() as connection, connection.transaction():
        yield pinned(dataset, connection)
        await connection.execute("set constraints all immediate")


@asynccontextmanager
async def undone(dataset: Dataset) -> AsyncIterator[Dataset]:
    """Yield the dataset in a transaction that is rolled back at the end.

    Deferred constraints are checked first.
    """
    async with dataset.db.writes.acquire() as connection, _rolled_back(connection):
        yield pinned(dataset, connection)
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
async def in_zone(dataset: Dataset, zone: str) -> AsyncIterator[Dataset]:
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
        yield pinned(dataset, connection)


def _named(zone: str) -> str:
    """Return a name of the zone that PostgreSQL interprets as in ISO 8601."""
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return zone
    sign, hours, minutes = match.groups()
    east, west = ("-", "+") if sign == "-" else ("+", "-")
    return f"<{east}{hours}{minutes}>{west}{hours}:{minutes}"
