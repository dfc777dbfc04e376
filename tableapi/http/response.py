"""Responses of tables and scripts: bytes, a status and headers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson
from starlette.responses import Response as StarletteResponse

from tableapi import exact_json
from tableapi.errors import ApiError

JSON = "application/json; charset=utf-8"
# Reserved on Windows, control characters, and marks of text direction, which can disguise the ending of a name.
_NOT_IN_FILE_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\"*/:<>?\\|;\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_NOT_IN_PLAIN = re.compile(r"[^\w.() -]+", re.ASCII)
MAX_FILE_NAME = 100  # characters


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
    """Serialize to JSON; numbers keep every digit, times are RFC 3339, and other values become text."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_UTC_Z, default=exact_json.plain)


def attachment(name: str) -> dict[str, str]:
    """Return the header that makes a response a download called `name` (RFC 6266, RFC 8187)."""
    clean = _NOT_IN_FILE_NAME.sub("_", unicodedata.normalize("NFC", name)) or "download"
    if len(clean) > MAX_FILE_NAME:
        ending = PurePath(clean).suffix[:10]
        clean = clean[: MAX_FILE_NAME - len(ending)] + ending
    plain = _NOT_IN_PLAIN.sub("_", clean)
    encoded = "" if plain == clean else f"; filename*=UTF-8''{quote(clean, safe='', errors='replace')}"
    return {"Content-Disposition": f'attachment; filename="{plain}"{encoded}'}


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
