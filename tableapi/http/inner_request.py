"""Requests sent inside the process on behalf of another request, with the credentials of its caller."""

from __future__ import annotations

import time
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import urlencode

from tableapi import exact_json
from tableapi.auth.authenticators import Headers
from tableapi.http.request import MAX_QUERY_BYTES, HttpRequest, query_too_long

# Headers that apply to the outer message only.
_OUTER_HEADERS = frozenset(
    ("accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "idempotency-key",
     "if-match", "if-none-match", "last-event-id", "prefer", "range", "transfer-encoding", "wrap", "x-field-encryption",
     "x-http-method", "x-http-method-override", "x-method-override")
)  # fmt: skip


class InnerRequest(HttpRequest):
    """A request below /api/v2/ with the caller and request id of `outer`.

    parts: the decoded segments of the path. sent: its body, which is not encoded for a table.

    Raises BadRequest if the query is too long.
    """

    def __init__(
        self, outer: HttpRequest, method: str, parts: Sequence[str], query: Mapping[str, str], body: Any = None
    ) -> None:
        self.method, self.sent = method, body
        self.path = "/api/v2/" + "/".join(parts)
        self.query_string = urlencode(query).encode()
        if len(self.query_string) > MAX_QUERY_BYTES:
            raise query_too_long()
        self.headers = Headers({name: value for name, value in outer.headers.items() if name not in _OUTER_HEADERS})
        self.headers["content-type"] = "application/json"
        self.pairs, self.started_at = None, time.perf_counter()
        self.peer = self.ip = outer.ip
        self.request_id, self.actor = outer.request_id, outer.actor

    async def source(self) -> MutableMapping[str, Any]:
        """Return the body as JSON, for a script."""
        content = exact_json.dumps(self.sent) if self.sent is not None else b""
        return {"type": "http.request", "body": content, "more_body": False}
