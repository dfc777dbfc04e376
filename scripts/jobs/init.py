"""Load the plan catalogue into an empty database, and with DEMO=1 the demo account and its people."""

from __future__ import annotations

from scripts._shared.billing import plans
from scripts._shared.context import Context
from scripts._shared.demo import account
from tableapi.endpoints.registry import script


@script(internal=True)
async def run(ctx: Context) -> str | None:
    async with ctx.db.transaction():
        await plans.load_catalogue(ctx)
    if ctx.settings.demo:
        await account.load(ctx)
    if not ctx.settings.demo:
        return None
    return f"Sign in   {account.OWNER} or {account.MEMBER}, password {account.PASSWORD}"
