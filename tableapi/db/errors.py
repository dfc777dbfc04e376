"""Map database errors to API errors.

Messages never contain SQL, and names of constraints only if the caller may know their fields (tables/errors.py).
"""

from __future__ import annotations

import errno
import re
import sqlite3
from contextvars import ContextVar

import asyncpg
import orjson

from tableapi.db import sqlstates
from tableapi.errors import ApiError, BadRequest
from tableapi.log import get_logger

log = get_logger(__name__)

# PostgreSQL rolled back the transaction because of a concurrent one; running the statements again will likely succeed.
RETRYABLE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # on a disk of this node, for example during uploads
_SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
UNREACHABLE = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.CannotConnectNowError,
    asyncpg.InternalClientError,  # the connection is in an unknown state and session.py closes it
)


# Whether the response includes PostgreSQL's own message. Set per request for callers with full rights.
telling: ContextVar[bool] = ContextVar("telling", default=False)
_WITH_DETAILS = (
    sqlstates.DEFINITION, sqlstates.NOT_FILLED, sqlstates.NOT_WRITABLE, sqlstates.TYPE, sqlstates.REJECTED,
    sqlstates.DENIED, sqlstates.DAMAGED, sqlstates.CHECK, sqlstates.DISTRIBUTED,
)  # fmt: skip
# PostgreSQL source files that report invalid SQL. A syntax error from any other file is about a value: tsquery,
# jsonpath, hstore and other types report unreadable input that way.
_PARSER = re.compile(r"(scan|gram)\.[ly]|parse_\w+\.c|analyze\.c")
_CITUS = re.compile(r"(multi|distributed|recursive|router|insert_select|query_pushdown|relation_restriction)_?\w*\.c")
MAX_MESSAGE_CHARS = 500
# Types that only PostgreSQL reads, and how it reports a text that it cannot read. The text itself is not repeated: a
# view may have taken it from a row that the caller may not see.
_UNREADABLE = re.compile(
    r"invalid (?:input syntax for type|string in) (\w[\w ]*?)(?:: |\Z)|malformed (\w+) literal: "
    r"|(date/time) field value out of range: |(range) lower bound must|(time zone) \""
)
_FORMS = {
    "interval": "an interval such as 1 day 02:30:00",
    "time": "a time such as 09:30",
    "time with time zone": "a time with a zone such as 09:30+02",
    "time zone": "a time zone such as +02 or Europe/Oslo",
    "date/time": "a date or time that exists",
    "inet": "an IP address such as 192.0.2.1",
    "cidr": "a network such as 192.0.2.0/24",
    "macaddr": "a MAC address such as 08:00:2b:01:02:03",
    "array": 'a list, in JSON such as ["a", "b"] or as text such as {a,b}',
    "range": "a range such as [1,5), its lower bound first",
    "multirange": "ranges such as {[1,3),[5,7)}",
    "record": "a record such as (a,1)",
    "point": "a point such as (1,2)",
    "xml": "XML",
    "tsquery": "search words such as cat & dog",
}


def _from_postgres(error: asyncpg.PostgresError) -> ApiError | None:
    """Map a PostgreSQL error to an API error; None for a syntax error in SQL that the engine generated."""
    code, context = str(error.sqlstate), str(error.context or "")
    # Class 53, insufficient resources, is about the server rather than the request, even when a trigger raises it.
    raised = error.server_source_function == "exec_stmt_raise" and not code.startswith("53")
    inside = "PL/" in context or "SQL " in context
    if raised:
        return _raised(error, sqlstates.meaning(code, raised=True))
    # PostgreSQL reads regtype values with its SQL parser.
    of_value = any(text.startswith("invalid type name") for text in (context, str(error.args[0] if error.args else "")))
    if code == "42601" and not (inside or of_value) and _PARSER.fullmatch(str(error.server_source_filename)):
        return None
    if code == "23502" and error.column_name:
        return BadRequest(f"Field '{error.column_name}' is required and cannot be null.", reason="required",
            context={"field": str(error.column_name)},
        )  # fmt: skip
    meaning = sqlstates.meaning(code, inside=inside)
    if code == "0A000" and _CITUS.match(str(error.server_source_filename)):
        meaning = sqlstates.DISTRIBUTED
    if code == "55000" and error.server_source_function == "ExecOpenScanRelation":
        meaning = sqlstates.NOT_FILLED
    api_error = meaning.error()
    if meaning is sqlstates.PATTERN:
        _, colon, why = str(error.args[0] if error.args else "").partition(": ")  # "parentheses () not balanced"
        api_error.message = f"{api_error.message.removesuffix('.')}: {why[:100]}." if colon else api_error.message
    if meaning is sqlstates.VALUE and not context.startswith("COPY "):  # the import names the column itself
        found = _UNREADABLE.match(str(error.args[0] if error.args else ""))
        if found is not None and (form := _FORMS.get(next(filter(None, found.groups())))):
            api_error.message = f"{api_error.message.removesuffix('.')}: expected {form}."
    if meaning in (sqlstates.REJECTED, sqlstates.DAMAGED):
        log.warning("database_refuses", sqlstate=code, function=error.server_source_function)
    if meaning in _WITH_DETAILS and telling.get():
        api_error.context["postgres"] = str(error.args[0] if error.args else "")[:MAX_MESSAGE_CHARS]
    return api_error


def _raised(error: asyncpg.PostgresError, meaning: sqlstates.Meaning) -> ApiError:
    """Build the error for a RAISE: its message, with its DETAIL and HINT in the context."""
    api_error = meaning.error(str(error.args[0] if error.args else "")[:MAX_MESSAGE_CHARS])
    for name, text in (("detail", error.detail), ("hint", error.hint)):
        if text:
            api_error.context[name] = str(text)[:MAX_MESSAGE_CHARS]
    return api_error


def _is_read_only(error: BaseException) -> bool:
    """Whether writes fail while reads still work: a full or read-only disk, or a standby."""
    match error:
        case asyncpg.DiskFullError() | asyncpg.ReadOnlySQLTransactionError():
            return True
        case sqlite3.OperationalError():
            return getattr(error, "sqlite_errorcode", 0) & 0xFF in _SQLITE_FULL
        case OSError():
            return error.errno in _DISK_FULL
    return False


def bad_reference() -> ApiError:
    """Build the error for a reference to a record that does not exist or that the caller may not read."""
    return sqlstates.REFERENCE.error()


def to_api_error(error: BaseException) -> ApiError | None:
    """Map a database error to an API error; None if the error is a bug in the engine."""
    match error:
        case ApiError():
            return error
        # JSON from a request has been parsed earlier
        case orjson.JSONDecodeError() if error.msg.startswith("depth limit"):
            return BadRequest(
                "A stored value is JSON nested more than 1,024 levels deep, which this format cannot represent. "
                "Request JSON.",
                reason="too_deep",
            )
        case asyncpg.InvalidCachedStatementError() | asyncpg.OutdatedSchemaCacheError():
            return sqlstates.CHANGED.error()
        case asyncpg.PostgresError():
            return _from_postgres(error)
        case _ if _is_read_only(error):
            return sqlstates.READ_ONLY.error()
        case _ if isinstance(error, UNREACHABLE):
            return sqlstates.AWAY.error()
    return None
