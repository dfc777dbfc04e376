"""`_webhooks`: the state of webhooks, replay of their events, and tests (docs/reference/wire.md)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.features.declared_webhooks import (
    check_declared,
    check_webhook_extra,
    declared_webhooks,
    record_webhooks,
)
from tableapi.app.routes import GET, POST
from tableapi.auth.access_file import AccessFile
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound
from tableapi.http.body import object_body
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps
from tableapi.log import get_logger
from tableapi.schema.model import Schema
from tableapi.webhooks.feature import Webhooks
from tableapi.webhooks.statement import check_webhooks

log = get_logger(__name__)
_REPLAY = 'Send either "id", the id of an event, or "since", a time such as 2026-01-31T12:00:00Z.'


class WebhookCalls(Feature):
    """Deliver the declared webhooks, and handle requests about them from callers with full rights."""

    def __init__(self, app: App) -> None:
        state = self._state = app.state
        declared = declared_webhooks(state.served, state.module)
        self._webhooks = Webhooks(state.settings, state.datasets, *declared)

    async def opened(self) -> None:
        served = self._state.served
        if served.embedded:  # `tableapi serve` has already done this before starting workers
            await check_declared(served, private=self._state.settings.webhooks_private)
            await record_webhooks(served, lambda text: log.warning("webhooks", told=text))
        self._webhooks.start()

    def drain(self) -> None:
        self._webhooks.stop()

    async def close(self) -> None:
        await self._webhooks.close()

    def check_access(self, access: AccessFile, schemas: Mapping[str, Schema]) -> None:
        check_webhooks(access.webhooks, schemas, {}, private=self._state.settings.webhooks_private)
        check_webhook_extra(access.webhooks)

    def use_access(self, access: AccessFile) -> None:
        self._webhooks.replace(access.webhooks)

    async def respond(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """List the webhooks, or describe, replay or test one. Raises ApiError."""
        if request.actor.role != "*":
            raise Forbidden("Only callers with full rights may see webhooks.")
        action = parts[2] if len(parts) > 2 else ""
        if len(parts) > 3 or action not in ("", "replay", "test"):
            raise NotFound(f"There is no '{'/'.join(parts[2:])[:100]}' here.", reason="unknown_resource")
        allowed = ("POST",) if action else ("GET", "HEAD")
        if request.method not in allowed:
            raise MethodNotAllowed(f"Only {allowed[0]} is supported here.", headers={"Allow": allowed[0]})
        webhooks = self._webhooks
        if len(parts) == 1:
            listed = [await webhooks.describe(dataset, webhook) for webhook in webhooks.all_of(dataset.name)]
            return Response(dumps({"resource": listed}))
        webhook = webhooks.of(dataset.name, parts[1])
        if action == "test":
            return Response(dumps(await webhooks.test(dataset, webhook)))
        if action == "replay":
            return Response(dumps({"queued": await self._replay(request, webhooks, dataset, webhook)}))
        return Response(dumps(await webhooks.describe(dataset, webhook)))

    async def _replay(self, request: HttpRequest, webhooks: Webhooks, dataset: Dataset, webhook: Any) -> int:
        sent = await object_body(request, self._state.settings.body_bytes)
        if len(sent) != 1 or not all(isinstance(value, str) and value for value in sent.values()):
            raise BadRequest(_REPLAY, reason="bad_option")
        if "id" in sent:
            return await webhooks.replay(dataset, webhook, event=sent["id"])
        try:
            since = datetime.fromisoformat(sent["since"])
        except (KeyError, ValueError):
            raise BadRequest(_REPLAY, reason="bad_option") from None
        return await webhooks.replay(dataset, webhook, since=since if since.tzinfo else since.replace(tzinfo=UTC))

    routes = (
        Route(GET, "/api/v2/{dataset}/_webhooks", respond, "guides/webhooks.md"),
        Route(GET, "/api/v2/{dataset}/_webhooks/{webhook}", respond, "guides/webhooks.md"),
        Route(POST, "/api/v2/{dataset}/_webhooks/{webhook}/replay", respond, "guides/webhooks.md"),
        Route(POST, "/api/v2/{dataset}/_webhooks/{webhook}/test", respond, "guides/webhooks.md"),
    )
