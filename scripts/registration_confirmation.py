"""Mail the caller the welcome message, unless it was sent when the address was verified."""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import users, verification
from product.context import Context
from product.roles import SIGNUP
from product.success import Output
from tableapi import script


class Input(BaseModel):
    appuserid: int | None = None


@script(roles=SIGNUP)
async def run(ctx: Context, input: Input) -> Output:
    await users.own(ctx, appuserid=input.appuserid)
    async with ctx.db.transaction():
        await verification.welcome(ctx, ctx.actor.appuserid)
    return Output()
