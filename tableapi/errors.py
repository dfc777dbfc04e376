"""The errors of the engine: one base class and one envelope.

A product declares its own errors next to its rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RETRY = {"Retry-After": "1"}
DOC = "/docs/reference/errors/#"  # followed by the reason


class ApiError(Exception):
    """Reject a request with an HTTP status and a stable reason.

    `status`, `reason` and `scope` are class attributes that a subclass sets and an instance may override.

    - `message` is for people and tells them what to do next. It never contains SQL, a traceback, a path or a secret.
    - `reason` is for programs; `tableapi/reasons.py` describes every one.
    - `case` is for translations: where several messages share a reason, it tells them apart. It is as stable as the
      reason, and `context` has the numbers that the message names.
    - `scope` is `account` if the session has ended and the client should sign out, else `resource`.
    - `context` has details for programs. The response adds `reason`, `case`, `scope`, `request_id` and, if the
      documentation is served, `doc`, the URL that describes the reason.
    - `code` is the status unless a product has a code of its own; a failed batch has 1000.
    - `extra` has members to add next to `error` in the body, such as `success: 0`.
    """

    status: int = 400
    reason: str = "bad_request"
    scope: str = "resource"

    def __init__(
        self,
        message: str = "",
        *,
        context: Mapping[str, Any] | None = None,
        code: int | None = None,
        reason: str | None = None,
        case: str = "",
        scope: str | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.status = status or self.status
        self.reason = reason or self.reason
        self.case = case
        self.scope = scope or self.scope
        self.code = code or self.status
        self.message = message or type(self).reason.replace("_", " ").capitalize() + "."
        super().__init__(message or type(self).reason)
        self.context = dict(context or {})
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    @property
    def retryable(self) -> bool:
        """Whether retrying the same request may succeed, because the error does not depend on the request."""
        return self.status >= 500 or self.status in (401, 408, 429) or self.reason == "schema_changed"

    def body(self, request_id: str = "", mount: str | None = "") -> dict[str, Any]:
        """Return the `error` object of the envelope; that of a record inside a batch has no `request_id`.

        `mount` is the path of the application in URLs; `doc` is below it. With None, `doc` is omitted.
        """
        case = {"case": self.case} if self.case else {}
        context = {"reason": self.reason, **case, "scope": self.scope, **self.context}
        if request_id:
            context["request_id"] = request_id
            if mount is not None:
                context["doc"] = mount + DOC + self.reason
        return {"code": self.code, "context": context, "message": self.message, "status_code": self.status}


class BadRequest(ApiError):
    """Raised when an option, a path or a body is malformed or has the wrong type."""

    status, reason = 400, "bad_request"


class BadFilter(BadRequest):
    """Raised if a filter cannot be parsed or exceeds a limit. `position` counts characters from 0."""

    reason = "bad_filter"

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at position {position} of the filter)", context={"position": position})


_DIRECTION = re.compile(r"(\w{1,63})\.(asc|desc)(?:\.nulls(?:first|last))?", re.IGNORECASE)


class UnknownField(BadRequest):
    """Raised for a field that does not exist. A hidden column gets the same response."""

    reason = "unknown_field"

    def __init__(self, name: str, table: str) -> None:
        message = f"Table '{table}' has no field '{name[:100]}'."
        if match := _DIRECTION.fullmatch(name):  # ?order=name.desc of other APIs
            message += f" Write a direction after a blank: {match[1]} {match[2].upper()}."
        elif name.lower() in ("asc", "desc"):
            message += f" '{name}' is a direction: write it after a field and a blank, as in order=name {name}."
        super().__init__(message, context={"field": name[:100]})


class DuplicateField(BadRequest):
    """Raised if a record contains a field twice, for example in two spellings."""

    reason = "duplicate_field"

    def __init__(self, name: str) -> None:
        super().__init__(f"Field '{name[:100]}' is in the record twice. Send it once.", context={"field": name[:100]})


class Unauthorized(ApiError):
    """Raised when credentials are missing, unknown or expired."""

    status, reason, scope = 401, "no_session", "account"


class Forbidden(ApiError):
    """Raised if the caller's role lacks the right required by the request."""

    status, reason = 403, "forbidden"


class NotFound(ApiError):
    """Raised when a service, table, record or file does not exist or is not visible to the caller."""

    status, reason = 404, "not_found"


class MethodNotAllowed(ApiError):
    """Raised when the path exists but does not support the HTTP method."""

    status, reason = 405, "method_not_allowed"


class Conflict(ApiError):
    """Raised when the request contradicts stored data, such as a unique key or a reference."""

    status, reason = 409, "conflict"


class Stale(ApiError):
    """Raised when `If-Match` names a version of the record that is no longer current."""

    status, reason = 412, "stale"


class TooLarge(ApiError):
    """Raised when a body, a file or a response exceeds its limit."""

    status, reason = 413, "too_large"

    @classmethod
    def of(cls, max_bytes: int, **options: Any) -> TooLarge:
        """Build the error for a body of more than `max_bytes` bytes, in MB if that is a round number."""
        whole = max_bytes >= 2**20 and max_bytes % 2**20 == 0
        limit = f"{max_bytes // 2**20} MB" if whole else f"{max_bytes:,} bytes"
        return cls(f"The body is larger than {limit}.", **options)


class UnsupportedMedia(ApiError):
    """Raised when the content type of a body or file is not accepted."""

    status, reason = 415, "unsupported_media_type"


@dataclass(frozen=True, slots=True)
class FieldError:
    """A message about a field, with the `case` by which it is translated and the numbers that it names.

    hint: what to do next, for a message with fixed words.
    """

    case: str
    message: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    hint: str = ""


class Invalid(ApiError):
    """Raised when fields of a script or hook fail validation.

    `context.fields` has the messages; `context.field_errors` has the `case` and the numbers of those that have a case.
    The error has the case and numbers of the first field and, without a `message` of its own, its message. named: that
    message begins with the name of the field, because it does not contain it.
    """

    status, reason = 422, "invalid"

    def __init__(
        self, fields: Mapping[str, str | FieldError], message: str = "", *, case: str = "", named: bool = False
    ) -> None:
        messages = {name: error if isinstance(error, str) else error.message for name, error in fields.items()}
        context: dict[str, Any] = {"fields": messages}
        cases = {
            name: {"case": error.case, **error.numbers}
            for name, error in fields.items()
            if isinstance(error, FieldError)
        }
        if cases:
            context["field_errors"] = cases
        first = next(iter(fields.values()), None)
        if not case and isinstance(first, FieldError):
            case, context = first.case, {**first.numbers, **context}
        if isinstance(first, FieldError) and first.hint:
            context["hint"] = first.hint
        name, text = next(iter(messages.items()), ("", "Invalid input."))
        super().__init__(message or (f"{name[:100]}: {text}" if named else text), context=context, case=case)


class TooMany(ApiError):
    """Raised when a rate limit is exceeded; `Retry-After` says when the window ends."""

    status, reason = 429, "rate_limit"


class Internal(ApiError):
    """Raised for a bug or failure of the server itself. The details are in the log, not in the response."""

    status, reason = 500, "internal"


class Unsupported(ApiError):
    """Raised for what the database cannot do, and no value of the request would change."""

    status, reason = 501, "unsupported"


class Busy(ApiError):
    """Raised when the server or the database cannot handle the request now. Sent with `Retry-After`."""

    status, reason = 503, "busy"
