"""Requests sent inside the process on behalf of another request, with the credentials of its caller."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from tableapi import exact_json
from tableapi.http.request import HttpRequest

# Headers that apply to the outer message only.
_OUTER_HEADERS = frozenset(
    (b"accept", b"accept-encoding", b"connection", b"content-length", b"content-type", b"expect", b"idempotency-key",
     b"if-match", b"if-none-match", b"last-event-id", b"prefer", b"range", b"transfer-encoding", b"wrap",
     b"x-field-encryption", b"x-http-method", b"x-http-method-override", b"x-method-override")
)  # fmt: skip


def inner_request(
    outer: HttpRequest, method: str, parts: Sequence[str], query: Mapping[str, str], body: Any = None
) -> HttpRequest:
    """Build a request below /api/v2/ with the caller and request id of `outer`; its head is parsed.

    parts: the decoded segments of the path. Raises BadRequest if the query is too long.
    """
    path = "/api/v2/" + "/".join(quote(part, safe="") for part in parts)
    content = exact_json.dumps(body) if body is not None else b""
    headers = [(name, value) for name, value in outer.scope["headers"] if name not in _OUTER_HEADERS]
    headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "headers": headers,
        "query_string": urlencode(query).encode(), "client": outer.scope.get("client"),
    }  # fmt: skip

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    request = HttpRequest(scope, receive)
    request.read()
    request.ip, request.request_id, request.actor = outer.ip, outer.request_id, outer.actor
    request.inner = True
    return request
