"""First step of a change of e-mail: a code goes to the new address, a notice to the old one. It is never returned."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared import accounts, domains, mails, tokens, users
from scripts._shared.roles import SESSION
from tableapi.context import Context
from tableapi.errors import Invalid
from tableapi.scripts import script

SAME = "You are already using this email!"


class Input(BaseModel):
    oldemail: str
    newemail: str


class Output(BaseModel):
    success: int = 1


@script(roles=SESSION)
async def run(ctx: Context, input: Input) -> Output:
    await users.own(ctx, email=input.oldemail.strip().lower() if input.oldemail else None)
    try:
        email = await domains.business(ctx, input.newemail, domains.FREE_BLOCKED)
    except Invalid as refused:
        raise Invalid({"newemail": refused.message}) from None
    if email == ctx.actor.email.lower():
        raise Invalid({"newemail": SAME})
    ctx.limit("emailcodeverification", str(ctx.actor.appuserid), 3, 3600)
    if await accounts.exists(ctx, email):
        raise accounts.EmailExists("Email Already Exist In Our System!Please try with another")
    async with ctx.db.transaction():
        code = await tokens.issue(ctx, "emailchange", ctx.actor.appuserid, {"newemail": email})
        path = "/dashboard/settings/myaccount"
        confirm = mails.link(ctx, path, newemail=email, code=code)
        await mails.queue(ctx, "emailcode", email, confirm, name=ctx.actor.name, code=code)
        await mails.queue(
            ctx, "emailnotice", ctx.actor.email, mails.link(ctx, path), name=ctx.actor.name, newemail=email
        )
    return Output()
