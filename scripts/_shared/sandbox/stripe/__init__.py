"""/sandbox/stripe/: a stateful stand-in for Stripe in demo and tests, reached by the official client over HTTP.

Here is only the way in; the official client, whose types the stand-in is checked against, is imported when first used.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scripts._shared.settings import Settings

if TYPE_CHECKING:
    from scripts._shared.sandbox.stripe.service import Service
    from scripts._shared.vendors.payments import Payments

PREFIX = "/sandbox/stripe"
KEY = "sk_test_sandbox"  # no secret: it opens the sandbox and nothing else


def base(settings: Settings) -> str:
    """Where this process reaches its own sandbox."""
    return f"{settings.public_url}{PREFIX}"


def webhook_secret(settings: Settings) -> str:
    """What events of the sandbox are signed with: the setting, or a secret of this installation."""
    if settings.stripe_webhook_secret or not settings.secret_keys:
        return settings.stripe_webhook_secret.partition(",")[0]
    return "whsec_" + hashlib.sha256(f"sandbox-webhook:{settings.secret_keys[-1]}".encode()).hexdigest()


@asynccontextmanager
async def inside(settings: Settings) -> AsyncIterator[tuple[Service, Payments]]:
    """Open the sandbox and a client of it in this process, for what is done before the server listens."""
    import httpx2
    from starlette.applications import Starlette

    from scripts._shared.sandbox.stripe.service import Service
    from scripts._shared.vendors.payments import Payments

    service = Service(settings.data_dir / "sandbox", base(settings), None)
    app = Starlette(routes=[Route(PREFIX + "/{path:path}", service.answer, methods=["GET", "POST", "DELETE"])])
    payments = Payments(KEY, webhook_secret(settings), base(settings), httpx2.ASGITransport(app))
    try:
        yield service, payments
    finally:
        await payments.close()
        await service.deliverer.close()


class Stripe:
    """The sandbox of this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._folder = settings, settings.data_dir / "sandbox"

    @cached_property
    def _service(self) -> Service:
        from scripts._shared.sandbox.stripe.service import Service

        settings = self._settings
        hook = {"url": f"{settings.public_url}/api/v2/webhooks/payment", "secret": webhook_secret(settings)}
        return Service(self._folder, base(settings), hook)

    def start(self) -> None:
        """Go on with deliveries that an earlier process did not finish."""
        if self._settings.demo and (self._folder / "stripe.sqlite").exists():
            self._service.start()

    async def close(self) -> None:
        """Stop delivering; what is not delivered waits for the next start."""
        if "_service" in vars(self):
            await self._service.deliverer.close()

    async def answer(self, request: Request) -> Response:
        return await self._service.answer(request)

    def routes(self) -> list[Route]:
        """The routes to add to the app; none without DEMO."""
        if not self._settings.demo:
            return []
        paths = (PREFIX, PREFIX + "/{path:path}")
        return [Route(path, self.answer, methods=["GET", "POST", "DELETE"]) for path in paths]
