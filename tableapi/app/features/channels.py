"""`GET _channel/<name>`: a stream of a channel's notifications (docs/reference/wire.md)."""

from __future__ import annotations

from collections.abc import Mapping

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.routes import GET
from tableapi.auth.access_file import AccessFile
from tableapi.auth.authenticators import changes_of
from tableapi.auth.policy import Actor
from tableapi.auth.rights import CHANNEL, Rights
from tableapi.auth.scopes import READ, require
from tableapi.changes.channels import ChannelHub, ChannelStream
from tableapi.changes.stream import StreamCounts, holders_of
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound, Unauthorized
from tableapi.http.inner_request import InnerRequest
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response

MAX_BYTES = 63  # maximum length of a name in PostgreSQL
OWN = ("tableapi", "ch_pgqueuer")  # prefixes of the program's own channels


class Channels(Feature):
    """The streams of one worker process."""

    def __init__(self, app: App) -> None:
        state = self._state = app.state
        heartbeat = state.settings.changes_heartbeat_seconds
        self._counts = StreamCounts(state.settings)
        self._hubs = {
            name: ChannelHub(each, heartbeat, self._counts, self._check, self._changes)
            for name, each in state.datasets.items()
        }

    async def respond(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: Mapping[str, str]
    ) -> Response:
        """Open a stream of the notifications of a channel.

        Raises:
            Unauthorized, Forbidden: the caller may not follow it.
            BadRequest: the name is not a valid channel, or the request has an option.
            Busy, TooMany: there are too many streams, or the database does not respond.
        """
        if request.method != "GET":
            raise MethodNotAllowed("Follow a channel with GET.", headers={"Allow": "GET"})
        if len(parts) != 2 or not parts[1]:
            raise NotFound("Name one channel: _channel/NAME.", reason="unknown_resource")
        name, actor = parts[1], request.actor
        if not actor.role:
            raise Unauthorized(actor.key_error, reason="no_key")
        if actor.scopes is not None:
            require(actor.scopes, READ)
        if actor.role != "*" and not rights.routine(CHANNEL, name, "GET"):
            raise Forbidden(f"Your role may not follow the channel '{name[:100]}'.")
        if len(name.encode()) > MAX_BYTES or not name.isprintable() or name.lower().startswith(OWN):
            raise BadRequest(f"'{name[:100]}' is not a valid channel name.", reason="bad_identifier")
        if isinstance(request, InnerRequest):
            raise BadRequest("A stream cannot be part of a batch or tool call.", reason="bad_option")
        for option in query:
            raise BadRequest(
                f"A stream of notifications has no option '{option[:100]}'.",
                reason="unknown_option",
                context={"option": option[:100]},
            )
        hub = self._hubs[dataset.name]
        limit, holders = self._state.settings.changes_queue_bytes, holders_of(actor, request.network)
        stream = ChannelStream(name, actor, holders, dict(request.headers), request.ip, limit, hub.closed)
        await hub.open(stream)
        request.forget()
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx would buffer the events
        return Response(b"", 200, "text/event-stream", headers, stream=stream, disconnected=stream.end)

    async def _changes(self) -> int:
        return await changes_of(self._state.authenticator)

    async def _check(self, headers: Mapping[str, str], ip: str) -> Actor:
        return await self._state.authenticator.again(headers, ip)

    routes = (Route(GET, "/api/v2/{dataset}/_channel/{channel}", respond, "reference/wire.md"),)

    def drain(self) -> None:
        self._counts.stopped = True
        for hub in self._hubs.values():
            hub.end_all()

    async def close(self) -> None:
        self.drain()
        for hub in self._hubs.values():
            for stream in list(hub.streams):
                await stream.aclose()

    def use_access(self, access: AccessFile) -> None:
        for hub in self._hubs.values():
            hub.end_all()  # clients reconnect under the new rights
