"""/sandbox/stripe/: a stateful stand-in for Stripe, used through the official client.

This module imports the rest only on first use, because the official client is large; its types validate the requests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from product.settings import Settings
from product.vendors.stand_ins import STRIPE_KEY, STRIPE_PREFIX, stripe_base, webhook_secret

if TYPE_CHECKING:
    from product.vendors.payments import Payments
    from sandbox.stripe.service import Service


@asynccontextmanager
async def inside(settings: Settings) -> AsyncIterator[tuple[Service, Payments]]:
    """Open the sandbox and a client of it in this process, for use before the server listens."""
    import httpx2
    from starlette.applications import Starlette

    from product.vendors.payments import Payments
    from sandbox.stripe.service import Service

    service = Service(settings.data_dir / "sandbox", stripe_base(settings), None)
    app = Starlette(routes=[Route(STRIPE_PREFIX + "/{path:path}", service.respond, methods=["GET", "POST", "DELETE"])])
    payments = Payments(STRIPE_KEY, webhook_secret(settings), stripe_base(settings), httpx2.ASGITransport(app))
    try:
        yield service, payments
    finally:
        await payments.close()
        await service.deliverer.close()


class Stripe:
    """The sandbox as served by this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._folder = settings, settings.data_dir / "sandbox"

    @cached_property
    def _service(self) -> Service:
        from sandbox.stripe.service import Service

        settings = self._settings
        hook = {"url": f"{settings.public_url}/api/v2/webhooks/payment", "secret": webhook_secret(settings)}
        return Service(self._folder, stripe_base(settings), hook)

    def start(self) -> None:
        """Resume deliveries that an earlier process left unfinished."""
        if self._settings.demo and (self._folder / "stripe.sqlite").exists():
            self._service.start()

    async def close(self) -> None:
        """Stop delivering; undelivered events wait for the next start."""
        if "_service" in vars(self):
            await self._service.deliverer.close()

    async def respond(self, request: Request) -> Response:
        return await self._service.respond(request)

    def routes(self) -> list[Route]:
        """Return the routes of the sandbox; none without DEMO."""
        if not self._settings.demo:
            return []
        paths = (STRIPE_PREFIX, STRIPE_PREFIX + "/{path:path}")
        return [Route(path, self.respond, methods=["GET", "POST", "DELETE"]) for path in paths]
