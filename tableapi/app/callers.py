"""Authenticate requests, count them against the general rate limits, and confine restricted sessions."""

from __future__ import annotations

from tableapi.app.state import Services
from tableapi.auth.authenticators import NOBODY
from tableapi.auth.policy import ANYONE, Actor
from tableapi.endpoints.guard import Endpoint
from tableapi.errors import ApiError, Unauthorized
from tableapi.http.request import HttpRequest
from tableapi.ratelimit.enforce import count_use


class Callers:
    """The checks that precede every table and script of one worker process."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def of_table(self, request: HttpRequest) -> Actor:
        """Return the caller of a table or description. Raises Unauthorized, TooMany or the refusal of a role."""
        try:
            actor = await self._services.authenticator.actor(request.headers, request.ip)
        except Unauthorized as error:
            if error.why == "no_key":  # a rejected session was counted when it was looked up
                self._count(request, NOBODY)
            raise
        if self._services.limited:
            self._count(request, actor)
        if actor.role in self._services.confined:
            self._refuse_confined(actor)
        return actor

    async def of_script(self, request: HttpRequest, endpoint: Endpoint) -> Actor:
        """Return the caller of a script. If anyone may call it, an invalid session counts as none."""
        try:
            actor = await self._services.authenticator.actor(request.headers, request.ip)
        except ApiError:
            if ANYONE not in endpoint.roles:
                raise
            actor = Actor("key")  # a sign-in ignores any token sent with it
        if self._services.limited:
            self._count(request, actor)
        if actor.role in self._services.confined and actor.role not in endpoint.roles:
            self._refuse_confined(actor)
        return actor

    def _count(self, request: HttpRequest, actor: Actor) -> None:
        if not self._services.limited:
            return
        settings = self._services.settings
        if actor.session:
            request.hit = count_use("session", actor.session, settings.session_per_minute, 60)
        else:
            request.hit = count_use("ip", request.network, settings.address_per_minute, 60)

    def _refuse_confined(self, actor: Actor) -> None:
        status, reason, message = self._services.confined[actor.role]
        raise ApiError(message, status=status, reason=reason, scope="resource")
