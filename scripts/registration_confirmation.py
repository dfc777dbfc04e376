"""The welcome mail, to the caller, once per account."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scripts._shared import mails, users
from scripts._shared.roles import SIGNUP
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    appuserid: int | None = None


class Output(BaseModel):
    success: int = 1


_ONCE = """
    update appuser set welcomedon = now() where appuserid = $1 and welcomedon is null returning email, name
"""


@script(roles=SIGNUP)
async def run(ctx: Context, input: Input) -> Output:
    await users.own(ctx, appuserid=input.appuserid)
    async with ctx.db.transaction():
        user: Any = await ctx.db.fetchrow(_ONCE, ctx.actor.appuserid)
        if user is not None:
            link = mails.link(ctx, "/dashboard/main/dashboardmain")
            await mails.queue(ctx, "welcome", user["email"], link, name=user["name"])
    return Output()
