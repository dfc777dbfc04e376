"""The MCP endpoint: authenticate the caller, then pass the message to the SDK.

See docs/guides/agents.md.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tableapi import threads
from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.features.mcp.requests import Headers, McpRequests
from tableapi.app.features.mcp.sign_in import PATH as PATH
from tableapi.app.features.mcp.sign_in import RESOURCE, SERVER, SignIn
from tableapi.app.options import is_loopback
from tableapi.app.routes import GET, POST
from tableapi.auth.authenticators import session_token
from tableapi.auth.policy import ANYONE
from tableapi.auth.scopes import READ, InsufficientScope
from tableapi.errors import Forbidden, MethodNotAllowed, Unauthorized, UnsupportedMedia
from tableapi.http.cors import Cors
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.mcp import direct, protocol, tools
from tableapi.mcp.caller import Caller
from tableapi.mcp.resources import Documentation
from tableapi.observability import background
from tableapi.project.guard import Script

PACKAGE = Path(__file__).parents[3]
_CALLER = "tableapi.caller"  # key in the scope of the message
_SKIPPED_HEADERS = frozenset((b"content-type", b"content-length"))

Handle = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


class Mcp(Feature):
    """Serve MCP over HTTP and stdio. The SDK is loaded on the first message."""

    checks_methods = True

    def __init__(self, app: App) -> None:
        state = self._state = app.state
        self._authentication = app.authentication
        self._requests = McpRequests(state, app.respond_for_dataset, app.scripts, app.access_log)
        self.sign_in = SignIn(app.settings, state, app.project, has_docs=app.pages.has_docs)
        self.open_paths = self.sign_in.paths
        project, settings = state.served.project, state.settings
        self._reads_only = state.served.open if settings.mcp_read_only is None else settings.mcp_read_only
        roots = [*([project] if project else []), PACKAGE.parent]
        folders = [root / name for root in roots for name in ("build/pages", "docs")]
        self._documentation = Documentation([*folders, PACKAGE / "docs_pages"])
        self._title = app.project.title(settings)
        self._offered: dict[tuple[str, bool], list[Script]] = {}
        self._loading = asyncio.Lock()
        self._handle: Handle | None = None
        self._running: asyncio.Task[None] | None = None

    async def caller(self, request: HttpRequest) -> Caller:
        """Authenticate a message and return its caller.

        Raises the same errors as a request with these headers.
        """
        resource = f"{self._state.settings.public_url}{request.root_path}{PATH}"
        actor = request.actor = await self._authentication.actor(request, resource=resource)
        if not actor.role or (actor.unproved and self.sign_in.is_needed):
            raise Unauthorized(actor.key_error, reason="no_key")
        known = actor.role, actor.scopes is not None
        if (offered := self._offered.get(known)) is None:
            offered = self._offered_to(*known)
        scopes = actor.key_scopes
        scripts = offered if scopes is None else [script for script in offered if script.serves_key(scopes)]
        withheld = () if scopes is None else [script for script in offered if not script.serves_key(scopes)]
        full = datasets = self._state.datasets_of(actor.role)
        if actor.scopes is not None:
            datasets = {name: self._state.scoped.of(dataset, actor.scopes) for name, dataset in full.items()}
        send, results = partial(self._requests.send, request), self._state.settings.mcp_results
        return Caller(actor, datasets, scripts, send, full, self._reads_only, results, self._title, withheld)

    def _offered_to(self, role: str, scoped: bool) -> list[Script]:
        """Return the scripts that are offered to a role. scoped: the caller has a token with scopes."""
        offered = [
            script
            for script in self._state.scripts or ()
            if (script.agents or script.tool)
            and (script.method == "GET" or (script.tool and script.scope == READ) or not self._reads_only)
            and (script.public or {ANYONE, role} & set(script.roles))
            and (scoped or script.tool or not script.has_own_scope)
        ]
        if len(self._offered) < tools.MAX_ROLES:
            self._offered[role, scoped] = offered
        return offered

    # -- HTTP ----------------------------------------------------------------------------------------------------------

    async def respond(self, request: HttpRequest) -> Response:
        """Handle one message. There are no sessions or streams: each POST is self-contained."""
        request.route = "mcp"
        if request.method != "POST":
            raise MethodNotAllowed("Send MCP messages with POST.", headers={"Allow": "POST"})
        if "origin" in request.headers:
            self._reject_other_origins(request)
        if not request.headers.get("content-type", "").lower().startswith("application/json"):
            raise UnsupportedMedia("Send JSON: Content-Type: application/json.")
        try:
            caller = await self.caller(request)
        except Unauthorized as error:
            if error.status == 401:
                invalid = "invalid_token" if session_token(request.headers) else ""
                error.headers["WWW-Authenticate"] = self.sign_in.challenge(request, invalid)
            raise
        content = await request.body(self._state.settings.body_bytes)
        handle = self._handle or await self._start()
        message = await threads.body(len(content), direct.decoded, content)
        if (refusal := direct.refusal(message)) is not None:
            return Response(refusal, 400)
        if (unknown := direct.misspelt(message)) is not None:
            return Response(unknown, direct.unknown_status(request.headers))
        if caller.actor.scopes is not None:
            self._require_scope(request, caller, message)
        if (call := direct.call_of(message, request.headers, request.scope["headers"])) is not None:
            return Response(await direct.respond(caller, call))
        return await _exchange(handle, request, content, caller)

    async def resource(self, request: HttpRequest) -> Response:
        """Return the metadata of this resource. Raises NotFound if there is no issuer."""
        return await self.sign_in.resource(request)

    async def server(self, request: HttpRequest) -> Response:
        """Return the metadata of the authorization server. Raises NotFound if there is none."""
        return await self.sign_in.server(request)

    routes = (
        Route(POST, PATH, respond, "guides/agents.md"),
        Route(GET, RESOURCE, resource, "guides/agents.md"),
        Route(GET, f"{RESOURCE}{PATH}", resource, "guides/agents.md"),
        Route(GET, SERVER, server, "guides/agents.md"),
    )

    def _require_scope(self, request: HttpRequest, caller: Caller, message: Any) -> None:
        """Reject a call that exceeds the scopes of the token, naming the required scope (RFC 6750).

        Raises InsufficientScope.
        """
        try:
            tools.require_scope(caller, message)
        except InsufficientScope as error:
            challenge = self.sign_in.challenge(request, error.reason, error.needed)
            error.headers["WWW-Authenticate"] = challenge
            raise

    def _reject_other_origins(self, request: HttpRequest) -> None:
        """Reject pages of other sites. Callers without a secret are checked again, as for tables."""
        origin, settings = request.headers["origin"], self._state.settings
        if Cors(settings.public_url, settings.cors_origins).allows(origin):
            return
        if not is_loopback((urlsplit(origin).hostname or "").strip("[]")):
            raise Forbidden(
                "Pages of this origin may not use MCP here. Add the origin to CORS_ORIGINS.", reason="bad_origin"
            )

    async def _start(self) -> Handle:
        """Load the SDK and start its session manager."""
        async with self._loading:
            if self._handle is None:
                await asyncio.to_thread(protocol.load_sdk)
                started: asyncio.Future[Handle] = asyncio.get_running_loop().create_future()
                self._running = background.start(self._run(started), "mcp")
                self._handle = await started
            return self._handle

    async def _run(self, started: asyncio.Future[Handle]) -> None:
        """Run the session manager until it is cancelled; it must end in the task in which it began."""
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        async def of_message(message: Any) -> Caller:
            caller: Caller = message.scope[_CALLER]
            return caller

        manager = StreamableHTTPSessionManager(
            protocol.server(of_message, self._documentation, self._title),
            json_response=True,
            stateless=True,
            max_request_body_size=self._state.settings.body_bytes,
        )
        async with manager.run():
            started.set_result(manager.handle_request)
            await asyncio.Event().wait()

    async def close(self) -> None:
        """Stop the session manager."""
        running, self._running, self._handle = self._running, None, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    # -- stdio ---------------------------------------------------------------------------------------------------------

    async def serve_stdio(self, headers: Headers) -> None:
        """Handle messages from standard input until it ends, authenticating each with `headers`."""
        await asyncio.to_thread(protocol.load_sdk)
        from mcp.server.stdio import stdio_server

        async def of_message(message: Any) -> Caller:
            return await self.caller(_local_request(headers))

        server = protocol.server(of_message, self._documentation, self._title)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    async def check(self, headers: Headers) -> None:
        """Authenticate once. Raises the error that the caller would get."""
        await self.caller(_local_request(headers))


def _local_request(headers: Headers) -> HttpRequest:
    """Build a request that comes from this machine."""

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers, "client": ("127.0.0.1", 0)}
    request = HttpRequest(scope, receive)
    request.read()
    return request


async def _exchange(handle: Handle, request: HttpRequest, content: bytes, caller: Caller) -> Response:
    """Pass one message to the SDK and collect its response."""
    response = Response(b"")
    parts: list[bytes] = []
    unread = True

    async def receive() -> MutableMapping[str, Any]:
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": content, "more_body": False}
        return await request.source()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            response.status = message["status"]
            for name, value in message["headers"]:
                if name == b"content-type":
                    response.content_type = value.decode("latin-1")
                elif name not in _SKIPPED_HEADERS:
                    response.headers[name.decode("latin-1").title()] = value.decode("latin-1")
        else:
            parts.append(message.get("body", b""))

    scope = dict(request.scope) | {"path": PATH, "root_path": "", _CALLER: caller}
    with contextlib.suppress(ConnectionError):
        await handle(scope, receive, send)
    response.body = b"".join(parts)
    return response
