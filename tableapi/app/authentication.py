"""Authenticate requests, count them against the general rate limits, and confine restricted sessions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from tableapi.app.state import AppState
from tableapi.auth.authenticators import NOBODY, Known, SessionAuthenticator
from tableapi.auth.policy import ANYONE, Actor
from tableapi.errors import ApiError, Unauthorized
from tableapi.http.request import HttpRequest
from tableapi.project.guard import Script
from tableapi.ratelimit.counter import count_use

_IN_URL = re.compile(rb"(?:\A|&)(?:api_?key|session_?token|access_?token|token)=", re.IGNORECASE)
_KEY_IN_URL = (
    "Send the key in the header X-API-Key, and a session in X-Session-Token: credentials in the URL are not accepted,"
    " because URLs are logged."
)


class Authentication:
    """The checks that precede every table request and script call in one worker process."""

    def __init__(self, state: AppState) -> None:
        self._state = state

    def known(self, request: HttpRequest, caller: Known) -> Actor | None:
        """Return the `caller` of headers that were sent before, or None if it has to be looked up.

        Raises TooMany.
        """
        state = self._state
        authenticator = state.authenticator
        if request.sent_actor is not None or not isinstance(authenticator, SessionAuthenticator):
            return None
        actor = authenticator.known(caller)
        if actor is None or actor.role in state.sessions.confined:
            return None
        if state.limited:
            self.count(request, actor)
        return actor

    async def actor(
        self, request: HttpRequest, script: Script | None = None, *, resource: str = "", account_keys: bool = False
    ) -> Actor:
        """Return the caller of a script or, without `script`, of a table or description.

        resource: the address of /mcp, for a message to it, which may come from a user's client. account_keys: whether
        keys of accounts are accepted, as they are at /mcp.

        For a public script, invalid credentials count as missing. A caller that needed no secret must not be a page of
        another site. Raises Unauthorized, TooMany, Forbidden, or the error for a role that may call only some scripts.
        """
        state = self._state
        actor = request.sent_actor
        if actor is None:
            try:
                if resource:
                    actor = await self._client(request, resource)
                else:
                    actor = await self._of_account(request) if account_keys else None
                    actor = actor or await state.authenticator.actor(request.headers, request.ip)
            except ApiError as error:
                actor = self._without_credentials(request, script, error)
        if not actor.role and _IN_URL.search(request.query_string):
            actor = replace(actor, key_error=_KEY_IN_URL)
        if actor.unproved:
            # A host program has its own host name, and data that its policy grants to anyone may be read under any
            # name.
            state.guard.check(request, host=not state.served.embedded or actor.role == "*")
        if state.limited:
            self.count(request, actor)
        if actor.role in state.sessions.confined and (script is None or actor.role not in script.roles):
            raise state.sessions.error("confined", actor.role)
        return actor

    def count(self, request: HttpRequest, actor: Actor) -> None:
        """Count a request against the general limit of its session or network, on a server with limits.

        Raises TooMany.
        """
        settings = self._state.settings
        if actor.session:
            request.hit = count_use("session", actor.session, settings.session_per_minute, 60)
        else:
            request.hit = count_use("ip", request.network, settings.address_per_minute, 60)

    async def _client(self, request: HttpRequest, resource: str) -> Actor:
        """Return the caller of a message to /mcp. A host program's authenticator may know no clients."""
        authenticator = self._state.authenticator
        if (identify := getattr(authenticator, "client", None)) is None:
            return await authenticator.actor(request.headers, request.ip)
        return cast("Actor", await identify(request.headers, request.ip, resource))

    async def _of_account(self, request: HttpRequest) -> Actor | None:
        """Return the caller with an account's key; None for other keys, and if the server has no accounts."""
        identify = getattr(self._state.authenticator, "of_account", None)
        return None if identify is None else cast("Actor | None", await identify(request.headers, request.ip))

    def _without_credentials(self, request: HttpRequest, script: Script | None, error: ApiError) -> Actor:
        """Return the caller of a public script, or raise the error of its credentials."""
        if script is not None and ANYONE in script.roles:
            return Actor("key")  # a sign-in ignores any token sent with it
        if error.reason == "no_key":
            if self._state.limited:
                self.count(request, NOBODY)  # rejected sessions are counted during look-up
            if _IN_URL.search(request.query_string):
                raise Unauthorized(_KEY_IN_URL, reason="no_key") from error
        raise error
