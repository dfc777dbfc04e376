"""Load the plan catalogue into an empty database, and with DEMO=1 the demo account and its people."""

from __future__ import annotations

from product.billing import plans
from product.context import Context
from product.demo import account
from tableapi import script

_UNINDEXED = "select exists (select 1 from person where searchable is null)"


@script(internal=True)
async def run(ctx: Context) -> str | None:
    async with ctx.db.transaction():
        await plans.load_catalogue(ctx)
        if await ctx.db.first_value(bool, _UNINDEXED):  # stored by another program
            await ctx.later("indexpeople")
    if not ctx.settings.demo:
        return None
    from sandbox.demo import subscribe  # part of the stand-ins, which only a demo loads

    await account.load(ctx, subscribe)
    return f"Sign in   {account.OWNER} or {account.MEMBER}, password {account.PASSWORD}"
