"""`GET _table/<table>/_changes`: a stream of the changes of a table (docs/reference/wire.md)."""

from __future__ import annotations

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.routes import GET
from tableapi.auth.access_file import AccessFile
from tableapi.changes.endpoint import NAME, ChangeStreams
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.observability import metrics
from tableapi.tables.request import TableRequest


class Changes(Feature):
    """The streams of one worker process."""

    def __init__(self, app: App) -> None:
        state = app.state
        self.streams = ChangeStreams(state.settings, state.datasets, lambda: state.authenticator)
        self.table_views = {NAME: self.respond}

    async def respond(self, request: HttpRequest, call: TableRequest) -> Response:
        """Open a stream. Raises ApiError."""
        return await self.streams.respond(request, call)

    routes = (Route(GET, f"/api/v2/{{dataset}}/_table/{{table}}/{NAME}", respond, "reference/wire.md"),)

    def start(self) -> None:
        metrics.watch("listeners", lambda: len(self.streams))

    async def opened(self) -> None:
        self.streams.start()

    def drain(self) -> None:
        self.streams.stop()

    async def close(self) -> None:
        self.streams.stop()

    def use_access(self, access: AccessFile) -> None:
        self.streams.end_all()  # clients reconnect under the new rights
