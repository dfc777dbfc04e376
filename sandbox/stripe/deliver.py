"""Deliver webhooks over HTTP, signed like Stripe's, and retry until the endpoint returns 2xx."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time

import httpx2
import orjson
import structlog

from sandbox.stripe.store import Store, public
from tableapi import tls_context

log = structlog.get_logger(__name__)
SECONDS = 10.0
MAX_TRIES = 12


def signature(secret: str, body: bytes, moment: int) -> str:
    """Return the Stripe-Signature header of a body."""
    digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


class Deliverer:
    """A background task that sends due deliveries. Each request wakes it."""

    def __init__(self, store: Store, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._store, self._transport = store, transport
        self._task: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Check for due deliveries now."""
        self._woken.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        async with httpx2.AsyncClient(verify=tls_context(), timeout=SECONDS, transport=self._transport) as client:
            while True:
                self._woken.clear()
                while due := await asyncio.to_thread(self._store.claim):
                    for number, event, url, secret, tries in due:
                        await self._send(client, number, event, url, secret, tries)
                next_due = await asyncio.to_thread(self._store.next_due)
                if next_due is None:
                    if self._woken.is_set():
                        continue
                    return
                try:
                    async with asyncio.timeout(max(0.05, next_due - time.time())):
                        await self._woken.wait()
                except TimeoutError:
                    continue

    async def _send(
        self, client: httpx2.AsyncClient, number: int, event: str, url: str, secret: str, tries: int
    ) -> None:
        body = await asyncio.to_thread(self.body, event)
        headers = {"Content-Type": "application/json", "Stripe-Signature": signature(secret, body, int(time.time()))}
        try:
            response = await client.post(url, content=body, headers=headers)
            done = response.is_success
        except httpx2.HTTPError:
            done = False
        if not done:
            log.info("sandbox_webhook_refused", url=url, tries=tries)
        retry_at = time.time() + min(300.0, 2.0**tries)
        await asyncio.to_thread(self._store.settle, number, done or tries >= MAX_TRIES, retry_at)

    def body(self, event: str) -> bytes:
        """Return the body of an event as it is sent."""
        with self._store.transaction() as state:
            return orjson.dumps(public(state.get("event", event)))
