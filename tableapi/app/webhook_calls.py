"""`_webhooks`: the state of webhooks, replay of their events, and tests (docs/reference/wire.md)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tableapi.app.state import Services
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound
from tableapi.http.body import object_body
from tableapi.http.request import HttpRequest
from tableapi.http.response import Reply, dumps
from tableapi.webhooks.feature import Webhooks

_REPLAY = 'A replay names one of "id", of an event, and "since", a time such as 2026-01-31T12:00:00Z.'


class WebhookCalls:
    """Handle webhook requests from callers with full rights."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def answer(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Reply:
        """List the webhooks, or describe, replay or test one. Raises ApiError."""
        if request.actor.role != "*":
            raise Forbidden("Only callers with full rights may see webhooks.")
        action = parts[2] if len(parts) > 2 else ""
        if len(parts) > 3 or action not in ("", "replay", "test"):
            raise NotFound(f"There is no '{'/'.join(parts[2:])[:100]}' here.", reason="unknown_resource")
        allowed = ("POST",) if action else ("GET", "HEAD")
        if request.method not in allowed:
            raise MethodNotAllowed(f"Only {allowed[0]} is served here.", headers={"Allow": allowed[0]})
        webhooks = self._services.webhooks
        if len(parts) == 1:
            listed = [await webhooks.describe(dataset, webhook) for webhook in webhooks.all_of(dataset.name)]
            return Reply(dumps({"resource": listed}))
        webhook = webhooks.of(dataset.name, parts[1])
        if action == "test":
            return Reply(dumps(await webhooks.test(dataset, webhook)))
        if action == "replay":
            return Reply(dumps({"queued": await self._replay(request, webhooks, dataset, webhook)}))
        return Reply(dumps(await webhooks.describe(dataset, webhook)))

    async def _replay(self, request: HttpRequest, webhooks: Webhooks, dataset: Dataset, webhook: Any) -> int:
        sent = await object_body(request, self._services.settings.body_bytes)
        if len(sent) != 1 or not all(isinstance(value, str) and value for value in sent.values()):
            raise BadRequest(_REPLAY, reason="bad_option")
        if "id" in sent:
            return await webhooks.replay(dataset, webhook, event=sent["id"])
        try:
            since = datetime.fromisoformat(sent["since"])
        except (KeyError, ValueError):
            raise BadRequest(_REPLAY, reason="bad_option") from None
        return await webhooks.replay(dataset, webhook, since=since if since.tzinfo else since.replace(tzinfo=UTC))
