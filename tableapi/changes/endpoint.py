"""Handle `GET /api/v2/<dataset>/_table/<table>/_changes`: a stream of server-sent events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tableapi.auth.authenticators import Authenticator, changes_of
from tableapi.auth.policy import Actor
from tableapi.changes.group import Listener
from tableapi.changes.hub import StreamHub, StreamLimits
from tableapi.changes.stream import StreamCounts, holders_of
from tableapi.changes.subscription import subscribe
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import ServedDataset
from tableapi.errors import Conflict
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.query import plan
from tableapi.tables.request import TableRequest

NAME = "_changes"
CONTENT_TYPE = "text/event-stream"


class ChangeStreams:
    """The streams of one worker process, across all its datasets."""

    def __init__(
        self, settings: Settings, datasets: Mapping[str, ServedDataset], authenticator: Callable[[], Authenticator]
    ) -> None:
        limits = StreamLimits(
            settings.changes_poll_seconds, settings.changes_heartbeat_seconds, settings.changes_keep_seconds,
            settings.changes_queue_bytes,
        )  # fmt: skip
        self._limits, self._authenticator = limits, authenticator
        self._counts = StreamCounts(settings, ", or read the table instead")
        self._hubs = {
            name: StreamHub(dataset, limits, self._counts, self._check, self._changes)
            for name, dataset in datasets.items()
        }

    def __len__(self) -> int:
        return len(self._counts)

    def start(self) -> None:
        """Start cleaning the outbox of every dataset."""
        for hub in self._hubs.values():
            hub.start()

    def stop(self) -> None:
        """End all streams and reject new ones; their clients reconnect to another server."""
        self._counts.stopped = True
        for hub in self._hubs.values():
            hub.stop()

    def end_all(self) -> None:
        """End all streams; their clients reconnect."""
        for hub in self._hubs.values():
            hub.end_all()

    async def respond(self, request: HttpRequest, call: TableRequest) -> Response:
        """Open a stream of the changes of a table.

        Raises:
            Forbidden: the caller may not read the table.
            Conflict: `no_changes`: the table's changes are not recorded, or the policy does not allow following them.
            ApiError: an option is invalid, or there are too many streams.
        """
        request.route = NAME
        hub, table = self._hubs[call.dataset.name], call.table
        right = plan.right_of(table, call.rights, "GET")
        recorded = await hub.recorded(table.schema, table.bare) if right.changes is not False else None
        if recorded is None:
            raise Conflict(
                f"Changes of '{table.name}' cannot be followed here. Read the table again instead. An operator can "
                "have them recorded by `changes` in the policy and `tableapi changes install`.",
                reason="no_changes",
                context={"table": table.name},
            )
        subscription = await subscribe(call, recorded)
        if call.dataset.role_sql:
            await subscription.check()
        holders = holders_of(call.actor, request.network)
        self._counts.check(holders)
        listener = Listener(call, holders, request.ip, self._limits.queue_bytes, hub.closed)
        await hub.open(listener, subscription, request.headers.get("last-event-id", ""))
        request.forget()
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx would buffer the events
        return Response(b"", 200, CONTENT_TYPE, headers, stream=listener, disconnected=listener.end)

    async def _changes(self) -> int:
        return await changes_of(self._authenticator())

    async def _check(self, headers: Mapping[str, str], ip: str) -> Actor:
        """Authenticate the caller of a stream again. Raises Unauthorized if its session has ended."""
        return await self._authenticator().again(headers, ip)
