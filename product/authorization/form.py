"""Requests and responses of the endpoints for clients, in the formats of RFC 6749."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote

from starlette.responses import JSONResponse

from product.authorization.grants import TokenError
from product.context import Context

MAX_FIELDS = 50
_HEADERS = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def read(ctx: Context, body: bytes) -> dict[str, str]:
    """Parse a form. A client may also send its identifier by HTTP Basic.

    Raises TokenError.
    """
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise TokenError("invalid_request", "Send a form: application/x-www-form-urlencoded.") from None
    sent = dict(pairs)
    if len(sent) != len(pairs):
        raise TokenError("invalid_request", "A parameter was sent twice. Send it once.")
    if any("\0" in value for value in sent.values()):
        raise TokenError("invalid_request", "A parameter contains a NUL character.")
    kind, _, value = ctx.request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic" and not sent.get("client_id"):
        try:
            sent["client_id"] = unquote(base64.b64decode(value).decode().partition(":")[0])
        except (binascii.Error, UnicodeDecodeError):
            raise TokenError("invalid_client", "The header Authorization is malformed.") from None
    return sent


def json_response(content: Mapping[str, object], status: int = 200) -> JSONResponse:
    """Build a response that must not be stored."""
    return JSONResponse(content, status, headers=_HEADERS)


def error(name: str, description: str, status: int = 400) -> JSONResponse:
    """Build an error response (RFC 6749)."""
    return json_response({"error": name, "error_description": description}, status)
