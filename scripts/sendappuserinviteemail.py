"""Mail a pending member a new invitation link and temporary password, which replace the previous ones."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.accounts import users
from product.context import Context
from product.roles import OWNER
from product.success import Output
from product.team import seats
from tableapi import Conflict, script


class Input(BaseModel):
    appuserid: int = Field(ge=1, lt=2**63)


@script(roles=OWNER)
async def run(ctx: Context, input: Input) -> Output:
    user = await users.of_team(ctx, input.appuserid)
    if user.invitestatus != "pending":
        raise Conflict("This member has already accepted the invitation.", reason="not_pending")
    ctx.limit("sendappuserinviteemail", str(input.appuserid), 3, 3600)
    await seats.invite_again(ctx, user)
    return Output()
