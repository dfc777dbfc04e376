"""Start a change of email address: mail a code to the new address and a notice to the old one."""

from __future__ import annotations

from product import emails, mail
from product import language as languages
from product.accounts import email_domains, former_addresses, proof, signup, tokens, users
from product.context import Context
from product.roles import SESSION
from product.success import Output
from tableapi import FieldError, Invalid, script

SAME = FieldError("email_same", "You are already using this email!")


class Input(proof.Proof):
    oldemail: str
    newemail: str


@script(roles=SESSION)
async def run(ctx: Context, input: Input) -> Output:
    await users.own(ctx, email=emails.normal(input.oldemail) if input.oldemail else None)
    try:
        email = await email_domains.business(ctx, input.newemail, email_domains.FREE_BLOCKED)
    except Invalid as error:
        raise Invalid({"newemail": FieldError(error.case, error.message)}) from None
    if email == emails.normal(ctx.actor.email):
        raise Invalid({"newemail": SAME})
    user = await proof.proved_caller(ctx, input)
    ctx.limit("emailcodeverification", str(user.appuserid), 3, 3600)
    if await signup.exists(ctx, email, but=user.appuserid):
        raise signup.EmailExists("Email Already Exist In Our System!Please try with another", case="new_email_exists")
    async with ctx.db.transaction():
        code = await tokens.issue(ctx, "emailchange", user.appuserid, tokens.NewAddress(newemail=email))
        path = "/dashboard/settings/myaccount"
        confirm = mail.link(ctx, path, newemail=email, code=code)
        language = languages.of(ctx, user.language)
        await mail.queue(ctx, "emailcode", email, confirm, code=code, language=language, name=user.name)
        undo = await former_addresses.issue(ctx, user.appuserid, email)
        link = mail.link(ctx, "/undoemail", code=undo)
        await mail.queue(ctx, "emailnotice", user.email, link, newemail=email, language=language, name=user.name)
    return Output()
