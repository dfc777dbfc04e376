"""The stand-in of the payment provider for a cluster: it answers the nodes and reports its events to them."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from sandbox.stripe.service import Service
from tests.helpers.support import free_port
from tests.system.cluster.programs import Missing, wait_for

KEY, SECRET = "sk_test_x", "whsec_of_the_tests"
CARD = "4242424242424242"


class Provider:
    """A running stand-in. `settings` make a node use it."""

    def __init__(self, folder: Path, exits: ExitStack, webhook: str) -> None:
        """Start it; it ends with `exits`. `webhook` is the address that gets its events."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/sandbox/stripe"
        self.settings = {"STRIPE_SECRET_KEY": KEY, "STRIPE_WEBHOOK_SECRET": SECRET, "STRIPE_API_BASE": self.url}
        service = Service(folder, self.url, {"url": webhook, "secret": SECRET})
        route = Route("/sandbox/stripe/{path:path}", service.respond, methods=["GET", "POST", "DELETE"])

        @asynccontextmanager
        async def delivering(_app: Starlette) -> AsyncIterator[None]:
            yield
            await service.deliverer.close()

        app = Starlette(routes=[route], lifespan=delivering)
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()

        def stop() -> None:
            server.should_exit = True
            thread.join(20)

        exits.callback(stop)
        wait_for(lambda: server.started, "the payment provider")

    async def card(self, http: httpx2.AsyncClient) -> str:
        """Return a token for a card, as the provider's form in a browser makes it."""
        form = {
            "type": "card",
            "card[number]": CARD,
            "card[exp_month]": "12",
            "card[exp_year]": "2034",
            "card[cvc]": "123",
        }
        response = await http.post(
            f"{self.url}/v1/payment_methods", data=form, headers={"Authorization": f"Bearer {KEY}"}
        )
        if response.status_code != 200:
            raise Missing(f"no token for a card: {response.text[:300]}")
        return str(response.json()["id"])

    async def pay(self, http: httpx2.AsyncClient, page: str) -> None:
        """Fill in a hosted page."""
        response = await http.post(page, data={"cardnumber": CARD, "expiry": "12/34", "cvc": "123"})
        if response.status_code != 303:
            raise Missing(f"the page was not paid: {response.status_code} {response.text[:300]}")
