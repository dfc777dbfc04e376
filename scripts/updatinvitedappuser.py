"""Verify an email address or accept an invitation with a mailed token, whichever it was issued for."""

from __future__ import annotations

from pydantic import BaseModel

from product import audit
from product.accounts import tokens, users, verification
from product.context import Context
from tableapi import ANYONE, NotFound, script


class Input(BaseModel):
    email: str
    verifytoken: str


class Output(BaseModel):
    success: int = 1
    invitestatus: str
    already: int | None = None


_EFFECT = {
    # Opening the link proves the address, but not that the same person chose the password.
    "verify": "update appuser set isverified = 1,"
    " passwordproved = case when isverified = 0 then $2::boolean::int else passwordproved end"
    " where appuserid = $1 and isdeleted = 0 returning invitestatus",
    "invite": "update appuser set isverified = 1, isactive = 1, invitestatus = 'accepted'"
    " where appuserid = $1 and isdeleted = 0 and $2::boolean is not null returning invitestatus",
}
_STATUS = "select invitestatus from appuser where appuserid = $1"
_EXPIRED = "The Code for this link has expired,Please try with latest"


@script(roles=(ANYONE,), limit="10/minute per ip", errors=(404,))
async def run(ctx: Context, input: Input) -> Output:
    async with ctx.db.transaction():
        user = await users.proved(ctx, input.email, input.verifytoken, "verify", "invite")
        if user is None or user.isdeleted:
            raise NotFound(_EXPIRED, case="code_expired")
        token = await tokens.use(ctx, input.verifytoken, "verify", "invite")
        if token is None:  # used before, maybe by a request that ended after `user` was read
            return Output(invitestatus=await ctx.db.value(str, _STATUS, user.appuserid), already=1)
        same_origin = await verification.signed_up_here(ctx, user.appuserid)
        status = await ctx.db.value(str, _EFFECT[token.purpose], user.appuserid, same_origin)
        if token.purpose == "verify":
            await verification.welcome(ctx, user.appuserid)
        event = "email_verified" if token.purpose == "verify" else "invitation_accepted"
        await audit.write(ctx, event, user.appuserid, clientid=user.clientid, appuserid=user.appuserid)
    return Output(invitestatus=status)
