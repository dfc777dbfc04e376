"""Responses of tables and scripts: bytes, a status and headers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.responses import Response as StarletteResponse

from tableapi import exact_json
from tableapi.errors import ApiError

JSON = "application/json; charset=utf-8"
_NOT_IN_FILE_NAME = re.compile(r"[^\w.() -]+")


@dataclass(slots=True)
class Response:
    """A response.

    `content_type` is not repeated in `headers`. stream: parts of the body to send after `body`. disconnected: called if
    the client disconnects while parts are being sent.
    """

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    stream: AsyncIterator[bytes] | None = None
    disconnected: Callable[[], None] | None = None

    async def discard(self) -> None:
        """Close the stream of a response that will not be sent."""
        if self.stream is not None:
            await self.stream.aclose()  # type: ignore[attr-defined]


def of_starlette(response: StarletteResponse, default_type: str = JSON) -> Response:
    """Convert a Starlette response, which scripts return for files and pages."""
    headers = {k.title(): v for k, v in response.headers.items() if k not in ("content-length", "content-type")}
    content_type = response.headers.get("content-type", default_type)
    return Response(bytes(response.body), response.status_code, content_type, headers)


def dumps(value: Any) -> bytes:
    """Serialize to JSON; numbers keep every digit, and values without a JSON type become text."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=exact_json.plain)


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a response a download called `name`."""
    plain = _NOT_IN_FILE_NAME.sub("_", name)[:100] or "download"
    return {
        "Content-Disposition": f'attachment; filename="{plain.encode("ascii", "replace").decode().replace("?", "_")}"'
    }


def from_body(body: bytes, status: int, headers: dict[str, str]) -> ApiError | None:
    """Return the error that `error_response` built this body from, without a request id; else None."""
    try:
        extra = exact_json.loads(body)
        error = extra.pop("error")
        context = dict(error["context"])
        return ApiError(
            error["message"], status=status, code=error["code"], reason=context.pop("reason"),
            case=context.pop("case", ""), scope=context.pop("scope"), context=context, headers=headers, extra=extra,
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def error_response(error: ApiError, request_id: str = "", mount: str | None = "") -> Response:
    """Build the response for an error, in the error envelope (docs/reference/errors.md).

    `mount`: see `ApiError.body`.
    """
    body = {"error": error.body(request_id, mount), **error.extra}
    return Response(dumps(body), error.status, JSON, dict(error.headers))
