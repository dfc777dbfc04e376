"""Requests for scripts: caller, idempotency key, script."""

from __future__ import annotations

from functools import partial

import orjson

from tableapi import exact_json
from tableapi.app.authentication import Authentication
from tableapi.app.state import AppState
from tableapi.app.tables import audit
from tableapi.auth import scopes
from tableapi.auth.authenticators import NOBODY
from tableapi.auth.policy import ANYONE
from tableapi.errors import NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.project.guard import Script
from tableapi.project.registry import Scripts


class ScriptCalls:
    """Handle requests below `/api/v2/` that belong to a script."""

    def __init__(self, state: AppState, scripts: Scripts, authentication: Authentication) -> None:
        self._state, self._scripts, self._authentication = state, scripts, authentication

    def serves(self, parts: list[str]) -> bool:
        """Whether a script has this path, with any method."""
        return self._scripts.serves("/".join(parts))

    async def respond(self, request: HttpRequest, parts: list[str]) -> Response:
        """Handle one request. Raises ApiError; NotFound for a path without a script."""
        path = "/".join(parts)
        script = self._scripts.find(request.method, path)
        if script is None:
            hint = self._scripts.similar(path)
            raise NotFound(f"Unknown path '{request.path[:200]}'.{hint}", reason="unknown_service")
        request.route = script.name
        if not script.public and request.actor is NOBODY:  # a tool's request already has its actor
            request.actor = await self._authentication.actor(request, script)
        if request.actor.scopes is not None:
            scopes.require(request.actor.scopes, script.scope)
        actor = request.actor
        if actor.account is not None and actor.role in self._state.sessions.recorded and ANYONE not in script.roles:
            await self._record(request, path)
        request.cancellable = request.method == "GET"
        request.time_limit = script.seconds
        if request.method == "GET":
            return await self._scripts.run(script, request)
        db = self._state.session_db
        before = db.watched_writes
        try:
            return await self._write(request, script, path)
        finally:
            if db.watched_writes != before:
                await self._state.catch_up()

    async def _record(self, request: HttpRequest, path: str) -> None:
        """Record the call of a role that looks at one account; scripts of staff audit themselves."""
        await audit.record(self._state.recorder, request, path, {"method": request.method}, request.query)

    async def _write(self, request: HttpRequest, script: Script, path: str) -> Response:
        """Run a script, at most once for an idempotency key."""
        key = request.headers.get("idempotency-key")
        if key is None or script.public:
            return await self._scripts.run(script, request)
        body = await request.peek_body(script.body_bytes or self._state.settings.body_bytes)
        run = partial(self._scripts.run, script, request)
        return await self._state.idempotency.again(
            key, request.actor, f"{request.method} {path}", request.query_string + b"\0" + _compared(script, body), run,
            script.repeatable, script.seconds,
        )  # fmt: skip


def _compared(script: Script, body: bytes) -> bytes:
    """Return the part of a body that an idempotency key compares.

    Fields with `repr=False` are left out: they are secrets such as a password, of which not even a hash is stored.
    """
    hidden = {name for name, field in script.input.model_fields.items() if not field.repr} if script.input else ()
    if not hidden:
        return body
    try:
        sent = exact_json.loads(body)
    except orjson.JSONDecodeError:
        return b""  # rejected by the script
    return exact_json.dumps({k: v for k, v in sent.items() if k not in hidden} if isinstance(sent, dict) else None)
