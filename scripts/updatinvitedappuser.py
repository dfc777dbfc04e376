"""Use a mailed token: it verifies an address or accepts an invitation, whichever it was made for, and nothing else."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scripts._shared import audit, tokens, users
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.errors import NotFound
from tableapi.scripts import script


class Input(BaseModel):
    email: str
    verifytoken: str


class Output(BaseModel):
    success: int = 1
    invitestatus: str
    already: int | None = None


_EFFECT = {
    "verify": "update appuser set isverified = 1 where appuserid = $1 and isdeleted = 0 returning invitestatus",
    "invite": "update appuser set isverified = 1, isactive = 1, invitestatus = 'accepted'"
    " where appuserid = $1 and isdeleted = 0 returning invitestatus",
}
_GONE = "The Code for this link has expired,Please try with latest"


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    async with ctx.db.transaction():
        user = await users.proved(ctx, input.email, input.verifytoken, "verify", "invite")
        if user is None or user["isdeleted"]:
            raise NotFound(_GONE)
        token: Any = await tokens.use(ctx, input.verifytoken, "verify", "invite")
        if token is None:  # used before, by the same person: the effect is there
            return Output(invitestatus=user["invitestatus"], already=1)
        status: str = await ctx.db.fetchval(_EFFECT[token["purpose"]], user["appuserid"])
        event = "email_verified" if token["purpose"] == "verify" else "invitation_accepted"
        await audit.write(ctx, event, user["appuserid"], clientid=user["clientid"], appuserid=user["appuserid"])
    return Output(invitestatus=status)
