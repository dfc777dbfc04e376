"""Mail a reset link if a user has the address.

A job, so that the response time of the call does not reveal whether the address is known.
"""

from __future__ import annotations

from pydantic import BaseModel

from product import language as languages
from product import mail
from product.accounts import tokens, users
from product.context import Context
from tableapi import script


class Input(BaseModel):
    email: str
    language: str | None = None  # taken from the request


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    async with ctx.db.transaction():
        user = await users.by_email(ctx, input.email)
        if user is None or user.isdeleted:
            return
        code = await tokens.issue(ctx, "reset", user.appuserid, email=user.email)
        link = mail.link(ctx, "/resetpassword", email=user.email, code=code)
        language = languages.of(ctx, languages.known(user.language) or input.language)
        await mail.queue(ctx, "reset", user.email, link, language=language, name=user.name)
