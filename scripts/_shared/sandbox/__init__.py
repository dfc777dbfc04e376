"""Stand-ins of the outside world for DEMO=1. Each is marked as such, and answers 404 when DEMO is not 1."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from scripts._shared.settings import Settings


class Sandbox:
    """Everything below /sandbox/."""

    prefix = "/sandbox/"

    def __init__(self, settings: Settings) -> None:
        from scripts._shared.sandbox import (
            mail,
            oidc,
            stripe,  # adapters know single stand-ins, this module knows all
        )

        self._stripe = stripe.Stripe(settings)
        self._routes = [*mail.routes(settings), *oidc.routes(settings), *self._stripe.routes()]

    def start(self) -> None:
        """Go on with what an earlier process left undone."""
        self._stripe.start()

    async def close(self) -> None:
        await self._stripe.close()

    async def answer(
        self, scope: MutableMapping[str, Any], receive: Callable[[], Awaitable[MutableMapping[str, Any]]]
    ) -> Response | None:
        """The page or API answer of a request; None when there is nothing under its path."""
        for route in self._routes:
            matched, found = route.matches(scope)
            if matched is Match.FULL:
                answer: Response = await route.endpoint(Request({**scope, **found}, receive))
                return answer
        return None
