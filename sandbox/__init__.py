"""Stand-ins for external services with DEMO=1.

Their pages are marked as such; without DEMO they return 404.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from product.settings import Settings

if TYPE_CHECKING:
    from sandbox import stripe


class Sandbox:
    """The pages and APIs below /sandbox/."""

    prefix = "/sandbox/"

    def __init__(self, settings: Settings) -> None:
        self._stripe: stripe.Stripe | None = None
        self._routes: list[Route] = []
        if not settings.demo:
            return
        from sandbox import drop, mail, oidc, page, stripe

        self._stripe = stripe.Stripe(settings)
        self._routes = [*page.routes(), *mail.routes(settings), *oidc.routes(settings), *drop.routes(settings),
                        *self._stripe.routes()]  # fmt: skip

    def start(self) -> None:
        """Resume webhook deliveries that an earlier process left unfinished."""
        if self._stripe is not None:
            self._stripe.start()

    async def close(self) -> None:
        if self._stripe is not None:
            await self._stripe.close()

    async def respond(
        self, scope: MutableMapping[str, Any], receive: Callable[[], Awaitable[MutableMapping[str, Any]]]
    ) -> Response | None:
        """Handle a request, or return None if the path belongs to no stand-in."""
        for route in self._routes:
            match, child_scope = route.matches(scope)
            if match is Match.FULL:
                response: Response = await route.endpoint(Request({**scope, **child_scope}, receive))
                return response
        return None
