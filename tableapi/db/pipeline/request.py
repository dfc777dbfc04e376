"""One statement on its way to PostgreSQL, and one that is being prepared."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import asyncpg

from tableapi.db.pipeline.messages import Prepared, Row
from tableapi.db.pipeline.timing import Timing

if TYPE_CHECKING:
    from tableapi.db.pipeline.connection import PipelinedConnection

DEPTH = 3  # requests in flight on one connection


class Request:
    """One statement to run. `future` gets its first row or None. `weight`: how much of DEPTH it takes."""

    __slots__ = ("args", "connection", "future", "prepared", "repeated", "sql", "timing", "weight")

    def __init__(self, sql: str, args: tuple[Any, ...], timing: Timing, future: asyncio.Future[Row | None]) -> None:
        self.sql, self.args, self.timing, self.future = sql, args, timing, future
        # Nothing is sent behind a statement until its time is known.
        self.weight = DEPTH if timing.mean is None else 1
        self.connection: PipelinedConnection | None = None
        self.prepared: Prepared | None = None
        self.repeated = False


class Preparation:
    """A statement that is being prepared, and the requests that wait for it."""

    __slots__ = ("columns", "name", "parameters", "requests", "sql")

    def __init__(self, sql: str, name: bytes, request: Request) -> None:
        self.sql, self.name, self.requests = sql, name, [request]
        self.parameters: list[int] = []
        self.columns: list[tuple[str, int]] = []


def refuse_lost(entries: Iterable[Request | Preparation], cause: Exception | None) -> None:
    """Fail the requests on a lost connection with the error that asyncpg raises.

    cause: why the server closed it, or the error of the socket.
    """
    reason = f": {cause.args[0]}" if isinstance(cause, asyncpg.PostgresError) else ""
    for entry in entries:
        for request in entry.requests if isinstance(entry, Preparation) else (entry,):
            error = asyncpg.ConnectionDoesNotExistError(f"connection was closed in the middle of operation{reason}")
            error.__cause__ = cause
            if not request.future.done():
                request.future.set_exception(error)
