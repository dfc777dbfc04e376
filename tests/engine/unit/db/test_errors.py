"""Errors of the disk, the network and the driver as API errors; test_sqlstates.py covers PostgreSQL's errors."""

from __future__ import annotations

import errno
import sqlite3

import asyncpg
import pytest

from tableapi.db.errors import bad_reference, telling, to_api_error
from tableapi.errors import ApiError, NotFound


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (OSError(errno.ENOSPC, "no space"), 503, "read_only"),
        (OSError(errno.EROFS, "read-only"), 503, "read_only"),
        (sqlite_error(sqlite3.SQLITE_FULL), 503, "read_only"),
        (sqlite_error(sqlite3.SQLITE_IOERR | 3 << 8), 503, "read_only"),
        (ConnectionRefusedError(), 503, "busy"),
        (TimeoutError(), 503, "busy"),
        (asyncpg.InterfaceError("closed"), 503, "busy"),
        (asyncpg.InternalClientError("lost"), 503, "busy"),
        (asyncpg.OutdatedSchemaCacheError("changed"), 404, "schema_changed"),
    ],
)
def test_database_errors_are_mapped(error: Exception, status: int, reason: str) -> None:
    api_error = to_api_error(error)

    assert api_error is not None
    assert (api_error.status, api_error.reason) == (status, reason)
    assert api_error.retryable


@pytest.mark.parametrize("error", [ValueError(), sqlite_error(sqlite3.SQLITE_BUSY), KeyError("x")])
def test_other_errors_are_bugs(error: Exception) -> None:
    assert to_api_error(error) is None


def test_an_api_error_is_returned_unchanged() -> None:
    error = NotFound("gone")
    assert to_api_error(error) is error


def test_an_invalid_reference_does_not_mention_a_table() -> None:
    assert (bad_reference().status, bad_reference().reason) == (409, "reference")


def test_only_full_rights_see_the_message_of_postgresql() -> None:
    error = asyncpg.PostgresError.new({"S": "ERROR", "C": "42501", "M": "permission denied for table t"})
    assert isinstance(error, asyncpg.PostgresError)

    def context() -> dict[str, object]:
        api_error = to_api_error(error)
        assert isinstance(api_error, ApiError)
        return api_error.context

    assert context() == {}
    token = telling.set(True)
    try:
        assert context() == {"postgres": "permission denied for table t"}
    finally:
        telling.reset(token)


def test_a_missing_required_field_is_reported() -> None:
    error = asyncpg.PostgresError.new({"S": "ERROR", "C": "23502", "M": "null value", "c": "email"})
    assert isinstance(error, asyncpg.PostgresError)
    api_error = to_api_error(error)

    assert api_error is not None
    assert (api_error.reason, api_error.message) == ("required", "Field 'email' is required and cannot be null.")
