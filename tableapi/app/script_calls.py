"""Requests for scripts: caller, idempotency key, script."""

from __future__ import annotations

from functools import partial

from tableapi.app.callers import Callers
from tableapi.app.state import Services
from tableapi.auth import scopes
from tableapi.auth.authenticators import NOBODY
from tableapi.errors import NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Reply
from tableapi.project.guard import Endpoint
from tableapi.project.registry import Scripts


class ScriptCalls:
    """Handle requests below `/api/v2/` that belong to a script."""

    def __init__(self, services: Services, scripts: Scripts, callers: Callers) -> None:
        self._services, self._scripts, self._callers = services, scripts, callers

    def serves(self, parts: list[str]) -> bool:
        """Whether a script has this path, with any method."""
        return self._scripts.serves("/".join(parts))

    async def answer(self, request: HttpRequest, parts: list[str]) -> Reply:
        """Handle one request. Raises ApiError; NotFound for a path without a script."""
        path = "/".join(parts)
        endpoint = self._scripts.find(request.method, path)
        if endpoint is None:
            raise NotFound(f"Unknown path '{request.path[:200]}'.", reason="unknown_service")
        request.route = endpoint.name
        if not endpoint.public and request.actor is NOBODY:  # a tool's request already has its actor
            request.actor = await self._callers.caller(request, endpoint)
        if request.actor.scopes is not None:
            scopes.require(request.actor.scopes, endpoint.scope)
        request.cancellable = request.method == "GET"
        request.time_limit = endpoint.seconds
        if request.method == "GET":
            return await self._scripts.run(endpoint, request)
        db = self._services.session_db
        before = db.watched_writes
        try:
            return await self._write(request, endpoint, path)
        finally:
            if db.watched_writes != before:
                await self._services.catch_up()

    async def _write(self, request: HttpRequest, endpoint: Endpoint, path: str) -> Reply:
        """Run a script, at most once for an idempotency key."""
        key = request.headers.get("idempotency-key")
        if key is None or endpoint.public:
            return await self._scripts.run(endpoint, request)
        body = await request.peek_body(endpoint.body_bytes or self._services.settings.body_bytes)
        run = partial(self._scripts.run, endpoint, request)
        return await self._services.idempotency.again(
            key, request.actor, f"{request.method} {path}", request.query_string + b"\0" + body, run,
            endpoint.repeatable, endpoint.seconds,
        )  # fmt: skip
