"""What a fault of PostgreSQL means to the client. No message holds SQL or the name of a constraint (table-api §11)."""

from __future__ import annotations

import errno
import sqlite3

import asyncpg

from tableapi.errors import RETRY, ApiError, BadRequest, Busy, Conflict, Forbidden, NotFound

# PostgreSQL took back all that was done, for the sake of somebody else: the same again is likely to succeed.
UNDONE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
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
)


def _detail(error: asyncpg.PostgresError) -> str:
    return str(getattr(error, "column_name", None) or "")


def _of_a_value(error: BaseException) -> bool:
    """Some types call a value they cannot read a syntax error, as PostgreSQL calls SQL that it cannot read."""
    return not isinstance(error, asyncpg.PostgresSyntaxError) or any(
        t in str(error) for t in ("tsvector", "tsquery", "jsonpath")
    )


def _heard_the_end(error: BaseException) -> bool:
    """A connection whose server has said good-bye, and which asyncpg has not closed yet."""
    return isinstance(error, asyncpg.InternalClientError) and "cannot switch to state" in str(error)


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


def bad_reference() -> Conflict:
    """Return the refusal of a reference to a record that does not exist, or that the caller may not read."""
    return Conflict("Refers to a record that does not exist, or is referred to by another.", reason="reference")


def refusal(error: BaseException) -> ApiError | None:
    """The refusal that stands for a fault of PostgreSQL, or None when it is a bug of ours."""
    match error:
        case ApiError():
            return error
        case asyncpg.UniqueViolationError() | asyncpg.ExclusionViolationError():
            return Conflict("A record with this value exists already.", reason="duplicate")
        case asyncpg.ForeignKeyViolationError():
            return bad_reference()
        case asyncpg.NotNullViolationError():
            return BadRequest(f"Field '{_detail(error)}' is required and cannot be null.", reason="required")
        case asyncpg.CheckViolationError() | asyncpg.WithCheckOptionViolationError():
            return BadRequest("A value breaks a rule of the table.", reason="check")
        case asyncpg.QueryCanceledError():
            told = "This takes too long. Ask for less: a narrower filter, fewer relations."
            return Busy(told, reason="time_limit", headers=RETRY)
        case asyncpg.LockNotAvailableError() | asyncpg.DeadlockDetectedError() | asyncpg.SerializationError():
            return Busy("The record is in use. Try again in a moment.", headers=RETRY)
        case asyncpg.InFailedSQLTransactionError():  # a second try inside a transaction whose first one failed
            return Busy("The table has just changed. Try again.", headers=RETRY)
        case asyncpg.InsufficientPrivilegeError():
            return Forbidden("The database does not allow this.")
        case asyncpg.RaiseError():
            return BadRequest(str(error)[:500], reason="rule")
        case asyncpg.GeneratedAlwaysError():
            return BadRequest("A value is made by the database and cannot be set.", reason="generated")
        case (
            asyncpg.UndefinedTableError()
            | asyncpg.UndefinedColumnError()
            | asyncpg.InvalidCachedStatementError()
            | asyncpg.OutdatedSchemaCacheError()
        ):
            return NotFound("The table has just changed. Try again.", reason="schema_changed")
        case asyncpg.DataError() | asyncpg.PostgresSyntaxError() if _of_a_value(error):
            return BadRequest("A value does not fit its field.", reason="bad_value")
        case asyncpg.StatementTooComplexError() | asyncpg.ProgramLimitExceededError():
            return BadRequest("The request is too complex.", reason="too_complex")
        case asyncpg.ObjectNotInPrerequisiteStateError() | asyncpg.FeatureNotSupportedError():
            return BadRequest("This cannot be written here.", reason="not_writable")
        case asyncpg.WrongObjectTypeError() | asyncpg.UndefinedFunctionError():
            return BadRequest("The field has a type that does not allow this.", reason="bad_type")
        case _ if _no_room(error):
            return Busy("Nothing can be saved at the moment. Try again later.", reason="read_only", headers=RETRY)
        case asyncpg.TooManyConnectionsError() | asyncpg.OutOfMemoryError():
            return Busy("The database is busy. Try again in a moment.", headers=RETRY)
        case _ if isinstance(error, UNREACHABLE) or _heard_the_end(error):
            return Busy("The database cannot be reached. Try again in a moment.", headers=RETRY)
    return None
