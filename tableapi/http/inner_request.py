"""Requests sent inside the process on behalf of another request, with the credentials of its caller."""

from __future__ import annotations

import time
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from tableapi import exact_json
from tableapi.auth.authenticators import Headers
from tableapi.http.request import HttpRequest

# Headers that apply to the outer message only.
_OUTER_HEADERS = frozenset(
    ("accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "idempotency-key",
     "if-match", "if-none-match", "last-event-id", "prefer", "range", "transfer-encoding", "wrap", "x-field-encryption",
     "x-http-method", "x-http-method-override", "x-method-override")
)  # fmt: skip


@dataclass(slots=True)
class Writes:
    """The writes of a batch so far. records: (table, verb, key), for `on_write`. tables: their names."""

    records: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)


class InnerRequest(HttpRequest):
    """A request below /api/v2/ with the caller and request id of `outer`.

    parts: the decoded segments of the path. batch: for a request inside the transaction of a batch.

    Raises BadRequest if the query is too long.
    """

    def __init__(
        self, outer: HttpRequest, method: str, parts: Sequence[str], query: Mapping[str, str], body: Any = None, *,
        batch: Writes | None = None,
    ) -> None:  # fmt: skip
        self.method, self.batch, self._body = method, batch, body
        self.raw_path = "/api/v2/" + "/".join(quote(part, safe="") for part in parts)
        self.query_string = urlencode(query).encode()
        self.headers = Headers({name: value for name, value in outer.headers.items() if name not in _OUTER_HEADERS})
        self.headers["content-type"] = "application/json"
        self.pairs, self._proxies, self.started_at = None, None, time.perf_counter()
        self.read()
        self.peer = self.ip = outer.ip
        self.request_id, self.actor = outer.request_id, outer.actor

    async def source(self) -> MutableMapping[str, Any]:
        """Return the body, which is encoded so that each attempt has values of its own."""
        content = exact_json.dumps(self._body) if self._body is not None else b""
        return {"type": "http.request", "body": content, "more_body": False}
