"""Every minute, and at once after a bulk look-up, send the events of webhooks that are due."""

from __future__ import annotations

from product import webhooks
from product.context import Context
from tableapi import script


@script(every="1m")
async def run(ctx: Context) -> None:
    await webhooks.send_due(ctx)
