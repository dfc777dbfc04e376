"""Cancel the statement that a connection runs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import asyncpg
from asyncpg import connect_utils

CANCEL_SECONDS = 5.0  # for the connection that carries the request


async def cancel(connection: asyncpg.Connection) -> None:
    """Ask PostgreSQL over a second connection to cancel, and ignore when it cannot be asked."""
    opened: Any = connection
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(CANCEL_SECONDS):
            await connect_utils._cancel(  # type: ignore[attr-defined]
                loop=opened._loop, addr=opened._addr, params=opened._params,
                backend_pid=opened._protocol.backend_pid, backend_secret=opened._protocol.backend_secret,
            )  # fmt: skip
