"""Mail a new verification link to an unverified account. The response never reveals whether it exists."""

from __future__ import annotations

from pydantic import BaseModel

from product import emails
from product.accounts import users, verification
from product.context import Context
from product.success import Output
from tableapi import ANYONE, script


class Input(BaseModel):
    email: str
    checktoken: str = ""


@script(roles=(ANYONE,), limit="20/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    email = emails.normal(input.email)
    ctx.limit("sendverificationemail minute", email, 1, 60)
    ctx.limit("sendverificationemail day", email, 5, 86400)
    user = await _user(ctx, email, input.checktoken)
    if user is not None and not user.isverified and not user.isdeleted:
        async with ctx.db.transaction():
            await verification.mail_link(ctx, user, "verify")
    return Output()


async def _user(ctx: Context, email: str, checktoken: str) -> users.User | None:
    """Return the user of the session or of the check token, if the email is that user's, else None."""
    if "appuserid" in ctx.actor.values:
        user = await users.caller(ctx)
        return user if emails.normal(user.email) == email else None
    return await users.proved(ctx, email, checktoken, "check")
