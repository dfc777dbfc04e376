"""Errors of the database: what a response says of a SQLSTATE."""

from __future__ import annotations

import errno
import sqlite3

import asyncpg
import pytest

from tableapi.db.errors import bad_reference, telling, to_api_error
from tableapi.errors import ApiError, Internal, NotFound


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


# Codes unknown to asyncpg: PostgreSQL's own, or invented by a function.
_ADDED = ("23001", "25P04", "2203G", "57P05", "10608", "22P07", "UB001", "45000", "ZZ999")
CODES = sorted(
    {
        str(error.sqlstate)
        for error in vars(asyncpg.exceptions).values()
        if isinstance(error, type) and issubclass(error, asyncpg.PostgresError) and error.sqlstate
    }
    | set(_ADDED)
)


def sent(code: str, **fields: str) -> asyncpg.PostgresError:
    """Return the error that asyncpg builds from an error response."""
    letters = {"context": "W", "function": "R", "column": "c", "file": "F"}
    message = {"S": "ERROR", "C": code, "M": "said by PostgreSQL"} | {letters[k]: v for k, v in fields.items()}
    error = asyncpg.PostgresError.new(message)
    assert isinstance(error, asyncpg.PostgresError)
    return error


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_client_error(code: str) -> None:
    raised, inside = {"function": "exec_stmt_raise"}, {"context": "PL/pgSQL function f() line 1 at assignment"}
    for fields in ({}, raised, inside, {"file": "scan.l"}):
        refused = to_api_error(sent(code, **fields))
        if code == "42601" and "file" in fields:  # SQL of the engine that PostgreSQL cannot read
            assert refused is None
            continue
        assert refused is not None
        assert not isinstance(refused, Internal)
        assert refused.status in (400, 403, 404, 409, 503)
        assert refused.reason
        assert ("said by PostgreSQL" in refused.message) is (fields is raised and not code.startswith("53"))
        if refused.status == 503:
            assert refused.headers["Retry-After"]


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("23001", 409, "reference"),
        ("23503", 409, "reference"),
        ("23505", 409, "duplicate"),
        ("23P01", 409, "duplicate"),
        ("23502", 400, "required"),
        ("23514", 400, "check"),
        ("44000", 400, "check"),
        ("22P02", 400, "bad_value"),
        ("22012", 409, "definition_fails"),
        ("54000", 400, "too_complex"),
        ("57014", 503, "time_limit"),
        ("57P01", 503, "busy"),
        ("08006", 503, "busy"),
        ("25006", 503, "read_only"),
        ("53100", 503, "read_only"),
        ("53300", 503, "busy"),
        ("40001", 503, "busy"),
        ("42P01", 404, "schema_changed"),
        ("42883", 400, "bad_type"),
        ("42501", 403, "forbidden"),
        ("55000", 400, "not_writable"),
        ("P0001", 400, "rule"),
    ],
)
def test_sqlstates_are_mapped(code: str, status: int, reason: str) -> None:
    refused = to_api_error(sent(code))
    assert refused is not None
    assert (refused.status, refused.reason) == (status, reason)


@pytest.mark.parametrize(
    ("file", "status", "reason"),
    [("multi_router_planner.c", 501, "unsupported"), ("rewriteHandler.c", 400, "not_writable")],
)
def test_what_citus_cannot_do_is_unsupported(file: str, status: int, reason: str) -> None:
    refused = to_api_error(sent("0A000", file=file))
    assert refused is not None
    assert (refused.status, refused.reason) == (status, reason)


def test_errors_in_functions_are_definition_errors() -> None:
    where = "PL/pgSQL function audit() line 3 at SQL statement"
    for code in ("22P02", "42703", "42P01", "42601", "XX000"):
        refused = to_api_error(sent(code, context=where))
        assert refused is not None
        assert (refused.status, refused.reason) == (409, "definition_fails")
    for code in ("23505", "40001", "42501"):
        refused = to_api_error(sent(code, context=where))
        assert refused is not None
        assert refused.reason != "definition_fails"
    raised = to_api_error(sent("23505", context=where, function="exec_stmt_raise"))
    assert raised is not None
    assert (raised.status, raised.reason, raised.message) == (409, "duplicate", "said by PostgreSQL")
    empty = to_api_error(sent("55000", function="ExecOpenScanRelation"))
    assert empty is not None
    assert (empty.status, empty.reason) == (409, "not_populated")


def test_a_connection_in_an_unknown_state_is_not_a_bug() -> None:
    refused = to_api_error(asyncpg.InternalClientError("got result for unknown protocol state 3"))
    assert refused is not None
    assert refused.status == 503
