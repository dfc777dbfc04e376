"""The refusals of the engine: one base class, one envelope. A product's own refusals live beside their rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

RETRY = {"Retry-After": "1"}


class ApiError(Exception):
    """A refusal with an HTTP status and a stable reason.

    `message` is for people and says what to do next; it never holds SQL, a stack, a path or a secret.
    `context` is for programs; `reason`, `scope` and `request_id` are added to it in the answer (safe-contract G10).
    `scope` decides whether the app logs out: `account` (the session is over) or `resource` (G11).
    `code` differs from the status only for the sign-in codes 800 to 804 and 1000 for a batch.
    """

    status: ClassVar[int] = 400
    reason: ClassVar[str] = "bad_request"
    scope: ClassVar[str] = "resource"

    def __init__(
        self,
        message: str = "",
        *,
        context: Mapping[str, Any] | None = None,
        code: int | None = None,
        reason: str | None = None,
        scope: str | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message or self.reason)
        self.message = message or self.reason.replace("_", " ").capitalize() + "."
        self.context = dict(context or {})
        self.http_status = status or self.status
        self.code = code or self.http_status
        self.why = reason or self.reason
        self.where = scope or self.scope
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})  # beside "error" in the body, e.g. success: 0 of call 2

    @property
    def retryable(self) -> bool:
        """Whether it says nothing about the request itself: the same one may succeed later."""
        return self.http_status >= 500 or self.http_status in (401, 408, 429) or self.why == "schema_changed"

    def body(self, request_id: str = "") -> dict[str, Any]:
        """The `error` object of the envelope."""
        context = {"reason": self.why, "scope": self.where, **self.context}
        if request_id:
            context["request_id"] = request_id
        return {"code": self.code, "context": context, "message": self.message, "status_code": self.http_status}


class BadRequest(ApiError):
    status, reason = 400, "bad_request"


class BadFilter(BadRequest):
    """The filter does not parse or breaks a limit. `position` counts characters from 0."""

    reason = "bad_filter"

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at position {position} of the filter)", context={"position": position})


class UnknownField(BadRequest):
    """The same answer for a hidden column and one that does not exist (G7)."""

    reason = "unknown_field"

    def __init__(self, name: str, table: str) -> None:
        super().__init__(f"Table '{table}' has no field '{name[:100]}'.", context={"field": name[:100]})


class DuplicateField(BadRequest):
    """A record holds one field twice, for example in two spellings."""

    reason = "duplicate_field"

    def __init__(self, name: str) -> None:
        super().__init__(f"Field '{name[:100]}' is in the record twice. Send it once.", context={"field": name[:100]})


class Unauthorized(ApiError):
    status, reason, scope = 401, "no_session", "account"


class Forbidden(ApiError):
    status, reason = 403, "forbidden"


class NotFound(ApiError):
    status, reason = 404, "not_found"


class MethodNotAllowed(ApiError):
    status, reason = 405, "method_not_allowed"


class Conflict(ApiError):
    status, reason = 409, "conflict"


class Stale(ApiError):
    status, reason = 412, "stale"


class TooLarge(ApiError):
    status, reason = 413, "too_large"

    @classmethod
    def of(cls, most: int, **more: Any) -> TooLarge:
        """The refusal of a body of more than `most` bytes, told in the unit that a person uses."""
        told = f"{most // 2**20} MB" if most >= 2**20 and most % 2**20 == 0 else f"{most:,} bytes"
        return cls(f"The body is larger than {told}.", **more)


class UnsupportedMedia(ApiError):
    status, reason = 415, "unsupported_media_type"


class Invalid(ApiError):
    """Field validation of a script or hook; `context.fields` maps a field to its message (G11)."""

    status, reason = 422, "invalid"

    def __init__(self, fields: Mapping[str, str], message: str = "") -> None:
        super().__init__(message or next(iter(fields.values()), "Invalid input."), context={"fields": dict(fields)})


class TooMany(ApiError):
    status, reason = 429, "rate_limit"


class Internal(ApiError):
    status, reason = 500, "internal"


class Busy(ApiError):
    status, reason = 503, "busy"
