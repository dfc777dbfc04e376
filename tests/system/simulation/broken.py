"""Pools with one fault each, which the simulation must detect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import asyncpg

from tableapi.db.pipeline import internals
from tableapi.db.pipeline.connection import PipelinedConnection, Request
from tableapi.db.pool import Lane
from tableapi.db.turns import Turns, WaitingQueue


def swapped_reply() -> AbstractContextManager[Any]:
    """The reply to one statement goes to the next one."""
    original = PipelinedConnection._finish

    def finish(self: PipelinedConnection) -> None:
        if len(self._sent) > 1:
            one, two = self._sent[0], self._sent[1]
            if isinstance(one, Request) and isinstance(two, Request):
                one.future, two.future = two.future, one.future
        original(self)

    return patch.object(PipelinedConnection, "_finish", finish)


def lost_wake_up() -> AbstractContextManager[Any]:
    """A connection with capacity for statements is not offered to waiting requests."""
    return patch.object(Lane, "_freed", lambda self, pipeline: None)


def lost_wake_up_of_a_lease() -> AbstractContextManager[Any]:
    """A returned connection is not offered to waiting requests."""
    original = Lane.give_back

    def give_back(self: Lane, connection: asyncpg.Connection) -> None:
        with patch.object(Lane, "_serve", lambda self: None):
            original(self, connection)

    return patch.object(Lane, "give_back", give_back)


def double_release() -> AbstractContextManager[Any]:
    """A returned connection becomes free twice."""
    original = Lane.give_back

    def give_back(self: Lane, connection: asyncpg.Connection) -> None:
        original(self, connection)
        if connection in self._free:
            self._free.append(connection)

    return patch.object(Lane, "give_back", give_back)


def leak_at_cancellation() -> AbstractContextManager[Any]:
    """A connection that arrives just as its request is cancelled is not returned."""

    async def take(self: Lane) -> asyncpg.Connection:
        if self._leased < self.leases and (connection := self._take_idle()) is not None:
            self._leased += 1
            return connection
        waiter: asyncio.Future[asyncpg.Connection] = asyncio.get_running_loop().create_future()
        self.lease_queue.put(waiter, waiter)
        self._grow_if_useful()
        return await waiter

    return patch.object(Lane, "take", take)


def unclean_connection() -> AbstractContextManager[Any]:
    """A connection is returned with an open transaction or a pending reply."""
    return patch.object(internals, "is_clean", lambda connection: True)


def repeated_write() -> AbstractContextManager[Any]:
    """A statement is sent again after its connection is lost."""
    original = Lane.fetchrow

    async def fetchrow(self: Lane, sql: str, *args: Any) -> Any:
        try:
            return await original(self, sql, *args)
        except asyncpg.PostgresConnectionError:
            return await original(self, sql, *args)

    return patch.object(Lane, "fetchrow", fetchrow)


def careless_cancellation() -> AbstractContextManager[Any]:
    """A statement is cancelled without checking what the connection is running."""

    def abandon(self: PipelinedConnection, request: Request) -> None:
        task = asyncio.ensure_future(internals.cancel(self.connection))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    return patch.object(PipelinedConnection, "abandon", abandon)


def newest_first() -> AbstractContextManager[Any]:
    """A caller's newest read begins first."""
    original = Turns._begin_queued

    def begin(self: Turns, caller: str, queue: WaitingQueue[asyncio.Future[None]]) -> None:
        queue.entries.reverse()
        original(self, caller, queue)

    return patch.object(Turns, "_begin_queued", begin)


def greedy_caller() -> AbstractContextManager[Any]:
    """A caller may use every connection while others read."""
    return patch.object(Turns, "_may_read", lambda self, caller, running: True)


def forgotten_budget() -> AbstractContextManager[Any]:
    """A closed connection does not return to the budget."""

    def removed(self: Lane) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._holders.pop(task, None)
        self._grow_if_useful()

    return patch.object(Lane, "_removed", removed)


def closed_place() -> AbstractContextManager[Any]:
    """A request that arrives while a connection is closing waits in vain."""
    original = Lane._removed

    def removed(self: Lane) -> None:
        with patch.object(Lane, "_grow_if_useful", lambda self: None):
            original(self)

    return patch.multiple(Lane, _removed=removed, _opening=property(lambda self: len(self._holders) - len(self._open)))


FAULTS: tuple[Callable[[], AbstractContextManager[Any]], ...] = (
    swapped_reply, lost_wake_up, lost_wake_up_of_a_lease, double_release, leak_at_cancellation, unclean_connection,
    repeated_write, careless_cancellation, newest_first, greedy_caller, forgotten_budget, closed_place,
)  # fmt: skip
