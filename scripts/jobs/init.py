"""Load the plan catalogue into an empty database, and with DEMO=1 the demo account and its people."""

from __future__ import annotations

from product.billing import plans
from product.context import Context
from product.demo import account
from tableapi import script


@script(internal=True)
async def run(ctx: Context) -> str | None:
    async with ctx.db.transaction():
        await plans.load_catalogue(ctx)
    if not ctx.settings.demo:
        return None
    from sandbox.demo import subscribe  # with the stand-ins, which only a demo loads

    await account.load(ctx, subscribe)
    return f"Sign in   {account.OWNER} or {account.MEMBER}, password {account.PASSWORD}"
