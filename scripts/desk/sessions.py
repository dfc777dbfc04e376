"""End every session of a user."""

from __future__ import annotations

from product.accounts import sessions
from product.context import Context
from product.desk import clients, log
from product.desk.reason import Input
from product.roles import STAFF
from product.success import Output
from tableapi import script


@script(roles=STAFF, limit="60/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    user = await clients.user(ctx, input.appuserid)
    async with ctx.db.transaction():
        await sessions.end_all(ctx, input.appuserid)
        await log.write(ctx, "sessions_ended", user.clientid, input.appuserid, reason=input.reason)
    return Output()
