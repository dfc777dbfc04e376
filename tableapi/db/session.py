"""Settings and value codecs of a database connection."""

from __future__ import annotations

import contextlib
import re
import socket
from datetime import date, datetime
from typing import Any

import asyncpg
import orjson

# JIT costs more than it gains on statements of milliseconds. UTC and ISO make the text of values independent of the
# server's configuration.
SESSION = {"timezone": "UTC", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "bytea_output": "hex", "jit": "off"}


# The parameters of a connection that pgbouncer accepts and keeps apart in transaction mode.
POOLED = "timezone", "datestyle", "application_name"
_POOLED_URL = re.compile(r"[?&]statement_cache_size=0(?=&|$)")


def address(url: str) -> tuple[str, bool]:
    """Return the address for asyncpg, and whether pgbouncer stands there (`?statement_cache_size=0`)."""
    dsn, found = _POOLED_URL.subn("", url)
    return (dsn if "?" in dsn else dsn.replace("&", "?", 1)) if found else url, bool(found)


async def connect(url: str, **options: Any) -> asyncpg.Connection:
    """Open a connection to a database by its URL. `options` are those of asyncpg."""
    dsn, pooled = address(url)
    if pooled:
        options["statement_cache_size"] = 0
    return await asyncpg.connect(dsn, **options)


def _unchanged(value: bytes) -> bytes:
    return value


def parse_date(text: str) -> date | str:
    """Return a date, or the text of one that Python cannot hold."""
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text)
    return text


def parse_timestamp(text: str) -> datetime | str:
    """Return a timestamp, or the text of one that Python cannot hold."""
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(text)
    return text


def keep_alive(connection: asyncpg.Connection) -> None:
    """Close the connection when a database host has been silent for 10 seconds."""
    transport: Any = connection._transport  # type: ignore[attr-defined]
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6) and hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3)):
            sock.setsockopt(socket.IPPROTO_TCP, option, value)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000)


async def init_table_connection(connection: asyncpg.Connection) -> None:
    """Pass JSON through as bytes and bind dates as text.

    JSON rendered by PostgreSQL goes to the client without being decoded. asyncpg would bind 9999-12-31 as infinity.
    """
    keep_alive(connection)
    await connection.set_type_codec(
        "json", schema="pg_catalog", format="binary", encoder=_unchanged, decoder=_unchanged
    )
    await connection.set_type_codec("date", schema="pg_catalog", encoder=str, decoder=parse_date)
    for name in ("timestamp", "timestamptz"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=parse_timestamp)


async def init_script_connection(connection: asyncpg.Connection) -> None:
    """Convert JSON columns from and to Python values."""
    keep_alive(connection)

    def encode(value: Any) -> str:
        return value if isinstance(value, str) else orjson.dumps(value).decode()

    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=encode, decoder=orjson.loads)


async def no_reset(connection: asyncpg.Connection) -> None:
    """Skip asyncpg's reset query, which is half of PostgreSQL's work for a row by key.

    Nothing here changes the state of a session.
    """
