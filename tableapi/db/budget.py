"""Divide the database connections of a node among its worker processes and databases.

Worker processes share nothing, so each gets an equal part of DATABASE_CONNECTIONS. Inside a worker every database has a
few connections of its own; the others are lent to databases that have requests waiting.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from tableapi.config.command_error import BadSettings
from tableapi.config.settings import Settings

DEFAULT_CONNECTIONS = 80  # per node; PostgreSQL allows 100 by default
DEFAULT_WORKER_CONNECTIONS = 8
LISTENER = 1
READS, WRITES = 1, 1  # reserved for each database, outside the budget
LEAST = LISTENER + READS + WRITES
LEAST_OF_PROJECT = LEAST + 2  # one for script transactions and one for their single statements
RECLAIM_SECONDS = 0.1  # delay between two reclaims from idle databases


@dataclass(slots=True)
class Sizes:
    """The maximum number of connections to one database in one worker, by purpose."""

    reads: int
    writes: int
    pool: int  # script transactions
    statements: int  # single statements of scripts
    piped_reads: int = 0  # single reads, several in flight per connection
    piped_writes: int = 0

    @property
    def all(self) -> int:
        """The total, including the connection that listens for notifications."""
        return self.reads + self.writes + self.pool + self.statements + self.piped_reads + self.piped_writes + LISTENER


def share(settings: Settings, datasets: int, *, project: bool) -> int:
    """Return the number of connections that each worker may open.

    Raises:
        BadSettings: DATABASE_CONNECTIONS is too low for the workers and databases.
    """
    least = LEAST_OF_PROJECT if project else LEAST * datasets
    total = settings.database_connections
    if total is None:
        return max(DEFAULT_CONNECTIONS // settings.workers, DEFAULT_WORKER_CONNECTIONS, least)
    if total < least * settings.workers:
        raise BadSettings(
            f"DATABASE_CONNECTIONS is {total}; {_counted(settings.workers, 'worker')} and "
            f"{_counted(datasets, 'database')} need at least "
            f"{least * settings.workers}. Raise it, or lower WORKERS."
        )
    return total // settings.workers


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def sizes(settings: Settings, limit: int, *, project: bool) -> Sizes:
    """Distribute at most `limit` connections of one worker over the purposes of one database.

    Slightly more connections than cores keep PostgreSQL busy. Writes get more connections because commits wait for the
    disk, which flushes many of them at once.
    """
    workers = settings.workers
    result = Sizes(max(4, 6 // workers), max(4, 12 // workers), 4 if project else 0, max(2, 8 // workers) * project)
    while result.all > limit:
        largest = max(("writes", "statements", "pool", "reads"), key=lambda name: getattr(result, name))
        setattr(result, largest, getattr(result, largest) - 1)
    if settings.database_pipeline:
        # With fewer, a worker sleeps after each response instead of finding several to process
        # (docs/explanation/performance.md).
        result.piped_reads = min(4 if workers <= 2 else 2, limit - result.all)
        result.piped_writes = min(max(2, 6 // workers), limit - result.all)
    return result


class Member(Protocol):
    """A connection pool that borrows from the budget."""

    @property
    def spare(self) -> int:
        """The number of free connections that can be returned to the budget."""

    @property
    def wants(self) -> bool:
        """Whether requests are waiting and another connection would help."""

    def grow(self) -> None:
        """Open one more connection if the budget allows it."""

    def shrink(self, count: int) -> None:
        """Close up to `count` free connections."""


class Budget:
    """Lend the spare connections of a worker to busy pools and take them back from idle ones."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._members: list[Member] = []
        self._timer: asyncio.TimerHandle | None = None

    def join(self, member: Member) -> None:
        """Let a pool borrow from this budget."""
        self._members.append(member)

    def take(self) -> bool:
        """Take one connection. If none is left, start reclaiming unused ones and return False."""
        if self.left > 0:
            self.left -= 1
            return True
        if self._timer is None:
            self._reclaim()
        return False

    def give(self) -> None:
        """Return one connection, and offer it to the pools with waiting requests."""
        self.left += 1
        for member in self._members:
            if self.left <= 0:
                return
            if member.wants:
                member.grow()

    def _reclaim(self) -> None:
        """Close one free connection of the pool with the most, and repeat while requests are waiting."""
        richest = max(self._members, key=lambda member: member.spare, default=None)
        if richest is not None and richest.spare > 0:
            richest.shrink(1)
        self._timer = asyncio.get_running_loop().call_later(RECLAIM_SECONDS, self._reclaim_again)

    def _reclaim_again(self) -> None:
        self._timer = None
        if any(member.wants for member in self._members):
            self._reclaim()
