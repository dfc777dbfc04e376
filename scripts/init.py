"""What a database must hold before the product serves: the plan catalogue, and in demo the demo account and people."""

from __future__ import annotations

from scripts._shared import demo, plans
from tableapi.context import Context
from tableapi.scripts import script


@script(internal=True)
async def run(ctx: Context) -> str | None:
    async with ctx.db.transaction():
        await plans.load_catalogue(ctx)
    if ctx.settings.demo:
        await demo.load(ctx)
    if not ctx.settings.demo:
        return None
    return f"Sign in   {demo.OWNER} or {demo.MEMBER}, password {demo.PASSWORD}"
