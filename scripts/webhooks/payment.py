"""Receive an event of the payment provider: verify its signature, store it once and queue it.

The job `stripeevent` applies it. A failure answers 500 or 503, so that the provider sends the event again.
"""

from __future__ import annotations

from product.billing import customer, webhook_events
from product.context import Context
from tableapi import script


@script(public=True, raw=True, body_bytes=1_000_000)
async def run(ctx: Context, body: bytes) -> dict[str, object]:
    event = customer.provider(ctx).event(body, ctx.request.headers.get("stripe-signature", ""))
    await webhook_events.store(ctx, event)
    return {"received": True}
