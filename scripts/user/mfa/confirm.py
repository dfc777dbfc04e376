"""Turn two-step sign-in on with the first code of the app, and return the recovery codes.

Other sessions end, because they may have been opened with a stolen password.
"""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import second_factor, sessions, users
from product.context import Context
from product.roles import SESSION
from tableapi import script


class Input(BaseModel):
    setup: str = ""
    code: str = ""


class Output(BaseModel):
    """The recovery codes are shown only here; each replaces one code of the app."""

    success: int = 1
    recoverycodes: list[str]


@script(roles=SESSION, limit="20/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    async with ctx.db.transaction():
        codes = await second_factor.enable(ctx, input.setup, input.code)
        await sessions.end_all(ctx, ctx.actor.appuserid, keep=ctx.request.session_token)
        await second_factor.tell(ctx, await users.caller(ctx), "mfa_enabled")
    return Output(recoverycodes=codes)
