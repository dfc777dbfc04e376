"""Turn a user's two-step sign-in off after the loss of both the app and the recovery codes."""

from __future__ import annotations

from product.accounts import second_factor, users
from product.context import Context
from product.desk import clients, log
from product.desk.reason import Input
from product.roles import STAFF
from product.success import Output
from tableapi import Conflict, script


@script(roles=STAFF, limit="60/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    await clients.user(ctx, input.appuserid)
    async with ctx.db.transaction():
        if not await second_factor.disable(ctx, input.appuserid):
            raise Conflict("Two-step sign-in is off.", case="mfa_off")
        user = await users.by_id(ctx, input.appuserid)
        assert user is not None  # `clients.user` found it
        await log.write(ctx, "mfa_reset", user.clientid, input.appuserid, reason=input.reason)
        await second_factor.notify(ctx, user, "mfa_reset")
    return Output()
