"""The envelope of an API error, and its message for each class."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import (
    ApiError,
    BadFilter,
    Busy,
    Conflict,
    DuplicateField,
    FieldError,
    Internal,
    Invalid,
    NotFound,
    Stale,
    TooLarge,
    TooMany,
    Unauthorized,
    UnknownField,
)


@pytest.mark.parametrize(
    ("error", "status", "reason", "scope", "message"),
    [
        (ApiError(), 400, "bad_request", "resource", "Bad request."),
        (ApiError("No.", status=402, reason="no_credit"), 402, "no_credit", "resource", "No."),
        (BadFilter("A value is missing", 4), 400, "bad_filter", "resource",
         "A value is missing (at position 4 of the filter)"),
        (UnknownField("x" * 200, "t"), 400, "unknown_field", "resource", f"Table 't' has no field '{'x' * 100}'."),
        (DuplicateField("A"), 400, "duplicate_field", "resource", "Field 'A' is in the record twice. Send it once."),
        (Unauthorized(), 401, "no_session", "account", "No session."),
        (Unauthorized("Send a key.", reason="no_key"), 401, "no_key", "account", "Send a key."),
        (NotFound(), 404, "not_found", "resource", "Not found."),
        (Conflict("Taken.", scope="account"), 409, "conflict", "account", "Taken."),
        (Stale(), 412, "stale", "resource", "Stale."),
        (TooLarge.of(1 << 20), 413, "too_large", "resource", "The body is larger than 1 MB."),
        (TooLarge.of(2500), 413, "too_large", "resource", "The body is larger than 2,500 bytes."),
        (Invalid({"email": "Enter an address."}), 422, "invalid", "resource", "Enter an address."),
        (Invalid({}), 422, "invalid", "resource", "Invalid input."),
        (TooMany(), 429, "rate_limit", "resource", "Rate limit."),
    ],
)  # fmt: skip
def test_errors_become_envelopes(error: ApiError, status: int, reason: str, scope: str, message: str) -> None:
    assert (error.status, error.reason, error.scope, error.message) == (status, reason, scope, message)
    body = error.body("r1")
    assert (body["code"], body["status_code"], body["message"]) == (status, status, message)
    assert body["context"].items() >= {
        "reason": reason, "scope": scope, "request_id": "r1", "doc": f"/docs/reference/errors/#{reason}",
    }.items()  # fmt: skip


def test_the_case_distinguishes_messages_of_one_reason() -> None:
    error = NotFound("There is no such job.", case="no_such_job")
    assert error.body()["context"] == {"reason": "not_found", "case": "no_such_job", "scope": "resource"}
    assert "case" not in NotFound().body()["context"]


def test_the_case_of_a_field_becomes_that_of_the_error() -> None:
    long = FieldError("too_long", "At most 9 signs", {"limit": 9})
    error = Invalid({"name": long, "note": "Must be text"})
    assert (error.message, error.case, error.context["limit"]) == ("At most 9 signs", "too_long", 9)
    assert error.context["fields"] == {"name": "At most 9 signs", "note": "Must be text"}
    assert error.context["field_errors"] == {"name": {"case": "too_long", "limit": 9}}


def test_the_case_of_the_error_overrides_that_of_a_field() -> None:
    error = Invalid({"name": FieldError("too_long", "At most 9 signs", {"limit": 9})}, "It does not fit.", case="unfit")
    assert (error.message, error.case) == ("It does not fit.", "unfit")
    assert error.context == {
        "fields": {"name": "At most 9 signs"}, "field_errors": {"name": {"case": "too_long", "limit": 9}},
    }  # fmt: skip


def test_an_instance_does_not_change_its_class() -> None:
    assert ApiError("x", status=418, reason="teapot", scope="account").reason == "teapot"
    assert (ApiError.status, ApiError.reason, ApiError.scope) == (400, "bad_request", "resource")


def test_an_error_inside_a_batch_has_no_request() -> None:
    assert NotFound(context={"id": 7}).body()["context"] == {"reason": "not_found", "scope": "resource", "id": 7}


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (Busy(), True),
        (Internal(), True),
        (TooMany(), True),
        (Unauthorized(), True),
        (NotFound(reason="schema_changed"), True),
        (NotFound(), False),
        (Conflict(), False),
        (ApiError(code=1000), False),
    ],
)
def test_only_temporary_errors_are_retryable(error: Any, retryable: bool) -> None:
    assert error.retryable is retryable
