"""Mail a member a verification link or a link to set a password."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from product.accounts import users, verification
from product.context import Context
from product.roles import OWNER
from product.success import Output
from tableapi import script


class Input(BaseModel):
    appuserid: int = Field(ge=1, lt=2**63)
    type: Literal["verification", "password"]


@script(roles=OWNER)
async def run(ctx: Context, input: Input) -> Output:
    user = await users.of_team(ctx, input.appuserid)
    ctx.limit("emailtonewuser", str(input.appuserid), 5, 3600)
    async with ctx.db.transaction():
        await verification.mail_link(ctx, user, "verify" if input.type == "verification" else "reset")
    return Output()
