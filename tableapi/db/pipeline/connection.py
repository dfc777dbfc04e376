"""One connection to PostgreSQL with several statements in flight.

asyncpg opens, authenticates and configures the connection; then this protocol takes its transport over. Each request is
sent as Bind, Execute and Sync, so an error ends that request alone. PostgreSQL answers in the order of the requests.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import asyncpg

from tableapi.db.pipeline import internals, messages
from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.messages import (
    BOUND,
    COMPLETE,
    DATA_ROW,
    END_OF_ROW,
    HEADER,
    IDLE,
    IGNORED,
    READY,
    Prepared,
    PreparedStatements,
    Row,
)  # fmt: skip
from tableapi.db.pipeline.timing import Timing
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)

DEPTH = 3  # requests in flight on one connection
STALL_SECONDS = 0.02  # no further request is sent behind a statement that has run for longer
MAX_PREPARED_STATEMENTS = 300
CANCEL_AFTER_SECONDS = 0.1  # grace period before the statement of a cancelled request is cancelled
_STALE = (asyncpg.InvalidCachedStatementError, asyncpg.InvalidSQLStatementNameError)


class Request:
    """One statement to run. `future` gets its first row or None. `weight`: its share of DEPTH."""

    __slots__ = ("args", "connection", "future", "prepared", "repeated", "sql", "timing", "weight")

    def __init__(self, sql: str, args: tuple[Any, ...], timing: Timing, future: asyncio.Future[Row | None]) -> None:
        self.sql, self.args, self.timing, self.future = sql, args, timing, future
        # Until its run time is known, nothing is sent behind a statement.
        self.weight = DEPTH if timing.mean is None else 1
        self.connection: PipelinedConnection | None = None
        self.prepared: Prepared | None = None
        self.repeated = False


class Preparation:
    """A statement being prepared, and the requests waiting for it."""

    __slots__ = ("columns", "name", "parameters", "requests", "sql")

    def __init__(self, sql: str, name: bytes, request: Request) -> None:
        self.sql, self.name, self.requests = sql, name, [request]
        self.parameters: list[int] = []
        self.columns: list[tuple[str, int]] = []


class PipelinedConnection(asyncio.Protocol):
    """Send requests without waiting for the replies to earlier ones.

    connection: an idle asyncpg connection. freed: called when another request could be sent. `load` is the total weight
    of the requests in flight, at most DEPTH.
    """

    def __init__(self, connection: asyncpg.Connection, freed: Callable[[PipelinedConnection], None]) -> None:
        self.connection, self._freed = connection, freed
        self.transport = internals.transport(connection)
        self._asyncpg = internals.protocol(connection)
        self.load = 0
        self.used = False  # since the pool last checked for idle connections
        self.blocked = False  # closed, closing, used by asyncpg, or cancelling a statement
        self._closed = False
        self._sent: deque[Request | Preparation] = deque()  # in reply order
        self._head_since = 0.0  # when PostgreSQL started on the first of them
        self._prepared = PreparedStatements[Prepared](MAX_PREPARED_STATEMENTS)
        self._preparing: dict[str, Preparation] = {}
        self._names = 0
        self._held: list[bytes] | None = None  # messages collected by `send_all`
        self._closes: list[bytes] = []  # Close messages to send with the next Parse
        self._row: Row | None = None  # the reply being read
        self._error: dict[str, str] | None = None
        self._complete = False  # whether the reply may end
        self._confirmed: asyncio.Future[None] | None = None  # done with the reply to a statement that is cancelled
        self._parts: list[bytes] = []  # parts of an incomplete message
        self._size = self._needed = 0  # bytes

    def start(self) -> None:
        """Take over the transport from asyncpg.

        Raises:
            NotImplementedError: the transport does not allow it.
        """
        self.transport.set_protocol(self)
        if self.transport.get_protocol() is not self:
            raise NotImplementedError
        self.blocked = self.transport.is_closing()

    def stop(self) -> None:
        """Return the transport to asyncpg; if statements are in flight, close it."""
        if self._closed:
            return
        self.blocked = True
        if self._sent or self._parts:
            self.connection.terminate()
        else:
            self.transport.set_protocol(self._asyncpg)

    @property
    def idle(self) -> bool:
        """Whether it has no statements in flight and may be used."""
        return not self.load and not self.blocked

    @property
    def running(self) -> float:
        """The seconds for which PostgreSQL has been running the first statement in flight; 0.0 without one."""
        return perf_counter() - self._head_since if self._sent else 0.0

    # -- sending -------------------------------------------------------------------------------------------------------

    def accepts(self, weight: int) -> bool:
        """Return whether a request may be sent now."""
        load = self.load
        if not load:
            return not self.blocked
        return load + weight <= DEPTH and not self.blocked and perf_counter() - self._head_since < STALL_SECONDS

    def send(self, request: Request) -> None:
        """Send a request, preparing its statement first if necessary."""
        self.load += request.weight
        request.connection = self
        self.used = True
        prepared = self._prepared.used(request.sql)
        if prepared is None:
            self._prepare(request)
            return
        try:
            message = prepared.run(request.args)
        except Unencodable as error:
            self.load -= request.weight
            request.future.set_exception(error)
            return
        request.prepared = prepared
        self._write(message, request)

    def send_all(self, requests: Iterable[Request]) -> None:
        """Send requests in a single write, since each write in uvloop is a system call."""
        self._held = []
        try:
            for request in requests:
                self.send(request)
        finally:
            held, self._held = self._held, None
            if held:
                self._write(b"".join(held))

    def _write(self, message: bytes, entry: Request | Preparation | None = None) -> None:
        """Write a message, and expect the reply to `entry`."""
        if entry is not None:
            if not self._sent:
                self._head_since = perf_counter()
            self._sent.append(entry)
        if self._held is not None:
            self._held.append(message)
            return
        try:
            self.transport.write(message)
        except RuntimeError:  # the transport is closed; `connection_lost` follows
            self.blocked = True

    def _prepare(self, request: Request) -> None:
        if (preparation := self._preparing.get(request.sql)) is not None:
            preparation.requests.append(request)
            return
        self._names += 1
        preparation = Preparation(request.sql, b"tableapi_%d" % self._names, request)
        self._preparing[request.sql] = preparation
        self._closes += [messages.close(displaced.name) for displaced in self._prepared.make_room(request.sql)]
        message = b"".join(self._closes) + messages.parse(preparation.name, request.sql)
        self._closes.clear()
        self._write(message, preparation)

    # -- receiving -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Process complete messages, and keep the rest."""
        if self._parts:
            self._parts.append(data)
            self._size += len(data)
            if self._size < self._needed:
                return
            data = b"".join(self._parts)
            self._parts.clear()
        before = self.load
        try:
            rest = self._read(data)
        except Exception as error:  # any error: the next reply could be attributed to another request
            log.error("pipeline_broken", error=type(error).__name__)
            self.blocked = True
            self.connection.terminate()
            return
        if rest < len(data):
            self._parts.append(data[rest:] if rest else data)
            self._size = len(data) - rest
            self._needed = HEADER(data, rest)[1] + 1 if self._size >= 5 else 5
        if self.load < before:
            self._freed(self)

    def _read(self, data: bytes) -> int:
        """Process messages, and return the offset of the first incomplete one. Raises for invalid data."""
        position, end = 0, len(data)
        if data.startswith(BOUND):  # nearly every reply begins so; it ends with END_OF_ROW
            position = len(BOUND)
        while end - position >= 5:
            kind, length = HEADER(data, position)
            after = position + 1 + length
            if length < 4:
                raise asyncpg.ProtocolViolationError("a message without a length")
            if after > end:
                break
            if kind == DATA_ROW:
                head: Any = self._sent[0]
                self._row = head.prepared.row(data, position + 5)
                if data.startswith(END_OF_ROW, after):
                    self._complete = True
                    self._finish()
                    after += len(END_OF_ROW)
            elif kind == READY:
                if data[position + 5] != IDLE or not self._complete:
                    raise asyncpg.ProtocolViolationError("the end of a reply in its middle, or of a transaction")
                self._finish()
            elif kind in COMPLETE:
                self._complete = True
            elif kind not in IGNORED:
                self._other(kind, data[position + 5 : after])
            position = after
        return position

    def _other(self, kind: int, body: bytes) -> None:
        """Process an infrequent message."""
        head = self._sent[0] if self._sent else None
        if kind == messages.ERROR:
            self._complete = True
            # an error outside a reply: the reason why the server is closing the connection
            self._error = messages.error_fields(body)
        elif kind == messages.PARAMETERS and isinstance(head, Preparation):
            head.parameters = messages.parameter_types(body)
        elif kind == messages.ROW_DESCRIPTION and isinstance(head, Preparation):
            head.columns = messages.columns(body)
            self._complete = True
        else:
            raise asyncpg.ProtocolViolationError("an unexpected message")

    def _finish(self) -> None:
        """Complete the first request in flight."""
        head, row, error = self._sent.popleft(), self._row, self._error
        if self._confirmed is not None:
            self._confirm()
        self._row = self._error = None
        self._complete = False
        began, self._head_since = self._head_since, perf_counter()
        if isinstance(head, Preparation):
            self._prepared_or_not(head, error)
            return
        self.load -= head.weight
        head.timing.add(self._head_since - began)
        if head.future.done():
            return
        if error is None:
            head.future.set_result(row)
            return
        failure = asyncpg.PostgresError.new(error, query=head.sql)
        if isinstance(failure, _STALE) and not head.repeated:
            self._repeat(head)
        else:
            head.future.set_exception(failure)

    def _prepared_or_not(self, preparation: Preparation, error: dict[str, str] | None) -> None:
        """Send the requests that waited for a statement, or fail them."""
        self._preparing.pop(preparation.sql, None)
        failure: Exception | None = None
        prepared: Prepared | None = None
        if error is None:
            try:
                prepared = Prepared(preparation.name, preparation.parameters, preparation.columns)
                displaced = self._prepared.keep(preparation.sql, prepared)
                self._closes += [messages.close(other.name) for other in displaced]
            except Unencodable as unknown:
                failure = unknown
                self._closes.append(messages.close(preparation.name))
        for request in preparation.requests:
            self.load -= request.weight
            if prepared is not None and not request.future.done():
                self.send(request)
                continue
            request.timing.unsupported = request.timing.unsupported or failure is not None
            if not request.future.done():
                request.future.set_exception(failure or asyncpg.PostgresError.new(error or {}, query=request.sql))

    def _repeat(self, request: Request) -> None:
        """Rerun a statement that DDL invalidated; no part of it was executed."""
        request.repeated = True
        self._closes += [messages.close(prepared.name) for prepared in self._prepared.values()]
        self._prepared.clear()
        self.send(request)

    # -- ending --------------------------------------------------------------------------------------------------------

    def eof_received(self) -> None:
        """Stop sending; the transport closes itself."""
        self.blocked = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the requests in flight as asyncpg does, and let asyncpg clean up."""
        self._closed = self.blocked = True
        _reject_lost(self._sent, exc if self._error is None else asyncpg.PostgresError.new(self._error))
        self._sent.clear()
        self._confirm()
        self._asyncpg.connection_lost(exc)

    def abandon(self, request: Request) -> None:
        """Cancel the statement of a cancelled request if it is still running after a grace period."""
        asyncio.get_running_loop().call_later(CANCEL_AFTER_SECONDS, self._cancel)

    def _cancel(self) -> None:
        """Cancel the statement that PostgreSQL runs, if every request in flight is cancelled.

        PostgreSQL cancels whatever the connection runs when the message arrives, so nothing is sent until the statement
        has ended. A statement in front of other requests is ended by its time limit.
        """
        if not self.blocked and self._sent and all(map(_is_abandoned, self._sent)):
            self.blocked = True
            self._confirmed = asyncio.get_running_loop().create_future()
            background.start(self._send_cancel(self._confirmed), "cancel_statement")

    async def _send_cancel(self, confirmed: asyncio.Future[None]) -> None:
        """Cancel the first statement in flight; terminate the connection if PostgreSQL does not confirm it."""
        try:
            async with asyncio.timeout(internals.CANCEL_SECONDS):
                await internals.cancel(self.connection)
                await confirmed
        except (OSError, TimeoutError):
            if not confirmed.done():
                log.warning("cancel_unconfirmed")
                self.connection.terminate()
        finally:
            self._confirmed = None
            self.blocked = self._closed or self.transport.is_closing()
            self._freed(self)

    def _confirm(self) -> None:
        if self._confirmed is not None and not self._confirmed.done():
            self._confirmed.set_result(None)


def _requests(entry: Request | Preparation) -> Iterable[Request]:
    """Return the requests that wait for the reply to an entry."""
    return entry.requests if isinstance(entry, Preparation) else (entry,)


def _is_abandoned(entry: Request | Preparation) -> bool:
    return all(request.future.done() for request in _requests(entry))


def _reject_lost(entries: Iterable[Request | Preparation], cause: Exception | None) -> None:
    """Fail the requests on a lost connection with the error that asyncpg would raise.

    cause: why the server closed it, or the socket error.
    """
    reason = f": {cause.args[0]}" if isinstance(cause, asyncpg.PostgresError) else ""
    for entry in entries:
        for request in _requests(entry):
            error = asyncpg.ConnectionDoesNotExistError(f"connection was closed in the middle of operation{reason}")
            error.__cause__ = cause
            if not request.future.done():
                request.future.set_exception(error)
