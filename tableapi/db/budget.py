"""How many connections a node opens: the number in all, its share for each worker and database, and what is left over.

The number of DATABASE_CONNECTIONS is divided among the workers, because processes share nothing. Inside a worker every
database is sure of a few connections; the rest belongs to whichever database has requests that wait.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from tableapi.config.settings import BadSettings, Settings

USUAL = 80  # connections of one node: PostgreSQL takes 100 unless told otherwise
USUAL_OF_WORKER = 8
LISTENER = 1
READS, WRITES = 1, 1  # lanes that a database is sure of
LEAST = LISTENER + READS + WRITES
LEAST_OF_PROJECT = LEAST + 2  # with one connection for transactions of scripts, and one for their single statements
PAUSE = 0.1  # seconds between two connections taken from databases that do not use them


@dataclass(slots=True)
class Sizes:
    """The most connections of one database in one worker, by what they are for."""

    reads: int
    writes: int
    pool: int
    singles: int

    @property
    def all(self) -> int:
        return self.reads + self.writes + self.pool + self.singles + LISTENER


def share(settings: Settings, datasets: int, *, project: bool) -> int:
    """The connections of one worker. Raises BadSettings when they are too few to serve anything."""
    least = LEAST_OF_PROJECT if project else LEAST * datasets
    given = settings.database_connections
    if given is None:
        return max(USUAL // settings.workers, USUAL_OF_WORKER, least)
    if given < least * settings.workers:
        raise BadSettings(
            f"DATABASE_CONNECTIONS is {given}; {settings.workers} workers and {datasets} databases need "
            f"{least * settings.workers} at least. Raise it, or set fewer WORKERS."
        )
    return given // settings.workers


def sizes(settings: Settings, most: int, *, project: bool) -> Sizes:
    """How one database of a worker uses `most` connections.

    A few more than the cores keep PostgreSQL busy. A commit waits for the disk, which takes many at once.
    """
    workers = settings.workers
    made = Sizes(max(4, 6 // workers), max(4, 12 // workers), 4 if project else 0, max(2, 8 // workers) * project)
    while made.all > most:
        name = max(("writes", "singles", "pool", "lanes"), key=lambda one: getattr(made, one))
        setattr(made, name, getattr(made, name) - 1)
    return made


class Member(Protocol):
    """Lanes that share a budget."""

    @property
    def spare(self) -> int: ...

    @property
    def wants(self) -> bool: ...

    def grow(self) -> None: ...

    def shrink(self, most: int) -> None: ...


class Budget:
    """Connections of a worker that no database is sure of: busy lanes take them, idle ones give them back."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._members: list[Member] = []
        self._alarm: asyncio.TimerHandle | None = None

    def join(self, member: Member) -> None:
        self._members.append(member)

    def take(self) -> bool:
        """Take one connection. Without one left, a database that does not use all of its own soon gives one back."""
        if self.left > 0:
            self.left -= 1
            return True
        if self._alarm is None:
            self._reclaim()
        return False

    def give(self) -> None:
        self.left += 1
        self._offer()

    def _offer(self) -> None:
        """Let the lanes that are waited for take what is left."""
        for member in self._members:
            if self.left <= 0:
                return
            if member.wants:
                member.grow()

    def _reclaim(self) -> None:
        richest = max(self._members, key=lambda one: one.spare, default=None)
        if richest is not None and richest.spare > 0:
            richest.shrink(1)
        self._alarm = asyncio.get_running_loop().call_later(PAUSE, self._again)

    def _again(self) -> None:
        self._alarm = None
        if any(member.wants for member in self._members):
            self._reclaim()
