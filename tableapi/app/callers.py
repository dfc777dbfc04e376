"""The caller of a request, counted against the general limits, and the calls that a confined session may make."""

from __future__ import annotations

from tableapi.app.state import Services
from tableapi.auth.authenticators import NOBODY
from tableapi.auth.policy import ANYONE, Actor
from tableapi.endpoints.guard import Endpoint
from tableapi.errors import ApiError, Unauthorized
from tableapi.http.request import HttpRequest
from tableapi.ratelimit import counter
from tableapi.ratelimit.enforce import count_use


class Callers:
    """The checks in front of every table and script of one worker."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def actor(self, http: HttpRequest) -> Actor:
        """Return the caller of a table or of the description. Raises Unauthorized, TooMany or a role's refusal."""
        try:
            actor = await self._services.authenticator.actor(http.headers, http.ip)
        except Unauthorized as error:
            if error.reason == "no_key":  # nothing was looked up, and nothing counted
                self._count(http, NOBODY)
            raise
        self._count(http, actor)
        self._refuse_confined(actor)
        return actor

    async def caller(self, http: HttpRequest, endpoint: Endpoint) -> Actor:
        """Return the caller of a script. For one that anyone may call, a bad session counts as none."""
        try:
            actor = await self._services.authenticator.actor(http.headers, http.ip)
        except ApiError:
            if ANYONE not in endpoint.roles:
                raise
            actor = Actor("key")  # a sign-in ignores any token sent with it
        self._count(http, actor)
        if actor.role not in endpoint.roles:
            self._refuse_confined(actor)
        return actor

    def _count(self, http: HttpRequest, actor: Actor) -> None:
        if not self._services.limited:
            return
        settings = self._services.settings
        if actor.session:
            http.hit = count_use("session", actor.session, settings.session_per_minute, 60)
        else:
            http.hit = count_use("ip", counter.network(http.ip), settings.address_per_minute, 60)

    def _refuse_confined(self, actor: Actor) -> None:
        if refusal := self._services.confined.get(actor.role):
            status, reason, message = refusal
            raise ApiError(message, status=status, reason=reason, scope="resource")
