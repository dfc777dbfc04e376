"""Look at the app as a user sees it, read only, for 30 minutes. The owner gets a mail."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from product import language as languages
from product import mail
from product.accounts import users
from product.context import Context
from product.desk import accounts, clients, log
from product.desk.reason import Input
from product.roles import STAFF
from tableapi import Conflict, script

AUDIT_LOG = "/dashboard/settings/auditlog"


class Output(BaseModel):
    session_token: str
    expireson: datetime


@script(roles=STAFF, limit="30/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    user = await clients.user(ctx, input.appuserid)
    if not (user.isactive and user.isverified and user.invitestatus == "accepted"):
        raise Conflict(
            "This user cannot sign in, so the account cannot be viewed.",
            reason="not_accepted",
            case="no_sign_in_to_view",
        )
    async with ctx.db.transaction():
        token, ends = await accounts.start(ctx, ctx.actor.staffid, viewing=user.appuserid)
        owner = await users.owner(ctx, user.clientid)
        if owner is not None:
            values = {"name": owner.name, "user": user.name, "reason": input.reason}
            language = languages.of(ctx, owner.language)
            await mail.queue(ctx, "supportview", owner.email, mail.link(ctx, AUDIT_LOG), language=language, **values)
        await log.write(ctx, "view", user.clientid, user.appuserid, reason=input.reason)
    return Output(session_token=token, expireson=ends)
