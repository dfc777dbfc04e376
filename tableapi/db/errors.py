"""What a fault of PostgreSQL means to the client. No message holds SQL or the name of a constraint (table-api §11)."""

from __future__ import annotations

import errno
import re
import sqlite3
from contextvars import ContextVar

import asyncpg

from tableapi.db import sqlstates
from tableapi.errors import ApiError, BadRequest
from tableapi.log import get_logger

log = get_logger(__name__)

# PostgreSQL took back all that was done, for the sake of somebody else: the same again is likely to succeed.
RETRYABLE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # on a disk of ours: uploads
_NO_ROOM_IN_FILE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
UNREACHABLE = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.CannotConnectNowError,
    asyncpg.InternalClientError,  # the state of the connection is not known; it is closed (lanes.py)
)


# Whether a caller with full rights is told what PostgreSQL said. app.py sets it for the request.
telling: ContextVar[bool] = ContextVar("telling", default=False)
_TOLD = (
    sqlstates.DEFINITION, sqlstates.NOT_FILLED, sqlstates.NOT_WRITABLE, sqlstates.TYPE, sqlstates.REFUSED,
    sqlstates.DENIED, sqlstates.DAMAGED,
)  # fmt: skip
# Source files of PostgreSQL that report SQL it cannot read. Other files report a value that a type cannot read: tsquery,
# jsonpath, hstore and other types call that a syntax error, too.
_PARSER = re.compile(r"(scan|gram)\.[ly]|parse_\w+\.c|analyze\.c")


def _of_postgres(error: asyncpg.PostgresError) -> ApiError | None:
    """The refusal of an error that PostgreSQL sent; None for SQL of ours that it cannot read."""
    code, where = str(error.sqlstate), str(error.context or "")
    # Class 53, insufficient resources, concerns the server and not the request, also when a trigger raises it.
    raised = error.server_source_function == "exec_stmt_raise" and not code.startswith("53")
    inside = "PL/" in where or "SQL " in where
    if raised:
        return sqlstates.meaning(code, raised=True).refusal(str(error)[:500])
    if code == "42601" and not inside and _PARSER.fullmatch(str(error.server_source_filename)):
        return None
    if code == "23502" and error.column_name:
        return BadRequest(f"Field '{error.column_name}' is required and cannot be null.", reason="required")
    found = sqlstates.meaning(code, inside=inside)
    if code == "55000" and error.server_source_function == "ExecOpenScanRelation":
        found = sqlstates.NOT_FILLED
    refused = found.refusal()
    if found in (sqlstates.REFUSED, sqlstates.DAMAGED):
        log.warning("database_refuses", sqlstate=code, function=error.server_source_function)
    if found in _TOLD and telling.get():
        refused.context["postgres"] = str(error.args[0] if error.args else "")[:500]
    return refused


def _no_room(error: BaseException) -> bool:
    """The disk has no room, or this is a standby: reading goes on, and writing once somebody has seen to it."""
    match error:
        case asyncpg.DiskFullError() | asyncpg.ReadOnlySQLTransactionError():
            return True
        case sqlite3.OperationalError():
            return getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_ROOM_IN_FILE
        case OSError():
            return error.errno in _NO_ROOM
    return False


def bad_reference() -> ApiError:
    """Return the refusal of a reference to a record that does not exist, or that the caller may not read."""
    return sqlstates.REFERENCE.refusal()


def to_api_error(error: BaseException) -> ApiError | None:
    """The refusal that stands for a fault of PostgreSQL, or None when it is a bug of ours."""
    match error:
        case ApiError():
            return error
        case asyncpg.InvalidCachedStatementError() | asyncpg.OutdatedSchemaCacheError():
            return sqlstates.CHANGED.refusal()
        case asyncpg.PostgresError():
            return _of_postgres(error)
        case _ if _no_room(error):
            return sqlstates.READ_ONLY.refusal()
        case _ if isinstance(error, UNREACHABLE):
            return sqlstates.AWAY.refusal()
    return None
