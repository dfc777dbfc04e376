"""Requests made by MCP tools: sent as their caller, and handled inside the process."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from tableapi.app.script_calls import ScriptCalls
from tableapi.app.state import AppState
from tableapi.datasets.dataset import ServedDataset
from tableapi.db.errors import to_api_error
from tableapi.errors import BadRequest
from tableapi.http.inner_request import InnerRequest
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.observability import metrics
from tableapi.observability.logging import AccessLog, shown_path

Headers = Sequence[tuple[bytes, bytes]]
DatasetHandler = Callable[[HttpRequest, ServedDataset, list[str], dict[str, str]], Awaitable[Response]]


class McpRequests:
    """Handle tool requests with the rights, limits, hooks, metrics and log lines of HTTP requests.

    Args:
        dataset: Handles a request below a database for an authenticated actor.
        scripts: Handles requests for scripts; None without a project.
    """

    def __init__(
        self, state: AppState, dataset: DatasetHandler, scripts: ScriptCalls | None, access_log: AccessLog
    ) -> None:
        self._state, self._dataset, self._scripts = state, dataset, scripts
        self._access_log = access_log

    async def send(
        self, outer: HttpRequest, method: str, parts: Sequence[str], query: Mapping[str, str], body: Any = None
    ) -> Response:
        """Send a request with the credentials of `outer` and return the response. Raises its error."""
        request = InnerRequest(outer, method, parts, query, body)
        status, size = 500, 0
        try:
            response = await self._respond(request, list(parts), query)
            if response.stream is not None:
                await response.discard()
                raise BadRequest("Tools do not support streams. Use the HTTP API.", reason="bad_option")
            status, size = response.status, len(response.body)
            return response
        except Exception as error:
            api_error = to_api_error(error)
            status = api_error.status if api_error is not None else 500
            raise
        finally:
            self._record(request, status, size)

    async def _respond(self, request: HttpRequest, parts: list[str], query: Mapping[str, str]) -> Response:
        if (dataset := self._state.datasets.get(parts[0])) is not None:
            return await self._dataset(request, dataset, parts[1:], dict(query))
        assert self._scripts is not None  # the tools offer scripts only if there is a project
        return await self._scripts.respond(request, parts)

    def _record(self, request: HttpRequest, status: int, size: int) -> None:
        """Count the response, and write a line to the access log."""
        seconds = time.perf_counter() - request.started_at
        metrics.request(request.route, request.method, status, seconds)
        if self._access_log.enabled:
            self._access_log.line(
                request.method, shown_path(request.path), request.query_string.decode("latin-1"), status, seconds, size,
                request.request_id, request.ip, request.actor.user,
            )  # fmt: skip
