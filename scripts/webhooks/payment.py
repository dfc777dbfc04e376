"""The payment provider's events (call 61): verify the signature, keep each once, queue it. Applying is `stripeevent`.

Closed without its secret. A failure is a 500 or 503, so that the provider sends the event again.
"""

from __future__ import annotations

from typing import Any

from scripts._shared import billing, events
from tableapi.context import Context
from tableapi.scripts import script


@script(public=True, raw=True, body_bytes=1_000_000)
async def run(ctx: Context, body: bytes) -> dict[str, Any]:
    event = billing.provider(ctx).event(body, ctx.request.headers.get("stripe-signature", ""))
    await events.keep(ctx, event)
    return {"received": True}
