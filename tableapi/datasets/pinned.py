"""Run all statements of a dataset on one connection, inside one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg

if TYPE_CHECKING:
    from tableapi.datasets.dataset import Dataset


class PinnedDataset:
    """A dataset that runs all statements on one connection, inside the transaction of that connection."""

    pinned = True

    def __init__(self, dataset: Dataset, connection: asyncpg.Connection) -> None:
        self._dataset, self._connection = dataset, connection
        self.db = self.reads = self.writes = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        yield self._connection

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        return await self._connection.fetchrow(sql, *args)


class _RolledBack(Exception):
    """Ends the transaction of `rolled_back`."""


@asynccontextmanager
async def rolled_back(dataset: Dataset) -> AsyncIterator[Any]:
    """Yield the dataset pinned to a transaction that is rolled back in every case.

    Deferred constraints are checked at the end, so that what is refused at a commit is refused here.
    """
    try:
        async with dataset.db.writes.acquire() as connection, connection.transaction():
            yield PinnedDataset(dataset, connection)
            await connection.execute("set constraints all immediate")
            raise _RolledBack
    except _RolledBack:
        pass
