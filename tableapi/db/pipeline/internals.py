"""Private attributes of asyncpg, which `tableapi/db` uses only through this module."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from asyncpg import connect_utils
from asyncpg.prepared_stmt import PreparedStatement
from asyncpg.protocol import Protocol

_CONNECTION = ("_transport", "_protocol", "_loop", "_addr", "_params", "_top_xact")
_PROTOCOL = ("backend_pid", "backend_secret", "connection_lost", "is_in_transaction", "_is_cancelling", "bind_execute")
_CANCEL = ("loop", "addr", "params", "backend_pid", "backend_secret")  # parameters of connect_utils._cancel


_CONFIRMED = ("self", "waiter", "cancel_waiter")  # parameters of Connection._cancel
CANCEL_SECONDS = 2.0  # time for the server to confirm a cancellation


class UnsupportedAsyncpg(RuntimeError):
    """Raised when the installed asyncpg lacks a private attribute that the engine uses."""


def check() -> None:
    """Check that the installed asyncpg has the attributes used here. Raises UnsupportedAsyncpg."""
    missing = [f"Connection.{name}" for name in _CONNECTION if not hasattr(asyncpg.Connection, name)]
    missing += [f"Protocol.{name}" for name in _PROTOCOL if not hasattr(Protocol, name)]
    if not hasattr(PreparedStatement, "_state"):
        missing.append("PreparedStatement._state")
    cancel_request = getattr(connect_utils, "_cancel", None)
    if cancel_request is None or set(inspect.signature(cancel_request).parameters) != set(_CANCEL):
        missing.append(f"connect_utils._cancel({', '.join(_CANCEL)})")
    connection: Any = asyncpg.Connection
    if tuple(inspect.signature(connection._cancel).parameters) != _CONFIRMED:
        missing.append("Connection._cancel(waiter, cancel_waiter)")
    if missing:
        raise UnsupportedAsyncpg(
            f"asyncpg {asyncpg.__version__} has no {', no '.join(missing)}. Install the version of asyncpg that "
            "requirements.lock names."
        )


class CancellingConnection(asyncpg.Connection):
    """A connection that is terminated if the server does not confirm a cancellation in CANCEL_SECONDS.

    asyncpg would wait indefinitely before the next statement, which rolls back the transaction: if the server is
    frozen, a request would outlive its time limit.
    """

    async def _cancel(self, waiter: asyncio.Future[None], cancel_waiter: asyncio.Future[None] | None = None) -> None:
        async with asyncio.timeout(CANCEL_SECONDS):
            await super()._cancel(waiter, cancel_waiter)  # type: ignore[misc]
        # asyncpg ends without an error when this task is cancelled, as by the time limit.
        if cancel_waiter is not None and not cancel_waiter.done():
            self.terminate()


def transport(connection: Any) -> Any:
    return connection._transport


def protocol(connection: Any) -> Any:
    """Return the protocol that reads from a connection's transport."""
    return connection._protocol


def is_clean(connection: asyncpg.Connection) -> bool:
    """Return whether no transaction is open and no reply to a cancelled statement is pending."""
    opened: Any = connection
    return not (opened._protocol.is_in_transaction() or opened._protocol._is_cancelling() or opened._top_xact)


def forget_transaction(connection: Any) -> None:
    """Clear the transaction state, which asyncpg keeps when ending a transaction fails or is cancelled."""
    connection._top_xact = None


def executor(connection: asyncpg.Connection) -> Callable[..., Awaitable[Any]]:
    """Return the method of asyncpg's protocol that binds and executes a prepared statement's state."""
    execute: Callable[..., Awaitable[Any]] = protocol(connection).bind_execute
    return execute


def state(prepared: Any) -> Any:
    """Return the part of a prepared statement that `executor` expects."""
    return prepared._state


async def cancel(connection: Any) -> None:
    """Cancel the statement running on a connection, through a second connection."""
    utils: Any = connect_utils
    await utils._cancel(
        loop=connection._loop, addr=connection._addr, params=connection._params,
        backend_pid=connection._protocol.backend_pid, backend_secret=connection._protocol.backend_secret,
    )  # fmt: skip
