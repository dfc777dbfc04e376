"""HTTP transport for the official Stripe client, over httpx2 with timeouts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx2
import stripe

from tableapi import tls_context

SECONDS = 6.0  # per try; two tries fit into the request timeout


class Httpx2Client(stripe.HTTPClient):
    """The `http_client` of `stripe.StripeClient`. Network failures become Stripe's APIConnectionError."""

    name = "httpx2"

    def __init__(self, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        super().__init__()
        self._client = httpx2.AsyncClient(
            verify=tls_context(), timeout=SECONDS, transport=transport, follow_redirects=False
        )

    async def request_async(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | bytes | None = None, **_: object
    ) -> tuple[bytes, int, Mapping[str, str]]:
        try:
            response = await self._client.request(method, url, headers=dict(headers), content=post_data)
        except httpx2.HTTPError as error:
            message = f"Stripe cannot be reached: {type(error).__name__}"
            raise stripe.APIConnectionError(message, should_retry=True) from None  # type: ignore[no-untyped-call]
        return response.content, response.status_code, dict(response.headers)

    async def sleep_async(self, secs: float) -> None:
        await asyncio.sleep(secs)

    async def close_async(self) -> None:
        await self._client.aclose()
